/* What a forward and a backward look like inside, block by block: for probe and log.signals.
 *
 * Sums over all that passes between observe_reset and observe_end: a batch, or the micro-batches of a step. */
#ifndef STEP0_OBSERVE_H
#define STEP0_OBSERVE_H

#include "gpt.h"

/* Root mean squares, each over tokens and n_embd. */
typedef struct {
    double stream;             /* that leaves the block */
    double entered[BRANCHES];  /* the stream that each branch takes */
    double added[BRANCHES];    /* what each branch adds: gate∘branch */
    double gradient;           /* that arrives at the block's output */
    double entropy;            /* of attention, mean over queries, nats */
    double largest;            /* score of attention */
} BlockView;

typedef struct {
    Gpt *g;
    BlockView *block;          /* [n_layer] */
    double embedding;          /* root mean square of the stream that enters the first block */
    double logit_std;          /* over the vocabulary; root of the mean variance of the tokens */
    double log_z;              /* mean of ln Σ exp(logits) */
    int64_t tokens;            /* passed so far */
    double *kept;              /* of one batch: log_z, variance */
} View;

/* Starts watching a model. */
View *observe_start(Gpt *g);
void observe_reset(View *v);

/* After each gpt_loss or gpt_loss_back between: takes in what the head left. */
void observe_batch(View *v, int64_t tokens);

/* Turns sums into means and roots. */
void observe_end(View *v);

/* Stops watching. */
void observe_stop(View *v);

/* The branches of a block over the stream that they take, as one number: the root of the sum of their squares. */
double block_ratio(const BlockView *b);

#endif
