/* What a model is, apart from its weights: sizes, and the switches of its forward pass.
 *
 * Some switches are formulas, as in scheme files. They know n_layer n_head n_embd n_inner head_dim block_size vocab_size
 * pi, and inside blocks layer (1 to n_layer). */
#ifndef STEP0_SHAPE_H
#define STEP0_SHAPE_H

#include "formula.h"
#include "json.h"
#include "kernels.h"

/* Where a residual branch has its LayerNorms (branch.h writes the block out):
 *     pre       in front of it                                        GPT-2
 *     post      behind the addition                                   Vaswani et al. 2017, BERT
 *     sandwich  in front, and on what it adds                         Peri-LN, Kim et al. 2025
 *     sub       in front, and before its last matrix                  Sub-LN, Wang et al. 2022 (Magneto)
 *     none      nowhere, not even before the head */
typedef enum { NORM_PRE, NORM_POST, NORM_SANDWICH, NORM_SUB, NORM_NONE, NORM_PLACEMENTS } NormPlacement;
extern const char *const norm_placement_name[NORM_PLACEMENTS];

/* What multiplies the stream (skip) or what a branch adds to it (gate): one fixed number, one number a branch or a layer,
 * or n_embd numbers a branch. */
typedef enum { FACTOR_NUMBER, FACTOR_SCALAR, FACTOR_LAYER, FACTOR_VECTOR, FACTOR_SHAPES } FactorShape;
extern const char *const factor_shape_name[FACTOR_SHAPES];

typedef struct {
    const char *value;         /* formula of the initial value; NULL: 1 */
    FactorShape shape;
    bool trained;
} Multiplier;

typedef struct {
    int64_t n_layer, n_head, n_embd, n_inner, block_size, vocab_size;
    bool bias, tied;
    Activation activation;
    NormPlacement norm;
    bool qk_norm, fixup_scalars, ada_ln;
    Multiplier skip, gate;
    const char *norm_scale, *embd_scale, *logit_scale, *attn_scale;  /* formulas; NULL: 1, attn_scale 1/sqrt(head_dim) */
    const Json *where;         /* {"skip": "net.json:4:9"}: where formulas were given, for messages; NULL: nowhere */
} Shape;

enum { SHAPE_NAMES = 11 };

/* The i-th name that formulas know; NULL behind the last. */
const char *shape_name(int i);

/* Fills `name` with the names and their values, returns how many. fan_in 0: no fans; layer -1: outside the blocks. */
int shape_names(Name *name, const Shape *s, int layer, int64_t fan_in, int64_t fan_out);

/* " in layer 3" where the names know one, else "": for messages; released with free. */
char *names_layer(const Name *name, int names);

/* A switch's formula for a layer (0 to n_layer-1; -1 outside the blocks). Dies, naming `key`, its place and the
 * layer, where it has no value or, for a scale, none above 0. */
double shape_value(const Shape *s, const char *formula, const char *key, int layer, bool scale);

double shape_norm_scale(const Shape *s, int layer);
double shape_attn_scale(const Shape *s, int layer);
double shape_embd_scale(const Shape *s);
double shape_logit_scale(const Shape *s);

/* The multiplier's initial value in a layer. */
double multiplier_value(const Shape *s, const Multiplier *m, const char *key, int layer);

/* The gate; fixup_scalars makes a fixed number a trained scalar. */
Multiplier shape_gate(const Shape *s);

/* Whether GPT-2's architecture expresses it: every switch as GPT-2 has it. */
bool shape_is_gpt2(const Shape *s);

#endif
