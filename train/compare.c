/* step0 compare: one row a group of runs that differ in seed alone. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "outcome.h"
#include "terminal.h"

typedef struct { Outcome **run; int runs; char *label; } Group;

/* --- what differs --- */

static bool is_seed(const Key *k)
{
    return !strcmp(k->path, "seed") || !strcmp(k->path, "init.seed") || !strcmp(k->path, "data.seed");
}

/* Keys that tell groups apart, besides the scheme: those that decide the outcome. */
static bool tells_apart(const Key *k)
{
    return !is_seed(k) && !(k->flags & SAME_OUTCOME);
}

static bool same_key(const Outcome *a, const Outcome *b, const Key *k)
{
    Json *x = config_value(&a->config, k), *y = config_value(&b->config, k);
    bool same = json_equal(x, y);
    json_free(x);
    json_free(y);
    return same;
}

static bool same_group(const Outcome *a, const Outcome *b)
{
    for (int i = 0; i < config_keys; i++)
        if (tells_apart(&config_key[i]) && !same_key(a, b, &config_key[i])) return false;
    return true;
}

/* What the scheme's name says already, and switches that are off. */
static bool goes_without_saying(const Outcome *o, const Key *k)
{
    const Json *model = json_get(o->config.scheme, "model");
    if (!strncmp(k->path, "model.", 6) && model && json_get(model, config_leaf(k->path))) return true;
    bool is_switch = k->type == KEY_MULTIPLIER || k->type == KEY_FORMULA || k->type == KEY_BOOL;
    return is_switch && config_has_fallback(&o->config, k);
}

/* A value in a label: of a path its file, of a multiplier "0 scalar". */
static char *label_value(const Key *k, const Json *value)
{
    if (k->type == KEY_MULTIPLIER) return text_format("%s %s", json_get(value, "value")->string, json_get(value, "shape")->string);
    char *brief = json_brief(value), *slash = k->type == KEY_PATHS || k->type == KEY_PATH ? strrchr(brief, '/') : NULL;
    char *text = xstrdup(slash ? slash + 1 : value->kind == JSON_STRING ? value->string : brief);
    free(brief);
    return text;
}

/* "xavier_normal lr=0.003": the scheme, and the keys that differ among the groups. */
static char *label_of(const Outcome *o, const Outcome *all, int count)
{
    Text t = {0};
    text_add(&t, "%s", outcome_scheme(o));
    for (int i = 0; i < config_keys; i++) {
        const Key *k = &config_key[i];
        bool differs = false;
        if (!tells_apart(k) || k->type == KEY_SCHEME) continue;
        for (int r = 0; r < count; r++) differs |= !same_key(o, &all[r], k);
        if (!differs || config_is_derived(&o->config, k)) continue;
        Json *value = config_value(&o->config, k);
        char *text = label_value(k, value);
        bool silent = goes_without_saying(o, k) || (k->type == KEY_OBJECT && !value->child);
        if (!silent) text_add(&t, " %s=%s", config_leaf(k->path), text);
        free(text);
        json_free(value);
    }
    return t.at;
}

/* --- groups --- */

static bool has_seeds(const Group *g, const Outcome *o)
{
    for (int i = 0; i < g->runs; i++)
        if (g->run[i]->config.init_seed == o->config.init_seed && g->run[i]->config.data_seed == o->config.data_seed) return true;
    return false;
}

static Group *group_runs(Outcome *all, int count, int *groups)
{
    Group *g = xcalloc((size_t)count, sizeof *g);
    *groups = 0;
    for (int i = 0; i < count; i++) {
        int at = 0;
        while (at < *groups && !same_group(g[at].run[0], &all[i])) at++;
        if (at == *groups) g[(*groups)++] = (Group){.run = xcalloc((size_t)count, sizeof(Outcome *)), .label = label_of(&all[i], all, count)};
        if (!has_seeds(&g[at], &all[i])) g[at].run[g[at].runs++] = &all[i];
        else notice("%s repeats the seeds of another run of its row; counted once", all[i].folder);
    }
    return g;
}

typedef struct { double mean, deviation; int n; } Summary;

/* Over the runs that have the number; the deviation needs two. */
static Summary summarize(const Group *g, double (*value)(const Outcome *))
{
    Summary s = {0, NAN, 0};
    double square = 0;
    for (int i = 0; i < g->runs; i++) {
        double x = value(g->run[i]);
        if (isnan(x)) continue;
        s.n++;
        double step = x - s.mean;
        s.mean += step / s.n;
        square += step * (x - s.mean);
    }
    if (!s.n) s.mean = NAN;
    if (s.n > 1) s.deviation = sqrt(square / (s.n - 1));
    return s;
}

static int by_final_val(const void *a, const void *b)
{
    double x = summarize(a, outcome_final_val).mean, y = summarize(b, outcome_final_val).mean;
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
    Summary s = summarize(g, c->value);
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
        low = fmin(low, summarize(&g[i], outcome_final_loss).mean);
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

static void warn_where_different(const Outcome *all, int count)
{
    static const char *const key[] = {"data.text", "data.val_fraction", "model.block_size", "eval.batches", "train.batch_size", "train.steps"};
    for (size_t i = 0; i < COUNT(key); i++) {
        bool same = true;
        for (int r = 1; r < count; r++) same &= same_key(&all[0], &all[r], config_find(key[i]));
        if (!same) notice("the runs differ in %s: their losses are not comparable without thought", key[i]);
    }
    bool same_text = true;
    for (int r = 1; r < count; r++) {
        const Json *a = json_get(json_get(all[0].facts, "text"), "hash"), *b = json_get(json_get(all[r].facts, "text"), "hash");
        same_text &= a && b && json_equal(a, b);
    }
    if (!same_text) notice("the runs saw different texts: their losses are not comparable");
}

/* The folders of runs that a word means: itself, or what a sweep's folder holds. */
static void add_runs(Outcome **all, int *count, const char *folder)
{
    struct dirent **entry;
    int entries = record_read_status(folder) >= 0 ? 0 : scandir(folder, &entry, NULL, alphasort), before = *count;
    for (int i = 0; i < entries; i++) {
        char *inner = text_format("%s/%s", folder, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.' && record_read_status(inner) >= 0) {
            *all = xrealloc(*all, (size_t)*count + 1, sizeof **all);
            (*all)[(*count)++] = outcome_read(inner);
        }
        free(inner);
        free(entry[i]);
    }
    if (entries > 0) free(entry);
    if (*count > before) return;
    *all = xrealloc(*all, (size_t)*count + 1, sizeof **all);
    (*all)[(*count)++] = outcome_read(folder);
}

int command_compare(const Args *args)
{
    if (!args->words) die("compare needs the folders of runs");
    Outcome *all = NULL;
    int groups, count = 0;
    for (int i = 0; i < args->words; i++) add_runs(&all, &count, args->word[i]);
    Group *g = group_runs(all, count, &groups);
    qsort(g, (size_t)groups, sizeof *g, by_final_val);
    warn_where_different(all, count);
    print_table(g, groups);
    print_notes(&all[0]);
    for (int i = 0; i < groups; i++) {
        free(g[i].run);
        free(g[i].label);
    }
    free(g);
    for (int i = 0; i < count; i++) outcome_free(&all[i]);
    free(all);
    return EXIT_DONE;
}
