#include "fit.h"

#include <math.h>
#include <stdlib.h>

static Fit line(const double *x, const double *y, int n, bool power)
{
    double count = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
    for (int i = 0; i < n; i++) {
        if (!(y[i] > 0) || !isfinite(y[i])) continue;
        double a = power ? log(x[i]) : x[i], b = log(y[i]);
        count++;
        sx += a, sy += b, sxx += a * a, sxy += a * b, syy += b * b;
    }
    double xx = sxx - sx * sx / count, xy = sxy - sx * sy / count, yy = syy - sy * sy / count;
    if (count < 2 || !(xx > 0)) return (Fit){NAN, NAN, NAN};
    double slope = xy / xx;
    return (Fit){slope, (sy - slope * sx) / count, yy > 0 ? xy * xy / (xx * yy) : 1};
}

Fit fit_power(const double *x, const double *y, int n)
{
    return line(x, y, n, true);
}

Fit fit_exponential(const double *x, const double *y, int n)
{
    return line(x, y, n, false);
}

/* Below this many blocks the two fits cannot be told apart; below this R2 neither says anything. */
enum { FEWEST = 6 };
#define CLEAR 0.5

char *fit_sentence(const double *y, int n)
{
    double *depth = xcalloc((size_t)n, sizeof *depth);
    for (int i = 0; i < n; i++) depth[i] = i + 1;
    Fit power = fit_power(depth, y, n), exponential = fit_exponential(depth, y, n);
    free(depth);
    if (!(y[0] > 0) || !(y[n - 1] > 0) || !isfinite(y[0]) || !isfinite(y[n - 1])) return text_format("%.3g in the first block, %.3g in the last", y[0], y[n - 1]);
    double ratio = y[0] > y[n - 1] ? y[0] / y[n - 1] : y[n - 1] / y[0];
    const char *way = y[0] > y[n - 1] ? "falls" : "rises";
    if (ratio < 1.1) return text_format("flat: %.3g times from first to last", ratio);
    if (fmax(power.r2, exponential.r2) < CLEAR) return text_format("%s %.3g times from first to last, by no clear law", way, ratio);
    if (n < FEWEST) return text_format("%s %.3g times from first to last", way, ratio);
    if (power.r2 >= exponential.r2) return text_format("%s as depth^%.2f (R2 %.2f): %.3g times from first to last", way, power.slope, power.r2, ratio);
    return text_format("%s by a factor %.3g a block (R2 %.2f): %.3g times from first to last", way, exp(exponential.slope), exponential.r2, ratio);
}
