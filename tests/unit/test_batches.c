/* Which windows of the text a step and an evaluation see. */
#include "helpers.h"

#include "../../train/run/setup.h"

/* Pearson's statistic over equally likely cells: about `cells` - 1, with a standard deviation of √(2(cells - 1)). */
static double chi_square(const int64_t *count, int64_t cells, int64_t draws)
{
    double each = (double)draws / (double)cells, sum = 0;
    for (int64_t i = 0; i < cells; i++) sum += ((double)count[i] - each) * ((double)count[i] - each) / each;
    return sum;
}

static void random_windows_are_uniform_to_the_last(void **state)
{
    (void)state;
    enum { T = 7, N = T + 53, CELLS = N - T, DRAWS = 100 * CELLS };
    for (uint64_t seed = 1; seed <= 20; seed++) {
        int64_t count[CELLS] = {0};
        for (int64_t i = 0; i < DRAWS; i++) {
            int64_t start = batch_start(ORDER_RANDOM, seed, i / 8, 8, i % 8, N, T);
            assert_in_range(start, 0, CELLS - 1);
            count[start]++;
        }
        double chi = chi_square(count, CELLS, DRAWS), freedom = CELLS - 1;
        if (!(fabs(chi - freedom) < 5 * sqrt(2 * freedom))) fail_msg("seed %d: chi square is %.1f, not about %.0f", (int)seed, chi, freedom);
    }
    for (int64_t i = 0; i < 100; i++) assert_int_equal(batch_start(ORDER_RANDOM, 1, i, 1, 0, T + 1, T), 0);
}

/* Pairs of starts, two cells each: of neighbouring rows, of neighbouring steps, of neighbouring seeds. */
static void rows_steps_and_seeds_are_independent(void **state)
{
    (void)state;
    enum { T = 4, N = T + 8, DRAWS = 64000 };
    for (int what = 0; what < 3; what++) {
        int64_t count[64] = {0};
        for (int64_t i = 0; i < DRAWS; i++) {
            int64_t a = batch_start(ORDER_RANDOM, 3, 2 * i, 8, 2, N, T);
            int64_t b = batch_start(ORDER_RANDOM, 3 + (what == 0), 2 * i + (what == 1), 8, 2 + (what == 2), N, T);
            count[a * 8 + b]++;
        }
        assert_near(chi_square(count, 64, DRAWS), 63, 5 * sqrt(126));
    }
}

static void a_large_text_is_reached_to_its_end(void **state)
{
    (void)state;
    const int64_t n = 5000000000, T = 64;
    double sum = 0, most = 0;
    for (int64_t i = 0; i < 10000; i++) {
        double start = (double)batch_start(ORDER_RANDOM, 1, i, 1, 0, n, T);
        assert_true(start >= 0 && start <= (double)(n - T - 1));
        sum += start / 10000;
        most = fmax(most, start);
    }
    assert_near(sum / (double)n, 0.5, 5 * sqrt(1.0 / 12 / 10000));
    assert_true(most > 0.999 * (double)n);
}

static void sequential_windows_wrap(void **state)
{
    (void)state;
    const int64_t n = 50, T = 7, windows = 7;      /* ⌊49/7⌋: the last ends, with its target, at token 49 */
    for (int64_t step = 0; step < 20; step++)
        for (int64_t row = 0; row < 3; row++) {
            int64_t start = batch_start(ORDER_SEQUENTIAL, 1, step, 3, row, n, T);
            assert_int_equal(start, (step * 3 + row) % windows * T);
            assert_true(start + T + 1 <= n);
        }
    assert_int_equal(batch_start(ORDER_SEQUENTIAL, 1, 2, 3, 0, n, T), 42);
    assert_int_equal(batch_start(ORDER_SEQUENTIAL, 1, 2, 3, 1, n, T), 0);
    assert_int_equal(batch_start(ORDER_SEQUENTIAL, 1, 2, 3, 0, n - 1, T), 0);      /* 49 tokens hold six windows only */
    assert_int_equal(batch_start(ORDER_SEQUENTIAL, 1, 9, 3, 2, T + 1, T), 0);
}

/* --- through the config: a step's rows do not depend on how they are cut into micro-batches --- */

static void accumulation_sees_the_big_batch(void **state)
{
    (void)state;
    enum { T = 7, ROWS = 8 };
    unsigned char text[200];
    int32_t token[ROWS * T], target[ROWS * T], big[2][ROWS * T];
    for (int i = 0; i < 200; i++) text[i] = (unsigned char)('a' + i % 26);
    for (int order = 0; order < ORDERS; order++)
        for (int64_t step = 0; step < 5; step++)
            for (int64_t accum = 1; accum <= ROWS; accum *= 2) {
                int64_t B = ROWS / accum;
                Setup s = {.config = {.order = order, .data_seed = 3, .batch_size = B, .grad_accum = accum, .block_size = T, .dropout = 0.1},
                           .corpus = {.byte = text, .size = 200, .train = 190}, .tokenizer = tokenizer_make(TOKENIZER_BYTE, text, 200),
                           .token = token, .target = target};
                for (int64_t k = 0; k < accum; k++) {
                    Batch b = setup_batch(&s, step, k);
                    assert_true(b.rows == B && b.length == T && b.dropout.first_row == (uint32_t)(k * B) && b.dropout.step == (uint32_t)step && b.dropout.seed == 3);
                    if (accum == 1) {
                        memcpy(big[0], token, sizeof token);
                        memcpy(big[1], target, sizeof target);
                    }
                    assert_memory_equal(b.token, big[0] + k * B * T, (size_t)(B * T) * sizeof *token);
                    assert_memory_equal(b.target, big[1] + k * B * T, (size_t)(B * T) * sizeof *target);
                }
            }
}

static void targets_are_the_tokens_that_follow(void **state)
{
    (void)state;
    unsigned char text[] = "badcab";
    Corpus c = {.byte = text, .size = 6, .train = 6};
    Tokenizer t = tokenizer_make(TOKENIZER_CHAR, text, 6);
    int32_t token[5], target[5];
    const int32_t expected[] = {1, 0, 3, 2, 0, 1};
    assert_int_equal(t.size, 4);
    batch_fill(token, target, &c, &t, 0, 5);
    assert_memory_equal(token, expected, sizeof token);
    assert_memory_equal(target, expected + 1, sizeof target);
    batch_fill(token, target, &c, &t, 2, 3);
    assert_memory_equal(token, expected + 2, 3 * sizeof *token);
    assert_memory_equal(target, expected + 3, 3 * sizeof *token);
}

static void validation_windows_are_evenly_spaced(void **state)
{
    (void)state;
    static const int64_t size[] = {65, 66, 100, 1000, 111540, 3000000000};
    const int64_t T = 64;
    for (size_t s = 0; s < COUNT(size); s++)
        for (int64_t count = 1; count <= 300; count += 1 + count / 7) {
            int64_t n = size[s], before = 0, step = count > 1 ? (n - T - 1) / (count - 1) : 0;
            assert_int_equal(window_start(0, count, n, T), 0);
            for (int64_t i = 1; i < count; i++) {
                int64_t at = window_start(i, count, n, T);
                assert_true(at - before == step || at - before == step + 1);
                before = at;
            }
            if (count > 1) assert_int_equal(before + T + 1, n);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_windows_are_uniform_to_the_last),
        cmocka_unit_test(rows_steps_and_seeds_are_independent),
        cmocka_unit_test(a_large_text_is_reached_to_its_end),
        cmocka_unit_test(sequential_windows_wrap),
        cmocka_unit_test(accumulation_sees_the_big_batch),
        cmocka_unit_test(targets_are_the_tokens_that_follow),
        cmocka_unit_test(validation_windows_are_evenly_spaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
