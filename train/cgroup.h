/* What the control groups of this process allow it (cgroups(7)), its own and all above it, of version 2 and version 1. */
#ifndef STEP0_CGROUP_H
#define STEP0_CGROUP_H

#include "../model/base.h"

/* INFINITY where nothing is limited. memory: bytes (memory.max, memory.high, memory.limit_in_bytes); cores: of CPU time
 * (cpu.max; cpu.cfs_quota_us over cpu.cfs_period_us). */
typedef struct { double memory, cores; } CgroupLimits;

/* root: "", or a folder that stands for / (of a test). Where proc/self/cgroup or mountinfo cannot be read nothing is limited. */
CgroupLimits cgroup_limits(const char *root);

#endif
