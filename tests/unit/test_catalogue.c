/* The catalogue: the standard deviations that each scheme gives a model of 12 layers of width 256, against numbers worked
 * out by hand from the formula of its source. */
#include "helpers.h"

/* Untied, so that the head's rule is asked for too. */
static const Shape shape = SHAPE(12, 4, 256, 1024, 64, 65, true, false, GELU), narrow = SHAPE(12, 4, 64, 256, 64, 65, true, false, GELU);

/* In the first block. NAN: a matrix rule whose standard deviation has no closed form. */
typedef struct {
    const char *scheme;
    double wte, wpe, lm_head;
    double q, k, v, proj, fc, mlp_proj;
} Row;

static const Row row[] = {
    {"adaln_zero", 0.02, 0.02, 0, 0.0441941738, 0.0441941738, 0.0441941738, 0.0625, 0.0395284708, 0.0395284708},
    {"admin", 0.02, 0.02, 0.02, 0.0441941738, 0.0441941738, 0.0441941738, 0.0625, 0.0395284708, 0.0395284708},
    {"bert", 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02},
    {"bert_truncated", 0.0175925132, 0.0175925132, 0.0175925132, 0.0175925132, 0.0175925132, 0.0175925132, 0.0175925132, 0.0175925132, 0.0175925132},
    {"completep", 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02},
    {"deepnorm", 0.02, 0.02, 0.02, 0.0625, 0.0625, 0.019966972, 0.019966972, 0.0126282219, 0.0126282219},
    {"depth_mup", 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02},
    {"embed_inv_sqrt_d", 0.0625, 0.0625, 0.02, 0.02, 0.02, 0.02, 0.0040824829, 0.02, 0.0040824829},
    {"embed_sqrt_d", 0.0625, 0.0441941738, 0.02, 0.02, 0.02, 0.02, 0.0040824829, 0.02, 0.0040824829},
    {"fixup", 0.0625, 0.0441941738, 0, 0.0260213493, 0.0260213493, 0.0260213493, 0, 0.0080687153, 0},
    {"gamma", 0.0354543326, 0.0358968236, 0.0118415357, 0.0118415357, 0.0118415357, 0.0118415357, 0.0118415357, 0.0118415357, 0.00390625},
    {"gpt2", 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.0040824829, 0.02, 0.0040824829},
    {"gpt2_openai", 0.02, 0.01, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02},
    {"gpt2_sqrt_l", 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.00577350269, 0.02, 0.00577350269},
    {"he_normal", 0.02, 0.02, 0.0883883476, 0.0883883476, 0.0883883476, 0.0883883476, 0.0883883476, 0.0883883476, 0.0441941738},
    {"he_uniform", 0.02, 0.02, 0.0883883476, 0.0883883476, 0.0883883476, 0.0883883476, 0.0883883476, 0.0883883476, 0.0441941738},
    {"layernorm_scaling", 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02},
    {"layerscale", 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02},
    {"lecun", 0.0625, 0.0625, 0.0625, 0.0625, 0.0625, 0.0625, 0.0625, 0.0625, 0.03125},
    {"llama", 1, 1, 0.0616611495, 0.0197315679, 0.0197315679, 0.0197315679, 0.00402768942, 0.0197315679, 0.00402768942},
    {"llama_depth", 1, 1, 0.0616611495, 0.0197315679, 0.0197315679, 0.0197315679, 0.0139523254, 0.0197315679, 0.0139523254},
    {"ln_small", 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.0040824829, 0.02, 0.0040824829},
    {"ln_zero", 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.0040824829, 0.02, 0.0040824829},
    {"lsuv", 0.02, 0.02, 0.02, 0.0625, 0.0625, 0.0625, 0.0625, 0.03125, 0.03125},
    {"megatron", 0.0197315679, 0.0197315679, 0.0616611495, 0.0197315679, 0.0197315679, 0.0197315679, 0.00402768942, 0.0197315679, 0.00402768942},
    {"mimetic", 0.02, 0.02, 0.02, NAN, NAN, NAN, NAN, 0.02, 0.02},
    {"mitchell", 0.0616611495, 0.0616611495, 0.0616611495, 0.0616611495, 0.0616611495, 0.0616611495, 0.043601017, 0.0616611495, 0.0218005085},
    {"mup", 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.0040824829, 0.02, 0.0040824829},
    {"neox_normal", 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02},
    {"neox_orthogonal", 0.0883883476, 0.0883883476, 0.0883883476, 0.0510310363, 0.0510310363, 0.0510310363, 0.0883883476, 0.0441941738, 0.0441941738},
    {"neox_scaled_normal", 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.0040824829, 0.02, 0.0040824829},
    {"neox_scaled_orthogonal", 0.0883883476, 0.0883883476, 0.0883883476, 0.0510310363, 0.0510310363, 0.0510310363, 0.0255155182, 0.0441941738, 0.0127577591},
    {"neox_single_residual_scaled_normal", 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.00577350269, 0.02, 0.00577350269},
    {"neox_small_init", 0.0395284708, 0.0395284708, 0.0395284708, 0.0395284708, 0.0395284708, 0.0395284708, 0.0395284708, 0.0395284708, 0.0395284708},
    {"neox_wang_init", 0.0395284708, 0.0395284708, 0.0395284708, 0.0395284708, 0.0395284708, 0.0395284708, 0.0104166667, 0.0395284708, 0.0104166667},
    {"neox_xavier_normal", 0.0789337038, 0.0790569415, 0.0789337038, 0.0441941738, 0.0441941738, 0.0441941738, 0.0625, 0.0395284708, 0.0395284708},
    {"neox_xavier_uniform", 0.0789337038, 0.0790569415, 0.0789337038, 0.0441941738, 0.0441941738, 0.0441941738, 0.0625, 0.0395284708, 0.0395284708},
    {"normal1", 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {"orthogonal", 0.02, 0.02, 0.02, 0.0625, 0.0625, 0.0625, 0.0625, 0.03125, 0.03125},
    {"palm", 1, 1, 1, 0.0625, 0.0625, 0.0625, 0.0625, 0.0625, 0.03125},
    {"peri_ln", 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02},
    {"post_ln", 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02},
    {"qk_norm", 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.0040824829, 0.02, 0.0040824829},
    {"rezero", 0.0577350269, 0.0441941738, 0.0577350269, 0.0441941738, 0.0441941738, 0.0441941738, 0.0625, 0.0395284708, 0.0395284708},
    {"skipinit", 0.0625, 0.0441941738, 0.02, 0.0883883476, 0.0883883476, 0.0883883476, 0.0883883476, 0.0883883476, 0.0441941738},
    {"small_init", 0.0395284708, 0.0395284708, 0.0395284708, 0.0395284708, 0.0395284708, 0.0395284708, 0.0395284708, 0.0395284708, 0.0395284708},
    {"spectral", 1, 1, 0.0314931943, 0.0625, 0.0625, 0.0625, 0.0625, 0.0625, 0.015625},
    {"sub_ln", 0.0625, 0.0441941738, 0.0625, 0.0625, 0.0625, 0.111419355, 0.111419355, 0.0704677877, 0.0704677877},
    {"t5", 1, 1, 1, 0.0078125, 0.0625, 0.0625, 0.0625, 0.0625, 0.03125},
    {"t_fixup", 0.0193876012, 0.0441941738, 0.0625, 0.0441941738, 0.0441941738, 0.0224988079, 0.0224988079, 0.0142294956, 0.0142294956},
    {"torch_default", 1, 1, 0.0360843918, 0.0360843918, 0.0360843918, 0.0360843918, 0.0360843918, 0.0360843918, 0.0180421959},
    {"u_mup", 1, 1, 1, 0.0625, 0.0625, 0.0625, 0.0625, 0.0625, 0.03125},
    {"wang", 0.0395284708, 0.0395284708, 0.0395284708, 0.0395284708, 0.0395284708, 0.0395284708, 0.0104166667, 0.0395284708, 0.0104166667},
    {"xavier_normal", 0.02, 0.02, 0.0789337038, 0.0625, 0.0625, 0.0625, 0.0625, 0.0395284708, 0.0395284708},
    {"xavier_uniform", 0.02, 0.02, 0.0789337038, 0.0625, 0.0625, 0.0625, 0.0625, 0.0395284708, 0.0395284708},
    {"zero_head", 0.02, 0.02, 0, 0.02, 0.02, 0.02, 0.0040824829, 0.02, 0.0040824829},
    {"zero_proj", 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0, 0.02, 0},
};

/* Where the last block differs from the first. */
static const struct { const char *scheme; double proj, mlp_proj; } last_block[] = {
    {"llama_depth", 0.00402768942, 0.00402768942}, {"mitchell", 0.0125865294, 0.00629326472}};

static void check_std(const Scheme *s, const Gpt *g, const char *name, double expected)
{
    const Part *part = part_named(&g->params, name);
    assert_non_null(part);
    Rule rule = scheme_rule(s, &g->shape, part);
    double std = rule_std(&rule, part);
    if (isnan(expected) ? !rule_info[rule.kind].elementwise : fabs(std - expected) <= 1e-7 * expected) return;
    fail_msg("%s: %s has a standard deviation of %.9g by its rule, not %.9g", scheme_name(s), name, std, expected);
}

static void check_block(const Scheme *s, const Gpt *g, int64_t layer, const Row *r, double proj, double mlp_proj)
{
    const struct { const char *part; double std; } expected[] = {
        {"attn.q", r->q}, {"attn.k", r->k}, {"attn.v", r->v}, {"attn.proj", proj}, {"mlp.fc", r->fc}, {"mlp.proj", mlp_proj}};
    for (size_t i = 0; i < COUNT(expected); i++) {
        char *name = text_format("h.%d.%s.weight", (int)layer, expected[i].part);
        check_std(s, g, name, expected[i].std);
        free(name);
    }
}

static const Row *row_of(const char *scheme)
{
    for (size_t i = 0; i < COUNT(row); i++)
        if (!strcmp(row[i].scheme, scheme)) return &row[i];
    fail_msg("the scheme %s has no row in this test", scheme);
    return NULL;
}

static void every_scheme_has_the_numbers_of_its_source(void **state)
{
    (void)state;
    Gpt *g = gpt_declared(&shape);
    for (int i = 0; i < catalogue_count; i++) {
        const Row *r = row_of(catalogue[i].name);
        Scheme s = scheme_named(catalogue[i].name);
        assert_true(strlen(scheme_text(&s, "about")) > 20 && strlen(scheme_text(&s, "source")) > 5);
        check_std(&s, g, "wte.weight", r->wte);
        check_std(&s, g, "wpe.weight", r->wpe);
        check_std(&s, g, "lm_head.weight", r->lm_head);
        check_block(&s, g, 0, r, r->proj, r->mlp_proj);
        double proj = r->proj, mlp_proj = r->mlp_proj;
        for (size_t k = 0; k < COUNT(last_block); k++)
            if (!strcmp(last_block[k].scheme, r->scheme)) proj = last_block[k].proj, mlp_proj = last_block[k].mlp_proj;
        check_block(&s, g, shape.n_layer - 1, r, proj, mlp_proj);
        scheme_free(&s);
    }
    assert_int_equal(COUNT(row), catalogue_count);
    gpt_free(g);
}

/* Their base is the width of the table above; at a quarter of it hidden matrices have twice the standard deviation. */
static void hidden_matrices_of_mup_follow_the_width(void **state)
{
    (void)state;
    static const struct { const char *scheme, *part; double std; } expected[] = {
        {"mup", "wte.weight", 0.02}, {"mup", "wpe.weight", 0.02}, {"mup", "lm_head.weight", 0.02}, {"mup", "h.0.attn.k.weight", 0.04},
        {"mup", "h.0.mlp.fc.weight", 0.04}, {"mup", "h.11.attn.proj.weight", 0.00816496581}, {"mup", "h.11.mlp.proj.weight", 0.00816496581},
        {"depth_mup", "wte.weight", 0.02}, {"depth_mup", "lm_head.weight", 0.02}, {"depth_mup", "h.0.attn.v.weight", 0.04},
        {"depth_mup", "h.11.mlp.proj.weight", 0.04}, {"completep", "wpe.weight", 0.02}, {"completep", "lm_head.weight", 0.02},
        {"completep", "h.0.mlp.fc.weight", 0.04}, {"completep", "h.11.attn.proj.weight", 0.04}, {"u_mup", "wte.weight", 1},
        {"u_mup", "lm_head.weight", 1}, {"u_mup", "h.0.attn.q.weight", 0.125}, {"u_mup", "h.0.mlp.proj.weight", 0.0625}};
    Gpt *g = gpt_declared(&narrow);
    for (size_t i = 0; i < COUNT(expected); i++) {
        Scheme s = scheme_named(expected[i].scheme);
        check_std(&s, g, expected[i].part, expected[i].std);
        scheme_free(&s);
    }
    gpt_free(g);
}

/* At a quarter of the base width and six times the base depth. */
static void rates_follow_width_and_depth(void **state)
{
    (void)state;
    static const struct { const char *scheme, *part; double lr, weight_decay, eps; } expected[] = {
        {"gpt2", "h.0.attn.q.weight", 1, 1, 1}, {"gpt2", "h.0.ln_1.weight", 1, 1, 1},
        {"mup", "wte.weight", 1, 1, 1}, {"mup", "wpe.weight", 1, 1, 1}, {"mup", "lm_head.weight", 1, 1, 1}, {"mup", "h.0.attn.q.weight", 4, 1, 1},
        {"mup", "h.3.mlp.proj.weight", 4, 1, 1}, {"mup", "h.3.mlp.fc.bias", 1, 1, 1}, {"mup", "ln_f.weight", 1, 1, 1},
        {"depth_mup", "wte.weight", 1, 1, 4}, {"depth_mup", "lm_head.weight", 1, 1, 4}, {"depth_mup", "h.0.attn.v.weight", 1.63299316, 0.25, 1.63299316},
        {"depth_mup", "h.3.mlp.proj.weight", 1.63299316, 0.25, 1.63299316}, {"depth_mup", "h.3.mlp.proj.bias", 0.40824829, 1, 1.63299316},
        {"depth_mup", "h.0.ln_2.weight", 0.40824829, 1, 1.63299316}, {"depth_mup", "h.0.ln_1.bias", 0.40824829, 1, 1.63299316},
        {"depth_mup", "ln_f.weight", 1, 1, 4}, {"depth_mup", "ln_f.bias", 1, 1, 4},
        {"completep", "wpe.weight", 1, 1, 4}, {"completep", "lm_head.weight", 1, 1, 4}, {"completep", "h.0.attn.k.weight", 4, 0.25, 0.666666667},
        {"completep", "h.3.mlp.fc.weight", 4, 0.25, 0.666666667}, {"completep", "h.3.attn.q.bias", 1, 1, 0.666666667},
        {"completep", "h.0.ln_1.weight", 1, 1, 0.666666667}, {"completep", "h.0.ln_2.bias", 1, 1, 0.666666667}, {"completep", "ln_f.weight", 1, 1, 4},
        {"u_mup", "wte.weight", 32, 0.03125, 1}, {"u_mup", "wpe.weight", 32, 0.03125, 1}, {"u_mup", "lm_head.weight", 256, 0.00390625, 1},
        {"u_mup", "h.0.attn.q.weight", 1.15470054, 0.866025404, 1}, {"u_mup", "h.3.mlp.fc.weight", 1.15470054, 0.866025404, 1},
        {"u_mup", "h.3.mlp.proj.weight", 0.288675135, 3.46410162, 1}, {"u_mup", "h.0.ln_1.weight", 0, 1, 1}, {"u_mup", "ln_f.weight", 0, 1, 1}};
    Gpt *g = gpt_declared(&narrow);
    for (size_t i = 0; i < COUNT(expected); i++) {
        Scheme s = scheme_named(expected[i].scheme);
        const Part *part = part_named(&g->params, expected[i].part);
        assert_non_null(part);
        Factors f = scheme_factors(&s, &g->shape, part);
        const double factor[FACTORS] = {[FACTOR_LR] = expected[i].lr, [FACTOR_WEIGHT_DECAY] = expected[i].weight_decay, [FACTOR_EPS] = expected[i].eps};
        for (int k = 0; k < FACTORS; k++)
            if (!(fabs(f.value[k] - factor[k]) <= 1e-7 * factor[k]))
                fail_msg("%s: %s has %s times %.9g, not %.9g", expected[i].scheme, expected[i].part, factor_name[k], f.value[k], factor[k]);
        scheme_free(&s);
    }
    gpt_free(g);
}

static void lsuv_fits_linear_layers_alone(void **state)
{
    (void)state;
    static const struct { const char *part; double std; } expected[] = {
        {"wte.weight", NAN}, {"wpe.weight", NAN}, {"lm_head.weight", NAN}, {"h.0.attn.q.weight", 1}, {"h.0.attn.k.weight", 1}, {"h.11.attn.v.weight", 1},
        {"h.11.mlp.fc.weight", 1}, {"h.0.attn.proj.weight", 0.204124145}, {"h.11.mlp.proj.weight", 0.204124145}};
    Gpt *g = gpt_declared(&shape);
    Scheme s = scheme_named("lsuv"), other = scheme_named("orthogonal");
    for (size_t i = 0; i < COUNT(expected); i++) {
        const Part *part = part_named(&g->params, expected[i].part);
        double std = scheme_output_std(&s, &g->shape, part);
        if (isnan(expected[i].std)) assert_true(isnan(std));
        else assert_near(std, expected[i].std, 1e-8);
        assert_true(isnan(scheme_output_std(&other, &g->shape, part)));
    }
    scheme_free(&s);
    scheme_free(&other);
    gpt_free(g);
}

static void gains_and_biases_that_schemes_set(void **state)
{
    (void)state;
    static const struct { const char *scheme, *part; RuleKind kind; double scale; } expected[] = {
        {"ln_small", "h.0.ln_1.weight", RULE_CONSTANT, 0.1}, {"ln_small", "h.11.ln_2.weight", RULE_CONSTANT, 0.1},
        {"ln_small", "ln_f.weight", RULE_CONSTANT, 1},
        {"ln_zero", "h.0.ln_1.weight", RULE_CONSTANT, 0}, {"ln_zero", "h.11.ln_2.weight", RULE_CONSTANT, 0}, {"ln_zero", "ln_f.weight", RULE_CONSTANT, 1},
        {"rezero", "h.0.mlp.fc.bias", RULE_UNIFORM, 0.0625}, {"rezero", "h.0.mlp.proj.bias", RULE_UNIFORM, 0.03125},
        {"rezero", "h.0.attn.q.bias", RULE_ZEROS, 0},
        {"torch_default", "h.0.attn.v.bias", RULE_UNIFORM, 0.0625}, {"torch_default", "h.0.mlp.proj.bias", RULE_UNIFORM, 0.03125},
        {"gpt2", "h.0.ln_1.weight", RULE_CONSTANT, 1}, {"gpt2", "h.0.attn.k.bias", RULE_ZEROS, 0}};
    Gpt *g = gpt_declared(&shape);
    for (size_t i = 0; i < COUNT(expected); i++) {
        Scheme s = scheme_named(expected[i].scheme);
        const Part *part = part_named(&g->params, expected[i].part);
        assert_non_null(part);
        Rule rule = scheme_rule(&s, &g->shape, part);
        assert_int_equal(rule.kind, expected[i].kind);
        assert_near(rule.scale, expected[i].scale, 1e-9);
        scheme_free(&s);
    }
    gpt_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scheme_has_the_numbers_of_its_source),
        cmocka_unit_test(hidden_matrices_of_mup_follow_the_width),
        cmocka_unit_test(rates_follow_width_and_depth),
        cmocka_unit_test(lsuv_fits_linear_layers_alone),
        cmocka_unit_test(gains_and_biases_that_schemes_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
