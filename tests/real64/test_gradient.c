/* The analytic gradient against central differences, in double precision.
 *
 * For each part of the parameter table, ‖numeric - analytic‖ <= 1e-6 ‖analytic‖. Dropout masks are a pure function of
 * seed, step and place, so the loss is smooth in the weights with dropout too. */
#include "../unit/helpers.h"

#include "../../model/blas.h"

#define STEP 1e-5
#define ALLOWED 1e-6
#define ZERO 1e-12        /* of the total gradient: what symmetry makes 0 */

typedef struct {
    const char *name;
    Shape shape;          /* L H C F T V, bias, tied, activation */
    int64_t rows, length;
    double dropout;
    int batches;          /* whose gradients add up */
} Case;

enum { BATCHES_MAX = 2 };

typedef struct { Gpt *g; Batch batch[BATCHES_MAX]; int batches; } Problem;

/* A hash of the slopes of every ReLU: it changes where a step crosses a kink. */
static uint64_t relu_signs(const Gpt *g, const Batch *b)
{
    uint64_t hash = 0;
    if (g->shape.activation != RELU) return hash;
    for (int i = 0; i < g->branches; i++)
        for (int64_t at = 0; g->branch[i].kind == BRANCH_MLP && at < b->rows * b->length * g->shape.n_inner; at++)
            hash = (hash ^ (g->branch[i].hidden[at] > 0)) * 0x100000001b3u + (uint64_t)at;
    return hash;
}

static double loss_of(const Problem *p, uint64_t *signs)
{
    double sum = 0;
    *signs = 0;
    for (int i = 0; i < p->batches; i++) {
        sum += gpt_loss(p->g, &p->batch[i]);
        *signs = *signs * 31 + relu_signs(p->g, &p->batch[i]);
    }
    return sum;
}

/* The slope of the loss along one weight; NAN where a kink lies within the step. */
static double numeric_slope(const Problem *p, real *w)
{
    uint64_t above, below;
    real old = *w;
    *w = old + STEP;
    double up = loss_of(p, &above);
    *w = old - STEP;
    double down = loss_of(p, &below);
    *w = old;
    return above == below ? (up - down) / (2 * STEP) : NAN;
}

typedef struct { int64_t entries, skipped; double worst; } Tally;

/* What symmetry makes 0: a bias of k moves all of a query's scores alike, one token's softmax is 1, and a norm takes away
 * what is added to all its numbers. (With qk_norm a bias of k is turned and stretched, so it counts.) */
static bool is_zero(const Problem *p, Role role)
{
    bool query_or_key = role == ROLE_ATTN_Q || role == ROLE_ATTN_K || role == ROLE_ATTN_Q_BIAS;
    if (role == ROLE_MLP_SHIFT_MIXED && p->g->shape.norm == NORM_SUB) return true;
    return (role == ROLE_ATTN_K_BIAS && !p->g->shape.qk_norm) || (query_or_key && p->batch[0].length == 1);
}

/* scale: of the loss in the analytic gradient; total: its norm. */
static void check_part(const Problem *p, const Part *part, double scale, double total, Tally *tally)
{
    const Params *params = &p->g->params;
    const Tensor *tensor = &params->tensor[part->tensor];
    double difference = 0, size = 0;
    for (int64_t row = 0; row < part->rows; row++)
        for (int64_t col = 0; col < part->cols; col++) {
            double analytic = part_row(params, part, tensor->g, row)[col];
            double numeric = scale * numeric_slope(p, part_row(params, part, tensor->w, row) + col);
            tally->entries++;
            if (isnan(numeric)) {
                tally->skipped++;
                continue;
            }
            difference += (numeric - analytic) * (numeric - analytic);
            size += analytic * analytic;
        }
    bool zero = is_zero(p, part->role);
    if (!(sqrt(difference) <= ALLOWED * (zero ? total : sqrt(size))))
        fail_msg("%s: |numeric - analytic| is %g, |analytic| %g", part->name, sqrt(difference), sqrt(size));
    if (zero != (sqrt(size) <= ZERO * total)) fail_msg("%s: |analytic| is %g of the total", part->name, sqrt(size) / total);
    if (!zero) tally->worst = fmax(tally->worst, sqrt(difference / size));
}

static void check_case(const Case *c)
{
    const double scale = 0.37;
    Problem p = {.g = gpt_new(&c->shape, c->rows, 1), .batches = c->batches};
    Tally tally = {0};
    scatter_weights(p.g, 7);
    for (int i = 0; i < c->batches; i++) {
        p.batch[i] = batch_random(&c->shape, c->rows, c->length, 100 + (uint64_t)i);
        p.batch[i].dropout = (Dropout){.rate = c->dropout, .seed = 3, .step = 5, .first_row = (uint32_t)(i * c->rows)};
        gpt_loss_back(p.g, &p.batch[i], scale);
    }
    double *square = xcalloc((size_t)p.g->params.parts, sizeof *square);
    double total = sqrt(params_gradient_squares(&p.g->params, square, 1));
    for (int i = 0; i < p.g->params.parts; i++) check_part(&p, &p.g->params.part[i], scale, total, &tally);
    print_message("%-36s worst %.1e, %lld entries, %lld at a kink\n", c->name, tally.worst, (long long)tally.entries, (long long)tally.skipped);
    assert_true(tally.skipped <= tally.entries / 50);
    for (int i = 0; i < c->batches; i++) batch_free(&p.batch[i]);
    free(square);
    gpt_free(p.g);
}

/*                                          L  H   C   F   T   V  bias   tied   activation */
static const Case cases[] = {
    {"gelu, bias, tied",                   SHAPE(2, 2,  8, 12,  5, 11, true,  true,  GELU),       1,  5, 0,   1},
    {"gelu, bias, untied",                 SHAPE(2, 2,  8, 12,  5, 11, true,  false, GELU),       3,  5, 0,   1},
    {"gelu, no bias, tied",                SHAPE(2, 2,  8, 12,  5, 11, false, true,  GELU),       3,  5, 0,   1},
    {"gelu, no bias, untied, dropout",     SHAPE(2, 2,  8, 12,  5, 11, false, false, GELU),       1,  5, 0.3, 1},
    {"gelu_exact, odd sizes",              SHAPE(2, 3, 15, 11,  7, 13, true,  true,  GELU_EXACT), 3,  7, 0,   1},
    {"gelu_exact, odd sizes, dropout",     SHAPE(2, 3, 15, 11,  7, 13, true,  false, GELU_EXACT), 1,  7, 0.3, 1},
    {"relu, odd sizes",                    SHAPE(2, 3, 15, 11,  7, 13, true,  true,  RELU),       3,  7, 0,   1},
    {"relu, no bias, dropout",             SHAPE(2, 2,  8, 12,  5, 11, false, true,  RELU),       3,  5, 0.3, 1},
    {"heads of width 1",                    SHAPE(2, 8,  8,  3,  5,  6, true,  true,  GELU),       2,  5, 0,   1},
    {"two micro-batches",                  SHAPE(2, 2,  8, 12,  5, 11, true,  true,  GELU),       2,  5, 0,   2},
    {"two micro-batches, dropout",         SHAPE(2, 3, 15, 11,  7, 13, true,  false, GELU),       2,  7, 0.3, 2},
    {"shorter than the block",             SHAPE(2, 2,  8, 12,  9, 11, true,  true,  GELU),       2,  5, 0,   1},
    {"two blocks of queries",              SHAPE(2, 2,  8, 12, 40, 11, true,  true,  GELU),       1, 40, 0,   1},
    {"two blocks of queries, dropout",     SHAPE(2, 2,  8, 12, 40, 11, true,  false, GELU),       1, 40, 0.3, 1},
    {"three blocks of queries, 3 rows",    SHAPE(1, 1,  3,  5, 65,  7, true,  true,  GELU),       3, 65, 0.3, 1},
    {"a context of one token",             SHAPE(2, 2,  8, 12,  1, 11, true,  true,  GELU),       3,  1, 0,   1},
};

/* Switches of the forward pass: each alone, and those that meet in one place together. */
#define WITH(...) {.n_layer = 2, .n_head = 2, .n_embd = 8, .n_inner = 12, .block_size = 5, .vocab_size = 11, .activation = GELU, __VA_ARGS__}
#define LEARNED(form, formula) {.value = formula, .shape = form, .trained = true}

static const Case switched[] = {
    {"post", WITH(.bias = true, .tied = true, .norm = NORM_POST), 2, 5, 0, 1},
    {"post, no bias, dropout, two batches", WITH(.norm = NORM_POST), 2, 5, 0.3, 2},
    {"sandwich, norm_scale", WITH(.bias = true, .norm = NORM_SANDWICH, .norm_scale = "1/sqrt(layer+1)"), 2, 5, 0.3, 1},
    {"sub", WITH(.bias = true, .tied = true, .norm = NORM_SUB, .norm_scale = "0.7"), 2, 5, 0, 1},
    {"none", WITH(.bias = true, .norm = NORM_NONE), 2, 5, 0.3, 1},
    {"gate: fixed by layer", WITH(.bias = true, .tied = true, .gate = {.value = "0.5/layer"}), 2, 5, 0, 1},
    {"gate: a scalar a branch", WITH(.bias = true, .tied = true, .gate = LEARNED(FACTOR_SCALAR, "0.3")), 2, 5, 0.3, 1},
    {"gate: a scalar a layer, no norm", WITH(.bias = true, .norm = NORM_NONE, .gate = LEARNED(FACTOR_LAYER, "0.3")), 2, 5, 0, 1},
    {"gate: a vector, sandwich", WITH(.bias = true, .norm = NORM_SANDWICH, .gate = LEARNED(FACTOR_VECTOR, "0.3")), 2, 5, 0.3, 2},
    {"skip: fixed, post", WITH(.bias = true, .tied = true, .norm = NORM_POST, .skip = {.value = "(2*n_layer)^0.25"}), 2, 5, 0, 1},
    {"skip: a vector, post", WITH(.bias = true, .norm = NORM_POST, .skip = LEARNED(FACTOR_VECTOR, "1.3")), 2, 5, 0.3, 1},
    {"skip and gate: scalars", WITH(.bias = true, .skip = LEARNED(FACTOR_SCALAR, "1.1"), .gate = LEARNED(FACTOR_SCALAR, "0.3")), 2, 5, 0, 1},
    {"skip and gate: one a layer", WITH(.norm = NORM_SUB, .skip = LEARNED(FACTOR_LAYER, "1.1"), .gate = LEARNED(FACTOR_LAYER, "0.3")), 2, 5, 0, 2},
    {"fixup_scalars, no norm", WITH(.bias = true, .norm = NORM_NONE, .fixup_scalars = true), 2, 5, 0.3, 1},
    {"fixup_scalars, sub, gate a vector", WITH(.norm = NORM_SUB, .fixup_scalars = true, .gate = LEARNED(FACTOR_VECTOR, "0.9")), 2, 5, 0, 1},
    {"ada_ln", WITH(.bias = true, .tied = true, .ada_ln = true), 2, 5, 0, 1},
    {"ada_ln, no bias, sandwich, two batches", WITH(.norm = NORM_SANDWICH, .ada_ln = true, .norm_scale = "0.8"), 2, 5, 0.3, 2},
    {"ada_ln, sub, skip a vector", WITH(.bias = true, .norm = NORM_SUB, .ada_ln = true, .skip = LEARNED(FACTOR_VECTOR, "1.1")), 2, 5, 0, 1},
    {"qk_norm", WITH(.bias = true, .tied = true, .qk_norm = true), 2, 5, 0, 1},
    {"qk_norm, no bias, 1/head_dim, dropout", WITH(.qk_norm = true, .attn_scale = "1/head_dim"), 2, 5, 0.3, 2},
    {"embd_scale, logit_scale, tied", WITH(.bias = true, .tied = true, .embd_scale = "sqrt(n_embd)", .logit_scale = "1/n_embd"), 2, 5, 0.3, 1},
    {"embd_scale, logit_scale, no norm", WITH(.norm = NORM_NONE, .embd_scale = "0.5", .logit_scale = "0.3"), 2, 5, 0, 1},
    {"everything", WITH(.bias = true, .tied = true, .norm = NORM_SANDWICH, .norm_scale = "0.9", .qk_norm = true, .fixup_scalars = true,
                        .skip = LEARNED(FACTOR_VECTOR, "1.1"), .gate = LEARNED(FACTOR_VECTOR, "0.8"), .embd_scale = "2", .logit_scale = "0.5",
                        .attn_scale = "0.4/layer"), 2, 5, 0.3, 2},
};

static void gradients_are_the_slopes_of_the_loss(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) check_case(&cases[i]);
    for (size_t i = 0; i < COUNT(switched); i++) check_case(&switched[i]);
}

/* Moves one hidden value to a third of a step from ReLU's kink. */
static void a_kink_within_the_step_is_seen(void **state)
{
    (void)state;
    const Shape shape = SHAPE(2, 2, 8, 12, 5, 11, true, true, RELU);
    Problem p = {.g = gpt_new(&shape, 1, 1), .batch = {batch_random(&shape, 1, 5, 1)}, .batches = 1};
    scatter_weights(p.g, 7);
    gpt_loss(p.g, &p.batch[0]);
    Branch *mlp = &p.g->branch[1];
    branch_enter(mlp, &shape, &p.g->scratch, p.batch[0].length);     /* hidden holds slopes by now */
    mlp->in.bias->w[0] += STEP / 3 - mlp->hidden[0];
    assert_true(isnan(numeric_slope(&p, &mlp->in.bias->w[0])));
    mlp->in.bias->w[0] += 3 * STEP;
    assert_false(isnan(numeric_slope(&p, &mlp->in.bias->w[0])));
    batch_free(&p.batch[0]);
    gpt_free(p.g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gradients_are_the_slopes_of_the_loss),
                                       cmocka_unit_test(a_kink_within_the_step_is_seen)};
    blas_start(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
