#include "threads.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "../model/base.h"

enum { THREADS_MAX = 1024 };

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
