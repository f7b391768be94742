/* Models with every switch of the forward pass. */
#ifndef STEP0_TESTS_SWITCHES_H
#define STEP0_TESTS_SWITCHES_H

#include "gradients.h"

/* Odd, and so large that a batch of 9 rows is shared out among threads. */
#define WITH(...) {.n_layer = 2, .n_head = 3, .n_embd = 66, .n_inner = 130, .block_size = 61, .vocab_size = 97, __VA_ARGS__}

static const struct { const char *name; Shape shape; } switched[] = {
    {"plain", WITH(.bias = true)},
    {"post", WITH(.bias = true, .tied = true, .norm = NORM_POST)},
    {"sandwich, norm_scale", WITH(.bias = true, .norm = NORM_SANDWICH, .norm_scale = "1/sqrt(layer)")},
    {"sub, relu, norm_scale", WITH(.bias = true, .tied = true, .norm = NORM_SUB, .activation = RELU, .norm_scale = "0.7")},
    {"none, no bias", WITH(.norm = NORM_NONE, .activation = GELU_EXACT)},
    {"gate by layer", WITH(.bias = true, .gate = {.value = "0.5/layer"})},
    {"skip, post", WITH(.bias = true, .norm = NORM_POST, .skip = {.value = "(2*n_layer)^0.25"})},
    {"scalars", WITH(.skip = TRAINED(FACTOR_SCALAR, "1"), .gate = TRAINED(FACTOR_SCALAR, "1"))},
    {"one a layer, no norm", WITH(.bias = true, .norm = NORM_NONE, .skip = TRAINED(FACTOR_LAYER, "1"), .gate = TRAINED(FACTOR_LAYER, "1"))},
    {"vectors, sandwich", WITH(.norm = NORM_SANDWICH, .skip = TRAINED(FACTOR_VECTOR, "1"), .gate = TRAINED(FACTOR_VECTOR, "1"))},
    {"fixup_scalars, no norm", WITH(.bias = true, .norm = NORM_NONE, .fixup_scalars = true)},
    {"fixup_scalars, sub, qk_norm", WITH(.norm = NORM_SUB, .fixup_scalars = true, .qk_norm = true)},
    {"ada_ln", WITH(.bias = true, .tied = true, .ada_ln = true)},
    {"ada_ln, sandwich, no bias", WITH(.norm = NORM_SANDWICH, .ada_ln = true, .norm_scale = "0.8")},
    {"ada_ln, sub, fixup_scalars", WITH(.bias = true, .norm = NORM_SUB, .ada_ln = true, .fixup_scalars = true, .skip = TRAINED(FACTOR_VECTOR, "1"))},
    {"qk_norm, 1/head_dim", WITH(.bias = true, .qk_norm = true, .attn_scale = "1/head_dim")},
    {"scales", WITH(.bias = true, .tied = true, .embd_scale = "sqrt(n_embd)", .logit_scale = "1/sqrt(n_embd)", .attn_scale = "0.4/layer")},
};

static inline Gpt *scattered(const Shape *s, int64_t rows, int threads)
{
    Gpt *g = gpt_new(s, rows, threads);
    scatter_weights(g, 1);
    return g;
}

#endif
