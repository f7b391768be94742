/* Learning rates, clipping, AdamW. */
#include "helpers.h"

#include "../../train/run/optim.h"

static Config config_of(int64_t steps, int64_t warmup, Schedule schedule, int64_t decay)
{
    return (Config){.steps = steps, .warmup_steps = warmup, .schedule = (int)schedule, .decay_steps = decay, .lr = 0.01, .min_lr = 0.002,
                    .beta1 = 0.9, .beta2 = 0.99, .eps = 1e-8, .weight_decay = 0.1, .grad_clip = 1};
}

/* --- schedules --- */

static void schedules_follow_their_formulas(void **state)
{
    (void)state;
    static const struct { int64_t steps, warmup; Schedule schedule; int64_t decay, step; double lr; } row[] = {
        /* warm-up: lr·(s+1)/w, and lr itself at its end */
        {20, 4, SCHEDULE_COSINE, 0, 0, 0.0025}, {20, 4, SCHEDULE_LINEAR, 0, 1, 0.005}, {20, 4, SCHEDULE_WSD, 5, 2, 0.0075}, {20, 4, SCHEDULE_CONSTANT, 0, 3, 0.01},
        {20, 1, SCHEDULE_COSINE, 0, 0, 0.01}, {10, 10, SCHEDULE_LINEAR, 0, 9, 0.01}, {10, 10, SCHEDULE_WSD, 0, 4, 0.005},
        /* p = 0, 1/2, 1 of the rest */
        {11, 0, SCHEDULE_COSINE, 0, 0, 0.01}, {11, 0, SCHEDULE_COSINE, 0, 5, 0.006}, {11, 0, SCHEDULE_COSINE, 0, 10, 0.002},
        {15, 4, SCHEDULE_COSINE, 0, 4, 0.01}, {15, 4, SCHEDULE_COSINE, 0, 9, 0.006}, {15, 4, SCHEDULE_COSINE, 0, 14, 0.002},
        {13, 0, SCHEDULE_COSINE, 0, 3, 0.002 + 0.004 * (1 + 0.70710678118654752440)}, {13, 0, SCHEDULE_COSINE, 0, 4, 0.008},
        {11, 0, SCHEDULE_LINEAR, 0, 0, 0.01}, {11, 0, SCHEDULE_LINEAR, 0, 3, 0.0076}, {11, 0, SCHEDULE_LINEAR, 0, 10, 0.002}, {15, 4, SCHEDULE_LINEAR, 0, 9, 0.006},
        {11, 3, SCHEDULE_CONSTANT, 0, 3, 0.01}, {11, 3, SCHEDULE_CONSTANT, 0, 10, 0.01},
        /* wsd: the last D updates go down to min_lr in D equal steps */
        {20, 4, SCHEDULE_WSD, 5, 4, 0.01}, {20, 4, SCHEDULE_WSD, 5, 14, 0.01}, {20, 4, SCHEDULE_WSD, 5, 15, 0.0084}, {20, 4, SCHEDULE_WSD, 5, 19, 0.002},
        {20, 4, SCHEDULE_WSD, 0, 19, 0.01}, {20, 0, SCHEDULE_WSD, 20, 0, 0.0096}, {20, 4, SCHEDULE_WSD, 1, 18, 0.01}, {20, 4, SCHEDULE_WSD, 1, 19, 0.002},
        /* a single update */
        {1, 0, SCHEDULE_COSINE, 0, 0, 0.01}, {1, 0, SCHEDULE_LINEAR, 0, 0, 0.01}, {1, 0, SCHEDULE_CONSTANT, 0, 0, 0.01}, {1, 0, SCHEDULE_WSD, 0, 0, 0.01},
        {1, 1, SCHEDULE_COSINE, 0, 0, 0.01}, {1, 0, SCHEDULE_WSD, 1, 0, 0.002}};
    for (size_t i = 0; i < COUNT(row); i++) {
        Config c = config_of(row[i].steps, row[i].warmup, row[i].schedule, row[i].decay);
        double lr = optim_lr(&c, row[i].step);
        if (!(fabs(lr - row[i].lr) <= 1e-15))
            fail_msg("%s, %d steps, warm-up %d, decay %d: lr of step %d is %.17g, not %.17g", schedule_name[c.schedule], (int)c.steps, (int)c.warmup_steps,
                     (int)c.decay_steps, (int)row[i].step, lr, row[i].lr);
    }
}

static void no_step_has_a_rate_of_0_or_nan(void **state)
{
    (void)state;
    for (int64_t steps = 1; steps <= 12; steps++)
        for (int64_t warmup = 0; warmup <= steps; warmup++)
            for (Schedule schedule = SCHEDULE_COSINE; schedule < SCHEDULES; schedule++)
                for (int64_t decay = 0; decay <= steps - warmup; decay++)
                    for (int64_t s = 0; s < steps; s++) {
                        Config c = config_of(steps, warmup, schedule, decay);
                        double lr = optim_lr(&c, s), low = s < warmup ? 0.01 / (double)warmup : 0.002;
                        assert_true(lr >= low * (1 - 1e-12) && lr <= 0.01 * (1 + 1e-12));
                    }
}

/* --- clipping --- */

static void clipping_starts_at_the_threshold(void **state)
{
    (void)state;
    Config c = config_of(10, 0, SCHEDULE_CONSTANT, 0);
    c.grad_clip = 2;
    assert_true(optim_clip(&c, 0) == 1 && optim_clip(&c, 1.99) == 1);
    assert_near(optim_clip(&c, 2), 2 / 2.000001, 1e-15);       /* as PyTorch, whose 1e-6 clips the threshold itself */
    assert_near(optim_clip(&c, 8), 0.25, 1e-6);
    assert_true(optim_clip(&c, 1e30) < 1e-29);
    c.grad_clip = 0;
    assert_true(optim_clip(&c, 8) == 1 && optim_clip(&c, 0) == 1);
}

/* --- AdamW --- */

/* As of a scheme that says nothing. */
static const Factors *factors_of_one(const Params *p)
{
    static Factors f[64];
    assert_true(p->parts <= (int)COUNT(f));
    for (int i = 0; i < p->parts; i++) f[i] = (Factors){.value = {1, 1, 1}};
    return f;
}

static const Shape shape = SHAPE(2, 3, 45, 77, 37, 61, true, false, GELU);

static Gpt *model_with_gradients(int threads)
{
    Gpt *g = gpt_new(&shape, 1, threads);
    scatter_weights(g, 1);
    for (int i = 0; i < g->params.tensors; i++)
        for (int64_t k = 0; k < g->params.tensor[i].rows * g->params.tensor[i].cols; k++) g->params.tensor[i].g[k] = (real)test_normal(9, 7 * i + k);
    return g;
}

/* w 0.5, gradients 0.1, -0.2, 0.05, lr 0.01, betas 0.9 and 0.99, eps 1e-8, decay 0.1: w, m and v after each update,
 * computed from the paper's formulas in double precision. */
static void three_updates_by_hand(void **state)
{
    (void)state;
    static const double gradient[] = {0.1, -0.2, 0.05}, w[] = {0.4895000009999999, 0.4926665779014659, 0.4935417170869774},
                        m[] = {0.01, -0.011, -0.0049}, v[] = {0.0001, 0.000499, 0.00051901};
    Config c = config_of(10, 0, SCHEDULE_CONSTANT, 0);
    Gpt *g = gpt_new(&shape, 1, 1);
    Tensor *t = g->wte;
    t->w[3] = (real)0.5;
    for (int64_t s = 0; s < 3; s++) {
        t->g[3] = (real)(2 * gradient[s]);
        optim_step(&g->params, &c, factors_of_one(&g->params), s, 0.01, 0.5, 2);           /* clip halves the gradient */
        assert_near(t->w[3], w[s], 1e-7);
        assert_near(t->m[3], m[s], 2e-9);
        assert_near(t->v[3], v[s], 1e-10);
        assert_true(t->w[2] == 0 && t->w[4] == 0);
    }
    gpt_free(g);
}

/* Without gradients only the decay is left, and vectors have none. */
static void matrices_decay_and_vectors_do_not(void **state)
{
    (void)state;
    Config c = config_of(10, 0, SCHEDULE_CONSTANT, 0);
    Gpt *g = gpt_new(&shape, 1, 2), *before = gpt_new(&shape, 1, 2);
    scatter_weights(g, 1);
    scatter_weights(before, 1);
    optim_step(&g->params, &c, factors_of_one(&g->params), 0, 0.01, 1, 2);
    int matrices = 0;
    for (int i = 0; i < g->params.tensors; i++) {
        const Tensor *t = &g->params.tensor[i], *old = &before->params.tensor[i];
        matrices += t->matrix;
        assert_int_equal(t->matrix, t->rows > 1);
        for (int64_t k = 0; k < t->rows * t->cols; k++) assert_true(t->w[k] == old->w[k] * (t->matrix ? (real)0.999 : 1));
    }
    assert_int_equal(matrices, 3 + 4 * 2);
    gpt_free(g);
    gpt_free(before);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    static const int threads[] = {2, 3, 5};
    Config c = config_of(10, 0, SCHEDULE_CONSTANT, 0);
    Gpt *one = model_with_gradients(1);
    for (int64_t s = 0; s < 3; s++) optim_step(&one->params, &c, factors_of_one(&one->params), s, 0.01, 0.7, 1);
    for (size_t i = 0; i < COUNT(threads); i++) {
        Gpt *g = model_with_gradients(threads[i]);
        for (int64_t s = 0; s < 3; s++) optim_step(&g->params, &c, factors_of_one(&g->params), s, 0.01, 0.7, threads[i]);
        for (int t = 0; t < g->params.tensors; t++) {
            const Tensor *a = &g->params.tensor[t], *b = &one->params.tensor[t];
            size_t bytes = (size_t)(a->rows * a->cols) * sizeof(real);
            assert_memory_equal(a->w, b->w, bytes);
            assert_memory_equal(a->m, b->m, bytes);
            assert_memory_equal(a->v, b->v, bytes);
        }
        gpt_free(g);
    }
    gpt_free(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedules_follow_their_formulas),
        cmocka_unit_test(no_step_has_a_rate_of_0_or_nan),
        cmocka_unit_test(clipping_starts_at_the_threshold),
        cmocka_unit_test(three_updates_by_hand),
        cmocka_unit_test(matrices_decay_and_vectors_do_not),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
