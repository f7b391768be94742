#include "threads.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgroup.h"

enum { THREADS_MAX = 1024 };

/* --- idle threads --- */

/* libgomp lets a thread that waits spin for milliseconds before it sleeps, as its environment says when it is loaded. On a machine
 * that others use too, it so keeps the core from the thread that it waits for; a few microseconds give most of the gain
 * (PERFORMANCE.md). So its own constructor finds the number below, in the place of a variable that no library reads then; the
 * program's constructors put that back. Who sets one of the first two variables gets what he asks for. */
static char spin[] = "GOMP_SPINCOUNT=1000", *lender;
static cpu_set_t own_cores;

static bool begins_with_one(const char *text, const char *const *beginning, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strncmp(text, beginning[i], strlen(beginning[i]))) return true;
    return false;
}

static void lend_variable(int argc, char **argv, char **environment)
{
    static const char *const user_decides[] = {"OMP_WAIT_POLICY=", "GOMP_SPINCOUNT="}, *const unread[] = {"PATH=", "PWD=", "HOME="};
    (void)argc, (void)argv;
    sched_getaffinity(0, sizeof own_cores, &own_cores);
    for (char **e = environment; *e; e++)
        if (begins_with_one(*e, user_decides, COUNT(user_decides))) return;
    for (char **e = environment; *e && !lender; e++)
        if (begins_with_one(*e, unread, COUNT(unread))) lender = *e, *e = spin;
}

__attribute__((section(".preinit_array"), used)) static void (*const before_libraries)(int, char **, char **) = lend_variable;

__attribute__((constructor)) static void give_back(void)
{
    for (char **e = environ; e && *e; e++)
        if (*e == spin) *e = lender;
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
