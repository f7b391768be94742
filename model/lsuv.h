/* Data-dependent initialization, after Mishkin & Matas 2016 (LSUV): in the order of the forward pass, the weights of each
 * linear layer that the scheme's output_std names are scaled until its output over a batch has that standard deviation
 * (about its mean). The original stops within 0.1 of 1; here within 0.001 of the scheme's number. */
#ifndef STEP0_LSUV_H
#define STEP0_LSUV_H

#include "scheme.h"

bool scheme_needs_batch(const Scheme *s);

/* On weights that were just drawn. Dies where an output is constant, so that no factor helps. */
void init_output_std(Gpt *g, const Scheme *s, const Batch *batch);

#endif
