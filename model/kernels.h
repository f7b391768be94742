/* Leaf functions: serial loops over rows or blocks, no threads, no memory of their own.
 *
 * The compiler clones them for wider vectors where the processor has them. All clones give the same bits: no
 * contraction to FMA, and sums run in LANES fixed lanes that are added in a fixed order. */
#ifndef STEP0_KERNELS_H
#define STEP0_KERNELS_H

#include "base.h"

/* Elementwise loops over long arrays are cut into blocks of this many elements, so that what a thread gets never
 * decides which elements fall into a vector's tail. */
enum { BLOCK = 4096 };

typedef enum { GELU, GELU_EXACT, RELU, ACTIVATIONS } Activation;
extern const char *const activation_name[ACTIVATIONS];       /* gelu, gelu_exact, relu */

/* Arithmetic of one AdamW update (torch.optim.AdamW's): gradients times `clip`, decay `decay` = 1 - lr·weight_decay,
 * rest1 = 1 - beta1 and rest2 = 1 - beta2 (rounded once), step = lr / (1 - beta1^t), root = sqrt(1 - beta2^t). */
typedef struct { real clip, decay, rest1, beta2, rest2, step, root, eps; } AdamW;

/* y[i] = e^x[i]: error below 2 ulp over all floats (tests/unit/test_kernels.c); inf above 88.73, 0 below -104, NaN
 * stays NaN. The double build takes libm's. */
void kernel_exp(real *y, const real *x, int64_t n);

void kernel_add(real *y, const real *a, const real *b, int64_t n);                 /* y = a + b */
void kernel_accumulate(real *y, const real *x, int64_t n);                         /* y += x */
void kernel_multiply(real *y, const real *x, int64_t n);                           /* y *= x */
void kernel_scale(real *y, real factor, int64_t n);                                /* y *= factor */
void kernel_shift(real *y, const real *x, real b, int64_t n);                      /* y = x + b */
void kernel_product(real *y, const real *a, const real *b, int64_t n);             /* y = a·b, elementwise */
void kernel_product_add(real *y, const real *a, const real *b, int64_t n);         /* y += a·b, elementwise */
void kernel_mix(real *y, const real *a, const real *x, const real *b, const real *z, int64_t n);   /* y = a·x + b·z */
double kernel_sum(const real *x, int64_t n);
double kernel_squares(const real *x, int64_t n);                                   /* sum of squares */
real kernel_dot(const real *a, const real *b, int64_t n);

/* y = act(x), and x becomes act'(x), by which the backward multiplies.
 * gelu: x/2·(1 + tanh(√(2/π)(x + 0.044715 x³))) = x·σ(2√(2/π)(x + 0.044715 x³)); gelu_exact: x·Φ(x). */
void kernel_activation(real *y, real *x, int64_t n, Activation act);

#define NORM_EPS 1e-5

/* One row of LayerNorm (NORM_EPS added to the variance): y = (x - mean)·rstd·gain + bias (bias may be NULL). */
void kernel_norm(real *y, real *mean, real *rstd, const real *x, const real *gain, const real *bias, int64_t n);
/* Its backward, in place: d holds the gradient of y, then of x. */
void kernel_norm_back(real *d, const real *x, real mean, real rstd, const real *gain, int64_t n);
/* dgain += dy·(x - mean)·rstd and dbias += dy (may be NULL), for one row. */
void kernel_norm_params(real *dgain, real *dbias, const real *dy, const real *x, real mean, real rstd, int64_t n);

/* What is kept of a softmax: its largest number and Σ exp(x - most). -ln p_i = ln sum + (most - x_i), exact at any size. */
typedef struct { real most, sum; } Softmax;

/* In place: the softmax of n numbers. */
Softmax kernel_softmax(real *x, int64_t n);
/* The same again, to the bit, from what was kept. */
void kernel_softmax_again(real *x, Softmax kept, int64_t n);
/* dp becomes the gradient of the scores: p·(dp - delta)·scale. */
void kernel_softmax_back(real *dp, const real *p, real delta, real scale, int64_t n);

void kernel_adamw(real *w, const real *g, real *m, real *v, int64_t n, const AdamW *a);

/* mask[i] = 1/(1-p) where element `first`+i is kept, else 0; drawn from the dropout stream at (step, row, site). */
void kernel_dropout_mask(real *mask, int64_t n, double p, uint64_t seed, uint32_t step, uint32_t row, uint32_t site,
                         int64_t first);

#endif
