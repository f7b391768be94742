#include "figure_plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

Plot plot_of(Box box, Range x, Range y, double x_margin)
{
    return (Plot){box, axis_of(x, box.left, box.right, x_margin), axis_of(y, box.bottom, box.top, 0.04)};
}

static void frame_y(Figure *f, const Plot *p, const char *title)
{
    Tick tick[AXIS_TICKS];
    int ticks = axis_ticks(&p->y, (int)((p->box.bottom - p->box.top) / 40), 0, tick);
    double widest = 0;
    for (int i = 0; i < ticks; i++) {
        double y = axis_place(&p->y, tick[i].at);
        figure_add(f, "<path d=\"M%.1f,%.1fH%.1f\" stroke=\"" FIGURE_GRID "\"/>\n", p->box.left, y, p->box.right);
        figure_text(f, p->box.left - 6, y + 4, "end", tick[i].label);
        widest = fmax(widest, figure_text_width(tick[i].label));
    }
    if (title) figure_text_up(f, p->box.left - 14 - widest, (p->box.top + p->box.bottom) / 2, title);
}

void plot_frame(Figure *f, const Plot *p, const char *x_title, const char *y_title, int most_x, double least_x)
{
    Tick tick[AXIS_TICKS];
    int ticks = axis_ticks(&p->x, most_x, least_x, tick);
    frame_y(f, p, y_title);
    figure_add(f, "<path d=\"M%.1f,%.1fV%.1fH%.1f", p->box.left, p->box.top, p->box.bottom, p->box.right);
    for (int i = 0; i < ticks; i++) figure_add(f, "M%.1f,%.1fv4", axis_place(&p->x, tick[i].at), p->box.bottom);
    figure_add(f, "\" fill=\"none\" stroke=\"" FIGURE_SOFT "\"/>\n");
    for (int i = 0; i < ticks; i++) figure_text(f, axis_place(&p->x, tick[i].at), p->box.bottom + 17, "middle", tick[i].label);
    figure_text(f, (p->box.left + p->box.right) / 2, p->box.bottom + 34, "middle", x_title);
}

void plot_open(Figure *f, const Plot *p)
{
    const Box *b = &p->box;
    figure_add(f, "<clipPath id=\"%s-clip%d\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/></clipPath>\n<g clip-path=\"url(#%s-clip%d)\">\n",
               f->name, f->clips, b->left, b->top, b->right - b->left, b->bottom - b->top, f->name, f->clips);
    f->clips++;
}

void plot_close(Figure *f)
{
    figure_add(f, "</g>\n");
}

/* --- curves --- */

static bool shows(const Plot *p, double x, double y)
{
    return isfinite(x) && isfinite(y) && (x > 0 || !p->x.range.logarithmic) && (y > 0 || !p->y.range.logarithmic);
}

static const char *colour(const Style *style)
{
    return style_hue[style->hue].light;
}

static const char *dashes(const Style *style)
{
    return *style->dash ? style->dash : "none";
}

void plot_line(Figure *f, const Plot *p, const Style *style, const double *x, const double *y, int n)
{
    bool open = false;
    figure_add(f, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" stroke-linejoin=\"round\" stroke-dasharray=\"%s\" d=\"", colour(style),
               dashes(style));
    for (int i = 0; i < n; i++) {
        bool good = shows(p, x[i], y[i]);
        if (good) figure_add(f, "%c%.1f,%.1f", open ? 'L' : 'M', axis_place(&p->x, x[i]), axis_place(&p->y, y[i]));
        open = good;
    }
    figure_add(f, "\"/>\n");
}

void plot_band(Figure *f, const Plot *p, const Style *style, const double *x, const double *low, const double *high, int n)
{
    figure_add(f, "<path fill=\"%s\" fill-opacity=\"0.18\" d=\"", colour(style));
    for (int i = 0; i < n; i++) figure_add(f, "%c%.1f,%.1f", i ? 'L' : 'M', axis_place(&p->x, x[i]), axis_place(&p->y, high[i]));
    for (int i = n - 1; i >= 0; i--) figure_add(f, "L%.1f,%.1f", axis_place(&p->x, x[i]), axis_place(&p->y, low[i]));
    figure_add(f, "Z\"/>\n");
}

void plot_dots(Figure *f, const Plot *p, const Style *style, const double *x, const double *y, int n)
{
    for (int i = 0; i < n; i++)
        if (shows(p, x[i], y[i]))
            figure_add(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" fill=\"%s\"/>\n", axis_place(&p->x, x[i]), axis_place(&p->y, y[i]), colour(style));
}

void plot_cross(Figure *f, const Plot *p, const Style *style, double x, double y)
{
    double at = isfinite(y) ? axis_place(&p->y, y) : p->box.top;
    at = fmin(fmax(at, p->box.top + 4), p->box.bottom - 4);
    figure_add(f, "<path d=\"M%.1f,%.1fl8,8m-8,0l8,-8\" stroke=\"%s\" stroke-width=\"2\"/>\n", axis_place(&p->x, x) - 4, at - 4, colour(style));
}

/* --- lines across --- */

static int by_place(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

typedef struct { double label, line; const Yardstick *of; } Caption;      /* heights; by_place sorts by the first */

/* From above to below: each goes down as far as the one above needs, then up again where the plot's end is passed. */
static void spread(Caption *name, int n, double top, double bottom)
{
    qsort(name, (size_t)n, sizeof *name, by_place);
    for (int i = 0; i < n; i++) name[i].label = fmax(name[i].label, i ? name[i - 1].label + FIGURE_FONT + 2 : top);
    for (int i = n - 1; i >= 0; i--) name[i].label = fmin(name[i].label, i < n - 1 ? name[i + 1].label - FIGURE_FONT - 2 : bottom);
}

static void draw_name(Figure *f, const Plot *p, const Caption *name)
{
    const Range *y = &p->y.range;
    double value = name->of->value, right = p->box.right;
    char number[32];
    bool inside = range_holds(y, value);
    number_label(number, value, 3);
    char *text = text_format("%s%s %s", inside ? "" : value > y->high ? "\u2191 " : "\u2193 ", name->of->name, number);
    if (inside)
        figure_add(f, "<path d=\"M%.1f,%.1fH%.1f\" stroke=\"" FIGURE_SOFT "\" stroke-dasharray=\"2,3\"/>\n"
                      "<path d=\"M%.1f,%.1fL%.1f,%.1f\" stroke=\"" FIGURE_SOFT "\" stroke-width=\"0.7\"/>\n",
                   p->box.left, name->line, right, right, name->line, right + 9, name->label);
    figure_text(f, right + 12, name->label + 4, "start", text);
    free(text);
}

void plot_yardsticks(Figure *f, const Plot *p, const Yardstick *yardstick, int n)
{
    Caption *name = xcalloc((size_t)n + 1, sizeof *name);
    int names = 0;
    for (int i = 0; i < n; i++) {
        if (!isfinite(yardstick[i].value)) continue;
        double y = axis_place(&p->y, yardstick[i].value);
        name[names++] = (Caption){fmin(fmax(y, p->box.top), p->box.bottom), y, &yardstick[i]};
    }
    spread(name, names, p->box.top, p->box.bottom - FIGURE_FONT / 2);
    for (int i = 0; i < names; i++) draw_name(f, p, &name[i]);
    free(name);
}

/* --- below a plot --- */

enum { SIDE = 16, AFTER_SWATCH = 4, AFTER_ENTRY = 20 };

void figure_swatch(Figure *f, double x, double y, const Style *style)
{
    figure_add(f, "<path d=\"M%.1f,%.1fh%d\" stroke=\"%s\" stroke-width=\"2.4\" stroke-dasharray=\"%s\"/>\n", x, y, SWATCH, colour(style), dashes(style));
}

double figure_legend(Figure *f, double top, const LegendEntry *entry, int n)
{
    double room = FIGURE_WIDTH - 2 * SIDE, widest = 0;
    for (int i = 0; i < n; i++) widest = fmax(widest, SWATCH + AFTER_SWATCH + figure_text_width(entry[i].label) + AFTER_ENTRY);
    int most = (int)fmax(1, floor(room / widest)), rows = (n + most - 1) / most, columns = rows ? (n + rows - 1) / rows : 1;
    double column = fmin(room, widest), left = (FIGURE_WIDTH - columns * column) / 2;
    for (int i = 0; i < n; i++) {
        double x = left + i % columns * column, y = top + i / columns * FIGURE_LINE + FIGURE_FONT;
        figure_swatch(f, x, y - 4, entry[i].style);
        figure_label(f, x + SWATCH + AFTER_SWATCH, y, column - SWATCH - AFTER_SWATCH - AFTER_ENTRY / 2.0, entry[i].label);
    }
    return top + rows * FIGURE_LINE;
}

double figure_note(Figure *f, double top, const char *text)
{
    if (!*text) return top;
    figure_add(f, "<g fill=\"" FIGURE_SOFT "\" font-size=\"11\">\n");
    figure_text(f, FIGURE_WIDTH / 2.0, top + FIGURE_FONT, "middle", text);
    figure_add(f, "</g>\n");
    return top + FIGURE_LINE;
}
