/* The observer: each number against plain sums over the activations, and that watching changes nothing. */
#include "switches.h"

#include "../../model/blas.h"
#include "../../model/observe.h"

enum { LAYERS = 2, HEADS = 3, C = 66, V = 97 };

/* Root mean squares and means as observe.h defines them, by plain loops in double precision. */
typedef struct {
    const Gpt *g;
    BlockView block[LAYERS];
    double embedding, log_z, variance;
    int64_t tokens;
} Sums;

static void add_squares(double *sum, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) *sum += (double)x[i] * (double)x[i];
}

/* -Σ p ln p of each query of a row's head, and the largest of its scores. */
static void add_attention(BlockView *view, const Branch *b, int64_t row, int64_t head, int64_t length)
{
    int64_t dim = C / HEADS;
    const real *q = b->hidden + row * length * 3 * C + head * dim, *k = q + C;
    for (int64_t i = 0; i < length; i++) {
        double score[61], most = -INFINITY, sum = 0;
        for (int64_t j = 0; j <= i; j++) {
            score[j] = 0;
            for (int64_t d = 0; d < dim; d++) score[j] += (double)q[i * 3 * C + d] * (double)k[j * 3 * C + d] * (double)b->attn_scale;
            most = fmax(most, score[j]);
        }
        for (int64_t j = 0; j <= i; j++) sum += exp(score[j] - most);
        for (int64_t j = 0; j <= i; j++) view->entropy -= exp(score[j] - most) / sum * (score[j] - most - log(sum)) / HEADS;
        view->largest = fmax(view->largest, most);
    }
}

static double gate_at(const Branch *b, int64_t j)
{
    const Tensor *t = b->gate.trained;
    return t ? (double)t->w[t->cols > 1 ? j : 0] : b->gate.number;
}

static void see(void *data, const Branch *b, const Batch *batch)
{
    Sums *s = data;
    BlockView *view = &s->block[b->layer];
    int64_t n = batch->rows * batch->length;
    if (b == s->g->branch) add_squares(&s->embedding, b->x, n * C);
    add_squares(&view->entered[b->kind], b->x, n * C);
    for (int64_t i = 0; i < n * C; i++) view->added[b->kind] += pow((double)b->added[i] * gate_at(b, i % C), 2);
    if (b->kind == BRANCH_MLP) add_squares(&view->stream, b->next, n * C);
    else
        for (int64_t task = 0; task < batch->rows * HEADS; task++) add_attention(view, b, task / HEADS, task % HEADS, batch->length);
}

/* After a forward. */
static void add_logits(Sums *s, int64_t tokens)
{
    for (int64_t i = 0; i < tokens; i++) {
        double logit[V], mean = 0, variance = 0, sum = 0;
        for (int64_t v = 0; v < V; v++) {
            logit[v] = 0;
            for (int64_t j = 0; j < C; j++) logit[v] += (double)s->g->normed[i * C + j] * (double)s->g->head->w[v * C + j] * (double)s->g->logit_scale;
            mean += logit[v] / V;
            sum += exp(logit[v] - logit[0]);
        }
        for (int64_t v = 0; v < V; v++) variance += (logit[v] - mean) * (logit[v] - mean) / V;
        s->log_z += log(sum) + logit[0];
        s->variance += variance;
    }
    s->tokens += tokens;
}

#define assert_same(actual, expected) check_near(actual, expected, 1e-5 * (1e-3 + fabs(expected)), name, __FILE__, __LINE__)

static void compare(const View *v, const Sums *s, const char *name)
{
    double n = (double)s->tokens;
    assert_int_equal(v->tokens, s->tokens);
    assert_same(v->embedding, sqrt(s->embedding / n / C));
    assert_same(v->log_z, s->log_z / n);
    assert_same(v->logit_std, sqrt(s->variance / n));
    for (int l = 0; l < LAYERS; l++) {
        const BlockView *a = &v->block[l], *b = &s->block[l];
        assert_same(a->stream, sqrt(b->stream / n / C));
        assert_same(a->entropy, b->entropy / n);
        assert_same(a->largest, b->largest);
        for (int k = 0; k < BRANCHES; k++) {
            assert_same(a->entered[k], sqrt(b->entered[k] / n / C));
            assert_same(a->added[k], sqrt(b->added[k] / n / C));
        }
        assert_same(block_ratio(a), sqrt(b->added[0] / b->entered[0] + b->added[1] / b->entered[1]));
    }
}

/* Two batches of other lengths, with dropout. */
static void each_number_is_its_sum(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(switched); i++) {
        const Shape *s = &switched[i].shape;
        Gpt *watched = scattered(s, 2, 2), *own = scattered(s, 2, 2);
        Sums sums = {.g = own};
        View *v = observe_start(watched);
        own->observer = (Observer){.forward = see, .data = &sums};
        for (int l = 0; l < LAYERS; l++) sums.block[l].largest = -INFINITY;
        for (int k = 0; k < 2; k++) {
            Batch b = batch_random(s, k + 1, k ? 61 : 37, 3 + (uint64_t)k);
            b.dropout = (Dropout){.rate = 0.1, .seed = 1, .step = (uint32_t)k};
            gpt_loss(watched, &b);
            gpt_loss(own, &b);
            observe_batch(v, b.rows * b.length);
            add_logits(&sums, b.rows * b.length);
            batch_free(&b);
        }
        observe_end(v);
        compare(v, &sums, switched[i].name);
        observe_stop(v);
        gpt_free(watched);
        gpt_free(own);
    }
}

/* Over batches of one token, the gradient at a block's output is that of the bias that is added there last. */
static void the_gradient_is_that_of_the_last_bias(void **state)
{
    (void)state;
    enum { BATCHES = 5 };
    const Shape shape[] = {WITH(.bias = true), WITH(.bias = true, .norm = NORM_POST), WITH(.bias = true, .norm = NORM_SUB, .skip = {.value = "2"})};
    for (size_t i = 0; i < COUNT(shape); i++) {
        Gpt *g = scattered(&shape[i], 1, 1);
        View *v = observe_start(g);
        double square[LAYERS] = {0};
        for (uint64_t k = 0; k < BATCHES; k++) {
            Batch b = batch_random(&shape[i], 1, 1, k);
            params_zero_gradients(&g->params, 1);
            gpt_loss_back(g, &b, 0.3);
            observe_batch(v, 1);
            for (int l = 0; l < LAYERS; l++) {
                const Branch *mlp = &g->branch[2 * l + 1];
                add_squares(&square[l], mlp->norm_post.gain ? mlp->norm_post.bias->g : mlp->proj.bias->g, C);
            }
            batch_free(&b);
        }
        observe_end(v);
        for (int l = 0; l < LAYERS; l++) assert_near(v->block[l].gradient, sqrt(square[l] / BATCHES / C), 1e-6 * sqrt(square[l] / BATCHES / C));
        assert_true(fabs(v->block[0].gradient / v->block[1].gradient - 1) > 0.01);
        observe_stop(v);
        gpt_free(g);
    }
}

/* Loss and gradients have the same bits beside a view, and the view has the same for any number of threads, also when it
 * saw another batch before it was reset. */
static void watching_changes_nothing(void **state)
{
    (void)state;
    enum { ROWS = 9 };
    const Shape *s = &switched[2].shape;
    Gpt *alone = scattered(s, ROWS, 2);
    Batch b = batch_random(s, ROWS, 61, 5), before = batch_random(s, 2, 61, 6);
    double loss = gpt_loss_back(alone, &b, 0.01), log_z = 0;
    BlockView block[LAYERS];
    for (int threads = 1; threads <= 3; threads++) {
        Gpt *g = scattered(s, ROWS, threads);
        View *v = observe_start(g);
        if (threads == 2) gpt_loss_back(g, &before, 1), observe_batch(v, 122), observe_reset(v);
        params_zero_gradients(&g->params, 1);
        assert_true(gpt_loss_back(g, &b, 0.01) == loss);
        observe_batch(v, ROWS * 61);
        observe_end(v);
        for (int t = 0; t < g->params.tensors; t++)
            assert_memory_equal(g->params.tensor[t].g, alone->params.tensor[t].g, (size_t)(g->params.tensor[t].rows * g->params.tensor[t].cols) * sizeof(real));
        if (threads == 1) memcpy(block, v->block, sizeof block), log_z = v->log_z;
        assert_memory_equal(v->block, block, sizeof block);
        assert_true(v->log_z == log_z && v->tokens == ROWS * 61);
        observe_stop(v);
        assert_true(!g->observer.forward && !g->observer.backward && !g->observer.log_z);
        gpt_free(g);
    }
    batch_free(&b);
    batch_free(&before);
    gpt_free(alone);
}

/* The largest score of attention where q and k are multiplied. */
static double largest_score(const Shape *s, real factor)
{
    Gpt *g = model_filled(s, "{\"weights\": {\"*\": {\"normal\": \"0.3\"}}}", 1, 1);
    Batch b = batch_random(s, 1, 61, 5);
    View *v = observe_start(g);
    for (int i = 0; i < g->branches; i += 2) kernel_scale(g->branch[i].in.weight->w, factor, C * 3 * C);
    gpt_loss(g, &b);
    observe_batch(v, 61);
    observe_end(v);
    double largest = fmax(v->block[0].largest, v->block[1].largest);
    observe_stop(v);
    batch_free(&b);
    gpt_free(g);
    return largest;
}

/* |q·k|/√d <= √d where both have a mean square of 1. */
static void qk_norm_bounds_the_scores(void **state)
{
    (void)state;
    const Shape normed = WITH(.bias = true, .qk_norm = true), plain = WITH(.bias = true);
    double bound = sqrt(C / HEADS);
    for (real factor = 1; factor < 2000; factor *= 10) {
        double largest = largest_score(&normed, factor);
        assert_true(largest <= bound * (1 + 1e-6) && largest > bound / 2);
    }
    assert_near(largest_score(&plain, 100) / largest_score(&plain, 10), 100, 1);
    assert_true(largest_score(&plain, 100) > 1000 * bound);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_number_is_its_sum),
        cmocka_unit_test(the_gradient_is_that_of_the_last_bias),
        cmocka_unit_test(watching_changes_nothing),
        cmocka_unit_test(qk_norm_bounds_the_scores),
    };
    blas_start(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
