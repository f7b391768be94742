/* The coordinate check (Yang et al. 2022, mup's coord_check): how the size of each kind of output goes with width, or with
 * depth, at step 0 and over the first updates.
 *
 * Each model trains a few steps on one batch, without decay and clipping. At step 0 the mean |activation| is taken, then at
 * each step the mean |change since step 0|. Under muP a change goes with width^0; one that grows with width means that the
 * largest stable learning rate falls with it. */
#ifndef STEP0_COORD_H
#define STEP0_COORD_H

#include "../args.h"
#include "../config/grid.h"

/* Cells that differ in model.n_embd (or in model.n_layer) are one model at several sizes; several other values make several
 * checks. Prints slopes and verdicts, writes args->csv. */
int coord_cells(const Args *args, const Cell *cell, int cells);

#endif
