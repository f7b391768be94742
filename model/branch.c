#include "branch.h"

#include <string.h>

/* --- adaLN --- */

/* silu(c) = c·σ(c) through the linear layer; 1 + scale is the norm's gain. */
static void modulate(Modulation *m, int threads)
{
    if (!m->condition) return;
    int64_t C = m->condition->cols;
    const real *c = m->condition->w;
    for (int64_t i = 0; i < C; i++) m->sigmoid[i] = -c[i];
    kernel_exp(m->sigmoid, m->sigmoid, C);
    for (int64_t i = 0; i < C; i++) m->sigmoid[i] = 1 / (1 + m->sigmoid[i]);
    kernel_product(m->silu, c, m->sigmoid, C);
    linear(m->made, m->silu, &m->linear, 1, threads);
    kernel_shift(m->gain.w, m->gain.w, 1, C);
    memset(m->dmade, 0, (size_t)(3 * C) * sizeof(real));
}

static void modulate_back(Modulation *m, int threads)
{
    if (!m->condition) return;
    const real *c = m->condition->w, *s = m->sigmoid;
    linear_back(m->dsilu, m->dmade, m->silu, &m->linear, 1, threads);
    for (int64_t i = 0; i < m->condition->cols; i++) m->condition->g[i] += m->dsilu[i] * (s[i] + c[i] * s[i] * (1 - s[i]));
}

/* --- F --- */

static uint32_t site(const Branch *b, uint32_t which)
{
    return which + SITES * (uint32_t)(b->layer * BRANCHES + (int)b->kind);
}

Attention branch_heads(const Branch *b, const Shape *s, const Batch *batch)
{
    return (Attention){.rows = batch->rows, .length = batch->length, .n_head = s->n_head, .n_embd = s->n_embd,
                       .scale = b->attn_scale, .site = site(b, SITE_WEIGHTS)};
}

void branch_mix(Branch *b, const Shape *s, const Batch *batch, const Scratch *scratch)
{
    Attention heads = branch_heads(b, s, batch);
    if (b->kind == BRANCH_ATTENTION) attention(b->mixed, b->kept, b->hidden, &heads, &batch->dropout, scratch->attention, scratch->threads);
    else activation(b->mixed, b->hidden, s->activation, batch->rows * batch->length * s->n_inner, scratch->threads);
}

static void mix_back(real *dhidden, const real *dmixed, Branch *b, const Shape *s, const Batch *batch, const Scratch *scratch)
{
    Attention heads = branch_heads(b, s, batch);
    if (b->kind == BRANCH_ATTENTION)
        attention_back(dhidden, dmixed, b->hidden, b->mixed, b->kept, &heads, &batch->dropout, scratch->attention, scratch->threads);
    else activation_back(dhidden, dmixed, b->hidden, batch->rows * batch->length * s->n_inner, scratch->threads);
}

/* --- the branch --- */

void branch_enter(Branch *b, const Shape *s, const Scratch *scratch, int64_t n)
{
    int threads = scratch->threads;
    modulate(&b->ada, threads);
    factor_spread(&b->skip, s->n_embd);
    factor_spread(&b->gate, s->n_embd);
    b->entered = shift(b->shifted, norm(&b->norm_in, b->x, n, threads), b->shift_in, n * s->n_embd, threads);
    real *first = b->raw ? b->raw : b->hidden;
    linear(first, b->entered, &b->in, n, threads);
    head_norms(b->hidden, first, &b->q_norm, &b->k_norm, s->n_head, n, threads);
    shift(b->hidden, b->hidden, b->shift_hidden, n * b->in.weight->cols, threads);
}

void branch_leave(Branch *b, const Shape *s, const Batch *batch, const Scratch *scratch)
{
    int threads = scratch->threads;
    int64_t n = batch->rows * batch->length, C = s->n_embd;
    shift(b->mixed, b->mixed, b->shift_mixed, n * b->proj.weight->rows, threads);
    b->left = norm(&b->norm_mid, b->mixed, n, threads);
    real *out = b->out ? b->out : scratch->narrow;
    linear(out, b->left, &b->proj, n, threads);
    b->added = norm(&b->norm_out, out, n, threads);
    dropout(b->added, &batch->dropout, site(b, SITE_BRANCH), batch->length, n, C, threads);
    residual(b->sum, b->x, b->added, &b->skip, &b->gate, n, C, threads);
    norm(&b->norm_post, b->sum, n, threads);
}

void branch_forward(Branch *b, const Shape *s, const Batch *batch, const Scratch *scratch)
{
    branch_enter(b, s, scratch, batch->rows * batch->length);
    branch_mix(b, s, batch, scratch);
    branch_leave(b, s, batch, scratch);
}

void branch_back(real *dx, Branch *b, const Shape *s, const Batch *batch, const Scratch *scratch)
{
    int threads = scratch->threads;
    int64_t n = batch->rows * batch->length, C = s->n_embd;
    real *narrow = scratch->narrow, *wide = scratch->wide, *hidden = scratch->hidden;
    norm_back(dx, b->sum, &b->norm_post, n, threads);
    factor_back(&b->gate, dx, b->added, n, C, threads);
    factor_back(&b->skip, dx, b->x, n, C, threads);
    factor_multiply(narrow, dx, &b->gate, n, C, threads);
    dropout(narrow, &batch->dropout, site(b, SITE_BRANCH), batch->length, n, C, threads);
    norm_back(narrow, b->out, &b->norm_out, n, threads);
    linear_back(wide, narrow, b->left, &b->proj, n, threads);
    norm_back(wide, b->mixed, &b->norm_mid, n, threads);
    shift_back(b->shift_mixed, wide, n * b->proj.weight->rows);
    mix_back(hidden, wide, b, s, batch, scratch);
    shift_back(b->shift_hidden, hidden, n * b->in.weight->cols);
    head_norms_back(hidden, b->raw, &b->q_norm, &b->k_norm, s->n_head, n, threads);
    linear_back(narrow, hidden, b->entered, &b->in, n, threads);
    shift_back(b->shift_in, narrow, n * C);
    norm_back(narrow, b->x, &b->norm_in, n, threads);
    factor_multiply(dx, dx, &b->skip, n, C, threads);
    add(dx, dx, narrow, n * C, threads);
    modulate_back(&b->ada, threads);
}
