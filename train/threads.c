#include "threads.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/base.h"

enum { THREADS_MAX = 1024 };

/* --- idle threads --- */

/* libgomp counts the cores of the process when it is loaded, and lets threads spin for milliseconds before they sleep unless
 * it has more threads than cores. On a machine that others use too, a spinning thread keeps the core from the one that it
 * waits for (PERFORMANCE.md). So libgomp is shown a single core, until the program's own constructors run; who sets
 * OMP_WAIT_POLICY or GOMP_SPINCOUNT gets what he asks for. */
static cpu_set_t own_cores;

static void show_one_core(int argc, char **argv, char **environment)
{
    (void)argc, (void)argv;
    cpu_set_t one;
    CPU_ZERO(&one);
    for (char **e = environment; *e; e++)
        if (!strncmp(*e, "OMP_WAIT_POLICY=", 16) || !strncmp(*e, "GOMP_SPINCOUNT=", 15)) return;
    if (sched_getaffinity(0, sizeof own_cores, &own_cores)) return;
    for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; core++)
        if (CPU_ISSET(core, &own_cores)) CPU_SET(core, &one);
    if (sched_setaffinity(0, sizeof one, &one)) CPU_ZERO(&own_cores);
}

__attribute__((section(".preinit_array"), used)) static void (*const before_libraries)(int, char **, char **) = show_one_core;

__attribute__((constructor)) static void show_all_cores(void)
{
    if (CPU_COUNT(&own_cores) > 0) sched_setaffinity(0, sizeof own_cores, &own_cores);
}

/* --- how many --- */

/* Cores that a cgroup's quota allows, rounded up; 0: no quota. Version 2, then version 1. */
static int quota(void)
{
    long long limit = 0, period = 0;
    FILE *f = fopen("/sys/fs/cgroup/cpu.max", "re");
    if (f && fscanf(f, "%lld %lld", &limit, &period) != 2) limit = 0;
    if (f) fclose(f);
    if (!f) {
        FILE *a = fopen("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "re"), *b = fopen("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "re");
        if (!a || !b || fscanf(a, "%lld", &limit) != 1 || fscanf(b, "%lld", &period) != 1) limit = 0;
        if (a) fclose(a);
        if (b) fclose(b);
    }
    return limit > 0 && period > 0 ? (int)((limit + period - 1) / period) : 0;
}

int threads_available(void)
{
    cpu_set_t set;
    int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1, limit = quota();
    if (limit > 0 && limit < cores) cores = limit;
    return cores > 0 ? cores : 1;
}

/* Behind a number of OMP_NUM_THREADS others may follow, for nested regions. */
static int number(const char *text, bool list)
{
    char *end;
    long n = strtol(text, &end, 10);
    return end != text && (*end == 0 || (list && *end == ',')) && n >= 1 && n <= THREADS_MAX ? (int)n : 0;
}

int threads_chosen(const char *flag)
{
    if (flag) {
        int n = number(flag, false);
        if (!n) die("--threads is \"%s\", but must be a whole number from 1 to %d", flag, THREADS_MAX);
        return n;
    }
    const char *variable = getenv("OMP_NUM_THREADS");
    int n = variable ? number(variable, true) : 0;
    if (variable && *variable && !n) notice("OMP_NUM_THREADS is \"%s\", no number from 1 to %d; ignored", variable, THREADS_MAX);
    return n ? n : threads_available();
}
