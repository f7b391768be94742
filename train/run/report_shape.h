/* What the switches of a model's forward pass come to at its size. */
#ifndef STEP0_REPORT_SHAPE_H
#define STEP0_REPORT_SHAPE_H

#include <stdio.h>

#include "../../model/shape.h"

/* A line for each switch that is not as GPT-2 has it, each behind `indent`: "gate   1/layer = 1 in h.0, 0.25 in h.3; one a
 * layer, trained". */
void print_switches(FILE *out, const Shape *s, const char *indent);

#endif
