#include "observe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double squares(const real *x, int64_t n, int threads)
{
    int64_t blocks = (n + BLOCK - 1) / BLOCK;
    double sum = 0, *own = xcalloc((size_t)blocks, sizeof *own);
#pragma omp parallel for num_threads(team(threads, n)) schedule(static)
    for (int64_t i = 0; i < blocks; i++) own[i] = kernel_squares(x + i * BLOCK, min_i64(BLOCK, n - i * BLOCK));
    for (int64_t i = 0; i < blocks; i++) sum += own[i];
    free(own);
    return sum;
}

/* Σ (gate∘added)² */
static double gated_squares(const Branch *b, int64_t n, int64_t C)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < C; j++) {
            double x = (double)b->gate.row[j] * (double)b->added[i * C + j];
            sum += x * x;
        }
    return sum;
}

static void see_forward(void *data, const Branch *b, const Batch *batch)
{
    View *v = data;
    const Shape *s = &v->g->shape;
    BlockView *block = &v->block[b->layer];
    int64_t n = batch->rows * batch->length, C = s->n_embd;
    block->entered[b->kind] += squares(b->x, n * C, v->g->threads);
    block->added[b->kind] += gated_squares(b, n, C);
    if (b == v->g->branch) v->embedding += squares(b->x, n * C, v->g->threads);
    if (b->kind == BRANCH_MLP) block->stream += squares(b->next, n * C, v->g->threads);
    else {
        Attention heads = branch_heads(b, s, batch);
        AttentionStats stats = attention_stats(b->hidden, b->kept, &heads, v->g->scratch.attention, v->g->threads);
        block->entropy += stats.entropy / (double)s->n_head;
        block->largest = fmax(block->largest, stats.largest);
    }
}

static void see_backward(void *data, const Branch *b, const real *dx, const Batch *batch)
{
    View *v = data;
    if (b->kind == BRANCH_MLP) v->block[b->layer].gradient += squares(dx, batch->rows * batch->length * v->g->shape.n_embd, v->g->threads);
}

View *observe_start(Gpt *g)
{
    View *v = xcalloc(1, sizeof *v);
    int64_t n = g->batch_rows * g->shape.block_size;
    *v = (View){.g = g, .block = xcalloc((size_t)g->shape.n_layer, sizeof *v->block), .kept = xcalloc(2 * (size_t)n, sizeof *v->kept)};
    g->observer = (Observer){see_forward, see_backward, v, v->kept, v->kept + n};
    observe_reset(v);
    return v;
}

void observe_reset(View *v)
{
    v->embedding = v->logit_std = v->log_z = 0;
    v->tokens = 0;
    for (int64_t l = 0; l < v->g->shape.n_layer; l++) v->block[l] = (BlockView){.largest = -INFINITY};
}

void observe_batch(View *v, int64_t tokens)
{
    for (int64_t i = 0; i < tokens; i++) {
        v->log_z += v->g->observer.log_z[i];
        v->logit_std += v->g->observer.logit_variance[i];
    }
    v->tokens += tokens;
}

void observe_end(View *v)
{
    double n = (double)v->tokens, each = n * (double)v->g->shape.n_embd;
    v->embedding = sqrt(v->embedding / each);
    v->logit_std = sqrt(v->logit_std / n);
    v->log_z /= n;
    for (int64_t l = 0; l < v->g->shape.n_layer; l++) {
        BlockView *b = &v->block[l];
        b->stream = sqrt(b->stream / each);
        b->gradient = sqrt(b->gradient / each);
        b->entropy /= n;
        for (int k = 0; k < BRANCHES; k++) {
            b->entered[k] = sqrt(b->entered[k] / each);
            b->added[k] = sqrt(b->added[k] / each);
        }
    }
}

void observe_stop(View *v)
{
    v->g->observer = (Observer){0};
    free(v->block);
    free(v->kept);
    free(v);
}

double block_ratio(const BlockView *b)
{
    double sum = 0;
    for (int k = 0; k < BRANCHES; k++)
        if (b->added[k] != 0) sum += b->added[k] * b->added[k] / (b->entered[k] * b->entered[k]);
    return sqrt(sum);
}
