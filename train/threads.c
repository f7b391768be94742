#include "threads.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"

enum { THREADS_MAX = 1024 };

/* --- idle threads --- */

/* libgomp counts the cores of the process when it is loaded, and lets threads spin for milliseconds before they sleep unless
 * it has more threads than cores. On a machine that others use too, a spinning thread keeps the core from the one that it
 * waits for (PERFORMANCE.md). So libgomp is shown a single core, until the program's own constructors run; who sets one of
 * these variables, which say how to wait or where to run, gets what he asks for. */
static const char *const user_decides[] = {"OMP_WAIT_POLICY=", "GOMP_SPINCOUNT=", "OMP_PROC_BIND=", "OMP_PLACES=", "GOMP_CPU_AFFINITY="};
static cpu_set_t own_cores;
static bool narrowed;

static void show_one_core(int argc, char **argv, char **environment)
{
    (void)argc, (void)argv;
    cpu_set_t one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof own_cores, &own_cores)) return;
    for (char **e = environment; *e; e++)
        for (size_t i = 0; i < COUNT(user_decides); i++)
            if (!strncmp(*e, user_decides[i], strlen(user_decides[i]))) return;
    for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; core++)
        if (CPU_ISSET(core, &own_cores)) CPU_SET(core, &one);
    narrowed = !sched_setaffinity(0, sizeof one, &one);
}

__attribute__((section(".preinit_array"), used)) static void (*const before_libraries)(int, char **, char **) = show_one_core;

__attribute__((constructor)) static void show_all_cores(void)
{
    if (narrowed) sched_setaffinity(0, sizeof own_cores, &own_cores);
}

/* --- how many --- */

/* A quota is rounded up. The affinity is that of before libgomp, which binds a thread where OMP_PROC_BIND says so. */
int threads_available(void)
{
    int cores = CPU_COUNT(&own_cores);
    double quota = cgroup_limits("").cores;
    if (quota < cores) cores = (int)ceil(quota);
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
