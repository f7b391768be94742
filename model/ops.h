/* Operations of the network, each with its backward right below it in ops.c.
 *
 * Outputs come first; n counts rows (tokens). Backward functions write activation gradients, except where they say that
 * they add, and always add to parameter gradients. Every loop runs over pieces fixed by the shapes, so results have the
 * same bits for any number of threads.
 *
 * Norm, shift and Factor are slots of a residual branch: an empty one does nothing and passes on what it gets. */
#ifndef STEP0_OPS_H
#define STEP0_OPS_H

#include "kernels.h"
#include "param.h"

typedef struct { Tensor *weight, *bias; } Linear;      /* [in, out], [out] or NULL */

/* LayerNorm with what it gives and keeps. Empty where gain is NULL. */
typedef struct {
    Tensor *gain, *bias;       /* [cols]; bias may be NULL */
    real scale;                /* multiplies the output */
    real *y, *mean, *rstd;     /* [n, cols], [n], [n] */
} Norm;

/* A number or a vector of n_embd that multiplies each row, fixed or trained. */
typedef struct {
    double number;             /* the fixed value */
    Tensor *trained;           /* [1] or [cols]; NULL: fixed */
    real *row, *drow;          /* [cols]: the value spread out, and its gradient */
} Factor;

/* Where dropout masks come from. rate 0: none. */
typedef struct {
    double rate;
    uint64_t seed;
    uint32_t step, first_row;     /* first_row: of this micro-batch within the whole step */
} Dropout;

/* y[n,out] = x[n,in]·W + b */
void linear(real *y, const real *x, const Linear *l, int64_t n, int threads);
void linear_back(real *dx, const real *dy, const real *x, const Linear *l, int64_t n, int threads);

/* LayerNorm over the columns, into p->y, which it returns; x where the slot is empty. Backward in place: d holds the
 * gradient of what norm returned, then of x. */
real *norm(const Norm *p, real *x, int64_t n, int threads);
void norm_back(real *d, const real *x, const Norm *p, int64_t n, int threads);

/* y = x + b[0], one number for all n; returns y, or x where b is NULL. The backward only adds to b's gradient. */
real *shift(real *y, real *x, const Tensor *b, int64_t n, int threads);
void shift_back(const Tensor *b, const real *dy, int64_t n);

/* y = skip∘x + gate∘p. Before the rows are used in a step, factor_spread fills them. */
void factor_spread(Factor *f, int64_t cols);
void residual(real *y, const real *x, const real *p, const Factor *skip, const Factor *gate, int64_t n, int64_t cols, int threads);
/* y = f∘x: what the backward needs of either side; y may be x. */
void factor_multiply(real *y, const real *x, const Factor *f, int64_t n, int64_t cols, int threads);
/* f's gradient where it is trained, from the sum's gradient and the x that f multiplied. */
void factor_back(Factor *f, const real *dy, const real *x, int64_t n, int64_t cols, int threads);

/* y = act(x), elementwise over n numbers; x becomes the slope act'(x), all that the backward needs of it. */
void activation(real *y, real *x, Activation act, int64_t n, int threads);
void activation_back(real *dx, const real *dy, const real *slope, int64_t n, int threads);

/* x[n,cols] times the mask of `site`, in place: its own backward. `length`: tokens a row of the batch. */
void dropout(real *x, const Dropout *d, uint32_t site, int64_t length, int64_t n, int64_t cols, int threads);

/* y = a + b, elementwise over n numbers. */
void add(real *y, const real *a, const real *b, int64_t n, int threads);

/* x[n,n_embd] = scale·(wte[token] + wpe[position]); token i stands at position i % length. The backward overwrites dx. */
void embed(real *x, const int32_t *token, const Tensor *wte, const Tensor *wpe, real scale, int64_t length, int64_t n, int threads);
void embed_back(real *dx, const int32_t *token, const Tensor *wte, const Tensor *wpe, real scale, int64_t length, int64_t n, int threads);

/* The head: logits = scale·x·tableᵀ. Where they are not NULL, log_z[n] gets ln Σ exp(logits) of each token and
 * logit_variance[n] the variance of its logits over the vocabulary. */
typedef struct { const Tensor *table; real scale; double *log_z, *logit_variance; } Head;

/* The head and its loss, in chunks of tokens: loss[i] = -ln softmax(logits)[target[i]]. Where dx is not NULL, also the
 * gradients of weight·Σ loss: dx written, the table's added. logits: scratch of head_chunk(V) rows. */
void head_loss(double *loss, real *dx, real *logits, const real *x, const int32_t *target, const Head *head, real weight, int64_t n, int threads);
int64_t head_chunk(int64_t vocabulary);

#endif
