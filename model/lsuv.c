#include "lsuv.h"

#include <math.h>

enum { ATTEMPTS = 10 };

bool scheme_needs_batch(const Scheme *s)
{
    const Json *j = json_get(s->json, "output_std");
    return j && j->child;
}

/* Of the `cols` columns from `at` on of y[n, stride], about their common mean. */
static double block_std(const real *y, int64_t n, int64_t stride, int64_t at, int64_t cols)
{
    double sum = 0, square = 0, count = (double)(n * cols);
    for (int64_t i = 0; i < n; i++) {
        sum += kernel_sum(y + i * stride + at, cols);
        square += kernel_squares(y + i * stride + at, cols);
    }
    return sqrt(fmax(0, square / count - sum / count * (sum / count)));
}

/* Scales the parts of a linear layer whose output is y; false where all had their standard deviation already. The last
 * attempt must find them so. */
static bool rescale(const Gpt *g, const Scheme *s, const Linear *l, const real *y, int64_t n, bool last)
{
    bool changed = false;
    const Params *p = &g->params;
    for (int i = l->weight->first_part; i < l->weight->first_part + l->weight->parts; i++) {
        const Part *part = &p->part[i];
        double target = scheme_output_std(s, &g->shape, part);
        if (isnan(target)) continue;
        double std = block_std(y, n, l->weight->cols, part->column, part->cols);
        if (fabs(std / target - 1) < 1e-3) continue;
        if (!(std > 0) || !isfinite(std) || last) die("scheme \"%s\": the output of %s has standard deviation %g, and no factor of its weights makes that %g", scheme_name(s), part->name, std, target);
        for (int64_t row = 0; row < part->rows; row++) kernel_scale(part_row(p, part, l->weight->w, row), (real)(target / std), part->cols);
        changed = true;
    }
    return changed;
}

void init_output_std(Gpt *g, const Scheme *s, const Batch *batch)
{
    int64_t n = batch->rows * batch->length;
    gpt_embed(g, batch);
    for (int i = 0; i < g->branches; i++) {
        Branch *b = &g->branch[i];
        for (int attempt = 0; attempt <= ATTEMPTS; attempt++) {
            branch_enter(b, &g->shape, &g->scratch, n);
            if (!rescale(g, s, &b->in, b->raw ? b->raw : b->hidden, n, attempt == ATTEMPTS)) break;
        }
        for (int attempt = 0; attempt <= ATTEMPTS; attempt++) {
            branch_forward(b, &g->shape, batch, &g->scratch);
            if (!rescale(g, s, &b->proj, b->out ? b->out : g->scratch.narrow, n, attempt == ATTEMPTS)) break;
        }
    }
}
