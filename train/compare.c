/* step0 compare: one row a group of runs that differ in seed alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "group.h"
#include "report.h"
#include "terminal.h"

static int by_final_val(const void *a, const void *b)
{
    double x = group_summary(a, outcome_final_val).mean, y = group_summary(b, outcome_final_val).mean;
    if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

/* --- the table --- */

typedef struct { const char *title; double (*value)(const Outcome *); const char *format; } Column;

static const Column column[] = {
    {"steps", outcome_steps, "%.0f"},
    {"loss at 0", outcome_first_loss, "%.3f"},
    {"at end", outcome_final_loss, "%.3f"},
    {"val", outcome_final_val, "%.4f"},
    {"best val", outcome_best_val, "%.4f"},
    {"above floor", outcome_above_floor, "%.3f"},
    {"|g| max", outcome_largest_norm, "%.3g"},
    {"|g| end", outcome_final_norm, "%.3g"},
    {"g ratio 0", outcome_slope_first, "%.3g"},
    {"g ratio end", outcome_slope_final, "%.3g"},
    {"spikes", outcome_spikes, "%.2g"},
};

static char *cell_text(const Group *g, const Column *c)
{
    Text t = {0};
    Summary s = group_summary(g, c->value);
    if (isnan(s.mean)) text_add(&t, "-");
    else {
        char number[64];
        snprintf(number, sizeof number, c->format, s.mean);
        text_add(&t, "%s", number);
        bool spread = s.deviation > 0 && (c->value == outcome_final_val || c->value == outcome_best_val);
        if (spread) text_add(&t, "±%.4f", s.deviation);
    }
    return t.at;
}

/* "finished", or "stuck 2 of 3" where runs of a group ended differently. */
static char *status_text(const Group *g)
{
    Text t = {0};
    for (int i = 0; i < g->runs; i++) {
        const char *word = outcome_status(g->run[i]);
        int same = 0, before = 0;
        for (int j = 0; j < g->runs; j++) {
            bool equal = !strcmp(word, outcome_status(g->run[j]));
            same += equal;
            before += equal && j < i;
        }
        if (before) continue;
        if (same == g->runs) text_add(&t, "%s", word);
        else text_add(&t, "%s%s %d of %d", t.length ? ", " : "", word, same, g->runs);
    }
    return t.at;
}

/* Columns that a text takes on a terminal. */
static int text_width(const char *text)
{
    int width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void print_cell(const char *text, int width, bool left)
{
    int pad = width - text_width(text);
    if (left) printf("%s%*s  ", text, pad, "");
    else printf("%*s%s  ", pad, "", text);
}

enum { SPARK = 24 };

/* The train loss of the first run, averaged in SPARK pieces, between the least loss of all and ln V. */
static char *sparkline(const Group *g, double low, double high)
{
    Text t = {0};
    const Table *m = &g->run[0]->metrics;
    int loss = table_column(m, "loss");
    for (int piece = 0; piece < SPARK; piece++) {
        int from = piece * m->rows / SPARK, to = (piece + 1) * m->rows / SPARK;
        double sum = 0;
        if (to <= from) to = from + 1;
        for (int row = from; row < to; row++) sum += table_cell(m, row, loss);
        terminal_spark(&t, (sum / (to - from) - low) / (high - low));
    }
    return t.at;
}

enum { FIXED = 2, COLUMNS = COUNT(column) + FIXED };
typedef char *Row[COLUMNS];

/* A column without a number, of zeros, or like the one before it. */
static bool says_nothing(Row *cell, int groups, int c)
{
    bool nothing = true, same = true;
    for (int i = 1; i <= groups; i++) {
        nothing &= !strcmp(cell[i][c], "-") || !strcmp(cell[i][c], "0");
        same &= !strcmp(cell[i][c], cell[i][c - 1]);
    }
    return nothing || same;
}

static void blank_column(Row *cell, int groups, int c)
{
    for (int i = 0; i <= groups; i++) cell[i][c][0] = 0;
}

static void print_table(Group *g, int groups)
{
    Row *cell = xcalloc((size_t)groups + 1, sizeof *cell);
    int width[COLUMNS] = {0};
    double low = INFINITY, high = outcome_fact(g[0].run[0], "yardsticks", "ln_vocab");
    cell[0][0] = xstrdup("scheme");
    cell[0][1] = xstrdup("seeds");
    for (size_t c = 0; c < COUNT(column); c++) cell[0][c + FIXED] = xstrdup(column[c].title);
    for (int i = 0; i < groups; i++) {
        cell[i + 1][0] = xstrdup(g[i].label);
        cell[i + 1][1] = text_format("%d", g[i].runs);
        for (size_t c = 0; c < COUNT(column); c++) cell[i + 1][c + FIXED] = cell_text(&g[i], &column[c]);
        low = fmin(low, group_summary(&g[i], outcome_final_loss).mean);
    }
    for (int c = FIXED; c < COLUMNS; c++)
        if (says_nothing(cell, groups, c)) blank_column(cell, groups, c);
    for (int c = 0; c < COLUMNS; c++)
        for (int i = 0; i <= groups; i++) width[c] = text_width(cell[i][c]) > width[c] ? text_width(cell[i][c]) : width[c];
    for (int i = 0; i <= groups; i++) {
        for (int c = 0; c < COLUMNS; c++)
            if (width[c]) print_cell(cell[i][c], width[c], c == 0);
        char *spark = i ? sparkline(&g[i - 1], low, high) : text_format("%-*s", SPARK, "loss"), *status = i ? status_text(&g[i - 1]) : xstrdup("status");
        printf("%s  %s\n", spark, status);
        free(spark);
        free(status);
        for (int c = 0; c < COLUMNS; c++) free(cell[i][c]);
    }
    free(cell);
}

static void print_notes(const Outcome *o)
{
    double floor = outcome_fact(o, "yardsticks", "floor");
    printf("\nln V %.4f, unigram %.4f, bigram %.4f", outcome_fact(o, "yardsticks", "ln_vocab"), outcome_fact(o, "yardsticks", "unigram"),
           outcome_fact(o, "yardsticks", "bigram"));
    if (!isnan(floor)) printf(", floor %.4f", floor);
    printf(" (nats a token). val: last validation loss, ± the standard deviation over seeds.\n"
           "|g|: gradient norm before clipping. g ratio: the first block's over the last one's, at step 0 and at the end.\n"
           "spikes: in the train loss, a run. stuck: finished with a validation loss above unigram - %.2f.\n"
           "Curves: the first run's train loss, from the least loss of all up to ln V.\n", STUCK_MARGIN);
}

/* --- warnings --- */

static void warn_where_different(const Runs *runs)
{
    const Outcome *all = runs->run;
    int count = runs->count;
    static const char *const key[] = {"data.text", "data.val_fraction", "model.block_size", "eval.batches", "train.batch_size", "train.steps"};
    for (size_t i = 0; i < COUNT(key); i++) {
        bool same = true;
        for (int r = 1; r < count; r++) same &= runs_agree(&all[0], &all[r], config_find(key[i]));
        if (!same) notice("the runs differ in %s: their losses are not comparable without thought", key[i]);
    }
    bool same_text = true;
    for (int r = 1; r < count; r++) {
        const Json *a = json_get(json_get(all[0].facts, "text"), "hash"), *b = json_get(json_get(all[r].facts, "text"), "hash");
        same_text &= a && b && json_equal(a, b);
    }
    if (!same_text) notice("the runs saw different texts: their losses are not comparable");
}

static const Group *group_of(const Group *g, int groups, const Outcome *run)
{
    for (int i = 0; i < groups; i++)
        for (int r = 0; r < g[i].runs; r++)
            if (g[i].run[r] == run) return &g[i];
    return NULL;
}

int command_compare(const Args *args)
{
    if (!args->words) die("compare needs the folders of runs");
    Runs all = runs_read(args->word, args->words);
    int groups;
    Group *g = runs_grouped(&all, &groups);
    qsort(g, (size_t)groups, sizeof *g, by_final_val);
    warn_where_different(&all);
    print_table(g, groups);
    print_notes(&all.run[0]);
    if (args->html) report_write(args->html, g, groups, group_of(g, groups, &all.run[0]));
    groups_free(g, groups);
    runs_free(&all);
    return EXIT_DONE;
}
