/* Leaf functions against references in higher precision. */
#include "helpers.h"

#include "../../model/blas.h"
#include "../../model/ops.h"

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The distance between floats next to x > 0. */
static double ulp(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
}

/* Every 101st of all floats. */
static void exp_is_within_two_ulp(void **state)
{
    (void)state;
    enum { CHUNK = 4096, STRIDE = 101 };
    float x[CHUNK], y[CHUNK];
    double worst = 0;
    for (uint64_t at = 0; at < (1ull << 32);) {
        int n = 0;
        for (; n < CHUNK && at < (1ull << 32); at += STRIDE) {
            x[n] = float_of((uint32_t)at);
            if (x[n] > -110 && x[n] < 88.72f) n++;
        }
        kernel_exp(y, x, n);
        for (int i = 0; i < n; i++) {
            double exact = exp((double)x[i]), error = fabs((double)y[i] - exact) / ulp(exact);
            if (!(error < 2)) fail_msg("exp(%.9g) is %.9g, %.2f ulp off", (double)x[i], (double)y[i], error);
            worst = fmax(worst, error);
        }
    }
    print_message("worst error of exp: %.3f ulp\n", worst);
}

static void exp_has_the_right_limits(void **state)
{
    (void)state;
    const float x[] = {0.0f, -0.0f, 1e-45f, -1e-45f, 1e-39f, 88.72f, 88.73f, 89, 1e4f, 3e38f, INFINITY, -87.5f, -103, -104.1f, -1e4f, -3e38f, -INFINITY, NAN};
    float y[COUNT(x)];
    kernel_exp(y, x, COUNT(x));
    for (int i = 0; i < 5; i++) assert_true(y[i] == 1);
    assert_true(isfinite(y[5]) && y[5] > 3e38f);
    for (int i = 6; i < 11; i++) assert_true(isinf(y[i]) && y[i] > 0);
    assert_true(y[11] > 0 && y[12] > 0);
    for (int i = 13; i < 17; i++) assert_true(y[i] == 0);
    assert_true(isnan(y[17]));
}

static void softmax_is_stable_and_repeats_to_the_bit(void **state)
{
    (void)state;
    enum { N = 101 };
    static const double size[] = {0, 1, 30, 1e4};
    for (size_t s = 0; s < COUNT(size); s++)
        for (int n = 1; n <= N; n++) {
            float given[N], x[N], again[N];
            for (int i = 0; i < n; i++) given[i] = (float)(size[s] * (2 * test_unit(s, i) - 1));
            given[0] = (float)size[s], given[n / 2] = (float)-size[s];
            memcpy(x, given, sizeof x);
            memcpy(again, given, sizeof again);
            long double sum = 0, p[N], most = -INFINITY;
            for (int i = 0; i < n; i++) most = fmaxl(most, given[i]);
            for (int i = 0; i < n; i++) sum += p[i] = expl(given[i] - most);
            Softmax kept = kernel_softmax(x, n);
            kernel_softmax_again(again, kept, n);
            assert_memory_equal(x, again, (size_t)n * sizeof *x);
            for (int i = 0; i < n; i++) {
                double exact = (double)(p[i] / sum), below = (double)(most - given[i]);
                assert_near(x[i], exact, exact * (1e-6 + 0x1p-24 * below) + 1e-44);
            }
        }
}

/* With one column and x = 1 the logits are the table, exactly. */
static void token_losses_are_exact_at_large_logits(void **state)
{
    (void)state;
    enum { V = 37 };
    static const double size[] = {1e-3, 1, 30, 1e4};
    for (size_t s = 0; s < COUNT(size); s++) {
        float w[V], g[V] = {0}, x[V], dx[V], *logits = xcalloc((size_t)head_chunk(V) * V, sizeof *logits);
        int32_t target[V];
        double loss[V];
        for (int i = 0; i < V; i++) w[i] = (float)(size[s] * (2 * test_unit(s, i) - 1)), x[i] = 1, target[i] = i;
        w[5] = (float)size[s], w[6] = (float)-size[s];
        const Tensor table = {.rows = V, .cols = 1, .w = w, .g = g};
        double log_z[V], variance[V];
        const Head head = {&table, 1, log_z, variance};
        head_loss(loss, dx, logits, x, target, &head, 1, V, 2);
        long double sum = 0, most = -INFINITY;
        for (int i = 0; i < V; i++) most = fmaxl(most, w[i]);
        for (int i = 0; i < V; i++) sum += expl(w[i] - most);
        for (int i = 0; i < V; i++) {
            double exact = (double)(logl(sum) + most - w[i]);
            assert_near(loss[i], exact, 2e-7 * (1 + exact));
            assert_near(log_z[i], (double)(logl(sum) + most), 2e-7 * (1 + fabs(log_z[i])));
            assert_near(g[i], (double)(V * expl(w[i] - most) / sum - 1), 1e-5);
            assert_true(isfinite(dx[i]));
        }
        free(logits);
    }
}

/* --- activations, against the formulas in double --- */

static double activation_of(double x, Activation act)
{
    if (act == RELU) return x > 0 ? x : 0;
    if (act == GELU_EXACT) return x / 2 * erfc(-x / sqrt(2));
    return x / 2 * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
}

static void activations_and_slopes_match(void **state)
{
    (void)state;
    const float x[] = {-1e30f, -1e4f, -100, -30, -10, -6, -5, -4, -3, -2, -1, -0.751f, -0.5f, -1e-3f, -1e-20f, 1e-20f, 1e-3f, 0.1f, 0.5f, 1, 1.5f, 2, 3,
                       4, 5, 6, 10, 30, 31, 100, 1e4f, 1e30f};
    float y[COUNT(x)], slope[COUNT(x)];
    for (Activation act = GELU; act < ACTIVATIONS; act++) {
        memcpy(slope, x, sizeof x);
        kernel_activation(y, slope, COUNT(x), act);
        for (size_t i = 0; i < COUNT(x); i++) {
            double at = (double)x[i], h = 1e-5 * fmax(1e-15, fmin(1, fabs(at))), away = fabs(at) > 1e6 ? at * 1e-6 : 0;
            h = fmax(h, fabs(away));
            double exact = activation_of(at, act), numeric = (activation_of(at + h, act) - activation_of(at - h, act)) / (2 * h);
            if (!(fabs((double)y[i] - exact) <= 1e-6 * fmax(fabs(exact), fmin(fabs(at), 1))))
                fail_msg("%s(%g) is %.9g, not %.9g", activation_name[act], at, (double)y[i], exact);
            if (!(fabs((double)slope[i] - numeric) <= 2e-6)) fail_msg("slope of %s at %g is %.9g, not %.9g", activation_name[act], at, (double)slope[i], numeric);
        }
    }
}

static void slopes_at_infinity_are_0_and_1(void **state)
{
    (void)state;
    float y[4];
    for (Activation act = GELU; act < ACTIVATIONS; act++) {
        float slope[] = {-INFINITY, INFINITY, -3e38f, 3e38f};
        kernel_activation(y, slope, 4, act);
        for (int i = 0; i < 4; i++) assert_true(slope[i] == (float)(i % 2));
        assert_true(isinf(y[1]) && y[2] == 0 && y[3] == 3e38f);
    }
}

static void nan_passes_through(void **state)
{
    (void)state;
    for (Activation act = GELU; act < ACTIVATIONS; act++) {
        float y[1], slope[] = {NAN};
        kernel_activation(y, slope, 1, act);
        assert_true(isnan(y[0]));
        assert_true(act == RELU || isnan(slope[0]));
    }
    float scores[] = {0, NAN, 1};
    kernel_softmax(scores, 3);
    assert_true(isnan(scores[0]) && isnan(scores[1]) && isnan(scores[2]));
}

/* --- LayerNorm and sums --- */

static void norm_matches_a_double_reference(void **state)
{
    (void)state;
    enum { N = 301 };
    float x[N], y[N], gain[N], bias[N];
    for (int n = 1; n <= N; n += 1 + n / 20)
        for (int with_bias = 0; with_bias < 2; with_bias++) {
            double mean = 0, square = 0;
            for (int i = 0; i < n; i++) {
                x[i] = (float)(3 + 2 * test_normal(1, i));
                gain[i] = (float)(1 + 0.3 * test_normal(2, i));
                bias[i] = (float)test_normal(3, i);
                mean += (double)x[i] / n;
            }
            for (int i = 0; i < n; i++) square += ((double)x[i] - mean) * ((double)x[i] - mean);
            double root = sqrt(square / n + 1e-5);
            float m, r;
            kernel_norm(y, &m, &r, x, gain, with_bias ? bias : NULL, n);
            assert_near(m, mean, 2e-6);
            assert_near(r * root, 1, 2e-6);
            for (int i = 0; i < n; i++)
                assert_near(y[i], ((double)x[i] - mean) / root * (double)gain[i] + with_bias * (double)bias[i], 1e-5 + 1e-6 / root);
        }
}

static void sums_match_and_count_every_element(void **state)
{
    (void)state;
    enum { N = 100 };
    float a[N], b[N];
    double dot = 0, squares = 0;
    for (int i = 0; i < N; i++) a[i] = (float)test_normal(1, i), b[i] = (float)test_normal(2, i);
    for (int n = 0; n <= N; n++) {
        assert_near(kernel_dot(a, b, n), dot, 1e-5);
        assert_near(kernel_squares(a, n), squares, 1e-12);
        if (n < N) dot += (double)a[n] * (double)b[n], squares += (double)a[n] * (double)a[n];
    }
}

/* --- dropout --- */

static void masks_keep_the_right_fraction(void **state)
{
    (void)state;
    enum { N = 200000 };
    float *mask = xcalloc(N, sizeof *mask);
    static const double rate[] = {0.01, 0.1, 0.5, 0.9};
    for (size_t r = 0; r < COUNT(rate); r++) {
        int64_t kept = 0;
        kernel_dropout_mask(mask, N, rate[r], 1, 2, 3, 4, 0);
        for (int i = 0; i < N; i++) {
            assert_true(mask[i] == 0 || mask[i] == (float)(1 / (1 - rate[r])));
            kept += mask[i] != 0;
        }
        assert_near((double)kept, N * (1 - rate[r]), 5 * sqrt(N * rate[r] * (1 - rate[r])));
    }
    free(mask);
}

static void a_mask_does_not_depend_on_how_it_is_cut(void **state)
{
    (void)state;
    enum { N = 67 };
    float whole[N], piece[N], other[N];
    kernel_dropout_mask(whole, N, 0.3, 1, 2, 3, 4, 0);
    for (int first = 0; first < N; first++)
        for (int n = 1; first + n <= N; n++) {
            kernel_dropout_mask(piece, n, 0.3, 1, 2, 3, 4, first);
            assert_memory_equal(piece, whole + first, (size_t)n * sizeof *piece);
        }
    for (uint32_t which = 0; which < 4; which++) {
        kernel_dropout_mask(other, N, 0.3, 1 + (which == 0), 2 + (which == 1), 3 + (which == 2), 4 + (which == 3), 0);
        assert_memory_not_equal(other, whole, sizeof whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_within_two_ulp),
        cmocka_unit_test(exp_has_the_right_limits),
        cmocka_unit_test(softmax_is_stable_and_repeats_to_the_bit),
        cmocka_unit_test(token_losses_are_exact_at_large_logits),
        cmocka_unit_test(activations_and_slopes_match),
        cmocka_unit_test(slopes_at_infinity_are_0_and_1),
        cmocka_unit_test(nan_passes_through),
        cmocka_unit_test(norm_matches_a_double_reference),
        cmocka_unit_test(sums_match_and_count_every_element),
        cmocka_unit_test(masks_keep_the_right_fraction),
        cmocka_unit_test(a_mask_does_not_depend_on_how_it_is_cut),
    };
    blas_start(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
