/* The processor and memory that a run had. */
#ifndef STEP0_CPU_H
#define STEP0_CPU_H

#include "../model/base.h"

/* The processor's name as the system gives it; "unknown" elsewhere. out holds 128 bytes. */
char *cpu_name(char out[128]);

/* Memory that this process may use, in bytes: what the machine has, or less by its control group or its limits; `whose`
 * says which ("this machine has"). */
double cpu_memory(const char **whose);

/* The most memory that this process has used so far, in bytes. */
size_t cpu_peak_memory(void);

#endif
