/* Factors of the optimizer: which a part gets from a scheme, and what an update does with them. */
#include "helpers.h"

#include "../../train/run/optim.h"

static const Shape shape = SHAPE(2, 3, 45, 77, 37, 61, true, false, GELU);
static const Shape switched = {.n_layer = 2, .n_head = 3, .n_embd = 45, .n_inner = 77, .block_size = 37, .vocab_size = 61, .bias = true, .norm = NORM_SUB,
                               .ada_ln = true, .qk_norm = true, .fixup_scalars = true, .skip = {.value = "1", .shape = FACTOR_LAYER, .trained = true}};

/* A scheme of this optimizer. */
static Scheme scheme_with(const char *optimizer)
{
    char *text = text_format("{\"params\": {\"base\": 9}, \"weights\": {\"*\": {\"normal\": \"1\"}}, \"optimizer\": %s}", optimizer);
    Scheme s = scheme_of(text);
    free(text);
    return s;
}

static void check_factors(const Scheme *s, const Shape *m, const char *name, double lr, double weight_decay, double eps)
{
    Gpt *g = gpt_declared(m);
    const Part *part = part_named(&g->params, name);
    assert_non_null(part);
    Factors f = scheme_factors(s, m, part);
    if (f.value[FACTOR_LR] != lr || f.value[FACTOR_WEIGHT_DECAY] != weight_decay || f.value[FACTOR_EPS] != eps)
        fail_msg("%s: factors %g, %g, %g, not %g, %g, %g", name, f.value[0], f.value[1], f.value[2], lr, weight_decay, eps);
    gpt_free(g);
}

/* --- which a part gets --- */

/* The object that matches best wins as a whole: what it leaves out is 1, whatever a weaker one says. */
static void exact_beats_group_beats_star(void **state)
{
    (void)state;
    Scheme s = scheme_with("{\"*\": {\"lr\": 0.5, \"weight_decay\": 2, \"eps\": 3}, \"attn\": {\"lr\": \"0.25\"}, \"attn.k\": {\"eps\": \"7\"},"
                           " \"bias\": {\"weight_decay\": 0},"
                           " \"mlp.fc.bias\": {\"lr\": 11}, \"norm.gain\": {\"lr\": 0}, \"ln_f.gain\": {\"lr\": 4}, \"attn.proj\": {}}");
    static const struct { const char *part; double lr, weight_decay, eps; } row[] = {
        {"wte.weight", 0.5, 2, 3}, {"wpe.weight", 0.5, 2, 3}, {"lm_head.weight", 0.5, 2, 3}, {"h.1.mlp.fc.weight", 0.5, 2, 3},
        {"h.0.attn.q.weight", 0.25, 1, 1}, {"h.1.attn.k.weight", 1, 1, 7}, {"h.0.attn.v.weight", 0.25, 1, 1}, {"h.0.attn.proj.weight", 1, 1, 1},
        {"h.0.attn.k.bias", 1, 0, 1}, {"h.0.mlp.fc.bias", 11, 1, 1}, {"h.0.mlp.proj.bias", 1, 0, 1}, {"h.0.ln_1.weight", 0, 1, 1},
        {"ln_f.weight", 4, 1, 1}, {"h.0.ln_1.bias", 1, 1, 1}, {"ln_f.bias", 1, 1, 1}};
    for (size_t i = 0; i < COUNT(row); i++) check_factors(&s, &shape, row[i].part, row[i].lr, row[i].weight_decay, row[i].eps);
    scheme_free(&s);
}

/* "*" means the matrices but not those of ada; the switches' parts have groups of their own. */
static void switches_have_their_groups(void **state)
{
    (void)state;
    Scheme star = scheme_with("{\"*\": {\"lr\": 0.5}}");
    Scheme s = scheme_with("{\"ada\": {\"lr\": 2}, \"mlp.ada.bias\": {\"lr\": 3}, \"skip\": {\"lr\": 4}, \"gate\": {\"lr\": 5}, \"shift\": {\"lr\": 6},"
                      " \"mlp.shift_mixed\": {\"lr\": 7}, \"norm.gain\": {\"lr\": 8}, \"attn.k_norm.gain\": {\"lr\": 9}, \"norm.bias\": {\"lr\": 10},"
                      " \"condition\": {\"lr\": 11}}");
    static const struct { const char *part; double lr; } row[] = {
        {"h.0.attn.ada.weight", 2}, {"h.0.attn.ada.bias", 2}, {"h.0.mlp.ada.bias", 3}, {"h.1.skip", 4}, {"h.0.mlp.shift_in", 6}, {"h.0.mlp.shift_mixed", 7},
        {"h.0.attn.q_norm.weight", 8}, {"h.0.attn.k_norm.weight", 9}, {"h.0.ln_2_mid.bias", 10}, {"h.0.ln_1_mid.weight", 8}, {"condition", 11}};
    for (size_t i = 0; i < COUNT(row); i++) {
        check_factors(&star, &switched, row[i].part, 1, 1, 1);
        check_factors(&s, &switched, row[i].part, row[i].lr, 1, 1);
    }
    check_factors(&star, &switched, "h.0.attn.q.weight", 0.5, 1, 1);
    check_factors(&s, &switched, "h.0.attn.q.weight", 1, 1, 1);
    scheme_free(&star);
    scheme_free(&s);
}

static void formulas_see_the_model_and_the_part(void **state)
{
    (void)state;
    Scheme s = scheme_with("{\"*\": {\"lr\": \"base/n_embd\", \"weight_decay\": \"n_embd/base\"}, \"mlp\": {\"lr\": \"1/layer\", \"eps\": \"fan_in/fan_out\"},"
                           " \"norm.bias\": {\"lr\": \"fan_in\"}, \"ln_1.gain\": {\"lr\": \"layer/n_layer\"}}");
    check_factors(&s, &shape, "wte.weight", 0.2, 5, 1);
    check_factors(&s, &shape, "h.0.mlp.fc.weight", 1, 1, 45.0 / 77);
    check_factors(&s, &shape, "h.1.mlp.proj.weight", 0.5, 1, 77.0 / 45);
    check_factors(&s, &shape, "h.0.ln_1.weight", 0.5, 1, 1);
    check_factors(&s, &shape, "h.1.ln_1.weight", 1, 1, 1);
    check_factors(&s, &shape, "h.1.ln_2.bias", 45, 1, 1);
    Gpt *g = gpt_declared(&shape);
    Factors f = scheme_factors(&s, &shape, part_named(&g->params, "h.1.mlp.fc.weight"));
    assert_string_equal(f.formula[FACTOR_LR], "1/layer");
    assert_null(f.formula[FACTOR_WEIGHT_DECAY]);
    gpt_free(g);
    scheme_free(&s);
}

static void use(void *data)
{
    Scheme s = scheme_with(*(const char **)data);
    Gpt *g = gpt_declared(&shape);
    for (int i = 0; i < g->params.parts; i++) scheme_factors(&s, &shape, &g->params.part[i]);
}

static void wrong_factors_are_refused(void **state)
{
    (void)state;
    static const char *const row[][2] = {
        {"[]", "\"optimizer\" cannot be an array"},
        {"{\"*\": 3}", "factors of the optimizer are an object such as {\"lr\": \"0.1\"}, not a number"},
        {"{\"*\": {\"beta1\": 1}}", "the optimizer has no factor \"beta1\"; it has lr, weight_decay, eps"},
        {"{\"*\": {\"lr\": \"-1\"}}", "a factor of the optimizer is not negative"},
        {"{\"*\": {\"lr\": [1]}}", "a factor is a formula in quotes"}, {"{\"*\": {\"lr\": \"1/0\"}}", "gives inf"},
        {"{\"*\": {\"lr\": \"nothing\"}}", "nothing"}, {"{\"*\": {\"lr\": \"layer\"}}", "layer"}, {"{\"ln_f.gain\": {\"eps\": \"layer\"}}", "layer"},
        {"{\"mpl.fc\": {\"lr\": 1}}", "unknown selector \"mpl.fc\"; did you mean mlp.fc"},
        {"{\"bias\": {\"weight_decay\": 2}}", "means vectors, which never decay"}};
    for (size_t i = 0; i < COUNT(row); i++) {
        const char *text = row[i][0];
        check_dies(use, &text, row[i][1], text);
    }
}

/* --- what an update does with them --- */

static Factors *factors_of(const Gpt *g, const Scheme *s)
{
    Factors *f = xcalloc((size_t)g->params.parts, sizeof *f);
    for (int i = 0; i < g->params.parts; i++) f[i] = scheme_factors(s, &g->shape, &g->params.part[i]);
    return f;
}

enum { UPDATES = 3 };
static const double lr[UPDATES] = {0.01, 0.02, 0.015}, clip[UPDATES] = {1, 0.5, 0.25};

static double gradient_at(int64_t k, int64_t step) { return (double)(real)test_normal(9, UPDATES * k + step); }

/* The weight behind UPDATES updates of AdamW, by the paper's formulas. */
static double by_hand(double w, int64_t k, const double *factor, bool decays, const Config *c)
{
    double m = 0, v = 0;
    for (int64_t s = 0; s < UPDATES; s++) {
        double g = clip[s] * gradient_at(k, s), own = lr[s] * factor[FACTOR_LR], t = (double)s + 1;
        m = c->beta1 * m + (1 - c->beta1) * g;
        v = c->beta2 * v + (1 - c->beta2) * g * g;
        w *= 1 - own * (decays ? c->weight_decay * factor[FACTOR_WEIGHT_DECAY] : 0);
        w -= own * m / (1 - pow(c->beta1, t)) / (sqrt(v / (1 - pow(c->beta2, t))) + c->eps * factor[FACTOR_EPS]);
    }
    return w;
}

/* q, k and v share a tensor and have factors of their own; large eps and decay, so that each factor shows. */
static void check_updates(const Shape *m, const char *optimizer, int threads)
{
    const Config c = {.beta1 = 0.9, .beta2 = 0.99, .eps = 0.1, .weight_decay = 3};
    Scheme s = scheme_with(optimizer);
    Gpt *g = gpt_new(m, 1, threads), *start = gpt_new(m, 1, 1);
    scatter_weights(g, 1);
    scatter_weights(start, 1);
    Factors *f = factors_of(g, &s);
    for (int64_t step = 0; step < UPDATES; step++) {
        for (int i = 0; i < g->params.tensors; i++)
            for (int64_t k = 0; k < g->params.tensor[i].rows * g->params.tensor[i].cols; k++) g->params.tensor[i].g[k] = (real)gradient_at(k, step);
        optim_step(&g->params, &c, f, step, lr[step], clip[step], threads);
    }
    for (int i = 0; i < g->params.parts; i++) {
        const Part *p = &g->params.part[i];
        const Tensor *t = &g->params.tensor[p->tensor];
        for (int64_t row = 0; row < p->rows; row++)
            for (int64_t col = 0; col < p->cols; col++) {
                double old = (double)weights_of(start, p, row)[col], now = (double)weights_of(g, p, row)[col];
                double right = by_hand(old, row * t->cols + p->column + col, f[i].value, t->rows > 1, &c);
                if (!(fabs(now - right) <= 4e-7 * (1 + fabs(old)))) fail_msg("%s: %.9g became %.9g, not %.9g", p->name, old, now, right);
                if (f[i].value[FACTOR_LR] == 0) assert_true(now == old);
            }
    }
    free(f);
    scheme_free(&s);
    gpt_free(g);
    gpt_free(start);
}

static void updates_follow_the_formulas(void **state)
{
    (void)state;
    static const char *const optimizer[] = {
        "{}",
        "{\"attn.q\": {\"lr\": 2, \"weight_decay\": 0.5, \"eps\": 10}, \"attn.k\": {\"lr\": 0.1, \"weight_decay\": 3, \"eps\": 0.01}, \"attn.v\": {\"lr\": 0}}",
        "{\"*\": {\"lr\": \"1/n_layer\", \"weight_decay\": 2, \"eps\": \"1/n_layer\"}, \"mlp\": {\"lr\": \"layer\"}, \"attn.proj\": {\"weight_decay\": 0},"
        " \"wte\": {}, \"norm.gain\": {\"lr\": 3, \"weight_decay\": 0}, \"bias\": {\"eps\": 5}, \"attn.v.bias\": {\"lr\": 0.5}}"};
    for (size_t i = 0; i < COUNT(optimizer); i++)
        for (int threads = 1; threads <= 3; threads += 2) check_updates(&shape, optimizer[i], threads);
    check_updates(&switched, "{\"ada\": {\"lr\": 0.5, \"weight_decay\": 2}, \"skip\": {\"lr\": 0.1},"
                             " \"gate\": {\"lr\": 3, \"eps\": 2}, \"shift\": {\"lr\": 0}, \"condition\": {\"eps\": 4}}", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_beats_group_beats_star),
        cmocka_unit_test(switches_have_their_groups),
        cmocka_unit_test(formulas_see_the_model_and_the_part),
        cmocka_unit_test(wrong_factors_are_refused),
        cmocka_unit_test(updates_follow_the_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
