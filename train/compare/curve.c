#include "curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- curves --- */

typedef struct { double step, value; } Point;

static int by_step(const void *a, const void *b)
{
    const Point *p = a, *q = b;
    if (p->step != q->step) return p->step < q->step ? -1 : 1;
    return (p->value > q->value) - (p->value < q->value);
}

static Point *points_of(const Group *g, const char *column, int *count)
{
    int room = 0;
    for (int r = 0; r < g->runs; r++) room += g->run[r]->metrics.rows;
    Point *p = xcalloc((size_t)room + 1, sizeof *p);
    *count = 0;
    for (int r = 0; r < g->runs; r++) {
        const Table *m = &g->run[r]->metrics;
        int at = table_column(m, column), step = table_column(m, "step");
        for (int row = 0; row < m->rows; row++) {
            double x = table_cell(m, row, at);
            if (isfinite(x)) p[(*count)++] = (Point){table_cell(m, row, step), x};
        }
    }
    qsort(p, (size_t)*count, sizeof *p, by_step);
    return p;
}

static Curve curve_new(int n)
{
    size_t room = (size_t)n + 1;
    return (Curve){xcalloc(room, sizeof(double)), xcalloc(room, sizeof(double)), xcalloc(room, sizeof(double)), xcalloc(room, sizeof(double)), 0};
}

static void curve_add(Curve *c, double step, double mean, double low, double high)
{
    c->step[c->n] = step;
    c->mean[c->n] = mean;
    c->low[c->n] = low;
    c->high[c->n++] = high;
}

/* Points of one step, which are sorted, become one. */
static Curve curve_merged(const Point *p, int count)
{
    Curve c = curve_new(count);
    for (int i = 0, end; i < count; i = end) {
        double sum = 0;
        for (end = i; end < count && p[end].step == p[i].step; end++) sum += p[end].value;
        curve_add(&c, p[i].step, sum / (end - i), p[i].value, p[end - 1].value);
    }
    return c;
}

static void keep_extremes(Curve *out, const Curve *c, int from, int to)
{
    int least = from, most = from;
    double low = c->low[from], high = c->high[from];
    for (int i = from; i < to; i++) {
        if (c->mean[i] < c->mean[least]) least = i;
        if (c->mean[i] > c->mean[most]) most = i;
        low = fmin(low, c->low[i]);
        high = fmax(high, c->high[i]);
    }
    for (int i = from; i < to; i++)
        if (i == least || i == most || i == 0 || i == c->n - 1) curve_add(out, c->step[i], c->mean[i], low, high);
}

/* Where piece i of n steps begins, and the one before it ends. */
static int piece_start(int i, int pieces, int n)
{
    return (int)((int64_t)i * n / pieces);
}

Curve curve_thinned(const Curve *whole)
{
    Curve thin = curve_new(whole->n < CURVE_POINTS ? whole->n : CURVE_POINTS);
    bool few = whole->n <= CURVE_POINTS;
    for (int i = 0; few && i < whole->n; i++) curve_add(&thin, whole->step[i], whole->mean[i], whole->low[i], whole->high[i]);
    for (int i = 0; !few && i < CURVE_PIECES; i++)
        keep_extremes(&thin, whole, piece_start(i, CURVE_PIECES, whole->n), piece_start(i + 1, CURVE_PIECES, whole->n));
    return thin;
}

static double mean_between(const double *x, int from, int to)
{
    return statistics_summary(x + from, to - from).mean;
}

Curve curve_means(const Curve *whole, int pieces)
{
    Curve c = curve_new(pieces);
    for (int i = 0; i < pieces && whole->n; i++) {
        int from = piece_start(i, pieces, whole->n), to = piece_start(i + 1, pieces, whole->n);
        if (to == from) to++;
        curve_add(&c, mean_between(whole->step, from, to), mean_between(whole->mean, from, to), mean_between(whole->low, from, to),
                  mean_between(whole->high, from, to));
    }
    return c;
}

Curve curve_whole(const Group *g, const char *column)
{
    int count;
    Point *p = points_of(g, column, &count);
    Curve whole = curve_merged(p, count);
    free(p);
    return whole;
}

Curve curve_of(const Group *g, const char *column)
{
    Curve whole = curve_whole(g, column), thin = curve_thinned(&whole);
    curve_free(&whole);
    return thin;
}

void curve_free(Curve *c)
{
    free(c->step);
    free(c->mean);
    free(c->low);
    free(c->high);
}

/* --- heat maps --- */

/* "h.0" of "h.0.attn.q.weight", "wte" of "wte.weight". Released with free. */
static char *place_of(const char *name)
{
    size_t length = strcspn(name, ".");
    if (!strncmp(name, "h.", 2)) length = 2 + strcspn(name + 2, ".");
    char *place = xstrdup(name);
    place[length < strlen(place) ? length : strlen(place)] = 0;
    return place;
}

/* The index of a place, which is added where it is new. */
static int place_index(Heat *d, const char *name)
{
    char *place = place_of(name);
    int i = 0;
    while (i < d->places && strcmp(d->place[i], place)) i++;
    if (i < d->places) free(place);
    else {
        d->place = xrealloc(d->place, (size_t)d->places + 1, sizeof *d->place);
        d->place[d->places++] = place;
    }
    return i;
}

/* The place of each column of a table, -1 where it has none. Released with free. */
static int *columns_places(Heat *d, const Table *m, const char *prefix)
{
    int *place = xcalloc((size_t)m->columns, sizeof *place);
    for (int c = 0; c < m->columns; c++)
        place[c] = strncmp(m->name[c], prefix, strlen(prefix)) ? -1 : place_index(d, m->name[c] + strlen(prefix));
    return place;
}

static void set_extent(Heat *d, const Group *g)
{
    for (int r = 0; r < g->runs; r++) {
        d->steps = fmax(d->steps, outcome_steps(g->run[r]) + 1);
        d->columns = g->run[r]->metrics.rows > d->columns ? g->run[r]->metrics.rows : d->columns;
    }
    if (d->columns > HEAT_COLUMNS) d->columns = HEAT_COLUMNS;
}

static int column_of(const Heat *d, double step)
{
    return (int)(step * d->columns / d->steps);
}

typedef struct { double sum; int n; } Mean;

static void mean_add(Mean *m, double x)
{
    m->sum += x;
    m->n++;
}

static double mean_of(Mean m)
{
    return m.n ? m.sum / m.n : NAN;
}

/* Adds the logarithms of a run's numbers to the cells. square: scratch, one a place. */
static void add_run(Mean *cell, Mean *first, const Heat *d, const Table *m, const int *place, double *square)
{
    int at = table_column(m, "step");
    for (int row = 0; row < m->rows; row++) {
        double step = table_cell(m, row, at);
        memset(square, 0, (size_t)d->places * sizeof *square);
        for (int c = 0; c < m->columns; c++) {
            double x = table_cell(m, row, c);
            if (place[c] >= 0) square[place[c]] += x * x;
        }
        for (int p = 0; p < d->places; p++) {
            if (!isfinite(square[p]) || square[p] <= 0) continue;
            mean_add(&cell[p * d->columns + column_of(d, step)], log(square[p]) / 2);
            if (step == 0) mean_add(&first[p], log(square[p]) / 2);
        }
    }
}

Heat heat_of(const Group *g, const char *prefix)
{
    Heat d = {0};
    int **place = xcalloc((size_t)g->runs, sizeof *place);
    for (int r = 0; r < g->runs; r++) place[r] = columns_places(&d, &g->run[r]->metrics, prefix);
    set_extent(&d, g);
    int cells = d.places * d.columns;
    Mean *cell = xcalloc((size_t)cells + 1, sizeof *cell), *first = xcalloc((size_t)d.places + 1, sizeof *first);
    d.cell = xcalloc((size_t)cells + 1, sizeof *d.cell);
    d.first = xcalloc((size_t)d.places + 1, sizeof *d.first);
    for (int r = 0; r < g->runs; r++) {
        add_run(cell, first, &d, &g->run[r]->metrics, place[r], d.first);
        free(place[r]);
    }
    for (int i = 0; i < cells; i++) d.cell[i] = exp(mean_of(cell[i]));
    for (int p = 0; p < d.places; p++) d.first[p] = exp(mean_of(first[p]));
    free(place);
    free(cell);
    free(first);
    return d;
}

void heat_free(Heat *d)
{
    for (int p = 0; p < d->places; p++) free(d->place[p]);
    free(d->place);
    free(d->cell);
    free(d->first);
}

double *clipped_of(const Group *g, const Heat *like)
{
    Mean *share = xcalloc((size_t)like->columns + 1, sizeof *share);
    for (int r = 0; r < g->runs; r++) {
        const Table *m = &g->run[r]->metrics;
        int clipped = table_column(m, "clipped"), step = table_column(m, "step");
        for (int row = 0; row < m->rows; row++) {
            double x = table_cell(m, row, clipped);
            if (!isnan(x)) mean_add(&share[column_of(like, table_cell(m, row, step))], x);
        }
    }
    double *out = xcalloc((size_t)like->columns + 1, sizeof *out);
    for (int c = 0; c < like->columns; c++) out[c] = mean_of(share[c]);
    free(share);
    return out;
}
