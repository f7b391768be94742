/* The model as a whole: accumulation, the number of threads, lengths, memory. */
#include "helpers.h"


#include "../../model/blas.h"

/* Odd everywhere, and large enough that products are cut into several tiles and sums into several blocks. */
static const Shape odd = SHAPE(2, 3, 45, 77, 37, 301, true, false, GELU);

static double *part_squares(Gpt *g, double *total)
{
    double *square = xcalloc((size_t)g->params.parts, sizeof *square);
    *total = params_gradient_squares(&g->params, square, g->threads);
    return square;
}

/* The gradients of a batch of 8 rows, taken in pieces of `rows`, beside the loss. */
static double *in_pieces(int64_t rows, double rate, double *loss)
{
    const Shape shape = SHAPE(2, 3, 45, 77, 37, 61, true, true, GELU);
    Gpt *g = gpt_new(&shape, rows, 2);
    Batch all = batch_random(&shape, 8, 37, 5);
    scatter_weights(g, 1);
    *loss = 0;
    for (int64_t row = 0; row < 8; row += rows) {
        Batch piece = {.token = all.token + row * 37, .target = all.target + row * 37, .rows = rows, .length = 37,
                       .dropout = {.rate = rate, .seed = 1, .step = 2, .first_row = (uint32_t)row}};
        *loss += gpt_loss_back(g, &piece, 1.0 / (8 * 37));
    }
    double total, *square = part_squares(g, &total);
    batch_free(&all);
    gpt_free(g);
    return square;
}

static void accumulation_equals_the_big_batch(void **state)
{
    (void)state;
    const Shape shape = SHAPE(2, 3, 45, 77, 37, 61, true, true, GELU);
    Gpt *names = gpt_declared(&shape);
    for (int dropped = 0; dropped < 2; dropped++) {
        double loss, loss_whole, *whole = in_pieces(8, 0.2 * dropped, &loss_whole), total = 0;
        for (int i = 0; i < names->params.parts; i++) total += whole[i];
        for (int64_t rows = 1; rows <= 4; rows *= 2) {
            double *pieces = in_pieces(rows, 0.2 * dropped, &loss);
            assert_near(loss, loss_whole, 1e-6 * loss_whole);
            for (int i = 0; i < names->params.parts; i++) {
                double a = sqrt(pieces[i]), b = sqrt(whole[i]);
                if (names->params.part[i].role == ROLE_ATTN_K_BIAS) assert_true(a < 1e-5 * sqrt(total) && b < 1e-5 * sqrt(total));
                else if (!(fabs(a - b) <= 1e-5 * b)) fail_msg("%s: norm %.9g in pieces of %d rows, %.9g at once", names->params.part[i].name, a, (int)rows, b);
            }
            free(pieces);
        }
        free(whole);
    }
    gpt_free(names);
}

static void a_row_has_its_own_mask(void **state)
{
    (void)state;
    Gpt *g = gpt_new(&odd, 1, 1);
    Batch b = batch_random(&odd, 1, 37, 5);
    scatter_weights(g, 1);
    double plain = gpt_loss(g, &b), loss[3];
    for (uint32_t i = 0; i < 3; i++) {
        b.dropout = (Dropout){.rate = 0.2, .seed = 1, .step = i / 2, .first_row = i};
        loss[i] = gpt_loss(g, &b);
        assert_true(loss[i] == gpt_loss(g, &b));
        assert_true(fabs(loss[i] - plain) > 1e-3);
    }
    assert_true(fabs(loss[0] - loss[1]) > 1e-3 && fabs(loss[1] - loss[2]) > 1e-3);
    batch_free(&b);
    gpt_free(g);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    static const int threads[] = {1, 1, 2, 3, 5, 7};
    Batch b = batch_random(&odd, 5, 37, 9);
    b.dropout = (Dropout){.rate = 0.1, .seed = 1};
    Gpt *first = NULL;
    double loss = 0, total = 0, *square = NULL;
    for (size_t i = 0; i < COUNT(threads); i++) {
        Gpt *g = gpt_new(&odd, 5, threads[i]);
        scatter_weights(g, 1);
        double own = gpt_loss_back(g, &b, 0.01);
        assert_true(own == gpt_loss(g, &b));
        double own_total, *own_square = part_squares(g, &own_total);
        if (!first) {
            first = g, loss = own, total = own_total, square = own_square;
            continue;
        }
        assert_true(own == loss && own_total == total);
        assert_memory_equal(own_square, square, (size_t)g->params.parts * sizeof *square);
        for (int t = 0; t < g->params.tensors; t++) {
            size_t bytes = (size_t)(g->params.tensor[t].rows * g->params.tensor[t].cols) * sizeof(real);
            if (memcmp(g->params.tensor[t].g, first->params.tensor[t].g, bytes))
                fail_msg("%d threads: the gradient of %s has other bits", threads[i], g->params.tensor[t].name);
        }
        free(own_square);
        gpt_free(g);
    }
    free(square);
    gpt_free(first);
    batch_free(&b);
}

/* A prefix of the tokens has the same losses as in the whole: attention is causal, and positions count from 0. */
static void shorter_rows_are_prefixes(void **state)
{
    (void)state;
    Gpt *g = gpt_new(&odd, 2, 2);
    Batch b = batch_random(&odd, 1, 37, 3);
    scatter_weights(g, 1);
    gpt_loss(g, &b);
    double whole[37];
    memcpy(whole, g->loss, sizeof whole);
    for (int64_t length = 1; length <= 37; length++) {
        b.length = length;
        gpt_loss_back(g, &b, 1);
        for (int64_t i = 0; i < length; i++) assert_near(g->loss[i], whole[i], 1e-5 * whole[i] + 1e-5);
    }
    batch_free(&b);
    gpt_free(g);
}

/* A head of zeros is uniform: every token costs ln V. */
static void a_zero_head_costs_ln_v(void **state)
{
    (void)state;
    Gpt *g = gpt_new(&odd, 2, 2);
    Batch b = batch_random(&odd, 2, 37, 3);
    scatter_weights(g, 1);
    memset(g->head->w, 0, (size_t)(g->head->rows * g->head->cols) * sizeof(real));
    assert_near(gpt_loss(g, &b) / 74, log(301), 1e-6);
    batch_free(&b);
    gpt_free(g);
}

static void a_tied_table_counts_once(void **state)
{
    (void)state;
    for (int tied = 0; tied < 2; tied++) {
        Shape s = odd;
        s.tied = tied;
        Gpt *g = gpt_declared(&s);
        int64_t C = s.n_embd, F = s.n_inner;
        int64_t block = 4 * C + 3 * C * C + 3 * C + C * C + C + C * F + F + F * C + C;
        assert_int_equal(g->params.size, (2 - tied) * s.vocab_size * C + s.block_size * C + s.n_layer * block + 2 * C);
        assert_int_equal(part_named(&g->params, "lm_head.weight") == NULL, tied);
        assert_ptr_equal(g->head, tied ? g->wte : &g->params.tensor[g->params.tensors - 1]);
        gpt_free(g);
    }
}

static void memory_is_what_was_said(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        Gpt *g = gpt_new(&odd, 3, threads);
        size_t said = gpt_activation_bytes(&odd, 3, threads);
        size_t end = (size_t)((char *)(g->loss + 3 * odd.block_size) - g->memory.base);
        assert_true(said >= end && said < end + 64);
        assert_int_equal(g->memory.used, said);
        gpt_free(g);
    }
    Shape one = SHAPE(1, 4, 64, 256, 128, 65, true, true, GELU), two = one;
    two.n_layer = 2;
    double layer = (double)(gpt_activation_bytes(&two, 4, 1) - gpt_activation_bytes(&one, 4, 1));
    assert_near(layer / sizeof(real) / (4 * 128) / 64, 16, 0.3);
}

/* Also where layers and rows are counted, not laid out. */
static void a_size_is_what_is_laid_out(void **state)
{
    (void)state;
    static const struct { int64_t layers, rows; } row[] = {{1, 1}, {2, 3}, {3, 128}, {7, 129}, {5, 1000}};
    for (size_t i = 0; i < COUNT(row); i++) {
        Shape s = odd;
        s.n_layer = row[i].layers;
        Gpt *g = gpt_declared(&s);
        GptSize size = gpt_size(&s, row[i].rows, 3);
        double bytes = (double)gpt_activation_bytes(&s, row[i].rows, 3), blocks = 0;
        for (int t = 0; t < g->params.tensors; t++)
            if (g->params.part[g->params.tensor[t].first_part].layer >= 0) blocks += (double)(g->params.tensor[t].rows * g->params.tensor[t].cols);
        assert_near(size.weights, (double)g->params.size, 0);
        assert_near(size.block_weights, blocks, 0);
        assert_near(size.activations, bytes, row[i].rows > 128 ? 0.001 * bytes : 0);
        gpt_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_size_is_what_is_laid_out),
        cmocka_unit_test(accumulation_equals_the_big_batch),
        cmocka_unit_test(a_row_has_its_own_mask),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(shorter_rows_are_prefixes),
        cmocka_unit_test(a_zero_head_costs_ln_v),
        cmocka_unit_test(a_tied_table_counts_once),
        cmocka_unit_test(memory_is_what_was_said),
    };
    blas_start(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
