#include "gpt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- parameters: one line a tensor --- */

static Norm declare_norm(Params *p, const Shape *s, const char *gain, const char *bias, int layer, Role first)
{
    const Role role[] = {first, first + 1};
    Norm norm = {.gain = params_add(p, gain, layer, 1, s->n_embd, 1, &role[0], s->n_embd, s->n_embd)};
    if (s->bias) norm.bias = params_add(p, bias, layer, 1, s->n_embd, 1, &role[1], s->n_embd, s->n_embd);
    return norm;
}

/* `parts` matrices of in x out side by side, and their biases; the biases' roles follow the matrices'. */
static Linear declare_linear(Params *p, const Shape *s, const char *weight, const char *bias, int layer, Role first, int parts,
                             int64_t in, int64_t out)
{
    Role role[6];
    for (int i = 0; i < 2 * parts; i++) role[i] = (Role)(first + (Role)i);
    Linear l = {.weight = params_add(p, weight, layer, in, parts * out, parts, role, in, out)};
    if (s->bias) l.bias = params_add(p, bias, layer, 1, parts * out, parts, role + parts, in, out);
    return l;
}

static void declare_block(Params *p, const Shape *s, Branch *attn, Branch *mlp, int layer)
{
    int64_t C = s->n_embd, F = s->n_inner;
    attn->norm_in = declare_norm(p, s, "ln_1.weight", "ln_1.bias", layer, ROLE_LN_1_GAIN);
    attn->in = declare_linear(p, s, "attn.c_attn.weight", "attn.c_attn.bias", layer, ROLE_ATTN_Q, 3, C, C);
    attn->proj = declare_linear(p, s, "attn.c_proj.weight", "attn.c_proj.bias", layer, ROLE_ATTN_PROJ, 1, C, C);
    mlp->norm_in = declare_norm(p, s, "ln_2.weight", "ln_2.bias", layer, ROLE_LN_2_GAIN);
    mlp->in = declare_linear(p, s, "mlp.c_fc.weight", "mlp.c_fc.bias", layer, ROLE_MLP_FC, 1, C, F);
    mlp->proj = declare_linear(p, s, "mlp.c_proj.weight", "mlp.c_proj.bias", layer, ROLE_MLP_PROJ, 1, F, C);
}

enum { TENSORS_A_BLOCK = 12, TENSORS_OUTSIDE = 5 };

static void declare(Gpt *g)
{
    const Shape *s = &g->shape;
    Params *p = &g->params;
    const Role wte = ROLE_WTE, wpe = ROLE_WPE, lm_head = ROLE_LM_HEAD;
    params_reserve(p, (int)s->n_layer * TENSORS_A_BLOCK + TENSORS_OUTSIDE);
    g->wte = params_add(p, "wte.weight", -1, s->vocab_size, s->n_embd, 1, &wte, s->vocab_size, s->n_embd);
    g->wpe = params_add(p, "wpe.weight", -1, s->block_size, s->n_embd, 1, &wpe, s->block_size, s->n_embd);
    for (int i = 0; i < g->branches; i++) g->branch[i] = (Branch){.kind = i % BRANCHES, .layer = i / BRANCHES};
    for (int l = 0; l < s->n_layer; l++) declare_block(p, s, &g->branch[2 * l], &g->branch[2 * l + 1], l);
    g->ln_f = declare_norm(p, s, "ln_f.weight", "ln_f.bias", -1, ROLE_LN_F_GAIN);
    g->head = s->tied ? g->wte : params_add(p, "lm_head.weight", -1, s->vocab_size, s->n_embd, 1, &lm_head, s->n_embd, s->vocab_size);
}

/* --- memory --- */

static real *numbers(Arena *a, int64_t n, int64_t each)
{
    int64_t count;
    if (__builtin_mul_overflow(n, each, &count)) die("this batch is too large: %lld x %lld numbers", (long long)n, (long long)each);
    return arena_take(a, (size_t)count, sizeof(real));
}

static void lay_out_branch(Arena *a, Branch *b, const Shape *s, int64_t n)
{
    bool attn = b->kind == BRANCH_ATTENTION;
    b->x = numbers(a, n, s->n_embd);
    b->normed = numbers(a, n, s->n_embd);
    b->mean = numbers(a, n, 1);
    b->rstd = numbers(a, n, 1);
    b->hidden = numbers(a, n, attn ? 3 * s->n_embd : s->n_inner);
    b->mixed = numbers(a, n, attn ? s->n_embd : s->n_inner);
    if (attn) b->kept = arena_take(a, (size_t)(n * s->n_head), sizeof(Softmax));
}

/* All activations and scratch. Runs twice: to measure, then to hand out. */
static void lay_out(Gpt *g, Arena *a)
{
    const Shape *s = &g->shape;
    int64_t n = g->batch_rows * s->block_size, C = s->n_embd, wide = max_i64(3 * C, s->n_inner);
    for (int i = 0; i < g->branches; i++) lay_out_branch(a, &g->branch[i], s, n);
    g->x = numbers(a, n, C);
    g->normed = numbers(a, n, C);
    g->mean = numbers(a, n, 1);
    g->rstd = numbers(a, n, 1);
    g->dx = numbers(a, n, C);
    g->dnarrow = numbers(a, n, C);
    g->dwide = numbers(a, n, max_i64(C, s->n_inner));
    g->dhidden = numbers(a, n, wide);
    g->logits = numbers(a, min_i64(n, head_chunk(s->vocab_size)), s->vocab_size);
    g->scratch = numbers(a, g->threads, attention_scratch(s->block_size));
    g->loss = arena_take(a, (size_t)n, sizeof(double));
}

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

/* --- one branch --- */

/* Sites of dropout: the embedding, then in each branch what it adds to the stream and, in attention, its weights. */
enum { SITE_EMBED, SITE_BRANCH, SITE_WEIGHTS, SITES };

static uint32_t site(const Branch *b, uint32_t which)
{
    return which + SITES * (uint32_t)(b->layer * BRANCHES + (int)b->kind);
}

real gpt_attention_scale(const Shape *s)
{
    return (real)(1 / sqrt((double)(s->n_embd / s->n_head)));
}

static Attention heads_of(const Gpt *g, const Branch *b, const Batch *batch)
{
    const Shape *s = &g->shape;
    return (Attention){.rows = batch->rows, .length = batch->length, .n_head = s->n_head, .n_embd = s->n_embd,
                       .scale = gpt_attention_scale(s), .site = site(b, SITE_WEIGHTS)};
}

static void inner(Gpt *g, Branch *b, const Batch *batch, int64_t n)
{
    Attention heads = heads_of(g, b, batch);
    if (b->kind == BRANCH_ATTENTION) attention(b->mixed, b->kept, b->hidden, &heads, &batch->dropout, g->scratch, g->threads);
    else activation(b->mixed, b->hidden, g->shape.activation, n * g->shape.n_inner, g->threads);
}

static void inner_back(Gpt *g, real *dhidden, const real *dmixed, Branch *b, const Batch *batch, int64_t n)
{
    Attention heads = heads_of(g, b, batch);
    if (b->kind == BRANCH_ATTENTION)
        attention_back(dhidden, dmixed, b->hidden, b->mixed, b->kept, &heads, &batch->dropout, g->scratch, g->threads);
    else activation_back(dhidden, dmixed, b->hidden, g->shape.activation, n * g->shape.n_inner, g->threads);
}

/* next = x + dropout(proj(F(in(norm_in(x))))) */
static void branch_forward(Gpt *g, real *next, Branch *b, const Batch *batch)
{
    int64_t n = batch->rows * batch->length, C = g->shape.n_embd;
    norm(b->normed, b->mean, b->rstd, b->x, &b->norm_in, n, g->threads);
    linear(b->hidden, b->normed, &b->in, n, g->threads);
    inner(g, b, batch, n);
    linear(g->dnarrow, b->mixed, &b->proj, n, g->threads);
    dropout(g->dnarrow, &batch->dropout, site(b, SITE_BRANCH), batch->length, n, C, g->threads);
    add(next, b->x, g->dnarrow, n * C, g->threads);
}

/* dx holds the gradient of what the branch gave; afterwards of what it took: the skip's share stays in it, and norm_back
 * adds the branch's. */
static void branch_back(Gpt *g, real *dx, Branch *b, const Batch *batch)
{
    int64_t n = batch->rows * batch->length, C = g->shape.n_embd;
    memcpy(g->dnarrow, dx, (size_t)(n * C) * sizeof(real));
    dropout(g->dnarrow, &batch->dropout, site(b, SITE_BRANCH), batch->length, n, C, g->threads);
    linear_back(g->dwide, g->dnarrow, b->mixed, &b->proj, n, g->threads);
    inner_back(g, g->dhidden, g->dwide, b, batch, n);
    linear_back(g->dnarrow, g->dhidden, b->normed, &b->in, n, g->threads);
    norm_back(dx, g->dnarrow, b->x, b->mean, b->rstd, &b->norm_in, n, g->threads);
}

/* --- the whole --- */

static void stream_forward(Gpt *g, const Batch *b)
{
    int64_t n = b->rows * b->length, C = g->shape.n_embd;
    assert(b->rows <= g->batch_rows && b->length <= g->shape.block_size);
    embed(g->branch[0].x, b->token, g->wte, g->wpe, b->length, n, g->threads);
    dropout(g->branch[0].x, &b->dropout, SITE_EMBED, b->length, n, C, g->threads);
    for (int i = 0; i < g->branches; i++)
        branch_forward(g, i + 1 < g->branches ? g->branch[i + 1].x : g->x, &g->branch[i], b);
    norm(g->normed, g->mean, g->rstd, g->x, &g->ln_f, n, g->threads);
}

static void stream_back(Gpt *g, const Batch *b)
{
    int64_t n = b->rows * b->length, C = g->shape.n_embd;
    memset(g->dx, 0, (size_t)(n * C) * sizeof(real));
    norm_back(g->dx, g->dnarrow, g->x, g->mean, g->rstd, &g->ln_f, n, g->threads);
    for (int i = g->branches - 1; i >= 0; i--) branch_back(g, g->dx, &g->branch[i], b);
    dropout(g->dx, &b->dropout, SITE_EMBED, b->length, n, C, g->threads);
    embed_back(g->dx, b->token, g->wte, g->wpe, b->length, n, g->threads);
}

static double total(const double *loss, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += loss[i];
    return sum;
}

double gpt_loss(Gpt *g, const Batch *b)
{
    int64_t n = b->rows * b->length;
    stream_forward(g, b);
    head_loss(g->loss, NULL, g->logits, g->normed, b->target, g->head, 0, n, g->threads);
    return total(g->loss, n);
}

double gpt_loss_back(Gpt *g, const Batch *b, double scale)
{
    int64_t n = b->rows * b->length;
    stream_forward(g, b);
    head_loss(g->loss, g->dnarrow, g->logits, g->normed, b->target, g->head, (real)scale, n, g->threads);
    stream_back(g, b);
    return total(g->loss, n);
}
