/* What holds with every switch of the forward pass: the decoder says what the batch says, any number of threads gives the
 * same bits, and memory is what was said, all used and never read before it is written. */
#include "switches.h"


#include "../../model/blas.h"
#include "../../model/decode.h"

enum { T = 61, V = 97 };

/* --- the decoder --- */

/* After gpt_loss: a token's logits, from what the head took. */
static void logits_of(double *logit, const Gpt *g, int64_t token)
{
    int64_t C = g->shape.n_embd;
    for (int64_t v = 0; v < V; v++) {
        logit[v] = 0;
        for (int64_t j = 0; j < C; j++) logit[v] += (double)g->normed[token * C + j] * (double)g->head->w[v * C + j] * (double)g->logit_scale;
    }
}

/* The same from the decoder, whose scratch is the model's own. Returns the largest difference over the logits' spread. */
static double check_decoder(const char *name, const Shape *s)
{
    enum { ROWS = 2 };
    Gpt *g = scattered(s, ROWS, 1);
    Batch b = batch_random(s, ROWS, T, 3);
    double *batched = xcalloc(ROWS * T * V, sizeof *batched), worst = 0;
    gpt_loss(g, &b);
    for (int64_t i = 0; i < ROWS * T; i++) {
        double sum = 0, *logit = batched + i * V;
        logits_of(logit, g, i);
        for (int64_t v = 0; v < V; v++) sum += exp(logit[v] - logit[b.target[i]]);
        assert_near(log(sum), g->loss[i], 1e-5 * (1 + g->loss[i]));
    }
    Decoder d = decoder_new(g);
    for (int64_t i = 0; i < ROWS * T; i++) {
        if (i % T == 0) decoder_reset(&d);
        const real *logit = decoder_feed(&d, b.token[i]);
        double square = 0, difference = 0;
        for (int64_t v = 0; v < V; v++) {
            square += batched[i * V + v] * batched[i * V + v] / V;
            difference = fmax(difference, fabs((double)logit[v] - batched[i * V + v]));
        }
        if (!(difference <= 1e-4 * sqrt(square))) fail_msg("%s: at token %d the decoder is %g off logits of %g", name, (int)i, difference, sqrt(square));
        worst = fmax(worst, difference / sqrt(square));
    }
    decoder_free(&d);
    free(batched);
    batch_free(&b);
    gpt_free(g);
    return worst;
}

static void the_decoder_says_what_the_batch_says(void **state)
{
    (void)state;
    double worst = 0;
    for (size_t i = 0; i < COUNT(switched); i++) worst = fmax(worst, check_decoder(switched[i].name, &switched[i].shape));
    print_message("decoder: largest difference %.1e of the logits' root mean square\n", worst);
}

/* --- threads --- */

static void check_same_gradients(const Gpt *a, const Gpt *b, const char *name, const char *what)
{
    for (int t = 0; t < a->params.tensors; t++) {
        const Tensor *x = &a->params.tensor[t], *y = &b->params.tensor[t];
        if (memcmp(x->g, y->g, (size_t)(x->rows * x->cols) * sizeof(real))) fail_msg("%s: with %s the gradient of %s has other bits", name, what, x->name);
    }
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    enum { ROWS = 9 };
    for (size_t i = 0; i < COUNT(switched); i++) {
        Shape s = switched[i].shape;
        s.n_layer = 1;
        Gpt *g[3];
        Batch b = batch_random(&s, ROWS, T, 9);
        double loss[3];
        b.dropout = (Dropout){.rate = 0.1, .seed = 1};
        for (int k = 0; k < 3; k++) {
            g[k] = scattered(&s, ROWS, k + 1);
            loss[k] = gpt_loss_back(g[k], &b, 0.01);
            assert_true(isfinite(loss[k]) && loss[k] == loss[0]);
            if (k) check_same_gradients(g[0], g[k], switched[i].name, k == 1 ? "2 threads" : "3 threads");
        }
        assert_true(gpt_loss(g[1], &b) == loss[0]);
        for (int k = 0; k < 3; k++) gpt_free(g[k]);
        batch_free(&b);
    }
}

/* --- memory --- */

static void memory_is_what_was_said(void **state)
{
    (void)state;
    enum { ROWS = 3 };
    for (size_t i = 0; i < COUNT(switched); i++)
        for (int threads = 1; threads <= 3; threads++) {
            Gpt *g = gpt_new(&switched[i].shape, ROWS, threads);
            size_t said = gpt_activation_bytes(&switched[i].shape, ROWS, threads);
            size_t end = (size_t)((char *)(g->loss + ROWS * T) - g->memory.base);      /* the last piece */
            assert_true(said >= end && said < end + 64);
            assert_int_equal(g->memory.used, said);
            gpt_free(g);
        }
}

/* Filled with NaN before, it gives the same bits: nothing is read before it is written. A full batch leaves no more of it
 * than attention's last triangle, the gradients of fixed multipliers and the gaps of the alignment. */
static void memory_is_all_used_and_written_before_it_is_read(void **state)
{
    (void)state;
    enum { ROWS = 3 };
    for (size_t i = 0; i < COUNT(switched); i++) {
        const Shape *s = &switched[i].shape;
        size_t bytes = gpt_activation_bytes(s, ROWS, 1), untouched = 0;
        Gpt *clean = scattered(s, ROWS, 1), *dirty = scattered(s, ROWS, 1);
        Batch b = batch_random(s, ROWS, T, 9);
        b.dropout = (Dropout){.rate = 0.1, .seed = 1};
        memset(dirty->memory.base, 0xff, bytes);
        double loss = gpt_loss_back(clean, &b, 0.01);
        assert_true(gpt_loss_back(dirty, &b, 0.01) == loss);
        check_same_gradients(clean, dirty, switched[i].name, "memory of NaN");
        for (size_t k = 0; k < bytes; k++) untouched += (unsigned char)dirty->memory.base[k] == 0xff;
        if (untouched > bytes / 50) fail_msg("%s: %zu of %zu bytes are never used", switched[i].name, untouched, bytes);
        batch_free(&b);
        gpt_free(clean);
        gpt_free(dirty);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_decoder_says_what_the_batch_says),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(memory_is_what_was_said),
        cmocka_unit_test(memory_is_all_used_and_written_before_it_is_read),
    };
    blas_start(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
