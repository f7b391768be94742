/* Switches of the forward pass: what each does, by its definition. */
#include "switches.h"

#include "../../model/blas.h"

static const Shape plain = WITH(.bias = true);

/* --- norms, sums, adaLN --- */

/* A norm that is there: its output is scale·(xhat·gain + bias), of n rows. */
static void check_norm(const Norm *p, const real *x, double scale, int64_t n, const char *what)
{
    int64_t C = p->gain ? p->gain->cols : 0;
    for (int64_t i = 0; p->gain && i < n; i++) {
        double mean = 0, variance = 0;
        for (int64_t j = 0; j < C; j++) mean += (double)x[i * C + j] / (double)C;
        for (int64_t j = 0; j < C; j++) variance += pow((double)x[i * C + j] - mean, 2) / (double)C;
        for (int64_t j = 0; j < C; j++) {
            double y = ((double)x[i * C + j] - mean) / sqrt(variance + 1e-5) * (double)p->gain->w[j] + (p->bias ? (double)p->bias->w[j] : 0);
            if (!(fabs((double)p->y[i * C + j] - scale * y) <= 2e-5)) fail_msg("%s: %.8g, not %.8g", what, (double)p->y[i * C + j], scale * y);
        }
    }
}

static double factor_at(const Factor *f, int64_t j)
{
    return !f->trained ? f->number : (double)f->trained->w[f->trained->cols == 1 ? 0 : j];
}

/* skip∘x + gate∘added, which norm_post or the next branch takes. */
static void check_sum(const Branch *b, int64_t n, int64_t C, const char *what)
{
    for (int64_t i = 0; i < n * C; i++) {
        double z = factor_at(&b->skip, i % C) * (double)b->x[i] + factor_at(&b->gate, i % C) * (double)b->added[i];
        if (!(fabs((double)b->sum[i] - z) <= 1e-6 * (1 + fabs(z)))) fail_msg("%s: the sum is %.8g, not %.8g", what, (double)b->sum[i], z);
    }
}

/* shift, 1 + scale and gate: silu(condition) through the linear layer. */
static void check_ada(const Modulation *m, const char *what)
{
    int64_t C = m->condition ? m->condition->cols : 0;
    for (int64_t j = 0; j < 3 * C; j++) {
        double y = (j / C == 1) + (m->linear.bias ? (double)m->linear.bias->w[j] : 0);
        for (int64_t i = 0; i < C; i++) {
            double c = (double)m->condition->w[i];
            y += c / (1 + exp(-c)) * (double)m->linear.weight->w[i * 3 * C + j];
        }
        const Tensor *made = j < C ? &m->shift : j < 2 * C ? &m->gain : &m->gate;
        if (!(fabs((double)made->w[j % C] - y) <= 1e-5)) fail_msg("%s: %.8g of ada, not %.8g", what, (double)made->w[j % C], y);
    }
}

typedef struct { const char *name; const Shape *shape; int seen; } Seen;

/* Behind a branch's forward, while what it added still stands. */
static void check_branch(void *data, const Branch *b, const Batch *batch)
{
    Seen *seen = data;
    const Shape *s = seen->shape;
    int64_t n = batch->rows * batch->length;
    double scale = !s->norm_scale ? 1 : s->norm_scale[0] == '0' ? atof(s->norm_scale) : 1 / sqrt(b->layer + 1.0);
    if (!s->fixup_scalars) check_norm(&b->norm_in, b->x, scale, n, seen->name);
    check_norm(&b->norm_mid, b->mixed, scale, n, seen->name);
    check_norm(&b->norm_out, b->out, scale, n, seen->name);
    check_norm(&b->norm_post, b->sum, scale, n, seen->name);
    check_sum(b, n, s->n_embd, seen->name);
    check_ada(&b->ada, seen->name);
    assert_int_equal(b->sum == b->next, !b->norm_post.gain);
    seen->seen++;
}

static void norms_and_sums_are_as_defined(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(switched); i++) {
        const Shape *s = &switched[i].shape;
        Seen seen = {.name = switched[i].name, .shape = s};
        Gpt *g = scattered(s, 2, 1);
        Batch b = batch_random(s, 2, 61, 3);
        g->observer = (Observer){.forward = check_branch, .data = &seen};
        gpt_loss(g, &b);
        assert_int_equal(seen.seen, 4);
        check_norm(&g->ln_f, g->x, 1, 122, switched[i].name);
        batch_free(&b);
        gpt_free(g);
    }
}

/* --- scales and shifts are weights of another place --- */

/* The loss of a model whose part's weights (NULL: none's) are multiplied by a factor first. */
static double loss_with(const Shape *s, const char *part, real factor)
{
    Gpt *g = scattered(s, 2, 2);
    Batch b = batch_random(s, 2, 61, 3);
    for (int i = 0; part && i < g->params.parts; i++) {
        const Part *p = &g->params.part[i];
        const char *name = role_info[p->role].part;
        for (int64_t row = 0; strstr(part, name) && row < p->rows; row++) kernel_scale(part_row(&g->params, p, g->params.tensor[p->tensor].w, row), factor, p->cols);
    }
    double loss = gpt_loss(g, &b);
    batch_free(&b);
    gpt_free(g);
    return loss;
}

/* Powers of two only shift exponents: the same bits. */
static void a_scale_is_one_of_weights(void **state)
{
    (void)state;
    const Shape embd = WITH(.bias = true, .norm = NORM_NONE, .embd_scale = "2"), none = WITH(.bias = true, .norm = NORM_NONE);
    const Shape logit = WITH(.bias = true, .logit_scale = "0.25"), attn = WITH(.bias = true, .attn_scale = "0.25"), half = WITH(.bias = true, .attn_scale = "0.5");
    assert_true(loss_with(&embd, NULL, 1) == loss_with(&none, "wte.weight wpe.weight", 2));
    assert_true(loss_with(&logit, NULL, 1) == loss_with(&plain, "lm_head.weight", 0.25));
    assert_true(loss_with(&attn, NULL, 1) == loss_with(&half, "attn.q.weight attn.q.bias", 0.5));
    assert_true(fabs(loss_with(&embd, NULL, 1) / loss_with(&none, NULL, 1) - 1) > 1e-3);
    assert_true(fabs(loss_with(&logit, NULL, 1) / loss_with(&plain, NULL, 1) - 1) > 1e-3);
    assert_true(fabs(loss_with(&attn, NULL, 1) / loss_with(&half, NULL, 1) - 1) > 1e-3);
}

/* The loss of a model with Fixup's shifts, with what they stand for (the norm's bias, the matrix's bias, and through proj
 * its bias), or without. */
typedef enum { AS_SHIFTS, AS_BIASES, LEFT_OUT } Shifts;

static double loss_shifted(Shifts how)
{
    const Shape shape = WITH(.bias = true, .fixup_scalars = true);
    Gpt *g = scattered(&shape, 2, 2);
    Batch b = batch_random(&shape, 2, 61, 3);
    for (int k = 0; how != AS_SHIFTS && k < g->branches; k++) {
        Branch *at = &g->branch[k];
        real none = 0, *in = at->shift_in->w, *hidden = at->shift_hidden ? at->shift_hidden->w : &none, *mixed = at->shift_mixed ? at->shift_mixed->w : &none;
        for (int64_t j = 0; how == AS_BIASES && j < 66; j++) at->norm_in.bias->w[j] += *in;
        for (int64_t j = 0; how == AS_BIASES && j < at->in.bias->cols; j++) at->in.bias->w[j] += *hidden;
        for (int64_t i = 0; how == AS_BIASES && i < at->proj.weight->rows; i++)
            for (int64_t j = 0; j < 66; j++) at->proj.bias->w[j] += *mixed * at->proj.weight->w[i * 66 + j];
        *in = *hidden = *mixed = 0;
    }
    double loss = gpt_loss(g, &b);
    batch_free(&b);
    gpt_free(g);
    return loss;
}

static void a_shift_is_one_of_biases(void **state)
{
    (void)state;
    double loss = loss_shifted(AS_SHIFTS);
    assert_near(loss_shifted(AS_BIASES), loss, 1e-5 * loss);
    assert_true(fabs(loss_shifted(LEFT_OUT) / loss - 1) > 1e-3);
}

/* --- multipliers --- */

static double loss_at(const Shape *s, const char *scheme)
{
    Gpt *g = gpt_new(s, 2, 2);
    Scheme read = scheme_of(scheme);
    Batch b = batch_random(s, 2, 61, 3);
    init_weights(g, &read, 1);
    double loss = gpt_loss(g, &b);
    scheme_free(&read);
    batch_free(&b);
    gpt_free(g);
    return loss;
}

#define STAR "{\"weights\": {\"*\": {\"normal\": \"0.3\"}}}"

/* One number, fixed or trained, a branch or a layer, and a vector of it: the same bits. */
static void shapes_of_a_multiplier_agree(void **state)
{
    (void)state;
    static const char *const value[] = {"1", "0.7", "0.3*layer"};
    double plain_loss = loss_at(&plain, STAR);
    for (size_t v = 0; v < COUNT(value); v++)
        for (int which = 0; which < 2; which++) {
            double loss[FACTOR_SHAPES];
            for (FactorShape form = FACTOR_NUMBER; form < FACTOR_SHAPES; form++) {
                Shape s = plain;
                *(which ? &s.skip : &s.gate) = (Multiplier){value[v], form, form != FACTOR_NUMBER};
                loss[form] = loss_at(&s, STAR);
                assert_true(loss[form] == loss[0]);
            }
            assert_int_equal(loss[0] == plain_loss, v == 0);
        }
    Shape fixup = WITH(.bias = true, .fixup_scalars = true, .gate = {.value = "0.7"}), gate = WITH(.bias = true, .gate = {.value = "0.7"});
    assert_true(loss_at(&fixup, STAR) == loss_at(&gate, STAR));
}

/* What starts as the identity: the embedding comes out of each block to the bit, and the loss is that of no blocks. */
static void zero_gates_are_identities(void **state)
{
    (void)state;
    const Shape shape[] = {WITH(.bias = true, .gate = {.value = "0"}), WITH(.bias = true, .ada_ln = true), WITH(.norm = NORM_SUB, .ada_ln = true, .qk_norm = true),
                           WITH(.bias = true, .gate = TRAINED(FACTOR_LAYER, "0")), WITH(.gate = TRAINED(FACTOR_VECTOR, "0")),
                           WITH(.bias = true, .fixup_scalars = true, .gate = {.value = "0"})};
    double first = loss_at(&shape[0], STAR);
    for (size_t i = 0; i < COUNT(shape); i++) {
        Gpt *g = model_filled(&shape[i], STAR, 1, 2);
        Batch b = batch_random(&shape[i], 1, 61, 3);
        gpt_loss(g, &b);
        for (int64_t k = 0; k < 61 * 66; k++) {
            assert_true(g->branch[0].x[k] == g->wte->w[b.token[k / 66] * 66 + k % 66] + g->wpe->w[k]);
            for (int j = 0; j < g->branches; j++) assert_true(g->branch[j].next[k] == g->branch[0].x[k]);
        }
        assert_true(loss_at(&shape[i], STAR) == first);
        batch_free(&b);
        gpt_free(g);
    }
    assert_true(loss_at(&plain, STAR) != first);
}

/* With gains of 1 and biases of 0 each token leaves a post-norm with a root mean square of 1, times norm_scale. */
static void post_norms_give_unit_tokens(void **state)
{
    (void)state;
    const Shape shape[] = {WITH(.bias = true, .norm = NORM_POST), WITH(.norm = NORM_POST, .norm_scale = "1/sqrt(layer)", .skip = {.value = "2"})};
    for (size_t i = 0; i < COUNT(shape); i++) {
        Gpt *g = model_filled(&shape[i], "{\"weights\": {\"*\": {\"normal\": \"1\"}}}", 1, 2);
        Batch b = batch_random(&shape[i], 1, 61, 3);
        gpt_loss(g, &b);
        for (int k = 0; k < g->branches; k++)
            for (int64_t t = 0; t < 61; t++)
                assert_near(sqrt(kernel_squares(g->branch[k].next + t * 66, 66) / 66), i ? 1 / sqrt(g->branch[k].layer + 1.0) : 1, 1e-5);
        assert_ptr_equal(g->normed, g->x);
        batch_free(&b);
        gpt_free(g);
    }
}

/* --- the shape --- */

static void gpt2_is_told_from_the_rest(void **state)
{
    (void)state;
    const Shape same[] = {WITH(.bias = true), WITH(.tied = true, .activation = RELU), WITH(.norm_scale = "1"),
                          WITH(.skip = {.value = "2-1"}, .gate = {.value = "1"}), WITH(.attn_scale = "1/sqrt(n_embd/n_head)"), WITH(.attn_scale = "head_dim^-0.5"),
                          WITH(.embd_scale = "1", .logit_scale = "n_layer/2"), WITH(.norm_scale = "max(1, 1/layer)")};
    const Shape other[] = {WITH(.norm = NORM_POST), WITH(.norm = NORM_SANDWICH), WITH(.norm = NORM_SUB), WITH(.norm = NORM_NONE),
                           WITH(.norm_scale = "1/sqrt(layer)"), WITH(.skip = {.value = "1.1"}), WITH(.gate = {.value = "1/layer"}),
                           WITH(.skip = TRAINED(FACTOR_SCALAR, "1")), WITH(.gate = TRAINED(FACTOR_VECTOR, "1")),
                           WITH(.gate = TRAINED(FACTOR_LAYER, "1")), WITH(.fixup_scalars = true), WITH(.ada_ln = true), WITH(.qk_norm = true),
                           WITH(.embd_scale = "1.001"), WITH(.logit_scale = "0.999"), WITH(.attn_scale = "1/head_dim"),
                           WITH(.attn_scale = "1/sqrt(head_dim)/layer")};
    for (size_t i = 0; i < COUNT(same); i++) assert_true(shape_is_gpt2(&same[i]));
    for (size_t i = 0; i < COUNT(other); i++)
        if (shape_is_gpt2(&other[i])) fail_msg("shape %d is no GPT-2", (int)i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(norms_and_sums_are_as_defined),
        cmocka_unit_test(a_scale_is_one_of_weights),
        cmocka_unit_test(a_shift_is_one_of_biases),
        cmocka_unit_test(shapes_of_a_multiplier_agree),
        cmocka_unit_test(zero_gates_are_identities),
        cmocka_unit_test(post_norms_give_unit_tokens),
        cmocka_unit_test(gpt2_is_told_from_the_rest),
    };
    blas_start(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
