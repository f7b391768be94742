#include "outcome.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../model/file.h"
#include "statistics.h"

static void check_columns(const Table *t, const char *path)
{
    static const char *const needed[] = {"step", "loss", "val_loss", "grad_norm"};
    for (size_t i = 0; t->columns && i < COUNT(needed); i++)
        if (table_column(t, needed[i]) < 0) die("%s has no column \"%s\": this is not what step0 train wrote", path, needed[i]);
    for (int i = 0; i < t->columns; i++)
        if (table_column(t, t->name[i]) != i) die("%s:1: the column \"%.40s\" stands twice", path, t->name[i]);
}

static void check_rows(const Table *t, const char *path)
{
    int steps = table_column(t, "step"), loss = table_column(t, "loss");
    double before = -1;
    for (int row = 0; row < t->rows; row++) {
        double step = table_cell(t, row, steps);
        if (!(step > before && isfinite(step) && step == floor(step)))
            die("%s:%d: step %.9g, behind step %.9g; steps are whole numbers and must rise from row to row", path, row + 2, step, before);
        if (row + 1 < t->rows && !isfinite(table_cell(t, row, loss))) die("%s:%d: its loss is no finite number, but further rows follow: damaged", path, row + 2);
        before = step;
    }
}

Outcome outcome_read(const char *folder)
{
    Outcome o = {.folder = xstrdup(folder)};
    int status = record_read_status(folder);
    if (!utf8_is_valid(folder)) die("%s: the path of a run must be valid UTF-8, as the outputs of compare are; rename it", folder);
    if (status < 0) {
        char *full = absolute_path(".", folder);
        die("%s holds no run (no run.json with a status); name runs, or a folder whose folders are runs", full);
    }
    char *resolved = text_format("%s/resolved.json", folder), *facts = text_format("%s/run.json", folder), *metrics = text_format("%s/metrics.csv", folder);
    o.status = (RunStatus)status;
    o.config = config_load(resolved, NULL, 0, NULL);
    o.facts = json_read(facts);
    o.metrics = table_read(metrics);
    check_columns(&o.metrics, metrics);
    check_rows(&o.metrics, metrics);
    bool high = o.status == RUN_FINISHED && o.config.steps > 0 && outcome_final_val(&o) > outcome_yardstick(&o, YARD_UNIGRAM) - STUCK_MARGIN;
    o.unfinished = high && !(outcome_final_val(&o) >= outcome_first_loss(&o)) && outcome_fall(&o) >= STUCK_MARGIN;
    o.stuck = high && !o.unfinished;
    free(resolved);
    free(facts);
    free(metrics);
    return o;
}

void outcome_free(Outcome *o)
{
    config_free(&o->config);
    json_free(o->facts);
    table_free(&o->metrics);
    free(o->folder);
}

char *outcome_file(const Outcome *o, const char *name)
{
    char *path = text_format("%s/%s", o->folder, name), *error;
    size_t length;
    char *text = file_bytes(path, &length, &error);
    if (!text && file_is_there(path)) notice("%s; what is in it is not shown", error);
    if (!text) free(error);
    free(path);
    return text;
}

const struct YardRow yard_row[YARDS] = {{"ln_vocab", "ln V"}, {"unigram", "unigram"}, {"bigram", "bigram"}, {"floor", "floor"}};

double outcome_yardstick(const Outcome *o, Yard yard)
{
    return json_number(json_get(o->facts, "yardsticks"), yard_row[yard].key);
}

const char *outcome_scheme(const Outcome *o)
{
    const Json *j = json_get(o->facts, "scheme");
    return j && j->kind == JSON_STRING ? j->string : "?";
}

const char *outcome_status(const Outcome *o)
{
    return o->stuck ? "stuck" : o->unfinished ? "unfinished" : run_status_name[o->status];
}

bool outcome_failed(const Outcome *o)
{
    return o->stuck || o->status == RUN_DIVERGED || o->status == RUN_FAILED;
}

const char *outcome_bad_part(const Outcome *o)
{
    static const char prefix[] = "grad_norm.";
    const Table *m = &o->metrics;
    if (o->status != RUN_DIVERGED) return NULL;
    for (int c = m->columns - 1; c >= 0; c--)
        if (!strncmp(m->name[c], prefix, sizeof prefix - 1) && !isfinite(table_cell(m, -1, c))) return m->name[c] + sizeof prefix - 1;
    return NULL;
}

static double last_of(const Outcome *o, const char *column)
{
    int c = table_column(&o->metrics, column);
    for (int row = o->metrics.rows - 1; row >= 0; row--)
        if (!isnan(table_cell(&o->metrics, row, c))) return table_cell(&o->metrics, row, c);
    return NAN;
}

static double extreme_of(const Outcome *o, const char *column, int sign)
{
    int c = table_column(&o->metrics, column);
    double best = NAN;
    for (int row = 0; row < o->metrics.rows; row++) {
        double x = table_cell(&o->metrics, row, c);
        if (!isnan(x) && (isnan(best) || sign * x > sign * best)) best = x;
    }
    return best;
}

double outcome_steps(const Outcome *o)
{
    return table_cell(&o->metrics, -1, table_column(&o->metrics, "step"));
}

bool outcome_begins(const Outcome *o)
{
    return table_cell(&o->metrics, 0, table_column(&o->metrics, "step")) == 0;
}

double outcome_first_loss(const Outcome *o)
{
    return outcome_begins(o) ? table_cell(&o->metrics, 0, table_column(&o->metrics, "loss")) : NAN;
}

double outcome_final_loss(const Outcome *o)
{
    return last_of(o, "loss");
}

double outcome_final_val(const Outcome *o)
{
    return last_of(o, "val_loss");
}

double outcome_best_val(const Outcome *o)
{
    return extreme_of(o, "val_loss", -1);
}

double outcome_val_at(const Outcome *o, double step)
{
    const Table *m = &o->metrics;
    int steps = table_column(m, "step"), val = table_column(m, "val_loss");
    for (int row = 0; row < m->rows; row++)
        if (table_cell(m, row, steps) == step) return table_cell(m, row, val);
    return NAN;
}

/* Median train loss of rows from (included) to `to` (excluded). */
static double median_loss(const Outcome *o, int from, int to)
{
    double *loss = xcalloc((size_t)(to - from) + 1, sizeof *loss);
    int column = table_column(&o->metrics, "loss");
    for (int row = from; row < to; row++) loss[row - from] = table_cell(&o->metrics, row, column);
    double middle = statistics_median(loss, to - from);
    free(loss);
    return middle;
}

double outcome_fall(const Outcome *o)
{
    int rows = o->metrics.rows, fifth = rows / 5;
    return fifth < 2 ? NAN : median_loss(o, rows - 2 * fifth, rows - fifth) - median_loss(o, rows - fifth, rows);
}

double outcome_above_floor(const Outcome *o)
{
    return outcome_final_val(o) - outcome_yardstick(o, YARD_FLOOR);
}

double outcome_largest_norm(const Outcome *o)
{
    return extreme_of(o, "grad_norm", 1);
}

double outcome_final_norm(const Outcome *o)
{
    return last_of(o, "grad_norm");
}

/* The square of a block's gradient norm in a row: of its column, or of all its tensors' columns. */
static double block_square(const Outcome *o, int row, int64_t layer)
{
    char *own = text_format("grad_norm.h.%lld", (long long)layer), *inside = text_format("%s.", own);
    double sum = 0;
    for (int c = 0; c < o->metrics.columns; c++) {
        const char *name = o->metrics.name[c];
        double x = table_cell(&o->metrics, row, c);
        if (!strcmp(name, own) || !strncmp(name, inside, strlen(inside))) sum += x * x;
    }
    free(own);
    free(inside);
    return sum;
}

static double slope(const Outcome *o, int row)
{
    double last = block_square(o, row, o->config.n_layer - 1);
    return last > 0 ? sqrt(block_square(o, row, 0) / last) : NAN;
}

double outcome_slope_first(const Outcome *o)
{
    return outcome_begins(o) ? slope(o, 0) : NAN;
}

double outcome_slope_final(const Outcome *o)
{
    return slope(o, o->metrics.rows - 1);
}

double outcome_drift(const Outcome *o)
{
    return outcome_slope_final(o) / outcome_slope_first(o);
}

/* --- spikes --- */

/* The loss of each row minus the median of as many rows before as behind, fewer towards the ends. */
static void residuals(double *out, const Outcome *o)
{
    int rows = o->metrics.rows, loss = table_column(&o->metrics, "loss");
    for (int row = 0; row < rows; row++) {
        int half = (int)min_i64(SPIKE_WINDOW / 2, min_i64(row, rows - 1 - row));
        out[row] = table_cell(&o->metrics, row, loss) - median_loss(o, row - half, row + half + 1);
    }
}

static bool rises(const Outcome *o, int row)
{
    return table_cell(&o->metrics, row, table_column(&o->metrics, "loss")) > median_loss(o, (int)max_i64(0, row - SPIKE_WINDOW / 2), row);
}

double outcome_spikes(const Outcome *o)
{
    int rows = o->metrics.rows, count = 0;
    if (rows < SPIKE_WINDOW) return 0;
    double *residual = xcalloc((size_t)rows, sizeof *residual);
    residuals(residual, o);
    double limit = statistics_median(residual, rows) + SPIKE * 1.4826 * statistics_mad(residual, rows);
    for (int i = 0; i < rows; i++) count += residual[i] > limit && !(i > 0 && residual[i - 1] > limit) && rises(o, i);
    free(residual);
    return count;
}
