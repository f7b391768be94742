/* init.csv, read back: the standard deviation of each part, as its rule has it and as measured. */
#ifndef STEP0_INIT_PARTS_H
#define STEP0_INIT_PARTS_H

#include "outcome.h"

typedef struct { char *role; double layer, expected, measured; } InitPart;     /* NAN where the cell is empty */

/* The parts of a run that were measured; none where the file is missing. Released with init_parts_free. */
InitPart *init_parts(const Outcome *o, int *count);
void init_parts_free(InitPart *part, int count);

#endif
