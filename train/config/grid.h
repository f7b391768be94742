/* Every combination of keys with several values: of the words key=a,b,c, and of a config's "sweep". */
#ifndef STEP0_GRID_H
#define STEP0_GRID_H

#include "../../model/json.h"

typedef struct { char **override; int overrides; char *label; } Cell;   /* label: what varies, "scheme=bert lr=0.003"; "" */

/* The combinations, the last key varying fastest. Commas inside brackets, braces and quotes separate nothing. `sweep`: a
 * config's (Config.sweep) or NULL; its keys stand in front of the words', and a key that a word gives is the word's. */
Cell *grid_cells(const Json *sweep, char *const *override, int overrides, int *cells);
void grid_free(Cell *cell, int cells);

/* How many values a key has in all that; 0: it is not given. */
int grid_values(const Json *sweep, char *const *override, int overrides, const char *key);

#endif
