#include "figure_axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

Range range_empty(bool logarithmic)
{
    return (Range){INFINITY, -INFINITY, logarithmic};
}

static bool can_show(const Range *r, double x)
{
    return isfinite(x) && (x > 0 || !r->logarithmic);
}

void range_add(Range *r, double x)
{
    if (!can_show(r, x)) return;
    r->low = fmin(r->low, x);
    r->high = fmax(r->high, x);
}

bool range_holds(const Range *r, double x)
{
    return can_show(r, x) && x >= r->low && x <= r->high;
}

bool range_any(const Range *r)
{
    return r->low <= r->high;
}

static double scaled(const Range *r, double x)
{
    return r->logarithmic ? log(x) : x;
}

Axis axis_of(Range r, double from, double to, double margin)
{
    double low = scaled(&r, r.low), high = scaled(&r, r.high), least = r.logarithmic ? log(1.5) : 1e-6 * fmax(fabs(low), 1e-3);
    if (high - low < least) {
        double widen = r.logarithmic ? log(1.5) : fmax(fabs(low) / 4, 0.5);
        low -= widen;
        high += widen;
    }
    double more = margin * (high - low);
    r.low = r.logarithmic ? exp(low - more) : low - more;
    r.high = r.logarithmic ? exp(high + more) : high + more;
    return (Axis){r, from, to};
}

double axis_place(const Axis *a, double x)
{
    double low = scaled(&a->range, a->range.low), high = scaled(&a->range, a->range.high);
    double part = can_show(&a->range, x) ? (scaled(&a->range, x) - low) / (high - low) : x > 0 ? 2 : -1;
    return fmin(fmax(a->from + part * (a->to - a->from), -9999), 9999);
}

/* --- ticks --- */

void number_label(char label[32], double x, int digits)
{
    int whole = x != 0 && fabs(x) < 1e6 ? (int)floor(log10(fabs(x)) + 1e-9) + 1 : 1;
    snprintf(label, 32, "%.*g", digits > whole ? digits : whole, x);
    char *e = strchr(label, 'e'), *from = e ? e + 1 : NULL;
    if (!e) return;
    char *to = from;
    if (*from == '-') to++;
    from += strspn(from, "+-0");
    memmove(to, from, strlen(from) + 1);
}

/* Digits that tell multiples of `step` apart. */
static int digits_for(double x, double step)
{
    int digits = x == 0 ? 1 : (int)floor(log10(fabs(x)) + 1e-9) - (int)floor(log10(step) + 1e-9) + 1;
    return digits < 1 ? 1 : digits;
}

static int linear_ticks(const Range *r, int most, double least, Tick *out)
{
    double rough = fmax((r->high - r->low) / most, least), power = pow(10, floor(log10(rough) + 1e-9)), step = power;
    static const int factor[] = {1, 2, 5, 10};
    for (size_t i = 0; i < COUNT(factor); i++) {
        step = factor[i] * power;
        if (step >= rough * (1 - 1e-9)) break;
    }
    int n = 0;
    for (double i = ceil(r->low / step - 1e-6) + 0.0; i * step <= r->high + 1e-6 * step && n < AXIS_TICKS; i++) {
        out[n].at = i * step;
        number_label(out[n++].label, i * step, digits_for(i * step, step));
    }
    return n;
}

/* Powers of ten times each factor, every so many decades. */
static int decade_ticks(const Range *r, const int *factor, int factors, int every, Tick *out)
{
    int n = 0;
    for (int e = (int)floor(log10(r->low)); e <= (int)ceil(log10(r->high)); e++)
        for (int i = 0; i < factors; i++) {
            double x = factor[i] * pow(10, e);
            if (e % every || x < r->low * (1 - 1e-9) || x > r->high * (1 + 1e-9) || n == AXIS_TICKS) continue;
            out[n].at = x;
            number_label(out[n++].label, x, 1);
        }
    return n;
}

int axis_ticks(const Axis *a, int most, double least, Tick *out)
{
    static const struct { int factor[3], factors; } row[] = {{{1, 2, 5}, 3}, {{1, 3}, 2}, {{1}, 1}};
    const Range *r = &a->range;
    if (!r->logarithmic) return linear_ticks(r, most, least, out);
    double decades = log10(r->high / r->low);
    int n = 0;
    for (size_t i = 0; i < COUNT(row); i++) {
        n = decade_ticks(r, row[i].factor, row[i].factors, row[i].factors == 1 ? (int)ceil(decades / most) : 1, out);
        if (n <= most + most / 4) break;
    }
    return n > 1 ? n : linear_ticks(r, most, least, out);
}
