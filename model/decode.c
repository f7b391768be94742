#include "decode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"

Decoder decoder_new(Gpt *g)
{
    const Shape *s = &g->shape;
    size_t cache = (size_t)(s->n_layer * s->block_size * s->n_embd);
    return (Decoder){.model = g, .key = xcalloc(cache, sizeof(real)), .value = xcalloc(cache, sizeof(real)),
                     .score = xcalloc((size_t)s->block_size, sizeof(real)), .logit = xcalloc((size_t)s->vocab_size, sizeof(real))};
}

void decoder_free(Decoder *d)
{
    free(d->key);
    free(d->value);
    free(d->score);
    free(d->logit);
    *d = (Decoder){0};
}

void decoder_reset(Decoder *d)
{
    d->length = 0;
}

/* mixed[C] of the newest token, whose q, k, v stand in b->hidden. */
static void attend(Decoder *d, Branch *b)
{
    const Shape *s = &d->model->shape;
    int64_t C = s->n_embd, dim = C / s->n_head, at = b->layer * s->block_size * C, tokens = d->length + 1;
    memcpy(d->key + at + d->length * C, b->hidden + C, (size_t)C * sizeof(real));
    memcpy(d->value + at + d->length * C, b->hidden + 2 * C, (size_t)C * sizeof(real));
    for (int64_t h = 0; h < s->n_head; h++) {
        Matrix query = {b->hidden + h * dim, dim, false}, keys = {d->key + at + h * dim, C, true};
        Matrix weight = {d->score, tokens, false}, values = {d->value + at + h * dim, C, false};
        matmul_serial(d->score, tokens, query, keys, 1, tokens, dim, b->attn_scale, false);
        kernel_softmax(d->score, tokens);
        matmul_serial(b->mixed + h * dim, dim, weight, values, 1, dim, tokens, 1, false);
    }
}

static void branch_step(Decoder *d, Branch *b, const Batch *one)
{
    Gpt *g = d->model;
    branch_enter(b, &g->shape, &g->scratch, 1);
    if (b->kind == BRANCH_ATTENTION) attend(d, b);
    else activation(b->mixed, b->hidden, g->shape.activation, g->shape.n_inner, 1);
    branch_leave(b, &g->shape, one, &g->scratch);
}

const real *decoder_feed(Decoder *d, int32_t token)
{
    Gpt *g = d->model;
    const Shape *s = &g->shape;
    const Batch one = {.rows = 1, .length = 1};
    assert(d->length < s->block_size);
    kernel_add(g->branch[0].x, g->wte->w + token * s->n_embd, g->wpe->w + d->length * s->n_embd, s->n_embd);
    kernel_scale(g->branch[0].x, g->embd_scale, s->n_embd);
    for (int i = 0; i < g->branches; i++) branch_step(d, &g->branch[i], &one);
    g->normed = norm(&g->ln_f, g->x, 1, 1);
    gpt_logits(g, d->logit, 1);
    d->length++;
    return d->logit;
}
