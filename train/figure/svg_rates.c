#include "svg_panels.h"

#include <math.h>
#include <stdlib.h>

enum { LEFT = 70, TOP = 16, HEIGHT = 300 };

/* The deviation over seeds, 0 where a seed failed: group_final is a median then. */
static double deviation_of(const Group *g)
{
    return group_failed(g) ? 0 : group_summary(g, outcome_final_val).deviation;
}

static void add_family(Range *x, Range *y, const Family *f)
{
    for (int m = 0; m < f->members; m++) {
        double loss = group_final(f->member[m]), deviation = deviation_of(f->member[m]);
        range_add(x, group_lr(f->member[m]));
        range_add(y, loss - deviation);
        range_add(y, loss + deviation);
    }
}

/* A rate at which no seed, or less than half of them, ended with a number is a cross at the top. */
static void draw_family(Figure *f, const Plot *p, const Style *style, const Family *family)
{
    int n = family->members;
    double *x = xcalloc((size_t)n, sizeof *x), *y = xcalloc((size_t)n, sizeof *y);
    for (int m = 0; m < n; m++) {
        double deviation = deviation_of(family->member[m]);
        x[m] = group_lr(family->member[m]);
        y[m] = group_final(family->member[m]);
        if (!isfinite(y[m])) plot_cross(f, p, style, x[m], y[m]);
        else if (deviation > 0)
            figure_add(f, "<path d=\"M%.1f,%.1fV%.1f\" stroke=\"%s\" stroke-width=\"1.6\"/>\n", axis_place(&p->x, x[m]), axis_place(&p->y, y[m] - deviation),
                       axis_place(&p->y, y[m] + deviation), style_hue[style->hue].light);
        text_add(&f->about, "%s %.3g at %g", m ? "," : "", y[m], x[m]);
    }
    plot_line(f, p, style, x, y, n);
    plot_dots(f, p, style, x, y, n);
    free(x);
    free(y);
}

/* The families whose rate varied. */
static int families_varied(const Study *s, const Family **out)
{
    int n = 0;
    for (int i = 0; i < s->families; i++)
        if (s->family[i].members > 1) out[n++] = &s->family[i];
    return n;
}

static double draw_plot(Figure *f, const Panel *p, const Scene *s, const Family *const *family, int n, LegendEntry *entry)
{
    Range x = range_empty(true), y = range_empty(false);
    for (int i = 0; i < n; i++) add_family(&x, &y, family[i]);
    if (!range_any(&x) || !range_any(&y)) return 0;
    Plot plot = plot_of((Box){LEFT, TOP, FIGURE_WIDTH - 20, TOP + HEIGHT}, x, y, 0.03);
    plot_frame(f, &plot, "learning rate", p->quantity, 6, 0);
    bool failed = false, bars = false;
    text_add(&f->about, "%s.", p->title);
    for (int i = 0; i < n; i++) {
        entry[i] = (LegendEntry){&s->style[family[i]->best - s->study->group], family[i]->best->family};
        text_add(&f->about, " %s:", entry[i].label);
        draw_family(f, &plot, entry[i].style, family[i]);
        text_add(&f->about, ".");
        for (int m = 0; m < family[i]->members; m++) {
            failed |= !isfinite(group_final(family[i]->member[m]));
            bars |= deviation_of(family[i]->member[m]) > 0;
        }
    }
    char *note = text_format("%s%s%s", bars ? "bars: one standard deviation over seeds" : "", bars && failed ? "; " : "", failed ? "crosses: no loss at the end" : "");
    double bottom = figure_note(f, figure_legend(f, TOP + HEIGHT + 46, entry, n), note);
    free(note);
    return bottom + 8;
}

double draw_rates(Figure *f, const Panel *p, const Scene *s)
{
    const Family **family = xcalloc((size_t)s->study->families, sizeof *family);
    LegendEntry *entry = xcalloc((size_t)s->study->families, sizeof *entry);
    double height = draw_plot(f, p, s, family, families_varied(s->study, family), entry);
    free(entry);
    free(family);
    return height;
}
