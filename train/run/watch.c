#include "watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int layer_of(const Params *p, const Tensor *t)
{
    return p->part[t->first_part].layer;
}

static int64_t block_weights(const Params *p)
{
    int64_t sum = 0;
    for (int i = 0; i < p->tensors; i++)
        if (layer_of(p, &p->tensor[i]) >= 0) sum += p->tensor[i].rows * p->tensor[i].cols;
    return sum;
}

double watch_bytes(double weights, double tokens)
{
    return weights * sizeof(real) + 2 * tokens * sizeof(double);
}

/* A tensor's pieces, their copies from `copy` on. */
static void cut(Watch *w, const Tensor *t, int layer, real *copy)
{
    int64_t n = t->rows * t->cols, count = (n + BLOCK - 1) / BLOCK;
    w->piece = xrealloc(w->piece, (size_t)(w->pieces + count), sizeof *w->piece);
    for (int64_t at = 0; at < n; at += BLOCK)
        w->piece[w->pieces++] = (Piece){.weight = t->w + at, .before = copy + at, .size = min_i64(BLOCK, n - at), .layer = layer};
    w->weights[layer] += n;
}

Watch *watch_new(Gpt *g)
{
    const Params *p = &g->params;
    size_t L = (size_t)g->shape.n_layer;
    Watch *w = xcalloc(1, sizeof *w);
    *w = (Watch){.g = g, .number = xcalloc(SIGNALS * L, sizeof *w->number), .weights = xcalloc(L, sizeof *w->weights),
                 .sum = xcalloc(L, sizeof *w->sum), .copy = xcalloc((size_t)block_weights(p), sizeof *w->copy)};
    real *copy = w->copy;
    for (int i = 0; i < p->tensors; i++) {
        const Tensor *t = &p->tensor[i];
        if (layer_of(p, t) < 0) continue;
        cut(w, t, layer_of(p, t), copy);
        copy += t->rows * t->cols;
    }
    return w;
}

void watch_free(Watch *w)
{
    if (!w) return;
    assert(!w->view);
    free(w->number);
    free(w->piece);
    free(w->weights);
    free(w->sum);
    free(w->copy);
    free(w);
}

static double *number(const Watch *w, Signal signal, int64_t layer)
{
    return &w->number[signal * w->g->shape.n_layer + layer];
}

/* Each block's sum of the pieces' squares. */
static const double *block_squares(Watch *w)
{
    memset(w->sum, 0, (size_t)w->g->shape.n_layer * sizeof *w->sum);
    for (int i = 0; i < w->pieces; i++) w->sum[w->piece[i].layer] += w->piece[i].squares;
    return w->sum;
}

static void copy_weights(Watch *w)
{
#pragma omp parallel for num_threads(team(w->g->threads, w->g->params.size)) schedule(static)
    for (int i = 0; i < w->pieces; i++) {
        Piece *p = &w->piece[i];
        memcpy(p->before, p->weight, (size_t)p->size * sizeof(real));
        p->squares = kernel_squares(p->before, p->size);
    }
}

static void take_changes(Watch *w)
{
#pragma omp parallel for num_threads(team(w->g->threads, w->g->params.size)) schedule(static)
    for (int i = 0; i < w->pieces; i++) {
        Piece *p = &w->piece[i];
        for (int64_t j = 0; j < p->size; j++) p->before[j] = p->weight[j] - p->before[j];
        p->squares = kernel_squares(p->before, p->size);
    }
}

static void take_view(Watch *w, const View *v)
{
    for (int64_t l = 0; l < w->g->shape.n_layer; l++) {
        const BlockView *b = &v->block[l];
        *number(w, SIGNAL_RESID_RMS, l) = b->stream;
        *number(w, SIGNAL_BRANCH_RATIO, l) = block_ratio(b);
        *number(w, SIGNAL_ATTN_MAX, l) = b->largest > -INFINITY ? b->largest : NAN;     /* no score was a number */
        *number(w, SIGNAL_ATTN_ENTROPY, l) = b->entropy;
    }
    *number(w, SIGNAL_LOGIT_STD, 0) = v->logit_std;
    *number(w, SIGNAL_LOG_Z, 0) = v->log_z;
}

void watch_start(Watch *w)
{
    if (w) w->view = observe_start(w->g);
}

void watch_batch(Watch *w, int64_t tokens)
{
    if (w) observe_batch(w->view, tokens);
}

void watch_stop(Watch *w)
{
    if (!w) return;
    observe_end(w->view);
    take_view(w, w->view);
    observe_stop(w->view);
    w->view = NULL;
    copy_weights(w);
    w->updated = false;
    const double *square = block_squares(w);
    for (int64_t l = 0; l < w->g->shape.n_layer; l++) *number(w, SIGNAL_WEIGHT_NORM, l) = sqrt(square[l]);
}

void watch_update(Watch *w)
{
    if (!w) return;
    take_changes(w);
    w->updated = true;
    const double *square = block_squares(w);
    for (int64_t l = 0; l < w->g->shape.n_layer; l++) {
        *number(w, SIGNAL_UPDATE_RMS, l) = sqrt(square[l] / (double)w->weights[l]);
        *number(w, SIGNAL_UPDATE_RATIO, l) = sqrt(square[l]) / *number(w, SIGNAL_WEIGHT_NORM, l);
    }
}

bool watch_number(const Watch *w, Signal signal, int64_t layer, double *x)
{
    *x = *number(w, signal, layer);
    if (signal == SIGNAL_UPDATE_RMS) return w->updated;
    if (signal == SIGNAL_UPDATE_RATIO) return w->updated && *number(w, SIGNAL_WEIGHT_NORM, layer) != 0;
    return true;
}
