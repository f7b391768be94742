#include "bench_parts.h"

#include <omp.h>
#include <stdlib.h>

#include "../../model/matmul.h"
#include "../run/optim.h"

static Matrix as_is(const real *x, int64_t stride) { return (Matrix){x, stride, false}; }
static Matrix turned(const real *x, int64_t stride) { return (Matrix){x, stride, true}; }

/* --- matrix products --- */

/* A linear layer without its bias, forward and backward. */
static void linear_products(const Setup *s, real *y, const real *x, const Linear *l, int64_t n)
{
    const Linear bare = {.weight = l->weight};
    linear(y, x, &bare, n, s->threads);
    linear_back(s->model->scratch.hidden, y, x, &bare, n, s->threads);
}

static void branch_products(Setup *s, const Batch *b)
{
    Gpt *g = s->model;
    int64_t n = b->rows * b->length;
    for (int i = 0; i < g->branches; i++) {
        Branch *branch = &g->branch[i];
        linear_products(s, branch->hidden, branch->x, &branch->in, n);
        linear_products(s, g->scratch.narrow, branch->mixed, &branch->proj, n);
    }
}

static void head_products(Setup *s, const Batch *b)
{
    Gpt *g = s->model;
    int64_t V = g->shape.vocab_size, C = g->shape.n_embd, n = b->rows * b->length, chunk = head_chunk(V);
    for (int64_t at = 0; at < n; at += chunk) {
        int64_t rows = min_i64(chunk, n - at);
        const real *x = g->x + at * C;
        matmul(g->logits, V, as_is(x, C), turned(g->head->w, C), rows, V, C, NULL, false, s->threads);
        const Product both[] = {{.c = g->head->g, .stride = C, .a = turned(g->logits, V), .b = as_is(x, C), .m = V, .n = C, .k = rows, .add = true},
                                {.c = g->dx + at * C, .stride = C, .a = as_is(g->logits, V), .b = as_is(g->head->w, C), .m = rows, .n = C, .k = V}};
        matmul_all(both, COUNT(both), s->threads);
    }
}

/* One head of one sequence: the products of attention and of its backward, block by block. */
static void one_head(const real *qkv, real *dqkv, int64_t length, int64_t dim, int64_t wide, real *scratch)
{
    const real *q = qkv, *k = q + wide / 3, *v = k + wide / 3;
    for (int64_t first = 0; first < length; first += QUERIES) {
        int64_t count = min_i64(QUERIES, length - first), keys = first + count;
        real *other = scratch + QUERIES * length;
        matmul_serial(scratch, keys, as_is(q + first * wide, wide), turned(k, wide), count, keys, dim, 1, false);
        matmul_serial(dqkv + first * wide, wide, as_is(scratch, keys), as_is(v, wide), count, dim, keys, 1, false);
        matmul_serial(scratch, keys, as_is(q + first * wide, wide), turned(k, wide), count, keys, dim, 1, false);
        matmul_serial(other, keys, as_is(q + first * wide, wide), turned(v, wide), count, keys, dim, 1, false);
        matmul_serial(dqkv, wide, turned(scratch, keys), as_is(q + first * wide, wide), keys, dim, count, 1, true);
        matmul_serial(dqkv, wide, turned(other, keys), as_is(q + first * wide, wide), keys, dim, count, 1, true);
        matmul_serial(dqkv + first * wide, wide, as_is(other, keys), as_is(k, wide), count, dim, keys, 1, false);
    }
}

static void attention_products(Setup *s, const Batch *b)
{
    Gpt *g = s->model;
    int64_t C = g->shape.n_embd, dim = C / g->shape.n_head, length = b->length;
    for (int i = 0; i < g->branches; i += BRANCHES) {
        const real *qkv = g->branch[i].hidden;
#pragma omp parallel for num_threads(s->threads) schedule(dynamic)
        for (int64_t task = 0; task < b->rows * g->shape.n_head; task++) {
            int64_t at = task / g->shape.n_head * length * 3 * C + task % g->shape.n_head * dim;
            one_head(qkv + at, g->scratch.hidden + at, length, dim, 3 * C, g->scratch.attention + omp_get_thread_num() * attention_scratch(length));
        }
    }
}

/* --- the rest --- */

static void attention_whole(Setup *s, const Batch *b)
{
    Gpt *g = s->model;
    for (int i = 0; i < g->branches; i += BRANCHES) {
        Branch *branch = &g->branch[i];
        Attention heads = branch_heads(branch, &g->shape, b);
        attention(branch->mixed, branch->kept, branch->hidden, &heads, &b->dropout, g->scratch.attention, s->threads);
        attention_back(g->scratch.hidden, g->scratch.wide, branch->hidden, branch->mixed, branch->kept, &heads, &b->dropout, g->scratch.attention, s->threads);
    }
}

static void activations(Setup *s, const Batch *b)
{
    Gpt *g = s->model;
    int64_t n = b->rows * b->length * g->shape.n_inner;
    for (int i = 1; i < g->branches; i += BRANCHES) {
        activation(g->branch[i].mixed, g->branch[i].hidden, g->shape.activation, n, s->threads);
        activation_back(g->scratch.hidden, g->scratch.wide, g->branch[i].hidden, n, s->threads);
    }
}

static void norms(Setup *s, const Batch *b)
{
    Gpt *g = s->model;
    int64_t n = b->rows * b->length;
    for (int i = 0; i < g->branches; i++) {
        const Branch *branch = &g->branch[i];
        const Norm *all[] = {&branch->norm_in, &branch->norm_out, &branch->norm_post};
        for (size_t k = 0; k < COUNT(all); k++) {
            norm(all[k], branch->x, n, s->threads);
            norm_back(g->scratch.narrow, branch->x, all[k], n, s->threads);
        }
        norm(&branch->norm_mid, branch->mixed, n, s->threads);
        norm_back(g->scratch.wide, branch->mixed, &branch->norm_mid, n, s->threads);
    }
    norm(&g->ln_f, g->x, n, s->threads);
    norm_back(g->scratch.narrow, g->x, &g->ln_f, n, s->threads);
}

static void residuals(Setup *s, const Batch *b)
{
    Gpt *g = s->model;
    int64_t n = b->rows * b->length, C = g->shape.n_embd;
    for (int i = 0; i < g->branches; i++) {
        Branch *branch = &g->branch[i];
        residual(g->dx, branch->x, g->scratch.narrow, &branch->skip, &branch->gate, n, C, s->threads);
        factor_multiply(g->scratch.narrow, g->dx, &branch->gate, n, C, s->threads);
        add(g->dx, g->dx, g->scratch.narrow, n * C, s->threads);
    }
}

static void head_whole(Setup *s, const Batch *b)
{
    Gpt *g = s->model;
    const Head head = {g->head, g->logit_scale, NULL, NULL};
    head_loss(g->loss, g->dx, g->logits, g->x, b->target, &head, 1, b->rows * b->length, s->threads);
}

static void embeddings(Setup *s, const Batch *b)
{
    Gpt *g = s->model;
    gpt_embed(g, b);
    embed_back(g->dx, b->token, g->wte, g->wpe, g->embd_scale, b->length, b->rows * b->length, s->threads);
}

static void gradient_norms(Setup *s, const Batch *b)
{
    (void)b;
    double *square = xcalloc((size_t)s->model->params.parts, sizeof *square);
    params_gradient_squares(&s->model->params, square, s->threads);
    free(square);
}

static void zeroing(Setup *s, const Batch *b)
{
    (void)b;
    params_zero_gradients(&s->model->params, s->threads);
}

static void updates(Setup *s, const Batch *b)
{
    (void)b;
    optim_step(&s->model->params, &s->config, s->factors, 0, 0, 1, s->threads);
}

const BenchPart bench_part[] = {
    {"products of linear layers", branch_products, PART_PRODUCTS}, {"products of attention", attention_products, PART_PRODUCTS},
    {"products of the head", head_products, PART_PRODUCTS},        {"attention, whole", attention_whole, PART_OTHER},
    {"head and loss, whole", head_whole, PART_OTHER},              {"activation", activations, PART_OTHER},
    {"norms", norms, PART_OTHER},                                  {"residual additions", residuals, PART_OTHER},
    {"embedding", embeddings, PART_OTHER},                         {"gradient norms", gradient_norms, PART_ONCE},
    {"zeroing gradients", zeroing, PART_ONCE},                     {"AdamW", updates, PART_ONCE}};
const int bench_parts = (int)COUNT(bench_part);

double bench_operations(const Setup *s)
{
    const Gpt *g = s->model;
    double n = (double)(s->config.batch_size * s->config.block_size), T = (double)s->config.block_size, weights = 0;
    for (int i = 0; i < g->branches; i++) weights += (double)(g->branch[i].in.weight->rows * g->branch[i].in.weight->cols + g->branch[i].proj.weight->rows * g->branch[i].proj.weight->cols);
    double attention = 12 * (double)g->shape.n_layer * n * (T + 1) / 2 * (double)g->shape.n_embd;
    double head = 6 * n * (double)(g->shape.n_embd * g->shape.vocab_size);
    return (double)s->config.grad_accum * (6 * n * weights + attention + head);
}
