/* Limits of control groups, read from trees of files that stand for /. */
#include "helpers.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../train/cgroup.h"
#include "../../train/out.h"

enum { FILES = 8 };
typedef struct {
    const char *what, *mounts, *groups;
    struct { const char *path, *text; } file[FILES];
    double memory, cores;
} Tree;

static const char v2[] = "24 1 0:22 / /proc rw - proc proc rw\n30 24 0:27 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
static const char v1[] = "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                         "36 31 0:33 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n";

static const Tree tree[] = {
    {"no proc", NULL, NULL, {{0}}, INFINITY, INFINITY},
    {"version 2", v2, "0::/\n", {{"sys/fs/cgroup/memory.max", "1048576\n"}, {"sys/fs/cgroup/cpu.max", "150000 100000\n"}}, 1048576, 1.5},
    {"version 2, no limit", v2, "0::/\n", {{"sys/fs/cgroup/memory.max", "max\n"}, {"sys/fs/cgroup/cpu.max", "max 100000\n"}}, INFINITY, INFINITY},
    {"a group above limits memory, one below cores", v2, "0::/a/b/c\n",
     {{"sys/fs/cgroup/a/memory.max", "5000\n"}, {"sys/fs/cgroup/a/b/memory.max", "9000\n"}, {"sys/fs/cgroup/a/b/c/memory.max", "max\n"},
      {"sys/fs/cgroup/a/cpu.max", "max 100000\n"}, {"sys/fs/cgroup/a/b/c/cpu.max", "50000 100000\n"}}, 5000, 0.5},
    {"memory.high", v2, "0::/a\n", {{"sys/fs/cgroup/a/memory.max", "9000\n"}, {"sys/fs/cgroup/a/memory.high", "7000\n"}}, 7000, INFINITY},
    {"another group's limit", v2, "0::/a\n", {{"sys/fs/cgroup/b/memory.max", "9000\n"}, {"sys/fs/cgroup/ab/memory.max", "9000\n"}}, INFINITY, INFINITY},
    {"nonsense", v2, "0::/a\n", {{"sys/fs/cgroup/a/memory.max", "\n"}, {"sys/fs/cgroup/a/cpu.max", "0 0\n"}, {"sys/fs/cgroup/cpu.max", "5\n"}}, INFINITY, INFINITY},
    {"a group outside of what is mounted", v2, "0::/../other\n", {{"sys/fs/cgroup/memory.max", "6000\n"}}, 6000, INFINITY},
    {"a container's mount of its own group", "30 24 0:27 /docker/x /sys/fs/cgroup ro - cgroup2 cgroup rw\n", "0::/docker/x/sub\n",
     {{"sys/fs/cgroup/memory.max", "6000\n"}, {"sys/fs/cgroup/sub/memory.max", "5000\n"}}, 5000, INFINITY},
    {"a mount of a group whose name begins alike", "30 24 0:27 /docker/x /sys/fs/cgroup ro - cgroup2 cgroup rw\n", "0::/docker/xy\n",
     {{"sys/fs/cgroup/memory.max", "6000\n"}, {"sys/fs/cgroup/y/memory.max", "5000\n"}}, 6000, INFINITY},
    {"version 1", v1, "9:cpuset:/\n4:memory:/m/n\n1:cpu,cpuacct:/c\n0::/\n",
     {{"sys/fs/cgroup/memory/m/memory.limit_in_bytes", "4096\n"}, {"sys/fs/cgroup/memory/m/n/memory.limit_in_bytes", "9223372036854771712\n"},
      {"sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us", "250000\n"}, {"sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_period_us", "100000\n"}}, 4096, 2.5},
    {"version 1, no quota", v1, "1:cpu,cpuacct:/\n",
     {{"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"}, {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"}}, INFINITY, INFINITY},
    {"lines that are cut short", "30 24 0:27 /\n30 24 0:27 / /sys/fs/cgroup rw - cgroup2\n", "0:\n\n:::\n", {{"sys/fs/cgroup/memory.max", "1\n"}}, INFINITY, INFINITY},
};

static void put(const char *root, const char *path, const char *text)
{
    char *full = text_format("%s/%s", root, path), *folder = text_format("%s", full);
    *strrchr(folder, '/') = 0;
    assert_null(out_folder(folder));
    Out o = out_open(full, false);
    out_write(&o, text, strlen(text));
    assert_null(out_close(&o, false));
    free(folder);
    free(full);
}

static void limits_are_the_lowest_of_all_groups(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(tree); i++) {
        const Tree *t = &tree[i];
        char *root = scratch_new();
        if (t->mounts) put(root, "proc/self/mountinfo", t->mounts);
        if (t->groups) put(root, "proc/self/cgroup", t->groups);
        for (int f = 0; f < FILES && t->file[f].path; f++) put(root, t->file[f].path, t->file[f].text);
        CgroupLimits limits = cgroup_limits(root);
        if (!(limits.memory == t->memory && limits.cores == t->cores))
            fail_msg("%s: memory %g, cores %g, not %g, %g", t->what, limits.memory, limits.cores, t->memory, t->cores);
        scratch_remove(root);
    }
}

/* Where the machine has less, that is what counts; so a real tree can only lower it. */
static void this_process_is_allowed_something(void **state)
{
    (void)state;
    CgroupLimits limits = cgroup_limits("");
    assert_true(limits.memory > 1 << 20 && limits.cores > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(limits_are_the_lowest_of_all_groups), cmocka_unit_test(this_process_is_allowed_something)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
