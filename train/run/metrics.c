#include "metrics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../model/file.h"

typedef enum { ONE, EACH_PART, EACH_BLOCK } Each;

enum { SIGNAL_AT = 9, COLUMNS = SIGNAL_AT + SIGNALS };

/* Every column, in order. */
static const struct { const char *name; Each each; const char *help; } table[COLUMNS] = {
    {"step", ONE, "s: updates made before; all but lr, clipped and update_* is of the weights that they left, on batch s"},
    {"tokens", ONE, "that those updates have seen"},
    {"seconds", ONE, "of training since step 0, without evaluation and files"},
    {"lr", ONE, "learning rate of the update that leaves step s; empty in row train.steps, which makes none"},
    [METRICS_LOSS] = {"loss", ONE, "mean over the step's batch, nats a token"},
    [METRICS_VAL_LOSS] = {"val_loss", ONE, "mean over the validation windows, nats a token; empty where none was taken"},
    {"grad_norm", ONE, "L2 norm of the whole gradient, before clipping"},
    {"clipped", ONE, "1 where clipping made that gradient smaller, else 0; empty where lr is"},
    {"grad_norm", EACH_PART, "the same of a part: by log.detail none, blocks and what is outside them (h.0, wte), or every part (h.0.attn.q.weight)"},
    [SIGNAL_AT + SIGNAL_RESID_RMS] = {"resid_rms", EACH_BLOCK, "root mean square, over tokens and n_embd, of the stream that leaves block i"},
    [SIGNAL_AT + SIGNAL_BRANCH_RATIO] = {"branch_ratio", EACH_BLOCK,
        "what the block adds to what it gets: root of the sum, over attention and MLP, of (RMS of what is added / RMS of the stream taken)^2"},
    [SIGNAL_AT + SIGNAL_UPDATE_RMS] = {"update_rms", EACH_BLOCK,
        "root mean square of the change of the block's weights by the update that leaves step s, decay included; empty where none was made"},
    [SIGNAL_AT + SIGNAL_UPDATE_RATIO] = {"update_ratio", EACH_BLOCK, "L2 norm of that change over weight_norm; empty also where that is 0"},
    [SIGNAL_AT + SIGNAL_WEIGHT_NORM] = {"weight_norm", EACH_BLOCK, "L2 norm of all weights of the block, before that update"},
    [SIGNAL_AT + SIGNAL_ATTN_MAX] = {"attn_max", EACH_BLOCK, "largest score of attention in front of the softmax, attn_scale included"},
    [SIGNAL_AT + SIGNAL_ATTN_ENTROPY] = {"attn_entropy", EACH_BLOCK,
        "of attention, mean over heads and queries, nats; uniform attention has the mean of ln(t), t = 1 to block_size"},
    [SIGNAL_AT + SIGNAL_LOGIT_STD] = {"logit_std", ONE, "of a token's logits over the vocabulary: root of the mean variance"},
    [SIGNAL_AT + SIGNAL_LOG_Z] = {"log_z", ONE, "mean over tokens of ln(sum of exp(logits)), nats"},
};

void metrics_help(FILE *out)
{
    static const char *const form[] = {[ONE] = "", [EACH_PART] = ".PART", [EACH_BLOCK] = ".h.i"};
    fputs("Columns of metrics.csv, in order. Numbers have nine digits; nan and inf occur in the last row of a run that diverges.\n\n", out);
    for (int i = 0; i < COLUMNS; i++) {
        char *name = text_format("%s%s", table[i].name, form[table[i].each]);
        if (i == SIGNAL_AT) fputs("\nWith log.signals, over the step's own batch; columns .h.i for every block i, 0 to n_layer-1:\n\n", out);
        fprintf(out, "  %-21s %s\n", name, table[i].help);
        free(name);
    }
}

/* Of layer: one column a block, and one each for wte, wpe, ln_f, lm_head. */
static char *layer_column(const Part *part)
{
    if (part->layer >= 0) return text_format("h.%d", part->layer);
    return text_format("%.*s", (int)strcspn(part->name, "."), part->name);
}

int metrics_columns(const Params *p, Detail detail, int *column, char **name)
{
    int count = 0;
    char *last = NULL;
    for (int i = 0; i < p->parts && detail != DETAIL_TOTAL; i++) {
        char *own = detail == DETAIL_TENSOR ? xstrdup(p->part[i].name) : layer_column(&p->part[i]);
        bool fresh = !last || strcmp(last, own);
        if (fresh && name) name[count] = xstrdup(own);
        count += fresh;
        column[i] = count - 1;
        free(last);
        last = own;
    }
    free(last);
    return count;
}

static void add_names(Text *line, int index, const Gpt *g, int parts, char **part)
{
    int64_t count = table[index].each == EACH_PART ? parts : table[index].each == EACH_BLOCK ? g->shape.n_layer : 1;
    for (int64_t i = 0; i < count; i++) {
        text_add(line, "%s%s", line->length ? "," : "", table[index].name);
        if (table[index].each == EACH_PART) text_add(line, ".%s", part[i]);
        if (table[index].each == EACH_BLOCK) text_add(line, ".h.%lld", (long long)i);
    }
}

static Text header_line(const Gpt *g, const Config *c)
{
    const Params *p = &g->params;
    int *column = xcalloc((size_t)p->parts, sizeof *column);
    char **name = xcalloc((size_t)p->parts, sizeof *name);
    int count = metrics_columns(p, (Detail)c->detail, column, name);
    Text line = {0};
    for (int i = 0; i < (c->signals ? COLUMNS : SIGNAL_AT); i++) add_names(&line, i, g, count, name);
    text_add(&line, "\n");
    for (int i = 0; i < count; i++) free(name[i]);
    free(name);
    free(column);
    return line;
}

void metrics_header(Out *out, const Gpt *g, const Config *c)
{
    Text line = header_line(g, c);
    out_write(out, line.at, line.length);
    out_flush(out);
    free(line.at);
}

static int commas(const char *from, const char *to)
{
    int n = 0;
    for (; from < to; from++) n += *from == ',';
    return n;
}

static const char moved[] = "moved away, it starts anew at the checkpoint's step";

typedef struct { size_t bytes; int64_t rows; } Kept;

/* What is wrong with a line of so many columns behind the row of step `last`; NULL, and its step, where nothing is. */
static char *damage(const char *line, const char *end, int columns, int64_t last, int64_t *step)
{
    char *behind;
    *step = strtoll(line, &behind, 10);
    if (*behind != ',' || *step <= last) return text_format("\"%.*s\" stands behind step %lld", (int)min_i64(20, end - line), line, (long long)last);
    int found = commas(line, end) + 1;
    return found == columns ? NULL : text_format("%d columns, but the header has %d", found, columns);
}

/* What stands before the row of `step` or a later one: whole lines of the header's columns, whose steps rise. Behind as many as the
 * run wrote (rows) anything may stand. */
static Kept rows_before(int64_t step, int64_t rows, const char *text, size_t header, size_t length, const char *path)
{
    Kept keep = {.bytes = header};
    int64_t last = -1, own;
    int line = 2, columns = commas(text, text + header) + 1;
    const char *at = text + header, *end;
    for (; (end = memchr(at, '\n', length - (size_t)(at - text))); at = end + 1, line++) {
        char *wrong = damage(at, end, columns, last, &own);
        if (wrong && (rows < 0 || keep.rows < rows)) die("%s:%d: damaged: %s; %s", path, line, wrong, moved);
        free(wrong);
        if (wrong) break;
        last = own;
        if (own < step) keep = (Kept){(size_t)(end - text) + 1, keep.rows + 1};
    }
    return keep;
}

int64_t metrics_cut(const char *path, const Gpt *g, const Config *c, int64_t step, int64_t rows)
{
    size_t length;
    Text header = header_line(g, c);
    char *error, *text = file_bytes(path, &length, &error);
    bool gone = text ? length == 0 : !file_is_there(path);
    if (step > 0 && gone) {
        free(error);
        free(text);
        Out out = out_open(path, false);
        out_write(&out, header.at, header.length);
        error = out_close(&out, true);
        text = xstrdup(header.at);
        length = header.length;
    }
    if (error || !text) die("%s", error);
    if (length < header.length || memcmp(text, header.at, header.length)) die("%s: its first line is not the header of this run (a spreadsheet may have saved it otherwise); %s", path, moved);
    Kept keep = rows_before(step, rows, text, header.length, length, path);
    if (rows >= 0 && keep.rows && keep.rows < rows)
        die("%s: damaged: %lld rows before step %lld, where the run wrote %lld; %s", path, (long long)keep.rows, (long long)step, (long long)rows, moved);
    if (step > 0 && !keep.rows) notice("%s %s; it starts anew at step %lld", path, gone ? "is gone or empty" : "has no row of the steps before", (long long)step);
    if (TEMP_FAILURE_RETRY(truncate(path, (off_t)keep.bytes))) die("cannot cut %s back: %s", path, strerror(errno));
    free(header.at);
    free(text);
    return keep.rows;
}

/* Nine digits; nan without a sign. */
static void add_number(Text *line, double x)
{
    text_add(line, isnan(x) ? ",nan" : ",%.9g", x);
}

static void add_norms(Text *line, const Params *p, Detail detail, const double *square)
{
    int *column = xcalloc((size_t)p->parts, sizeof *column);
    double *sum = xcalloc((size_t)p->parts, sizeof *sum);
    int count = metrics_columns(p, detail, column, NULL);
    for (int i = 0; i < p->parts && count; i++) sum[column[i]] += square[i];
    for (int i = 0; i < count; i++) add_number(line, sqrt(sum[i]));
    free(sum);
    free(column);
}

static void add_signals(Text *line, const Watch *w, int64_t layers)
{
    double x;
    for (int s = 0; s < SIGNALS; s++)
        for (int64_t l = 0; l < (table[SIGNAL_AT + s].each == EACH_BLOCK ? layers : 1); l++) {
            if (watch_number(w, (Signal)s, l, &x)) add_number(line, x);
            else text_add(line, ",");
        }
}

void metrics_row(Out *out, const Gpt *g, const Config *c, const MetricsRow *row, const double *square)
{
    Text line = {0};
    text_add(&line, "%lld,%lld", (long long)row->step, (long long)row->tokens);
    add_number(&line, row->seconds);
    if (row->update) add_number(&line, row->lr);
    else text_add(&line, ",");
    add_number(&line, row->loss);
    if (row->validated) add_number(&line, row->val_loss);
    else text_add(&line, ",");
    add_number(&line, row->norm);
    text_add(&line, row->update ? ",%d" : ",", row->clipped);
    add_norms(&line, &g->params, (Detail)c->detail, square);
    if (row->watch) add_signals(&line, row->watch, g->shape.n_layer);
    text_add(&line, "\n");
    out_write(out, line.at, line.length);
    out_flush(out);
    free(line.at);
}
