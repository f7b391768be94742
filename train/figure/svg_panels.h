/* What each figure shows. Groups, curves and maps are those of the report (train/report/page/). */
#ifndef STEP0_SVG_PANELS_H
#define STEP0_SVG_PANELS_H

#include "figure_plot.h"

typedef struct { const Study *study; const Style *style; } Scene;      /* a style a group */

typedef struct Panel Panel;
struct Panel {
    const char *file, *title;
    const char *source;        /* a column of metrics.csv, or the prefix of columns */
    const char *quantity;      /* the name of the numbers, beside their axis */
    double (*draw)(Figure *f, const Panel *p, const Scene *s);         /* returns the height; 0: there is nothing to show */
};

double draw_losses(Figure *f, const Panel *p, const Scene *s);         /* a curve a group, yardsticks across */
double draw_norms(Figure *f, const Panel *p, const Scene *s);          /* the same on a logarithmic axis */
double draw_maps(Figure *f, const Panel *p, const Scene *s);           /* a heat map a group, one scale */
double draw_depth(Figure *f, const Panel *p, const Scene *s);          /* the network at step 0 by block, a plot a quantity */
double draw_rates(Figure *f, const Panel *p, const Scene *s);          /* final validation loss against learning rate */

/* The groups shown, as a legend. Returns the bottom. */
double draw_legend(Figure *f, double top, const Scene *s);

/* "8 of 20 groups: …"; empty where all are shown. Released with free. */
char *scene_choice(const Scene *s);

#endif
