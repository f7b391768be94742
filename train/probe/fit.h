/* How a positive quantity goes with depth or width. */
#ifndef STEP0_FIT_H
#define STEP0_FIT_H

#include "../../model/base.h"

/* y = e^intercept · x^slope (power) or e^(intercept + slope·x), by least squares of ln y. r2: 1 - residual / total variance. */
typedef struct { double slope, intercept, r2; } Fit;

/* Over the pairs whose y is positive and finite; NAN where there are fewer than two. */
Fit fit_power(const double *x, const double *y, int n);
Fit fit_exponential(const double *x, const double *y, int n);

/* "falls as depth^-0.55 (R2 0.99): 6.0 times from first to last" of y[0..n-1] over depths 1 to n: the better of the two fits,
 * and the plain ratio. Released with free. */
char *fit_sentence(const double *y, int n);

#endif
