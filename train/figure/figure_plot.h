/* A plot in a figure: axes, curves, what stands across it and below it. */
#ifndef STEP0_FIGURE_PLOT_H
#define STEP0_FIGURE_PLOT_H

#include "figure_axis.h"
#include "figure_style.h"

typedef struct { Box box; Axis x, y; } Plot;

/* Axes over the ranges, which hold numbers; x_margin: the share of its length that the x axis is longer at both ends. */
Plot plot_of(Box box, Range x, Range y, double x_margin);

/* Grid, ticks (about `most_x` of them, `least_x` apart or more) and titles; y_title NULL: none. */
void plot_frame(Figure *f, const Plot *p, const char *x_title, const char *y_title, int most_x, double least_x);

/* What is drawn between these two is cut at the plot's edges. */
void plot_open(Figure *f, const Plot *p);
void plot_close(Figure *f);

/* n points; those that an axis cannot show are left out, and split a line. */
void plot_line(Figure *f, const Plot *p, const Style *style, const double *x, const double *y, int n);
void plot_band(Figure *f, const Plot *p, const Style *style, const double *x, const double *low, const double *high, int n);
void plot_dots(Figure *f, const Plot *p, const Style *style, const double *x, const double *y, int n);

/* A cross, at the plot's edge where the point is outside; not finite counts as above. */
void plot_cross(Figure *f, const Plot *p, const Style *style, double x, double y);

/* Lines across the plot, named at its right side. Of those outside the name alone stands there, with an arrow. */
typedef struct { const char *name; double value; } Yardstick;
void plot_yardsticks(Figure *f, const Plot *p, const Yardstick *yardstick, int n);

/* A group's line from x on, SWATCH long. */
enum { SWATCH = 26 };
void figure_swatch(Figure *f, double x, double y, const Style *style);

/* Lines with their names, in as many columns as fit; returns the bottom. */
typedef struct { const Style *style; const char *label; } LegendEntry;
double figure_legend(Figure *f, double top, const LegendEntry *entry, int n);

/* Small print in the middle; returns the bottom. An empty text takes no place. */
double figure_note(Figure *f, double top, const char *text);

#endif
