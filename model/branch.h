/* One residual branch: attention and MLP are two uses of it.
 *
 *     u = shift_in + norm_in(x)
 *     m = shift_mixed + F(shift_hidden + in(u))           F: attention over in = q, k, v, or the activation over in = fc
 *     next = norm_post( skip∘x + gate∘dropout(norm_out(proj(norm_mid(m)))) )
 *
 * Each slot may be empty (Shape says which are there). With qk_norm the heads' q and k pass a norm on their way to F; with
 * ada_ln norm_in's gain and bias and the gate are 1 + scale, shift and gate of ada(silu(condition)), a linear layer. */
#ifndef STEP0_BRANCH_H
#define STEP0_BRANCH_H

#include "attention.h"
#include "shape.h"

typedef enum { BRANCH_ATTENTION, BRANCH_MLP, BRANCHES } BranchKind;

/* adaLN: vectors that a linear layer makes of the model's condition, used like parameters by norm_in and gate. */
typedef struct {
    Tensor *condition;         /* [C]; NULL: none */
    Linear linear;             /* [C, 3C]: shift, scale, gate */
    Tensor shift, gain, gate;  /* [C] each: blocks of `made`, their gradients of `dmade` */
    real *silu, *dsilu, *sigmoid;      /* [C] */
    real *made, *dmade;        /* [3C] */
} Modulation;

/* Its parameters, and what its forward keeps for the backward. n tokens. */
typedef struct {
    BranchKind kind;
    int layer;
    Norm norm_in, norm_mid, norm_out, norm_post;
    Norm q_norm, k_norm;       /* of head_dim columns; mean, rstd [n·H] */
    Linear in, proj;
    Tensor *shift_in, *shift_hidden, *shift_mixed;
    Factor skip, gate;
    Modulation ada;
    real attn_scale;           /* what attention's scores are multiplied by */
    real *x;                   /* [n,C] the stream that enters; for the first branch, the embedding */
    real *shifted;             /* [n,C] room for u where there is shift_in */
    real *raw;                 /* [n,3C] q, k, v before qk_norm */
    real *hidden, *mixed;      /* [n,3C] and [n,C] of attention, [n,F] twice of the MLP, where F leaves its slopes in hidden */
    Softmax *kept;             /* [n,H] of attention */
    real *out;                 /* [n,C] room for proj's output, where the backward needs it */
    real *sum;                 /* [n,C] what norm_post takes; else next */
    real *next;                /* [n,C] the stream that leaves: x of the next branch */
    real *entered, *left, *added;      /* what in and proj took, what gate multiplied: one of the rooms above */
} Branch;

/* What a branch works with beside its own memory, shared by all. */
typedef struct {
    real *narrow, *wide, *hidden;      /* [n,C], [n,max(C,F)], [n,max(3C,F)]: gradients, of one branch at a time */
    real *attention;                   /* attention_scratch a thread */
    int threads;
} Scratch;

typedef struct {
    const int32_t *token, *target;     /* [rows·length] */
    int64_t rows, length;              /* rows <= batch_rows, length <= block_size */
    Dropout dropout;
} Batch;

/* Sites of dropout: the embedding, then in each branch what it adds to the stream and, in attention, its weights. */
enum { SITE_EMBED, SITE_BRANCH, SITE_WEIGHTS, SITES };

/* Its three stages: from b->x to b->hidden, by F to b->mixed, from there to b->next. */
void branch_enter(Branch *b, const Shape *s, const Scratch *scratch, int64_t n);
void branch_mix(Branch *b, const Shape *s, const Batch *batch, const Scratch *scratch);
void branch_leave(Branch *b, const Shape *s, const Batch *batch, const Scratch *scratch);

/* Attention's sizes and scale. */
Attention branch_heads(const Branch *b, const Shape *s, const Batch *batch);

/* All three stages. */
void branch_forward(Branch *b, const Shape *s, const Batch *batch, const Scratch *scratch);

/* dx holds the gradient of b->next, afterwards of b->x. */
void branch_back(real *dx, Branch *b, const Shape *s, const Batch *batch, const Scratch *scratch);

#endif
