/* Axes: from numbers to places in a figure, and the round numbers that are written beside them. */
#ifndef STEP0_FIGURE_AXIS_H
#define STEP0_FIGURE_AXIS_H

#include "figure.h"

/* What an axis must hold. Numbers that it cannot show (not finite; on a logarithmic one, 0 and below) are left out. */
typedef struct { double low, high; bool logarithmic; } Range;
Range range_empty(bool logarithmic);
void range_add(Range *r, double x);
bool range_holds(const Range *r, double x);            /* false too where the axis cannot show it */
bool range_any(const Range *r);

/* The least number lies at `from`, the largest at `to`. */
typedef struct { Range range; double from, to; } Axis;

/* Over a range that holds a number, widened at both ends by a share of its length; also where it is a point. */
Axis axis_of(Range r, double from, double to, double margin);
double axis_place(const Axis *a, double x);            /* beyond the ends too, but never far: -9999 to 9999 */

/* About `most` round numbers or fewer inside the axis, `least` apart or more; returns how many. out holds AXIS_TICKS. */
enum { AXIS_TICKS = 24 };
typedef struct { double at; char label[32]; } Tick;
int axis_ticks(const Axis *a, int most, double least, Tick *out);

/* "0.02", "10000", "1e-5": so many digits, exponents without padding. */
void number_label(char label[32], double x, int digits);

#endif
