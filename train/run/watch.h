/* log.signals: what a step looks like inside, for the columns of metrics.csv behind the gradient norms.
 *
 * Over the step's own batch, which is all of its micro-batches: between watch_start and watch_stop the model is observed,
 * at other times, evaluation for instance, it is not. Nothing of the training changes. Sums over weights run over fixed
 * pieces in order: the same bits for any number of threads. */
#ifndef STEP0_WATCH_H
#define STEP0_WATCH_H

#include "../../model/observe.h"

/* In the order of the columns; one a block, the last two one for the model. */
typedef enum {
    SIGNAL_RESID_RMS,          /* root mean square, over tokens and n_embd, of the stream that leaves the block */
    SIGNAL_BRANCH_RATIO,       /* block_ratio: √(Σ over attention and MLP of (RMS of what it adds / RMS of the stream that it takes)²) */
    SIGNAL_UPDATE_RMS,         /* √(Σ change² / weights of the block): change by the update that leaves the row, decay included */
    SIGNAL_UPDATE_RATIO,       /* √(Σ change²) / weight_norm; there is none where that is 0 */
    SIGNAL_WEIGHT_NORM,        /* √(Σ w²) over all weights of the block, before that update */
    SIGNAL_ATTN_MAX,           /* the largest score of attention in front of the softmax, attn_scale included */
    SIGNAL_ATTN_ENTROPY,       /* of attention's distributions before dropout, mean over heads and queries, nats */
    SIGNAL_LOGIT_STD,          /* root of the mean over tokens of the logits' variance over the vocabulary */
    SIGNAL_LOG_Z,              /* mean over tokens of ln Σ exp(logits), nats */
    SIGNALS
} Signal;

/* A piece of a block's tensor. */
typedef struct {
    const real *weight;
    real *before;              /* since watch_stop the weights, since watch_update their change */
    int64_t size;
    int layer;
    double squares;            /* of `before` */
} Piece;

typedef struct {
    Gpt *g;
    View *view;                /* while the model is observed */
    double *number;            /* [SIGNALS, n_layer] of the step observed last */
    bool updated;              /* since then */
    Piece *piece; int pieces;
    int64_t *weights;          /* [n_layer] how many a block has */
    double *sum;               /* [n_layer] scratch */
    real *copy;                /* of all blocks' weights */
} Watch;

Watch *watch_new(Gpt *g);
void watch_free(Watch *w);

/* Bytes that it takes where the blocks have so many weights, for batches of so many tokens. */
double watch_bytes(double block_weights, double tokens);

/* Around a step: watch_start, watch_batch behind each micro-batch, watch_stop, then, where there is one, watch_update behind
 * the update. Nothing is done where w is NULL. */
void watch_start(Watch *w);
void watch_batch(Watch *w, int64_t tokens);
void watch_stop(Watch *w);
void watch_update(Watch *w);

/* A signal's number for a block (layer 0 for those of the model); false where the step has none. */
bool watch_number(const Watch *w, Signal signal, int64_t layer, double *x);

#endif
