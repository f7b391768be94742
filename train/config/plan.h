/* What a run would start from: a config and its scheme, together. */
#ifndef STEP0_PLAN_H
#define STEP0_PLAN_H

#include "config.h"

/* A config with its scheme's keys put in, all of it checked: what a run would start from. Where init.from is set, its keys
 * are not known yet. */
typedef struct { Config config; Scheme scheme; } Plan;
Plan plan_read(const char *path, char *const *override, int overrides, bool *given);
void plan_free(Plan *p);

#endif
