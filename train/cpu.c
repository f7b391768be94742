#include "cpu.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cgroup.h"

char *cpu_name(char out[128])
{
    struct utsname system;
    char line[512];
    FILE *f = fopen("/proc/cpuinfo", "re");
    snprintf(out, 128, "%s", uname(&system) == 0 ? system.machine : "unknown");
    while (f && fgets(line, sizeof line, f)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !colon) continue;
        snprintf(out, 128, "%.100s", colon + 2);
        out[strcspn(out, "\n")] = 0;
        break;
    }
    if (f) fclose(f);
    return out;
}

double cpu_memory(const char **whose)
{
    double own = machine_memory(), group = cgroup_limits("").memory;
    *whose = "this machine has";
    if (group < own) *whose = "this process's control group allows", own = group;
    static const struct { int resource; const char *whose; } limit[] = {{RLIMIT_AS, "`ulimit -v` allows"}, {RLIMIT_DATA, "`ulimit -d` allows"}};
    for (size_t i = 0; i < COUNT(limit); i++) {
        struct rlimit most;
        if (getrlimit(limit[i].resource, &most) || most.rlim_cur == RLIM_INFINITY || (double)most.rlim_cur >= own) continue;
        *whose = limit[i].whose, own = (double)most.rlim_cur;
    }
    return own;
}

size_t cpu_peak_memory(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (size_t)use.ru_maxrss * 1024;
}
