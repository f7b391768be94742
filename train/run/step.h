/* What a step of training computes, and what of it is not finite. */
#ifndef STEP0_STEP_H
#define STEP0_STEP_H

#include "metrics.h"
#include "setup.h"

/* Zeroes the gradients, adds those of every micro-batch; returns the mean loss. Watched (NULL: not) or not, the bits are the
 * same. *cut says whether a signal asked to stop between two of them; then what it returns means nothing. */
double step_gradients(Setup *s, int64_t step, Watch *watch, bool *cut);

/* The part whose gradient is the first non-finite one in the order of the backward pass. square: of each part's gradient. */
const char *step_bad_gradient(const Params *p, const double *square);

/* The part whose weights the row's update would break; NULL: none. */
const char *step_bad_update(const Setup *s, const MetricsRow *row);

bool step_weights_are_finite(const Params *p);

#endif
