/* The noise that weights are made of: the generator, who shares it and who does not, and matrix rules. */
#include "helpers.h"

/* Random123's known answers for philox4x32-10: counter and key all zeros, and all ones where a seed has bits. */
static void the_generator_gives_its_known_answers(void **state)
{
    (void)state;
    static const uint32_t zeros[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    Noise n = noise_at(0, NOISE_WEIGHTS, 0, 0, 0, 0);
    assert_memory_equal(n.word, zeros, sizeof zeros);
    for (NoiseUse use = NOISE_BATCHES; use <= NOISE_SAMPLES; use++) {
        Noise other = noise_at(0, use, 0, 0, 0, 0);
        assert_memory_not_equal(other.word, zeros, sizeof zeros);
    }
    assert_true(noise_hash("", 0) == 0xcbf29ce484222325u && noise_hash("a", 1) == 0xaf63dc4c8601ec8cu);
}

static void units_are_inside_the_open_interval(void **state)
{
    (void)state;
    const Noise least = {{0, 0, 0, 0}}, most = {{UINT32_MAX, UINT32_MAX, 0, 0}}, half = {{0x80000000u, 0, 0, 0}};
    assert_true(noise_unit(least) == 0x1p-53 && noise_unit(most) == 1 - 0x1p-53);
    assert_true(noise_unit(half) == 0.5 + 0x1p-53);
}

/* Through erfc, from both ends; where u comes so near 1 that 1 - u has few bits, the lower tail stands for it. */
static void the_quantile_inverts_the_distribution(void **state)
{
    (void)state;
    for (double z = -37; z <= 5; z += 0.0625) {
        double u = erfc(-z / sqrt(2)) / 2;
        assert_near(normal_quantile(u), z, 1e-13 * fmax(1, fabs(z)) + (z > 0 ? 0x1p-52 / (1 - u) : 0));
        if (u < 0.5 && 1 - (1 - u) == u) assert_true(normal_quantile(1 - u) == -normal_quantile(u));
    }
    assert_true(normal_quantile(0.5) == 0 && normal_quantile(0x1p-53) == -normal_quantile(1 - 0x1p-53) && isfinite(normal_quantile(0x1p-53)));
}

/* --- of weights --- */

static void widths_share_their_noise_where_they_overlap(void **state)
{
    (void)state;
    const char *scheme = "{\"weights\": {\"*\": {\"normal\": \"0.02\"}, \"bias\": {\"uniform\": \"0.1\"}}}";
    const Shape narrow = SHAPE(2, 4, 64, 256, 32, 65, true, false, GELU), wide = SHAPE(3, 8, 128, 512, 64, 97, true, false, GELU);
    Gpt *a = model_filled(&narrow, scheme, 5, 2), *b = model_filled(&wide, scheme, 5, 2);
    for (int i = 0; i < a->params.parts; i++) {
        const Part *x = &a->params.part[i], *y = part_named(&b->params, x->name);
        assert_non_null(y);
        for (int64_t row = 0; row < x->rows; row++) assert_memory_equal(weights_of(a, x, row), weights_of(b, y, row), (size_t)x->cols * sizeof(real));
    }
    gpt_free(a);
    gpt_free(b);
}

static void seeds_differ_and_threads_do_not(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 5};
    static const char *const name[] = {"torch_default", "orthogonal"};
    const Shape shape = SHAPE(2, 4, 96, 384, 33, 65, true, false, GELU);
    for (size_t s = 0; s < COUNT(name); s++) {
        Gpt *first = model_filled(&shape, name[s], 1, 1), *other = model_filled(&shape, name[s], 2, 1);
        for (size_t i = 0; i < COUNT(threads); i++) {
            Gpt *g = model_filled(&shape, name[s], 1, threads[i]);
            for (int t = 0; t < g->params.tensors; t++) {
                const Tensor *x = &g->params.tensor[t];
                size_t bytes = (size_t)(x->rows * x->cols) * sizeof(real);
                assert_memory_equal(x->w, first->params.tensor[t].w, bytes);
                if (x->matrix) assert_memory_not_equal(x->w, other->params.tensor[t].w, 16);
            }
            gpt_free(g);
        }
        gpt_free(first);
        gpt_free(other);
    }
}

/* --- orthogonal --- */

/* ‖WᵀW - g²I‖ of a tall matrix, ‖WWᵀ - g²I‖ of a wide one. */
static double from_orthogonal(const Gpt *g, const Part *part, double gain)
{
    bool tall = part->rows >= part->cols;
    int64_t count = tall ? part->cols : part->rows, n = tall ? part->rows : part->cols;
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < count; j++) {
            double dot = i == j ? -gain * gain : 0;
            for (int64_t k = 0; k < n; k++)
                dot += tall ? (double)weights_of(g, part, k)[i] * (double)weights_of(g, part, k)[j]
                            : (double)weights_of(g, part, i)[k] * (double)weights_of(g, part, j)[k];
            sum += dot * dot;
        }
    return sqrt(sum);
}

static void orthogonal_matrices_are(void **state)
{
    (void)state;
    const Shape shape = SHAPE(2, 4, 96, 250, 33, 65, true, false, GELU);
    static const struct { const char *scheme; double gain; } form[] = {
        {"orthogonal", 1}, {"{\"weights\": {\"attn\": {\"orthogonal\": \"1.5\"}, \"mlp\": {\"orthogonal\": \"1.5\"}, \"*\": {\"orthogonal\": \"1.5\"}}}", 1.5}};
    for (size_t f = 0; f < COUNT(form); f++) {
        Gpt *g = model_filled(&shape, form[f].scheme, 1, 2);
        int seen = 0;
        for (int i = 0; i < g->params.parts; i++) {
            const Part *part = &g->params.part[i];
            const char *group = role_info[part->role].group;
            if (!role_info[part->role].matrix || (!group && !(f == 1 && part->role == ROLE_WTE))) continue;
            double off = from_orthogonal(g, part, form[f].gain);
            if (!(off < 1e-4)) fail_msg("%s is %g away from orthogonal", part->name, off);
            seen++;
        }
        assert_int_equal(seen, 12 + f);
        gpt_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_gives_its_known_answers),
        cmocka_unit_test(units_are_inside_the_open_interval),
        cmocka_unit_test(the_quantile_inverts_the_distribution),
        cmocka_unit_test(widths_share_their_noise_where_they_overlap),
        cmocka_unit_test(seeds_differ_and_threads_do_not),
        cmocka_unit_test(orthogonal_matrices_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
