/* The model: a GPT (Radford et al. 2019) whose block has slots, see branch.h and shape.h.
 *
 * x = dropout(embd_scale·(wte[token] + wpe[position])); then for each layer the branch of attention and that of the MLP;
 * logits = logit_scale·ln_f(x)·headᵀ. A tied head is wte. There is no ln_f where norm is post (the last branch ends with
 * one) or none.
 * Dimensions: L n_layer, H n_head, C n_embd, F n_inner, T block_size, V vocab_size; n tokens of a batch. */
#ifndef STEP0_GPT_H
#define STEP0_GPT_H

#include "branch.h"

/* Sees a forward and a backward as they pass; each function may be NULL. */
typedef struct {
    void (*forward)(void *data, const Branch *b, const Batch *batch);            /* behind a branch's forward */
    void (*backward)(void *data, const Branch *b, const real *dx, const Batch *batch);   /* dx: the gradient that arrives at b->next */
    void *data;
    double *log_z, *logit_variance;    /* [n] of each token, or NULL (see Head) */
} Observer;

typedef struct {
    Shape shape;
    Params params;
    Tensor *wte, *wpe, *head, *condition;      /* head is wte where tied; condition: of ada_ln, or NULL */
    Norm ln_f;
    real embd_scale, logit_scale;
    Branch *branch; int branches;      /* 2 L, in forward order */
    int64_t batch_rows;                /* activations hold so many sequences of block_size tokens */
    int threads;
    real *x, *normed;                  /* the stream behind the last branch; what the head took: x or ln_f's y */
    real *dx;                          /* [n,C] gradient of the stream, from the last branch to the first */
    real *logits;                      /* a chunk of the head's */
    Scratch scratch;
    double *loss;                      /* [n] */
    Observer observer;
    Arena memory;
} Gpt;

/* The parameters' names, roles and shapes, without memory: to ask a scheme about. The shape's formulas must outlive it. */
Gpt *gpt_declared(const Shape *shape);

/* The parameters, and memory for batches of `batch_rows` sequences. Dies where that, or what the threads will need, is not there. */
Gpt *gpt_new(const Shape *shape, int64_t batch_rows, int threads);
void gpt_free(Gpt *g);

/* Whether symmetry keeps a role's gradient at 0 whatever its weights are: k's bias without qk_norm, to which the softmax is blind, and
 * a shift that the norm behind it takes away. */
bool gpt_role_is_still(const Shape *s, Role role);

/* Bytes of a model's activations and scratch, without making it. */
size_t gpt_activation_bytes(const Shape *shape, int64_t batch_rows, int threads);

/* What a model of any size would take, in numbers that cannot overflow: weights in all and of all blocks, and bytes of
 * activations and scratch. Layers and rows beyond a few are not laid out but counted: each costs the same. */
typedef struct { double weights, block_weights, activations; } GptSize;
GptSize gpt_size(const Shape *shape, int64_t batch_rows, int threads);

/* Σ of the tokens' losses (natural logarithm), in a fixed order. */
double gpt_loss(Gpt *g, const Batch *b);

/* The same, and the gradients of scale·Σ added to the parameters' g. */
double gpt_loss_back(Gpt *g, const Batch *b, double scale);

/* After a forward: the logits [n,V] of its first n tokens. */
void gpt_logits(const Gpt *g, real *logits, int64_t n);

/* The embedding alone, into branch[0].x. */
void gpt_embed(Gpt *g, const Batch *b);

/* After a forward: from a gradient of the last stream in g->dx back to one of the embedding, there too; parameter
 * gradients are added to. */
void gpt_blocks_back(Gpt *g, const Batch *b);

#endif
