#include "svg_panels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../compare/curve.h"
#include "../compare/init_parts.h"

enum { COLUMNS = 2, LEFT = 64, GAP = 74, TITLE = 24, HEIGHT = 130, BELOW = 44 };

/* A line and dots over blocks, NAN where there is none. */
typedef struct { const Style *style; double *x, *line, *dot; int n; } Series;

static void series_add(Series *s, double x, double line, double dot)
{
    s->x = xrealloc(s->x, (size_t)s->n + 1, sizeof *s->x);
    s->line = xrealloc(s->line, (size_t)s->n + 1, sizeof *s->line);
    s->dot = xrealloc(s->dot, (size_t)s->n + 1, sizeof *s->dot);
    s->x[s->n] = x;
    s->line[s->n] = line;
    s->dot[s->n++] = dot;
}

static void series_free(Series *s)
{
    free(s->x);
    free(s->line);
    free(s->dot);
}

/* Of each block at step 0, from columns of metrics.csv that start with the source. */
static void add_logged(Series *s, const Group *g, const char *source)
{
    Heat h = heat_of(g, source);
    int block;
    for (int p = 0; p < h.places; p++)
        if (sscanf(h.place[p], "h.%d", &block) == 1) series_add(s, block, h.first[p], h.first[p]);
    heat_free(&h);
}

/* The standard deviation of a role: its rule and as measured. */
static void add_role(Series *s, const Group *g, const char *role)
{
    int parts;
    InitPart *part = init_parts(g->run[0], &parts);
    for (int i = 0; i < parts; i++)
        if (!strcmp(part[i].role, role) && !isnan(part[i].layer)) series_add(s, part[i].layer, part[i].expected, part[i].measured);
    init_parts_free(part, parts);
}

static const struct { const char *title, *source; void (*add)(Series *, const Group *, const char *); } chart[] = {
    {"gradient norm", "grad_norm.", add_logged},
    {"branch over stream", "branch_ratio.", add_logged},
    {"standard deviation of attn.proj", "attn.proj", add_role},
    {"standard deviation of mlp.fc", "mlp.fc", add_role},
    {"standard deviation of mlp.proj", "mlp.proj", add_role},
};

static bool same_start(const Scene *s, const Heat *h, int a, int b)
{
    const Group *g = s->study->group;
    return !strcmp(outcome_scheme(g[a].run[0]), outcome_scheme(g[b].run[0])) && h[a].places == h[b].places && h[a].places
           && !memcmp(h[a].first, h[b].first, (size_t)h[a].places * sizeof *h[a].first);
}

/* Of groups that start from the same network, as those of other learning rates do, the first one is shown: it would be hidden. */
static Style *styles_of_starts(const Scene *s)
{
    int groups = s->study->groups;
    Style *style = xcalloc((size_t)groups, sizeof *style);
    Heat *h = xcalloc((size_t)groups, sizeof *h);
    for (int i = 0; i < groups; i++) {
        style[i] = s->style[i];
        if (style[i].shown) h[i] = heat_of(&s->study->group[i], chart[0].source);
        for (int k = 0; k < i && style[i].shown; k++) style[i].shown = !(style[k].shown && same_start(s, h, k, i));
    }
    for (int i = 0; i < groups; i++) heat_free(&h[i]);
    free(h);
    return style;
}

static bool draw_chart(Figure *f, const Box *b, const char *title, const Series *s, int n)
{
    Range x = range_empty(false), y = range_empty(true);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < s[i].n; k++) {
            range_add(&x, s[i].x[k]);
            range_add(&y, s[i].line[k]);
            range_add(&y, s[i].dot[k]);
        }
    if (!range_any(&y)) return false;
    Plot plot = plot_of(*b, x, y, 0.03);
    figure_text(f, b->left, b->top - 8, "start", title);
    plot_frame(f, &plot, "block", NULL, 6, 1);
    for (int i = n - 1; i >= 0; i--) {
        plot_line(f, &plot, s[i].style, s[i].x, s[i].line, s[i].n);
        plot_dots(f, &plot, s[i].style, s[i].x, s[i].dot, s[i].n);
    }
    return true;
}

/* The place of the k-th plot. */
static Box box_of(int k)
{
    double wide = (FIGURE_WIDTH - LEFT - 16.0 - (COLUMNS - 1) * GAP) / COLUMNS, left = LEFT + k % COLUMNS * (wide + GAP);
    double top = TITLE + k / COLUMNS * (TITLE + HEIGHT + BELOW);
    return (Box){left, top, left + wide, top + HEIGHT};
}

static int draw_charts(Figure *f, const Scene *s, bool *roles)
{
    int drawn = 0;
    Series *series = xcalloc((size_t)s->study->groups, sizeof *series);
    for (size_t c = 0; c < COUNT(chart); c++) {
        int n = 0;
        for (int i = 0; i < s->study->groups; i++) {
            if (!s->style[i].shown) continue;
            series[n] = (Series){.style = &s->style[i]};
            chart[c].add(&series[n++], &s->study->group[i], chart[c].source);
        }
        Box box = box_of(drawn);
        bool good = draw_chart(f, &box, chart[c].title, series, n);
        if (good) text_add(&f->about, "%s %s", drawn ? "," : " By block:", chart[c].title);
        *roles |= good && chart[c].add == add_role;
        drawn += good;
        for (int i = 0; i < n; i++) series_free(&series[i]);
    }
    free(series);
    return drawn;
}

static int shown_in(const Scene *s)
{
    int n = 0;
    for (int i = 0; i < s->study->groups; i++) n += s->style[i].shown;
    return n;
}

static double below_charts(Figure *f, double top, const Scene *s, const Scene *starts, bool roles)
{
    char *choice = scene_choice(s);
    double bottom = figure_note(f, draw_legend(f, top, starts), roles ? "standard deviations: lines are the scheme's rule, dots are measured" : "");
    bottom = figure_note(f, bottom, shown_in(starts) < shown_in(s) ? "of groups that start from the same network, one is shown" : "");
    bottom = figure_note(f, bottom, choice);
    free(choice);
    return bottom + 8;
}

double draw_depth(Figure *f, const Panel *p, const Scene *s)
{
    Style *style = styles_of_starts(s);
    Scene starts = {s->study, style};
    bool roles = false;
    text_add(&f->about, "%s, before the first update.", p->title);
    int drawn = draw_charts(f, &starts, &roles);
    double height = drawn ? below_charts(f, box_of(drawn - 1).bottom + 44, s, &starts, roles) : 0;
    free(style);
    return height;
}
