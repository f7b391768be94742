#include "metrics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../model/file.h"

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

static Text header_line(const Gpt *g, Detail detail)
{
    const Params *p = &g->params;
    int *column = xcalloc((size_t)p->parts, sizeof *column);
    char **name = xcalloc((size_t)p->parts, sizeof *name);
    int count = metrics_columns(p, detail, column, name);
    Text line = {0};
    text_add(&line, "step,tokens,seconds,lr,loss,val_loss,grad_norm,clipped");
    for (int i = 0; i < count; i++) text_add(&line, ",grad_norm.%s", name[i]);
    text_add(&line, "\n");
    for (int i = 0; i < count; i++) free(name[i]);
    free(name);
    free(column);
    return line;
}

void metrics_header(Out *out, const Gpt *g, Detail detail)
{
    Text line = header_line(g, detail);
    out_write(out, line.at, line.length);
    out_flush(out);
    free(line.at);
}

void metrics_cut(const char *path, const Gpt *g, Detail detail, int64_t step)
{
    size_t length;
    Text header = header_line(g, detail);
    char *error, *text = file_bytes(path, &length, &error);
    if (!text && step > 0 && access(path, F_OK)) {
        free(error);
        notice("%s is gone; it starts anew at step %lld", path, (long long)step);
        Out out = out_open(path, false);
        out_write(&out, header.at, header.length);
        error = out_close(&out, true);
        text = xstrdup(header.at);
        length = header.length;
    }
    if (error) die("%s", error);
    if (length < header.length || memcmp(text, header.at, header.length)) die("%s: its first line is not the header of this run; was it changed?", path);
    size_t keep = header.length;
    for (char *end; (end = memchr(text + keep, '\n', length - keep)); keep = (size_t)(end - text) + 1)
        if (strtoll(text + keep, NULL, 10) >= step) break;
    if (truncate(path, (off_t)keep)) die("cannot cut %s back: %s", path, strerror(errno));
    free(header.at);
    free(text);
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

void metrics_row(Out *out, const Gpt *g, Detail detail, const MetricsRow *row, const double *square)
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
    add_norms(&line, &g->params, detail, square);
    text_add(&line, "\n");
    out_write(out, line.at, line.length);
    out_flush(out);
    free(line.at);
}
