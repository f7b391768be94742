#include "gpt.h"

#include <stdlib.h>
#include <string.h>

#include "matmul.h"
#include "declare.h"

/* The first `layers` of its layers alone, and what is outside of layers. */
static Gpt *declared_up_to(const Shape *shape, int64_t layers)
{
    Gpt *g = xcalloc(1, sizeof *g);
    g->shape = *shape;
    g->branches = (int)layers * BRANCHES;
    g->branch = xcalloc((size_t)g->branches, sizeof *g->branch);
    declare(g);
    return g;
}

Gpt *gpt_declared(const Shape *shape)
{
    return declared_up_to(shape, shape->n_layer);
}

Gpt *gpt_new(const Shape *shape, int64_t batch_rows, int threads)
{
    Gpt *g = gpt_declared(shape);
    params_alloc(&g->params);
    g->batch_rows = batch_rows;
    g->threads = threads;
    lay_out(g, &g->memory);
    arena_open(&g->memory);
    lay_out(g, &g->memory);
    blas_need_room(threads);
    return g;
}

void gpt_free(Gpt *g)
{
    params_free(&g->params);
    free(g->branch);
    arena_close(&g->memory);
    free(g);
}

static size_t activation_bytes(Gpt *g, int64_t layers, int64_t batch_rows)
{
    Arena arena = {0};
    g->branches = (int)layers * BRANCHES;
    g->batch_rows = batch_rows;
    lay_out(g, &arena);
    return arena.used;
}

bool gpt_role_is_still(const Shape *s, Role role)
{
    return (role == ROLE_ATTN_K_BIAS && !s->qk_norm) || (role == ROLE_MLP_SHIFT_MIXED && s->norm == NORM_SUB);
}

size_t gpt_activation_bytes(const Shape *shape, int64_t batch_rows, int threads)
{
    Gpt *g = gpt_declared(shape);
    g->threads = threads;
    size_t bytes = activation_bytes(g, shape->n_layer, batch_rows);
    gpt_free(g);
    return bytes;
}

/* The value at x of the line through (a, at_a) and (2a, at_2a). */
static double along(double x, double a, double at_a, double at_2a)
{
    return at_a + (x - a) / a * (at_2a - at_a);
}

GptSize gpt_size(const Shape *shape, int64_t batch_rows, int threads)
{
    enum { ROWS = 64 };
    /* From here on another row costs the same: the logits have their whole chunk. */
    int64_t enough = max_i64(ROWS, head_chunk(shape->vocab_size) / shape->block_size + 1), rows = batch_rows > 2 * enough ? enough : batch_rows;
    int64_t layers = min_i64(shape->n_layer, 2);
    Gpt *g = declared_up_to(shape, layers);
    GptSize size = {0};
    double weights[2] = {0};       /* outside blocks, of the first one */
    for (int i = 0; i < g->params.tensors; i++) {
        const Tensor *t = &g->params.tensor[i];
        int layer = g->params.part[t->first_part].layer;
        if (layer < 1) weights[layer + 1] += (double)t->rows * (double)t->cols;
    }
    g->threads = threads;
    double bytes[2] = {0};         /* with one layer, with two */
    for (int64_t l = 1; l <= layers; l++) {
        bytes[l - 1] = (double)activation_bytes(g, l, rows);
        if (rows < batch_rows) bytes[l - 1] = along((double)batch_rows, (double)rows, bytes[l - 1], (double)activation_bytes(g, l, 2 * rows));
    }
    size.block_weights = weights[1] * (double)shape->n_layer;
    size.weights = weights[0] + size.block_weights;
    size.activations = layers < 2 ? bytes[0] : along((double)shape->n_layer, 1, bytes[0], bytes[1]);
    g->branches = (int)layers * BRANCHES;
    gpt_free(g);
    return size;
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
