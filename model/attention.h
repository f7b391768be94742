/* Causal multi-head attention, in blocks of queries: no array of length x length is kept, the backward computes the
 * scores of a block again.
 *
 * For each row of the batch and head: mixed = dropout(softmax(q·kᵀ·scale, causal))·v. q, k, v are column blocks of
 * qkv[n, 3C]; a head is head_dim columns of each. */
#ifndef STEP0_ATTENTION_H
#define STEP0_ATTENTION_H

#include "ops.h"

typedef struct {
    int64_t rows, length;      /* sequences, tokens of each: n = rows·length */
    int64_t n_head, n_embd;
    real scale;                /* of the scores; GPT-2: 1/√head_dim */
    uint32_t site;             /* of its dropout */
} Attention;

enum { QUERIES = 32 };         /* queries a block */

/* Scratch of each thread, in numbers. */
int64_t attention_scratch(int64_t length);

/* mixed[n,C]; kept[n·n_head] is what the backward needs. scratch: threads·attention_scratch(length). */
void attention(real *mixed, Softmax *kept, const real *qkv, const Attention *a, const Dropout *d, real *scratch, int threads);
void attention_back(real *dqkv, const real *dmixed, const real *qkv, const real *mixed, const Softmax *kept, const Attention *a,
                    const Dropout *d, real *scratch, int threads);

/* After `attention`: the sum of the entropies -Σ p ln p of its rows·n_head·length distributions, before dropout, and the
 * largest score. */
typedef struct { double entropy, largest; } AttentionStats;
AttentionStats attention_stats(const real *qkv, const Softmax *kept, const Attention *a, real *scratch, int threads);

/* QK-norm (Dehghani et al. 2023): LayerNorm of each head's q and k over head_dim columns, one gain for all heads; v is copied.
 * Nothing is done where the slots are empty. Backward in place: d holds the gradient of qkv, then of raw. */
void head_norms(real *qkv, const real *raw, const Norm *q_norm, const Norm *k_norm, int64_t n_head, int64_t n, int threads);
void head_norms_back(real *d, const real *raw, const Norm *q_norm, const Norm *k_norm, int64_t n_head, int64_t n, int threads);

#endif
