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

/* A hash of the signs of all that enters a ReLU: it changes where a step crosses a kink. */
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

/* What symmetry makes 0: a bias of k moves all of a query's scores alike, and one token's softmax is 1. */
static bool is_zero(const Problem *p, Role role)
{
    bool query_or_key = role == ROLE_ATTN_Q || role == ROLE_ATTN_K || role == ROLE_ATTN_Q_BIAS;
    return role == ROLE_ATTN_K_BIAS || (query_or_key && p->batch[0].length == 1);
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
    {"gelu, bias, tied",                   {2, 2,  8, 12,  5, 11, true,  true,  GELU},       1,  5, 0,   1},
    {"gelu, bias, untied",                 {2, 2,  8, 12,  5, 11, true,  false, GELU},       3,  5, 0,   1},
    {"gelu, no bias, tied",                {2, 2,  8, 12,  5, 11, false, true,  GELU},       3,  5, 0,   1},
    {"gelu, no bias, untied, dropout",     {2, 2,  8, 12,  5, 11, false, false, GELU},       1,  5, 0.3, 1},
    {"gelu_exact, odd sizes",              {2, 3, 15, 11,  7, 13, true,  true,  GELU_EXACT}, 3,  7, 0,   1},
    {"gelu_exact, odd sizes, dropout",     {2, 3, 15, 11,  7, 13, true,  false, GELU_EXACT}, 1,  7, 0.3, 1},
    {"relu, odd sizes",                    {2, 3, 15, 11,  7, 13, true,  true,  RELU},       3,  7, 0,   1},
    {"relu, no bias, dropout",             {2, 2,  8, 12,  5, 11, false, true,  RELU},       3,  5, 0.3, 1},
    {"heads of width 1",                    {2, 8,  8,  3,  5,  6, true,  true,  GELU},       2,  5, 0,   1},
    {"two micro-batches",                  {2, 2,  8, 12,  5, 11, true,  true,  GELU},       2,  5, 0,   2},
    {"two micro-batches, dropout",         {2, 3, 15, 11,  7, 13, true,  false, GELU},       2,  7, 0.3, 2},
    {"shorter than the block",             {2, 2,  8, 12,  9, 11, true,  true,  GELU},       2,  5, 0,   1},
    {"two blocks of queries",              {2, 2,  8, 12, 40, 11, true,  true,  GELU},       1, 40, 0,   1},
    {"two blocks of queries, dropout",     {2, 2,  8, 12, 40, 11, true,  false, GELU},       1, 40, 0.3, 1},
    {"three blocks of queries, 3 rows",    {1, 1,  3,  5, 65,  7, true,  true,  GELU},       3, 65, 0.3, 1},
    {"a context of one token",             {2, 2,  8, 12,  1, 11, true,  true,  GELU},       3,  1, 0,   1},
};

static void gradients_are_the_slopes_of_the_loss(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) check_case(&cases[i]);
}

/* Moves one hidden value to a third of a step from ReLU's kink. */
static void a_kink_within_the_step_is_seen(void **state)
{
    (void)state;
    const Shape shape = {2, 2, 8, 12, 5, 11, true, true, RELU};
    Problem p = {.g = gpt_new(&shape, 1, 1), .batch = {batch_random(&shape, 1, 5, 1)}, .batches = 1};
    scatter_weights(p.g, 7);
    gpt_loss(p.g, &p.batch[0]);
    const Branch *mlp = &p.g->branch[1];
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
