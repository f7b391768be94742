#include "svg_panels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../compare/curve.h"

enum { LEFT = 20, GUTTER = 42, TITLE = 20, MAP = 120, STRIP = 7, BELOW = 34, SHADES = 64, SHARES = 8 };

typedef struct { double low, high, steps; } Scale;     /* of the colours; of the x axes of all maps */

static int by_size(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* From the least to the largest number, but for 1 % at both ends, which a lone failed run would stretch; low NAN: there is none. */
static Scale scale_of(const Heat *h, int maps)
{
    size_t n = 0;
    Scale s = {NAN, NAN, 1};
    double *all = NULL;
    for (int m = 0; m < maps; m++) {
        size_t cells = (size_t)h[m].places * (size_t)h[m].columns;
        all = xrealloc(all, n + cells + 1, sizeof *all);
        for (size_t i = 0; i < cells; i++)
            if (h[m].cell[i] > 0) all[n++] = h[m].cell[i];
        if (h[m].places) s.steps = fmax(s.steps, h[m].steps);
    }
    if (n) {
        qsort(all, n, sizeof *all, by_size);
        s.low = all[(size_t)(0.01 * (double)n)];
        s.high = fmax(all[(size_t)ceil(0.99 * (double)n) - 1], s.low * 1.01);
    }
    free(all);
    return s;
}

/* --- colours --- */

static void add_shade(Figure *f, double t)
{
    double at = fmin(fmax(t, 0), 1) * (style_ramp_stops - 1);
    int i = (int)fmin(floor(at), style_ramp_stops - 2), rgb[3];
    for (int c = 0; c < 3; c++) rgb[c] = (int)lround(style_ramp[i][c] + (style_ramp[i + 1][c] - style_ramp[i][c]) * (at - i));
    figure_add(f, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

static int shade_of(const Scale *s, double x)
{
    if (!(x > 0)) return -1;
    double t = log(x / s->low) / log(s->high / s->low);
    return (int)lround(fmin(fmax(t, 0), 1) * (SHADES - 1));
}

/* Runs of cells of a level as strokes, a little longer than they are so that no seam shows. False where there is none. */
static bool add_runs(Text *path, const int *level, int rows, int columns, int wanted)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0, end; c < columns; c = end) {
            for (end = c + 1; end < columns && level[r * columns + end] == level[r * columns + c]; end++) continue;
            if (level[r * columns + c] == wanted) text_add(path, "M%d %dh%d.1", c, rows - 1 - r, end - c);
        }
    return path->length > 0;
}

/* A cell is 1 by 1, the first one's middle at the top left. */
static void draw_levels(Figure *f, const int *level, int rows, int columns, int levels, void (*paint)(Figure *, int))
{
    for (int i = 0; i < levels; i++) {
        Text path = {0};
        if (add_runs(&path, level, rows, columns, i)) {
            figure_add(f, "<path ");
            paint(f, i);
            figure_add(f, " d=\"%s\"/>\n", path.at);
        }
        free(path.at);
    }
}

static void paint_shade(Figure *f, int shade)
{
    figure_add(f, "stroke=\"");
    add_shade(f, shade / (SHADES - 1.0));
    figure_add(f, "\"");
}

static void paint_share(Figure *f, int share)
{
    figure_add(f, "stroke=\"" STYLE_CLIPPED "\" stroke-opacity=\"%.2f\"", 0.25 + 0.75 * (share + 1) / SHARES);
}

static void open_cells(Figure *f, double left, double top, double width, double height, int columns, int rows)
{
    figure_add(f, "<g transform=\"translate(%.2f,%.2f) scale(%.5f,%.5f)\" fill=\"none\" stroke-width=\"1.04\" shape-rendering=\"crispEdges\">\n",
               left, top + height / rows / 2, width / columns, height / rows);
}

/* --- a map --- */

static void draw_cells(Figure *f, const Heat *h, const Scale *s, const Box *b)
{
    int *level = xcalloc((size_t)(h->places * h->columns) + 1, sizeof *level);
    for (int i = 0; i < h->places * h->columns; i++) level[i] = shade_of(s, h->cell[i]);
    open_cells(f, b->left, b->top, (b->right - b->left) * h->steps / s->steps, b->bottom - b->top, h->columns, h->places);
    draw_levels(f, level, h->places, h->columns, SHADES, paint_shade);
    figure_add(f, "</g>\n");
    free(level);
}

/* Whether clipping fired. */
static bool draw_clipped(Figure *f, const Group *g, const Heat *h, const Scale *s, const Box *b)
{
    double *share = clipped_of(g, h);
    int *level = xcalloc((size_t)h->columns + 1, sizeof *level);
    bool any = false;
    for (int c = 0; c < h->columns; c++) {
        level[c] = share[c] > 0 ? (int)ceil(share[c] * SHARES) - 1 : -1;
        any |= level[c] >= 0;
    }
    open_cells(f, b->left, b->bottom + 3, (b->right - b->left) * h->steps / s->steps, STRIP, h->columns, 1);
    draw_levels(f, level, 1, h->columns, SHARES, paint_share);
    figure_add(f, "</g>\n");
    free(level);
    free(share);
    return any;
}

static void draw_places(Figure *f, const Heat *h, const Box *b)
{
    double tall = (b->bottom - b->top) / h->places;
    int every = (int)ceil((FIGURE_FONT + 2) / tall);
    for (int p = 0; p < h->places; p += every) figure_text(f, b->left - 5, b->bottom - (p + 0.5) * tall + 4, "end", h->place[p]);
}

static void draw_steps(Figure *f, const Scale *s, const Box *b, double below)
{
    Axis x = {{0, s->steps, false}, b->left, b->right};
    Tick tick[AXIS_TICKS];
    int ticks = axis_ticks(&x, (int)((b->right - b->left) / 70), 1, tick);
    for (int i = 0; i < ticks; i++) {
        double at = axis_place(&x, tick[i].at);
        figure_add(f, "<path d=\"M%.1f,%.1fv4\" stroke=\"" FIGURE_SOFT "\"/>\n", at, b->bottom + below);
        figure_text(f, at, b->bottom + below + 16, "middle", tick[i].label);
    }
}

static void tell(Figure *f, const Group *g, const Heat *h)
{
    int low = -1, high = -1;
    for (int p = 0; p < h->places; p++) {
        if (isnan(h->first[p])) continue;
        if (low < 0 || h->first[p] < h->first[low]) low = p;
        if (high < 0 || h->first[p] > h->first[high]) high = p;
    }
    if (low >= 0) text_add(&f->about, " %s: at step 0 from %.3g in %s to %.3g in %s.", g->label, h->first[low], h->place[low], h->first[high], h->place[high]);
}

static bool draw_map(Figure *f, const Group *g, const Style *style, const Heat *h, const Scale *s, const Box *b, bool clips)
{
    figure_swatch(f, b->left - SWATCH - 6, b->top - 10, style);
    figure_label(f, b->left, b->top - 6, b->right - b->left, g->label);
    draw_cells(f, h, s, b);
    figure_add(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke=\"" FIGURE_SOFT "\" stroke-width=\"0.7\"/>\n", b->left, b->top,
               b->right - b->left, b->bottom - b->top);
    draw_places(f, h, b);
    draw_steps(f, s, b, clips ? STRIP + 4 : 0);
    tell(f, g, h);
    return clips && g->run[0]->config.grad_clip > 0 && draw_clipped(f, g, h, s, b);
}

/* --- all maps --- */

/* The bar of the scale with its numbers; returns the bottom. */
static double draw_scale(Figure *f, const Panel *p, const Scale *s, double top, bool clipped)
{
    Box bar = {GUTTER + LEFT + figure_text_width(p->quantity) + 12, top, 0, top + 10};
    bar.right = bar.left + 240;
    Axis x = {{s->low, s->high, true}, bar.left, bar.right};
    Tick tick[AXIS_TICKS];
    figure_text(f, bar.left - 10, top + 9, "end", p->quantity);
    figure_add(f, "<linearGradient id=\"%s-ramp\">", f->name);
    for (int i = 0; i < style_ramp_stops; i++) {
        figure_add(f, "<stop offset=\"%.2f\" stop-color=\"", i / (style_ramp_stops - 1.0));
        add_shade(f, i / (style_ramp_stops - 1.0));
        figure_add(f, "\"/>");
    }
    figure_add(f, "</linearGradient>\n<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"10\" fill=\"url(#%s-ramp)\"/>\n", bar.left, top, bar.right - bar.left, f->name);
    for (int i = 0, n = axis_ticks(&x, 5, 0, tick); i < n; i++) {
        figure_add(f, "<path d=\"M%.1f,%.1fv4\" stroke=\"" FIGURE_SOFT "\"/>\n", axis_place(&x, tick[i].at), bar.bottom);
        figure_text(f, axis_place(&x, tick[i].at), bar.bottom + 16, "middle", tick[i].label);
    }
    if (clipped) {
        figure_add(f, "<path d=\"M%.1f,%.1fh26\" stroke=\"" STYLE_CLIPPED "\" stroke-width=\"%d\"/>\n", bar.right + 30, top + 5, STRIP);
        figure_text(f, bar.right + 62, top + 9, "start", "clipping fired");
    }
    return bar.bottom + 24;
}

static double draw_grid(Figure *f, const Panel *p, const Scene *s, const Heat *h, const Scale *scale)
{
    int n = 0, at = 0;
    bool clips = !strcmp(p->source, "grad_norm."), clipped = false;
    for (int i = 0; i < s->study->groups; i++) n += h[i].places > 0;
    int columns = n == 1 ? 1 : n <= 4 ? 2 : 3, rows = (n + columns - 1) / columns;
    double wide = (FIGURE_WIDTH - LEFT - 8.0) / columns, tall = TITLE + MAP + BELOW + (clips ? STRIP : 0), bottom = 6 + rows * tall;
    text_add(&f->about, "%s, a map a group: bottom the input, colours logarithmic from %.3g to %.3g.", p->title, scale->low, scale->high);
    for (int i = 0; i < s->study->groups; i++) {
        if (!h[i].places) continue;
        double left = LEFT + at % columns * wide, top = 6 + at / columns * tall + TITLE;
        clipped |= draw_map(f, &s->study->group[i], &s->style[i], &h[i], scale, &(Box){left + GUTTER, top, left + wide - 12, top + MAP}, clips);
        at++;
    }
    figure_text_up(f, 14, (6 + bottom) / 2, "layer");
    figure_text(f, (LEFT + GUTTER + FIGURE_WIDTH - 20) / 2.0, bottom + 6, "middle", "step");
    char *choice = scene_choice(s);
    double end = figure_note(f, draw_scale(f, p, scale, bottom + 22, clipped), choice);
    free(choice);
    return end + 6;
}

double draw_maps(Figure *f, const Panel *p, const Scene *s)
{
    int groups = s->study->groups;
    Heat *h = xcalloc((size_t)groups, sizeof *h);
    for (int i = 0; i < groups; i++)
        if (s->style[i].shown) h[i] = heat_of(&s->study->group[i], p->source);
    Scale scale = scale_of(h, groups);
    double height = isnan(scale.low) ? 0 : draw_grid(f, p, s, h, &scale);
    for (int i = 0; i < groups; i++) heat_free(&h[i]);
    free(h);
    return height;
}
