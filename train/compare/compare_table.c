#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "curve.h"
#include "../terminal.h"
#include "verdict.h"

const RunColumn run_column[] = {
    {"steps", "steps", outcome_steps, "%.0f", false},
    {"first_loss", "loss at 0", outcome_first_loss, "%.3f", false},
    {"final_loss", "at end", outcome_final_loss, "%.3f", true},
    {"final_val_loss", "val", outcome_final_val, "%.4f", true},
    {"best_val_loss", "best val", outcome_best_val, "%.4f", false},
    {"above_floor", "above floor", outcome_above_floor, "%.3f", true},
    {"largest_grad_norm", "|g| max", outcome_largest_norm, "%.3g", false},
    {"final_grad_norm", "|g| end", outcome_final_norm, "%.3g", false},
    {"gradient_by_depth", "g ratio 0", outcome_slope_first, "%.3g", false},
    {"gradient_by_depth_at_end", "g ratio end", outcome_slope_final, "%.3g", false},
    {"spikes", "spikes", outcome_spikes, "%.2g", false},
};
const int run_columns = COUNT(run_column);

/* --- a table of texts --- */

typedef struct { char **cell; int rows, columns; } Cells;

static Cells cells_new(int rows, int columns)
{
    return (Cells){.cell = xcalloc((size_t)rows * (size_t)columns, sizeof(char *)), .rows = rows, .columns = columns};
}

static char **cell_at(const Cells *t, int row, int column)
{
    return &t->cell[row * t->columns + column];
}

/* Columns that a text takes on a terminal. */
static int text_width(const char *text)
{
    int width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static int column_width(const Cells *t, int column)
{
    int width = 0;
    for (int row = 0; row < t->rows; row++) {
        int own = text_width(*cell_at(t, row, column));
        width = own > width ? own : width;
    }
    return width;
}

static void print_padded(const char *text, int width, bool left)
{
    int pad = width - text_width(text);
    if (left) printf("%s%*s", text, pad, "");
    else printf("%*s%s", pad, "", text);
}

/* The first column and the last are set to the left; columns without text are left out. */
static void cells_print(const Cells *t)
{
    int *width = xcalloc((size_t)t->columns, sizeof *width);
    for (int c = 0; c < t->columns; c++) width[c] = column_width(t, c);
    for (int row = 0; row < t->rows; row++) {
        for (int c = 0; c < t->columns - 1; c++) {
            if (c) fputs(width[c] ? "  " : "", stdout);
            print_padded(*cell_at(t, row, c), width[c], c == 0);
        }
        const char *last = *cell_at(t, row, t->columns - 1);
        printf("%s%s\n", *last ? "  " : "", last);
    }
    free(width);
}

static void cells_free(Cells *t)
{
    for (int i = 0; i < t->rows * t->columns; i++) free(t->cell[i]);
    free(t->cell);
}

/* --- the runs --- */

Summary run_column_summary(const RunColumn *c, const Group *g)
{
    Summary s = group_summary(g, c->value);
    return group_failed(g) ? (Summary){.mean = group_median(g, c->value, c->at_end), .n = s.n} : s;
}

static char *value_text(const Group *g, const RunColumn *c)
{
    char number[64];
    Summary s = run_column_summary(c, g);
    bool spread = s.deviation > 0 && (c->value == outcome_final_val || c->value == outcome_best_val);
    if (!isfinite(s.mean)) return xstrdup("-");
    snprintf(number, sizeof number, c->format, s.mean);
    return spread ? text_format("%s±%.4f", number, s.deviation) : xstrdup(number);
}

enum { SPARK = 24 };

/* The mean train loss, averaged in SPARK pieces, between the least loss of all and ln V. */
static char *sparkline(const Group *g, double low, double high)
{
    Text t = {0};
    Curve whole = curve_whole(g, "loss"), means = curve_means(&whole, SPARK);
    text_add(&t, "%s", "");
    for (int piece = 0; piece < means.n; piece++) terminal_spark(&t, (means.mean[piece] - low) / (high - low));
    curve_free(&whole);
    curve_free(&means);
    return t.at;
}

/* A column without a number, of zeros, or like the one before it. */
static bool says_nothing(const Cells *t, int column)
{
    bool nothing = true, same = true;
    for (int row = 1; row < t->rows; row++) {
        const char *text = *cell_at(t, row, column);
        nothing &= !strcmp(text, "-") || !strcmp(text, "0");
        same &= !strcmp(text, *cell_at(t, row, column - 1));
    }
    return nothing || same;
}

enum { FIXED = 2 };                /* columns in front of the numbers: label, seeds */

void compare_print_runs(const Study *s)
{
    int spark = FIXED + run_columns, status = spark + 1;
    Cells t = cells_new(s->groups + 1, status + 1);
    double low = INFINITY, high = outcome_yardstick(s->runs.run, YARD_LN_VOCAB);
    *cell_at(&t, 0, 0) = xstrdup("scheme");
    *cell_at(&t, 0, 1) = xstrdup("seeds");
    *cell_at(&t, 0, spark) = text_format("%-*s", SPARK, "loss");
    *cell_at(&t, 0, status) = xstrdup("status");
    for (int c = 0; c < run_columns; c++) *cell_at(&t, 0, FIXED + c) = xstrdup(run_column[c].title);
    for (int i = 0; i < s->groups; i++) low = fmin(low, group_summary(&s->group[i], outcome_final_loss).mean);
    for (int i = 0; i < s->groups; i++) {
        const Group *g = &s->group[i];
        *cell_at(&t, i + 1, 0) = xstrdup(g->label);
        *cell_at(&t, i + 1, 1) = text_format("%d", g->runs);
        for (int c = 0; c < run_columns; c++) *cell_at(&t, i + 1, FIXED + c) = value_text(g, &run_column[c]);
        *cell_at(&t, i + 1, spark) = sparkline(g, low, high);
        *cell_at(&t, i + 1, status) = verdict_status(g);
    }
    for (int c = FIXED; c < spark; c++) {
        bool silent = says_nothing(&t, c);
        for (int row = 0; silent && row < t.rows; row++) (*cell_at(&t, row, c))[0] = 0;
    }
    cells_print(&t);
    cells_free(&t);
}

/* --- the verdicts --- */

void compare_print_verdicts(const Study *s)
{
    Cells t = cells_new(s->families + 1, verdict_rows + 1);
    bool any = false;
    *cell_at(&t, 0, 0) = xstrdup("scheme");
    for (int i = 0; i < s->families; i++) *cell_at(&t, i + 1, 0) = xstrdup(s->family[i].best->label);
    for (int v = 0; v < verdict_rows; v++) {
        bool said = false;
        for (int i = 0; i < s->families; i++) {
            Finding f = verdict_row[v].title ? verdict_row[v].of(s, s->family[i].best) : (Finding){NAN, NULL};
            said |= f.text != NULL;
            *cell_at(&t, i + 1, v + 1) = f.text ? f.text : xstrdup("");
        }
        *cell_at(&t, 0, v + 1) = xstrdup(said ? verdict_row[v].title : "");
        any |= said;
    }
    if (any) {
        puts("");
        cells_print(&t);
    }
    cells_free(&t);
}
