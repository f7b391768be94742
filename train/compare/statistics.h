/* Numbers about numbers: pure functions. NAN among the values means "none" and is left out, except where said. */
#ifndef STEP0_STATISTICS_H
#define STEP0_STATISTICS_H

#include "../../model/base.h"

/* The standard deviation (n - 1) is 0 below two values; the mean NAN where there is none. */
typedef struct { double mean, deviation; int n; } Summary;
Summary statistics_summary(const double *x, int n);

/* The value below which a share of them lies, on the line between the two nearest; NAN where there is none. Infinite values
 * count. Of the median (share 1/2): the middle value, or the mean of the two middle ones. */
double statistics_quantile(const double *x, int n, double share);
double statistics_median(const double *x, int n);

/* Median of |x - median(x)|: 1.4826 times it estimates the standard deviation of normal values (Hampel 1974). */
double statistics_mad(const double *x, int n);

/* Pearson's, over the pairs that have both values; NAN below three pairs or where one side does not vary. */
double statistics_correlation(const double *x, const double *y, int n);

/* Student's t with `freedom` degrees: P(|T| >= |t|), and the t with P(T <= t) = share, 0.5 <= share < 1. Through the
 * incomplete beta function by its continued fraction, DLMF 8.17.22; relative error below 1e-11 up to 1000 degrees. */
double statistics_student_p(double t, double freedom);
double statistics_student_quantile(double share, double freedom);

/* Differences x - y of pairs. Interval (95 %), t and p are NAN below MIN_PAIRS pairs; p is two-sided. half: half the width
 * of the interval, t_{.975,n-1}·deviation/√n, the least difference that so many pairs tell apart. */
#define MIN_PAIRS 3
typedef struct { double mean, deviation, half, p, correlation; int n; } Paired;
Paired statistics_paired(const double *x, const double *y, int n);

/* The least n, from MIN_PAIRS on, with t_{.975,n-1}·deviation/√n <= |difference|; 0: more than MOST_PAIRS. */
enum { MOST_PAIRS = 10000 };
int statistics_pairs_needed(double difference, double deviation);

/* Holm's step-down correction, in place: the k-th least of m becomes the greatest of (m - i + 1)·p_i, i <= k, at most 1. */
void statistics_holm(double *p, int n);

#endif
