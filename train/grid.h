/* Every combination of overrides with several values: key=a,b,c. */
#ifndef STEP0_GRID_H
#define STEP0_GRID_H

#include "../model/base.h"

typedef struct { char **override; int overrides; char *label; } Cell;   /* label: what varies, "scheme=bert lr=0.003"; "" */

/* The combinations, the last key varying fastest. Commas inside brackets, braces and quotes separate nothing. */
Cell *grid_cells(char *const *override, int overrides, int *cells);
void grid_free(Cell *cell, int cells);

#endif
