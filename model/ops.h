/* Operations of the network, each with its backward right below it in ops.c.
 *
 * Outputs come first; n counts rows (tokens). Backward functions write activation gradients, except where they say that
 * they add, and always add to parameter gradients. Every loop runs over pieces fixed by the shapes, so results have the
 * same bits for any number of threads. */
#ifndef STEP0_OPS_H
#define STEP0_OPS_H

#include "kernels.h"
#include "param.h"

typedef struct { Tensor *weight, *bias; } Linear;      /* [in, out], [out] or NULL */
typedef struct { Tensor *gain, *bias; } Norm;          /* [n_embd], [n_embd] or NULL */

/* Where dropout masks come from. rate 0: none. */
typedef struct {
    double rate;
    uint64_t seed;
    uint32_t step, first_row;     /* first_row: of this micro-batch within the whole step */
} Dropout;

/* y[n,out] = x[n,in]·W + b */
void linear(real *y, const real *x, const Linear *l, int64_t n, int threads);
void linear_back(real *dx, const real *dy, const real *x, const Linear *l, int64_t n, int threads);

/* LayerNorm over the columns; mean[n] and rstd[n] are kept for the backward, which adds to dx. */
void norm(real *y, real *mean, real *rstd, const real *x, const Norm *p, int64_t n, int threads);
void norm_back(real *dx, const real *dy, const real *x, const real *mean, const real *rstd, const Norm *p, int64_t n, int threads);

/* y = act(x), elementwise over n numbers. */
void activation(real *y, const real *x, Activation act, int64_t n, int threads);
void activation_back(real *dx, const real *dy, const real *x, Activation act, int64_t n, int threads);

/* x[n,cols] times the mask of `site`, in place: its own backward. `length`: tokens a row of the batch. */
void dropout(real *x, const Dropout *d, uint32_t site, int64_t length, int64_t n, int64_t cols, int threads);

/* y = a + b, elementwise over n numbers. */
void add(real *y, const real *a, const real *b, int64_t n, int threads);

/* x[n,n_embd] = wte[token] + wpe[position]; token i stands at position i % length. */
void embed(real *x, const int32_t *token, const Tensor *wte, const Tensor *wpe, int64_t length, int64_t n, int threads);
void embed_back(const real *dx, const int32_t *token, const Tensor *wte, const Tensor *wpe, int64_t length, int64_t n, int threads);

/* The head and its loss, in chunks of tokens: logits[chunk,V] = x·tableᵀ, loss[i] = -ln softmax(logits)[target[i]].
 * Where dx is not NULL, also the gradients of scale·Σ loss: dx written, the table's added. logits: scratch of
 * head_chunk(V) rows. */
void head_loss(double *loss, real *dx, real *logits, const real *x, const int32_t *target, const Tensor *table, real scale,
               int64_t n, int threads);
int64_t head_chunk(int64_t vocabulary);

#endif
