/* How much memory a training needs, and whether it is there. */
#ifndef STEP0_MEMORY_H
#define STEP0_MEMORY_H

#include "../config/config.h"

/* In bytes; gradients take as much as weights, moments twice that. Within 10 % of the measured peak (tests/cli/memory.sh). */
typedef struct { double weights, activations, rest, peak; } MemoryEstimate;
MemoryEstimate memory_estimate(const Config *c, const Shape *shape, int threads, double text_bytes);

/* Dies where the training needs more than this process may use, with the estimate and, for each key that would do by
 * itself, the nearest value (of halves of the present one) that fits. */
void memory_check(const Config *c, const Shape *shape, int threads, double text_bytes);

#endif
