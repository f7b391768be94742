/* One token at a time, with a cache of keys and values. */
#ifndef STEP0_DECODE_H
#define STEP0_DECODE_H

#include "gpt.h"

typedef struct {
    Gpt *model;
    int64_t length;            /* tokens fed since the start or the last reset; at most block_size */
    real *key, *value;         /* [L, T, C] */
    real *score;               /* [T] */
    real *logit;               /* [V] */
} Decoder;

/* Uses the model's activations as scratch. */
Decoder decoder_new(Gpt *g);
void decoder_free(Decoder *d);

/* The logits [V] of what follows the tokens fed so far and this one; length must be below block_size before. */
const real *decoder_feed(Decoder *d, int32_t token);

/* Forgets everything. */
void decoder_reset(Decoder *d);

#endif
