/* Gradients that are exactly 0 at step 0, and those that are not: schemes that start some weights at 0, in every kind of
 * block. (For ever: test_alive.c.) */
#include "switches.h"

#include "../../model/blas.h"

#define ENDS "wte wpe lm_head ln_f.gain ln_f.bias"
#define NORMS_IN "ln_1.gain ln_1.bias ln_2.gain ln_2.bias"
#define PROJS "attn.proj mlp.proj attn.proj.bias mlp.proj.bias"

/* What starts at 0 (see zeros_scheme), and whose gradient is other than 0 then: `moving` but not `still`; all others' is
 * exactly 0. */
typedef struct { const char *zero; Shape shape; const char *moving, *still; } Step0;

static const Step0 step0[] = {
    {"", WITH(.bias = true), "all", ""},
    /* zero projections */
    {"attn.proj mlp.proj", WITH(.bias = true), ENDS " " PROJS, ""},
    {"attn.proj mlp.proj", WITH(.bias = true, .norm = NORM_POST), "wte wpe lm_head " PROJS " " NORMS_IN, ""},
    {"attn.proj mlp.proj", WITH(.bias = true, .norm = NORM_SUB), ENDS " " PROJS, ""},
    {"attn.proj mlp.proj", WITH(.bias = true, .norm = NORM_SANDWICH), ENDS " " PROJS " ln_1_out.bias ln_2_out.bias", ""},
    {"mlp.proj", WITH(.bias = true), "all", "ln_2.gain ln_2.bias mlp.fc mlp.fc.bias"},
    {"lm_head", WITH(.bias = true), "lm_head", ""},
    /* gains of 0: in front of the branch, in the middle, behind */
    {"ln_1.gain ln_2.gain", WITH(.bias = true), ENDS " " NORMS_IN " attn.v.bias attn.proj.bias mlp.fc.bias mlp.proj.bias", ""},
    {"ln_1.gain ln_2.gain", WITH(.activation = GELU_EXACT), ENDS " ln_1.gain ln_2.gain", ""},
    {"ln_1_mid.gain ln_2_mid.gain", WITH(.bias = true, .norm = NORM_SUB),
     ENDS " ln_1_mid.gain ln_1_mid.bias ln_2_mid.gain ln_2_mid.bias attn.proj.bias mlp.proj.bias", ""},
    {"ln_1_out.gain ln_2_out.gain", WITH(.bias = true, .norm = NORM_SANDWICH), ENDS " ln_1_out.gain ln_1_out.bias ln_2_out.gain ln_2_out.bias", ""},
    /* ReZero, SkipInit, LayerScale */
    {"", WITH(.norm = NORM_NONE, .gate = TRAINED(FACTOR_LAYER, "0")), "wte wpe lm_head layer.gate", ""},
    {"", WITH(.bias = true, .gate = TRAINED(FACTOR_SCALAR, "0")), ENDS " attn.gate mlp.gate", ""},
    {"", WITH(.bias = true, .gate = TRAINED(FACTOR_VECTOR, "0")), ENDS " attn.gate mlp.gate", ""},
    {"", WITH(.bias = true, .gate = TRAINED(FACTOR_VECTOR, "1e-4")), "all", ""},
    /* adaLN-Zero, with DiT's head of 0 and without */
    {"", WITH(.bias = true, .ada_ln = true), ENDS " attn.ada attn.ada.bias mlp.ada mlp.ada.bias", ""},
    {"lm_head", WITH(.bias = true, .ada_ln = true), "lm_head", ""},
    /* Fixup's, with its head of 0 and without */
    {"attn.proj mlp.proj lm_head", WITH(.norm = NORM_NONE, .fixup_scalars = true), "lm_head", ""},
    {"attn.proj mlp.proj", WITH(.norm = NORM_NONE, .fixup_scalars = true), "wte wpe lm_head attn.proj mlp.proj", ""},
    {"attn.q", WITH(.bias = true, .qk_norm = true), "all", "attn.k attn.k.bias attn.k_norm.gain attn.q_norm.gain"},
};

static void check_step0(const Step0 *row)
{
    Gpt *g = gpt_new(&row->shape, 2, 1);
    double *square = xcalloc((size_t)g->params.parts, sizeof *square);
    char *text = zeros_scheme(row->zero, NULL);
    Scheme s = scheme_of(text);
    Batch b = batch_random(&row->shape, 2, row->shape.block_size, 1);
    init_weights(g, &s, 1);
    gradient_of(g, &b, square);
    check_list(row->moving);
    check_list(row->still);
    for (int i = 0; i < g->params.parts; i++) {
        Role role = g->params.part[i].role;
        bool moves = role_listed(row->moving, role) && !role_listed(row->still, role);
        if (!(moves && zero_by_symmetry(g, role)) && moves != (square[i] != 0))
            fail_msg("zero \"%s\": the gradient of %s is %g, moving \"%s\"", row->zero, g->params.part[i].name, sqrt(square[i]), row->moving);
    }
    batch_free(&b);
    scheme_free(&s);
    free(text);
    free(square);
    gpt_free(g);
}

static void zeros_of_step_0_are_exact(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(step0); i++) check_step0(&step0[i]);
}

/* Of ada's columns (shift, scale, gate) only the gate's have a gradient, and the condition has none. */
static void adaln_zero_moves_its_gates_alone(void **state)
{
    (void)state;
    const Shape shape = WITH(.bias = true, .ada_ln = true);
    Gpt *g = model_filled(&shape, "{\"weights\": {\"*\": {\"normal\": \"0.3\"}}}", 1, 2);
    Batch b = batch_random(&shape, 1, 61, 1);
    int64_t C = shape.n_embd;
    gpt_loss_back(g, &b, 1);
    for (int k = 0; k < g->branches; k++) {
        const Linear *ada = &g->branch[k].ada.linear;
        for (int64_t i = 0; i <= C; i++) {
            const real *row = i < C ? ada->weight->g + i * 3 * C : ada->bias->g;
            assert_true(kernel_squares(row, 2 * C) == 0 && kernel_squares(row + 2 * C, C) > 0);
        }
    }
    assert_true(kernel_squares(g->condition->g, C) == 0 && kernel_squares(g->condition->w, C) > 0);
    batch_free(&b);
    gpt_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_of_step_0_are_exact),
        cmocka_unit_test(adaln_zero_moves_its_gates_alone),
    };
    blas_start(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
