#include "svg_panels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../compare/curve.h"

enum { LEFT = 70, TOP = 16, HEIGHT = 300, FEW_POINTS = 40 };

static void yardsticks_of(Yardstick out[YARDS], const Study *s)
{
    for (Yard y = 0; y < YARDS; y++) out[y] = (Yardstick){yard_row[y].name, outcome_yardstick(s->group[0].run[0], y)};
}

static Curve *curves_of(const Scene *s, const char *column)
{
    Curve *c = xcalloc((size_t)s->study->groups, sizeof *c);
    for (int i = 0; i < s->study->groups; i++)
        if (s->style[i].shown) c[i] = curve_of(&s->study->group[i], column);
    return c;
}

static void curves_free(Curve *c, int n)
{
    for (int i = 0; i < n; i++) curve_free(&c[i]);
    free(c);
}

/* All bands; of losses no more than twice ln V, and down to the text's entropy where it is near. */
static Range values_of(const Curve *c, int curves, bool logarithmic, const Yardstick *yardstick)
{
    Range r = range_empty(logarithmic);
    for (int i = 0; i < curves; i++)
        for (int k = 0; k < c[i].n; k++) {
            range_add(&r, c[i].low[k]);
            range_add(&r, c[i].high[k]);
        }
    if (!yardstick || !range_any(&r)) return r;
    double top = yardstick[YARD_LN_VOCAB].value, floor = yardstick[YARD_FLOOR].value;
    if (isfinite(top)) r.high = fmin(r.high, fmax(2 * top, r.low + 1));
    if (r.low - floor < 0.5 * (r.high - r.low)) r.low = fmin(r.low, floor);
    return r;
}

static Range steps_of(const Curve *c, int curves)
{
    Range r = range_empty(false);
    range_add(&r, 0);
    for (int i = 0; i < curves; i++)
        if (c[i].n) range_add(&r, c[i].step[c[i].n - 1]);
    return r;
}

/* --- where runs diverged --- */

static bool run_diverged(const Outcome *o)
{
    return !strcmp(outcome_status(o), "diverged");
}

/* A cross at the last finite number of each run that diverged. */
static void draw_ends(Figure *f, const Plot *p, const Style *style, const Group *g, const char *column)
{
    for (int r = 0; r < g->runs; r++) {
        const Table *m = &g->run[r]->metrics;
        int at = table_column(m, column), row = m->rows - 1;
        while (row >= 0 && !isfinite(table_cell(m, row, at))) row--;
        if (run_diverged(g->run[r]) && row >= 0) plot_cross(f, p, style, table_cell(m, row, table_column(m, "step")), table_cell(m, row, at));
    }
}

static bool any_diverged(const Scene *s)
{
    for (int i = 0; i < s->study->groups; i++)
        for (int r = 0; r < s->study->group[i].runs; r++)
            if (s->style[i].shown && run_diverged(s->study->group[i].run[r])) return true;
    return false;
}

/* --- curves --- */

static bool has_band(const Curve *c)
{
    for (int k = 0; k < c->n; k++)
        if (c->high[k] > c->low[k]) return true;
    return false;
}

static bool any_band(const Scene *s)
{
    for (int i = 0; i < s->study->groups; i++)
        if (s->style[i].shown && s->study->group[i].runs > 1) return true;
    return false;
}

/* Bands below all lines; dots where every curve has few points. */
static void draw_curves(Figure *f, const Plot *p, const Scene *s, const Curve *c, const char *column)
{
    int groups = s->study->groups, most = 0;
    plot_open(f, p);
    for (int i = 0; i < groups; i++) {
        if (has_band(&c[i])) plot_band(f, p, &s->style[i], c[i].step, c[i].low, c[i].high, c[i].n);
        most = c[i].n > most ? c[i].n : most;
    }
    for (int i = groups - 1; i >= 0; i--) {
        if (c[i].n) plot_line(f, p, &s->style[i], c[i].step, c[i].mean, c[i].n);
        if (most < FEW_POINTS) plot_dots(f, p, &s->style[i], c[i].step, c[i].mean, c[i].n);
        if (c[i].n) draw_ends(f, p, &s->style[i], &s->study->group[i], column);
    }
    plot_close(f);
}

static void tell(Figure *f, const Panel *p, const Scene *s, const Curve *c)
{
    text_add(&f->about, "%s over steps.", p->title);
    for (int i = 0; i < s->study->groups; i++) {
        const Group *g = &s->study->group[i];
        if (!c[i].n) continue;
        text_add(&f->about, " %s (%d run%s): %.4g at step %.0f, %.4g at step %.0f.", g->label, g->runs, g->runs > 1 ? "s" : "", c[i].mean[0], c[i].step[0],
                 c[i].mean[c[i].n - 1], c[i].step[c[i].n - 1]);
    }
}

/* yardstick: NULL for what has none, which is drawn on a logarithmic axis. */
static double draw_plot(Figure *f, const Panel *p, const Scene *s, const Curve *c, const Yardstick *yardstick)
{
    Range values = values_of(c, s->study->groups, !yardstick, yardstick);
    if (!range_any(&values)) return 0;
    Box box = {LEFT, TOP, FIGURE_WIDTH - (yardstick ? 110 : 20), TOP + HEIGHT};
    Plot plot = plot_of(box, steps_of(c, s->study->groups), values, 0);
    plot_frame(f, &plot, "step", p->quantity, 6, 1);
    if (yardstick) plot_yardsticks(f, &plot, yardstick, YARDS);
    draw_curves(f, &plot, s, c, p->source);
    tell(f, p, s, c);
    char *note = text_format("%s%s%s", any_band(s) ? "lines: mean over seeds; bands: from the lowest to the highest" : "",
                             any_band(s) && any_diverged(s) ? "; " : "", any_diverged(s) ? "crosses: where runs diverged" : "");
    char *choice = scene_choice(s);
    double bottom = figure_note(f, figure_note(f, draw_legend(f, box.bottom + 46, s), note), choice);
    free(note);
    free(choice);
    return bottom + 8;
}

double draw_losses(Figure *f, const Panel *p, const Scene *s)
{
    Yardstick yardstick[YARDS];
    yardsticks_of(yardstick, s->study);
    Curve *c = curves_of(s, p->source);
    double height = draw_plot(f, p, s, c, yardstick);
    curves_free(c, s->study->groups);
    return height;
}

double draw_norms(Figure *f, const Panel *p, const Scene *s)
{
    Curve *c = curves_of(s, p->source);
    double height = draw_plot(f, p, s, c, NULL);
    curves_free(c, s->study->groups);
    return height;
}
