/* The curves of a group of runs, thinned for a page that opens fast. */
#ifndef STEP0_CURVE_H
#define STEP0_CURVE_H

#include "group.h"

enum { CURVE_POINTS = 1000, CURVE_PIECES = CURVE_POINTS / 2 - 1, HEAT_COLUMNS = 200 };

/* A column of metrics.csv over the group's runs: their mean, least and largest at each step that has a finite number. */
typedef struct { double *step, *mean, *low, *high; int n; } Curve;
Curve curve_whole(const Group *g, const char *column);

/* Of more than CURVE_POINTS steps, CURVE_PIECES pieces of equal length each keep the step of the largest mean and of the
 * least one, with the least and the largest number of the whole piece; the first and last step stay. Fewer stay as they are. */
Curve curve_thinned(const Curve *whole);
Curve curve_of(const Group *g, const char *column);        /* curve_thinned of curve_whole */

/* Pieces of equal length, each the mean of its steps, means, lows and highs: what a smoothed curve is made of, as extremes
 * have another mean. Of fewer steps than pieces some stand in several. */
Curve curve_means(const Curve *whole, int pieces);
void curve_free(Curve *c);

/* Numbers by place in the network and step: place r, column c covers the steps from c to c + 1, times steps / columns, and
 * holds the geometric mean over the group's runs and these steps; NAN where there is none above 0. `first` is the same at
 * step 0 alone. Places are "wte", "h.0", …: of columns finer than that, the root of the sum of squares. */
typedef struct {
    char **place; int places;
    double steps; int columns;
    double *cell;              /* [places, columns] */
    double *first;             /* [places] */
} Heat;

/* Of the columns that start with `prefix` ("grad_norm."); places is 0 where there are none. */
Heat heat_of(const Group *g, const char *prefix);
void heat_free(Heat *d);

/* The share of updates that were clipped: [columns] as heat_of has them, NAN where none was made. Released with free. */
double *clipped_of(const Group *g, const Heat *like);

#endif
