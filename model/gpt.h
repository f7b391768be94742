/* The model: a GPT-2 in its pre-LN form (Radford et al. 2019).
 *
 * x = dropout(wte[token] + wpe[position]); then for each layer, attention and MLP are two uses of one residual branch,
 *     x = x + dropout(proj(F(in(norm_in(x)))))
 * with F attention over in = q, k, v, or the activation over in = fc. logits = ln_f(x)·headᵀ; a tied head is wte.
 * Dimensions: L n_layer, H n_head, C n_embd, F n_inner, T block_size, V vocab_size; n tokens of a batch. */
#ifndef STEP0_GPT_H
#define STEP0_GPT_H

#include "attention.h"

typedef struct {
    int64_t n_layer, n_head, n_embd, n_inner, block_size, vocab_size;
    bool bias, tied;
    Activation activation;
} Shape;

typedef enum { BRANCH_ATTENTION, BRANCH_MLP, BRANCHES } BranchKind;

/* One residual branch: its parameters, and what its forward keeps for the backward. */
typedef struct {
    BranchKind kind;
    int layer;
    Norm norm_in;
    Linear in, proj;
    real *x;                   /* [n,C] the stream that enters; for the first branch, the embedding */
    real *normed;              /* [n,C] */
    real *mean, *rstd;         /* [n] */
    real *hidden, *mixed;      /* [n,3C] and [n,C] of attention, [n,F] twice of the MLP */
    Softmax *kept;             /* [n,H] of attention */
} Branch;

typedef struct {
    Shape shape;
    Params params;
    Tensor *wte, *wpe, *head;          /* head is wte where tied */
    Norm ln_f;
    Branch *branch; int branches;      /* 2 L, in forward order */
    int64_t batch_rows;                /* activations hold so many sequences of block_size tokens */
    int threads;
    real *x, *normed, *mean, *rstd;    /* the stream behind the last branch, and ln_f's */
    real *dx;                          /* [n,C] gradient of the stream, from the last branch to the first */
    real *dnarrow, *dwide, *dhidden;   /* [n,C], [n,max(C,F)], [n,max(3C,F)]: of one branch at a time; head_loss leaves
                                        * its gradient in dnarrow */
    real *logits, *scratch;            /* a chunk of the head's; attention's, a piece a thread */
    double *loss;                      /* [n] */
    void *memory;
} Gpt;

typedef struct {
    const int32_t *token, *target;     /* [rows·length] */
    int64_t rows, length;              /* rows <= batch_rows, length <= block_size */
    Dropout dropout;
} Batch;

/* The parameters' names, roles and shapes, without memory: to ask a scheme about. */
Gpt *gpt_declared(const Shape *shape);

/* The parameters, and memory for batches of `batch_rows` sequences. */
Gpt *gpt_new(const Shape *shape, int64_t batch_rows, int threads);
void gpt_free(Gpt *g);

/* What attention scores are multiplied by: 1/√head_dim. */
real gpt_attention_scale(const Shape *s);

/* Bytes of a model's activations and scratch, without making it. */
size_t gpt_activation_bytes(const Shape *shape, int64_t batch_rows, int threads);

/* Σ of the tokens' losses (natural logarithm), in a fixed order. */
double gpt_loss(Gpt *g, const Batch *b);

/* The same, and the gradients of scale·Σ added to the parameters' g. */
double gpt_loss_back(Gpt *g, const Batch *b, double scale);

#endif
