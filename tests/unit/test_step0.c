/* What is known in closed form about a network at step 0. */
#include "helpers.h"

#include "../../model/blas.h"
#include "../../model/init.h"

static Scheme scheme_with(const char *name, const char *param, double value)
{
    Json given = {.kind = JSON_STRING, .string = (char *)(uintptr_t)name, .where = (char *)(uintptr_t)"test"};
    Json *params = json_new(JSON_OBJECT);
    if (param) json_put_number(params, param, value);
    Scheme s = scheme_load(&given, ".", params, NULL);
    json_free(params);
    return s;
}

/* --- x <- x + W·LN(x), one addition a layer, 12 layers of width 256: the standard deviation that comes out --- */

static double toy_output_std(const char *scheme)
{
    enum { L = 12, C = 256, VECTORS = 32 };
    const Shape shape = SHAPE(L, 4, C, 4, 1, 1, false, true, GELU);
    Gpt *g = gpt_new(&shape, 1, 2);
    Scheme s = scheme_named(scheme);
    init_weights(g, &s, 1);
    double x[C], normed[C], sum = 0, square = 0;
    for (int v = 0; v < VECTORS; v++) {
        for (int i = 0; i < C; i++) x[i] = test_normal(1, v * C + i);
        for (int l = 0; l < L; l++) {
            const Part *part = NULL;
            for (int i = 0; i < g->params.parts; i++)
                if (g->params.part[i].layer == l && g->params.part[i].role == ROLE_ATTN_PROJ) part = &g->params.part[i];
            double mean = 0, variance = 0;
            for (int i = 0; i < C; i++) mean += x[i] / C;
            for (int i = 0; i < C; i++) variance += (x[i] - mean) * (x[i] - mean) / C;
            for (int i = 0; i < C; i++) normed[i] = (x[i] - mean) / sqrt(variance + 1e-5);
            for (int i = 0; i < C; i++)
                for (int j = 0; j < C; j++) x[j] += normed[i] * (double)part_row(&g->params, part, g->params.tensor[part->tensor].w, i)[j];
        }
        for (int i = 0; i < C; i++) sum += x[i], square += x[i] * x[i];
    }
    scheme_free(&s);
    gpt_free(g);
    double n = VECTORS * C, mean = sum / n;
    return sqrt(square / n - mean * mean);
}

static void the_toy_grows_as_the_closed_form_says(void **state)
{
    (void)state;
    double plain = toy_output_std("bert"), scaled = toy_output_std("gpt2_sqrt_l"), twice = toy_output_std("gpt2");
    print_message("toy: %.4f, %.4f with 1/sqrt(L), %.4f with 1/sqrt(2L)\n", plain, scaled, twice);
    assert_near(plain, 1.5036, 0.04);          /* √(1 + L·C·.02²) = 1.4929 */
    assert_near(scaled, 1.0453, 0.04);         /* √(1 + C·.02²) = 1.0500 */
    assert_near(twice, sqrt(1 + 256 * 0.0004 / 2), 0.04);
    assert_true(twice < scaled);
}

/* --- the loss of an untied head on random targets: ln V + C·s²/2 --- */

/* Over 163840 targets its standard error is √(C·s²)/405 = .004, .3 % of C·s²/2 = 1.28. V is large enough that the ln of
 * a mean of V exponentials is below its limit by (e^(C·s²) - 1)/2V = .0029 only. */
static void an_untied_head_costs_ln_v_and_its_spread(void **state)
{
    (void)state;
    enum { V = 2048, C = 256, T = 64, ROWS = 64, SEEDS = 8, BATCHES = 5 };
    const double s = 0.1, term = C * s * s / 2;
    const Shape shape = SHAPE(1, 4, C, 16, T, V, true, false, GELU);
    double sum = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Gpt *g = gpt_new(&shape, ROWS, 2);
        Scheme scheme = scheme_with("bert", "std", s);
        init_weights(g, &scheme, seed);
        for (uint64_t k = 0; k < BATCHES; k++) {
            Batch b = batch_random(&shape, ROWS, T, 100 * seed + k);
            sum += gpt_loss(g, &b) / (ROWS * T);
            batch_free(&b);
        }
        scheme_free(&scheme);
        gpt_free(g);
    }
    double loss = sum / (SEEDS * BATCHES);
    print_message("untied head: ln V + %.4f, closed form ln V + %.4f\n", loss - log(V), term);
    assert_near(loss - log(V), term, 0.01 * term);
}

/* --- gradients that are 0 --- */

static const Shape untied = SHAPE(2, 3, 48, 80, 19, 31, true, false, GELU);

/* Whether each part's gradient at step 0 is exactly 0 must be as `zero` says. */
static void check_zeros(const Shape *shape, const char *scheme, bool (*zero)(Role role))
{
    Gpt *g = gpt_new(shape, 3, 2);
    Scheme s = scheme_named(scheme);
    init_weights(g, &s, 1);
    Batch b = batch_random(shape, 3, shape->block_size, 1);
    gpt_loss_back(g, &b, 1.0 / (double)(3 * shape->block_size));
    double *square = xcalloc((size_t)g->params.parts, sizeof *square);
    params_gradient_squares(&g->params, square, 2);
    for (int i = 0; i < g->params.parts; i++) {
        const Part *part = &g->params.part[i];
        if (part->role == ROLE_ATTN_K_BIAS) continue;      /* 0 up to rounding, by symmetry */
        if (!isfinite(square[i]) || zero(part->role) != (square[i] == 0))
            fail_msg("%s: the gradient of %s is %g", scheme, part->name, sqrt(square[i]));
    }
    free(square);
    batch_free(&b);
    scheme_free(&s);
    gpt_free(g);
}

static bool behind_a_projection(Role r)
{
    return r != ROLE_WTE && r != ROLE_WPE && r != ROLE_LM_HEAD && r != ROLE_LN_F_GAIN && r != ROLE_LN_F_BIAS && r != ROLE_ATTN_PROJ &&
           r != ROLE_ATTN_PROJ_BIAS && r != ROLE_MLP_PROJ && r != ROLE_MLP_PROJ_BIAS;
}

static bool not_the_head(Role r)
{
    return r != ROLE_LM_HEAD;
}

static bool nothing(Role r)
{
    (void)r;
    return false;
}

/* Gains of 0 make the branch's input 0. Its matrices get nothing, nor do q and k's biases, since k and q are 0; gains and
 * biases do get something, through v and through GELU's slope of 1/2 at 0. */
static bool fed_by_a_zero_norm(Role r)
{
    return r == ROLE_ATTN_Q || r == ROLE_ATTN_K || r == ROLE_ATTN_V || r == ROLE_ATTN_PROJ || r == ROLE_MLP_FC || r == ROLE_MLP_PROJ ||
           r == ROLE_ATTN_Q_BIAS;
}

/* ReLU has no slope at 0: its whole branch is dead, but for the bias behind it. */
static bool dead_with_relu(Role r)
{
    return fed_by_a_zero_norm(r) || r == ROLE_MLP_FC_BIAS || r == ROLE_LN_2_GAIN || r == ROLE_LN_2_BIAS;
}

static void zeros_of_the_gradient_are_exact(void **state)
{
    (void)state;
    for (int t = 0; t < 2; t++) {
        Shape shape = untied, relu;
        shape.tied = t;
        relu = shape;
        relu.activation = RELU;
        check_zeros(&shape, "gpt2", nothing);
        check_zeros(&shape, "zero_proj", behind_a_projection);
        check_zeros(&shape, "ln_zero", fed_by_a_zero_norm);
        check_zeros(&relu, "ln_zero", dead_with_relu);
    }
    check_zeros(&untied, "zero_head", not_the_head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_toy_grows_as_the_closed_form_says),
        cmocka_unit_test(an_untied_head_costs_ln_v_and_its_spread),
        cmocka_unit_test(zeros_of_the_gradient_are_exact),
    };
    blas_start(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
