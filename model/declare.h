/* What a model consists of: its parameters, a line a tensor, and the memory of its activations. */
#ifndef STEP0_DECLARE_H
#define STEP0_DECLARE_H

#include "gpt.h"

/* The table of parameters, and each branch's slots as g->shape has them. */
void declare(Gpt *g);

/* All activations and scratch. Runs twice: to measure, then to hand out. */
void lay_out(Gpt *g, Arena *a);

#endif
