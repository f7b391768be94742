#include "gpt.h"

#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "declare.h"

Gpt *gpt_declared(const Shape *shape)
{
    Gpt *g = xcalloc(1, sizeof *g);
    g->shape = *shape;
    g->branches = (int)shape->n_layer * BRANCHES;
    g->branch = xcalloc((size_t)g->branches, sizeof *g->branch);
    declare(g);
    return g;
}

Gpt *gpt_new(const Shape *shape, int64_t batch_rows, int threads)
{
    Gpt *g = gpt_declared(shape);
    params_alloc(&g->params);
    g->batch_rows = batch_rows;
    g->threads = threads;
    Arena arena = {0};
    lay_out(g, &arena);
    g->memory = arena_memory(arena.used);
    arena = (Arena){.base = g->memory};
    lay_out(g, &arena);
    return g;
}

void gpt_free(Gpt *g)
{
    params_free(&g->params);
    free(g->branch);
    free(g->memory);
    free(g);
}

size_t gpt_activation_bytes(const Shape *shape, int64_t batch_rows, int threads)
{
    Gpt *g = gpt_declared(shape);
    g->batch_rows = batch_rows;
    g->threads = threads;
    Arena arena = {0};
    lay_out(g, &arena);
    gpt_free(g);
    return arena.used;
}

void gpt_embed(Gpt *g, const Batch *b)
{
    int64_t n = b->rows * b->length;
    assert(b->rows <= g->batch_rows && b->length <= g->shape.block_size);
    embed(g->branch[0].x, b->token, g->wte, g->wpe, g->embd_scale, b->length, n, g->threads);
    dropout(g->branch[0].x, &b->dropout, SITE_EMBED, b->length, n, g->shape.n_embd, g->threads);
}

static void stream_forward(Gpt *g, const Batch *b)
{
    gpt_embed(g, b);
    for (int i = 0; i < g->branches; i++) {
        branch_forward(&g->branch[i], &g->shape, b, &g->scratch);
        if (g->observer.forward) g->observer.forward(g->observer.data, &g->branch[i], b);
    }
    g->normed = norm(&g->ln_f, g->x, b->rows * b->length, g->threads);
}

void gpt_logits(const Gpt *g, real *logits, int64_t n)
{
    int64_t V = g->shape.vocab_size, C = g->shape.n_embd;
    matmul(logits, V, (Matrix){g->normed, C, false}, (Matrix){g->head->w, C, true}, n, V, C, NULL, false, g->threads);
    kernel_scale(logits, g->logit_scale, n * V);
}

void gpt_blocks_back(Gpt *g, const Batch *b)
{
    for (int i = g->branches - 1; i >= 0; i--) {
        if (g->observer.backward) g->observer.backward(g->observer.data, &g->branch[i], g->dx, b);
        branch_back(g->dx, &g->branch[i], &g->shape, b, &g->scratch);
    }
}

/* From the gradient of what the head took, in dx. */
static void stream_back(Gpt *g, const Batch *b)
{
    int64_t n = b->rows * b->length;
    norm_back(g->dx, g->x, &g->ln_f, n, g->threads);
    gpt_blocks_back(g, b);
    dropout(g->dx, &b->dropout, SITE_EMBED, b->length, n, g->shape.n_embd, g->threads);
    embed_back(g->dx, b->token, g->wte, g->wpe, g->embd_scale, b->length, n, g->threads);
}

static double total_loss(Gpt *g, const Batch *b, real *dx, double scale)
{
    int64_t n = b->rows * b->length;
    Head head = {g->head, g->logit_scale, g->observer.log_z, g->observer.logit_variance};
    double sum = 0;
    head_loss(g->loss, dx, g->logits, g->normed, b->target, &head, (real)scale, n, g->threads);
    for (int64_t i = 0; i < n; i++) sum += g->loss[i];
    return sum;
}

double gpt_loss(Gpt *g, const Batch *b)
{
    stream_forward(g, b);
    return total_loss(g, b, NULL, 0);
}

double gpt_loss_back(Gpt *g, const Batch *b, double scale)
{
    stream_forward(g, b);
    double sum = total_loss(g, b, g->dx, scale);
    stream_back(g, b);
    return sum;
}
