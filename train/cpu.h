/* The processor and memory that a run had. */
#ifndef STEP0_CPU_H
#define STEP0_CPU_H

#include "../model/base.h"

/* The processor's name as the system gives it; "unknown" elsewhere. out holds 128 bytes. */
char *cpu_name(char out[128]);

/* Memory that this machine has, or this process's cgroup may use, in bytes. */
size_t cpu_memory(void);

/* The most memory that this process has used so far, in bytes. */
size_t cpu_peak_memory(void);

#endif
