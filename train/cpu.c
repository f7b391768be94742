#include "cpu.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

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

size_t cpu_memory(void)
{
    size_t bytes = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    unsigned long long limit;
    FILE *f = fopen("/sys/fs/cgroup/memory.max", "re");
    if (f && fscanf(f, "%llu", &limit) == 1 && limit < bytes) bytes = limit;
    if (f) fclose(f);
    return bytes;
}

size_t cpu_peak_memory(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (size_t)use.ru_maxrss * 1024;
}
