#include "cgroup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers at the start of a file, as many as it has, at most two; "max" is none. */
static int read_numbers(const char *folder, const char *file, double number[2])
{
    char *path = text_format("%s/%s", folder, file);
    FILE *f = fopen(path, "re");
    int n = f ? fscanf(f, "%lf %lf", &number[0], &number[1]) : 0;
    if (f) fclose(f);
    free(path);
    return n > 0 ? n : 0;
}

static void lower(double *limit, double value)
{
    if (value > 0 && value < *limit) *limit = value;
}

static void read_memory(const char *folder, const char *file, CgroupLimits *limits)
{
    double bytes[2];
    if (read_numbers(folder, file, bytes) > 0) lower(&limits->memory, bytes[0]);
}

static void read_v2(const char *folder, CgroupLimits *limits)
{
    double quota[2];
    read_memory(folder, "memory.max", limits);
    read_memory(folder, "memory.high", limits);
    if (read_numbers(folder, "cpu.max", quota) == 2 && quota[1] > 0) lower(&limits->cores, quota[0] / quota[1]);
}

static void read_v1_memory(const char *folder, CgroupLimits *limits)
{
    read_memory(folder, "memory.limit_in_bytes", limits);
}

static void read_v1_cpu(const char *folder, CgroupLimits *limits)
{
    double quota[2], period[2];
    if (read_numbers(folder, "cpu.cfs_quota_us", quota) > 0 && read_numbers(folder, "cpu.cfs_period_us", period) > 0 && period[0] > 0)
        lower(&limits->cores, quota[0] / period[0]);
}

/* A kind of hierarchy: its file system, its controller ("": version 2, which has one hierarchy for all). */
static const struct { const char *type, *controller; void (*read)(const char *, CgroupLimits *); } hierarchy[] = {
    {"cgroup2", "", read_v2}, {"cgroup", "memory", read_v1_memory}, {"cgroup", "cpu", read_v1_cpu}};

/* Whether a list "a,b,c" has a word. */
static bool lists(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *p = list; *p; p += strcspn(p, ",")) {
        if (*p == ',') p++;
        if (strcspn(p, ",") == length && !strncmp(p, word, length)) return true;
    }
    return !*list && !length;
}

/* The group of this process in a hierarchy, from lines "7:cpu,cpuacct:/path"; NULL: none. Released with free. */
static char *own_group(const char *root, const char *controller)
{
    char *path = text_format("%s/proc/self/cgroup", root), *line = NULL, *group = NULL;
    FILE *f = fopen(path, "re");
    size_t room = 0;
    while (f && !group && getline(&line, &room, f) > 0) {
        char *list = strchr(line, ':'), *end = list ? strchr(list + 1, ':') : NULL;
        if (!end) continue;
        *end = 0;
        end[1 + strcspn(end + 1, "\n")] = 0;
        if (lists(list + 1, controller)) group = xstrdup(end + 1);
    }
    if (f) fclose(f);
    free(line);
    free(path);
    return group;
}

/* Reads the group and all above it, up to where the hierarchy is mounted. Seen from inside a container the group may lie
 * outside of what is mounted; then the top stands for it. */
static void climb(const char *root, const char *mounted, const char *top, const char *group, void (*read)(const char *, CgroupLimits *), CgroupLimits *limits)
{
    size_t skipped = strcmp(top, "/") ? strlen(top) : 0;
    bool inside = !strncmp(group, top, skipped) && (group[skipped] == '/' || !group[skipped]) && !strstr(group, "/..");
    char *folder = text_format("%s%s%s", root, mounted, inside ? group + skipped : "");
    for (size_t least = strlen(root) + strlen(mounted);;) {
        read(folder, limits);
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < least) break;
        *slash = 0;
    }
    free(folder);
}

/* A line of mountinfo: "id parent device top mounted options … - type source options" (proc(5)). */
static void read_mount(const char *root, char *line, CgroupLimits *limits)
{
    char top[4096], mounted[4096], type[32], options[4096];
    const char *rest = strstr(line, " - ");
    if (!rest || sscanf(line, "%*s %*s %*s %4095s %4095s", top, mounted) != 2 || sscanf(rest, " - %31s %*s %4095s", type, options) != 2) return;
    for (size_t i = 0; i < COUNT(hierarchy); i++) {
        bool right = !strcmp(type, hierarchy[i].type) && (!*hierarchy[i].controller || lists(options, hierarchy[i].controller));
        char *group = right ? own_group(root, hierarchy[i].controller) : NULL;
        if (group) climb(root, mounted, top, group, hierarchy[i].read, limits);
        free(group);
    }
}

CgroupLimits cgroup_limits(const char *root)
{
    CgroupLimits limits = {INFINITY, INFINITY};
    char *path = text_format("%s/proc/self/mountinfo", root), *line = NULL;
    FILE *f = fopen(path, "re");
    size_t room = 0;
    while (f && getline(&line, &room, f) > 0) read_mount(root, line, &limits);
    if (f) fclose(f);
    free(line);
    free(path);
    return limits;
}
