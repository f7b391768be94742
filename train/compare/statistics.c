#include "statistics.h"

#include <math.h>
#include <stdlib.h>

Summary statistics_summary(const double *x, int n)
{
    Summary s = {0, 0, 0};
    double square = 0;
    for (int i = 0; i < n; i++) {
        if (isnan(x[i])) continue;
        double step = x[i] - s.mean;
        s.n++;
        s.mean += step / s.n;
        square += step * (x[i] - s.mean);
    }
    if (!s.n) s.mean = NAN;
    if (s.n > 1) s.deviation = sqrt(square / (s.n - 1));
    return s;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double statistics_quantile(const double *x, int n, double share)
{
    double *sorted = xcalloc((size_t)n + 1, sizeof *sorted), value = NAN;
    int count = 0;
    for (int i = 0; i < n; i++)
        if (!isnan(x[i])) sorted[count++] = x[i];
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    if (count) {
        double at = share * (count - 1), low = sorted[(int)floor(at)], high = sorted[(int)ceil(at)];
        value = low == high ? low : low + (at - floor(at)) * (high - low);
    }
    free(sorted);
    return value;
}

double statistics_median(const double *x, int n)
{
    return statistics_quantile(x, n, 0.5);
}

double statistics_mad(const double *x, int n)
{
    double *distance = xcalloc((size_t)n + 1, sizeof *distance), middle = statistics_median(x, n);
    for (int i = 0; i < n; i++) distance[i] = fabs(x[i] - middle);
    double mad = statistics_median(distance, n);
    free(distance);
    return mad;
}

double statistics_correlation(const double *x, const double *y, int n)
{
    double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (isnan(x[i]) || isnan(y[i])) continue;
        count++;
        double dx = x[i] - mx, dy = y[i] - my;
        mx += dx / count;
        my += dy / count;
        xx += dx * (x[i] - mx);
        yy += dy * (y[i] - my);
        xy += dx * (y[i] - my);
    }
    return count >= MIN_PAIRS && xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

/* --- Student's t --- */

static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

/* 1/(1 + d_1/(1 + d_2/(1 + …))) by Lentz's method, from the front. */
static double beta_fraction(double x, double a, double b)
{
    enum { TERMS = 20000 };
    double upper = 1, lower = 0, value = 1;
    for (int k = 1; k < TERMS; k++) {
        int m = k / 2;
        double d = k % 2 ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)) : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        lower = 1 / (1 + d * lower);
        upper = 1 + d / upper;
        value *= upper * lower;
        if (fabs(upper * lower - 1) < 1e-16) break;
    }
    return 1 / value;
}

/* The regularized incomplete beta function I_x(a, b); y = 1 - x. */
static double beta_share(double x, double y, double a, double b)
{
    if (!(x > 0)) return 0;
    if (!(y > 0)) return 1;
    double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(y));
    return x < (a + 1) / (a + b + 2) ? front / a * beta_fraction(x, a, b) : 1 - front / b * beta_fraction(y, b, a);
}

double statistics_student_p(double t, double freedom)
{
    if (isinf(t)) return 0;
    double sum = freedom + t * t;
    return beta_share(freedom / sum, t * t / sum, freedom / 2, 0.5);
}

double statistics_student_quantile(double share, double freedom)
{
    double both = 2 * (1 - share), low = 0, high = 1;
    while (statistics_student_p(high, freedom) > both) high *= 2;
    while (high - low > 1e-15 * high) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) break;
        if (statistics_student_p(middle, freedom) > both) low = middle;
        else high = middle;
    }
    return high;
}

/* --- pairs --- */

static double half_width(double deviation, int n)
{
    return statistics_student_quantile(0.975, n - 1) * deviation / sqrt(n);
}

Paired statistics_paired(const double *x, const double *y, int n)
{
    double *difference = xcalloc((size_t)n + 1, sizeof *difference);
    for (int i = 0; i < n; i++) difference[i] = x[i] - y[i];
    Summary s = statistics_summary(difference, n);
    free(difference);
    Paired p = {.mean = s.mean, .deviation = s.n > 1 ? s.deviation : NAN, .half = NAN, .p = NAN, .correlation = statistics_correlation(x, y, n), .n = s.n};
    if (s.n < MIN_PAIRS) return p;
    p.half = half_width(s.deviation, s.n);
    p.p = s.mean == 0 ? 1 : statistics_student_p(s.mean / (s.deviation / sqrt(s.n)), s.n - 1);
    return p;
}

int statistics_pairs_needed(double difference, double deviation)
{
    int low = MIN_PAIRS, high = MOST_PAIRS;
    double size = fabs(difference);
    if (!(half_width(deviation, MOST_PAIRS) <= size)) return 0;
    while (low < high) {
        int middle = (low + high) / 2;
        if (half_width(deviation, middle) <= size) high = middle;
        else low = middle + 1;
    }
    return low;
}

typedef struct { double p; int at; } Test;

static int by_p(const void *a, const void *b)
{
    const Test *x = a, *y = b;
    return (x->p > y->p) - (x->p < y->p);
}

void statistics_holm(double *p, int n)
{
    Test *test = xcalloc((size_t)n + 1, sizeof *test);
    int tests = 0;
    double greatest = 0;
    for (int i = 0; i < n; i++)
        if (!isnan(p[i])) test[tests++] = (Test){p[i], i};
    qsort(test, (size_t)tests, sizeof *test, by_p);
    for (int k = 0; k < tests; k++) {
        greatest = fmin(1, fmax(greatest, (tests - k) * test[k].p));
        p[test[k].at] = greatest;
    }
    free(test);
}
