/* Initializations that look at more than one number: mimetic pairs of matrices, and outputs scaled over a batch (LSUV). */
#include "helpers.h"

#include "../../model/blas.h"
#include "../../model/init_matrix.h"
#include "../../model/lsuv.h"

enum { L = 2, H = 4, C = 32, DIM = C / H, T = 24, ROWS = 6 };

#define WITH(...) {.n_layer = L, .n_head = H, .n_embd = C, .n_inner = 80, .block_size = T, .vocab_size = 31, __VA_ARGS__}

static const Part *part_in(const Gpt *g, int layer, Role role)
{
    for (int i = 0; i < g->params.parts; i++)
        if (g->params.part[i].layer == layer && g->params.part[i].role == role) return &g->params.part[i];
    fail_msg("no %s in layer %d", role_info[role].name, layer);
    return NULL;
}

/* --- mimetic --- */

/* What the pair's product is to be: noise·Z + identity·I, from the part's own noise. */
static double target_at(const Part *part, int64_t row, int64_t col, int64_t first, double identity, double noise)
{
    double z = normal_quantile(weight_noise(7, noise_hash(part->name, strlen(part->name)), row, first + col)) / sqrt(C);
    return noise * z + (row == col ? identity : 0);
}

static const char *const mimetic =
    "{\"params\": {\"beta\": 0.7}, \"weights\": {\"*\": {\"normal\": \"0.02\"}, \"attn.q\": {\"mimetic\": \"beta\", \"noise\": \"beta\"},"
    " \"attn.k\": {\"mimetic\": \"beta\", \"noise\": \"beta\"}, \"attn.v\": {\"mimetic\": \"-0.4/layer\", \"noise\": \"0.3\"},"
    " \"attn.proj\": {\"mimetic\": \"-0.4/layer\", \"noise\": 0.3}}}";

static void value_times_proj_is_noise_and_identity(void **state)
{
    (void)state;
    const Shape shape = WITH(.bias = true);
    Gpt *g = model_filled(&shape, mimetic, 7, 2);
    for (int layer = 0; layer < L; layer++) {
        const Part *v = part_in(g, layer, ROLE_ATTN_V), *proj = part_in(g, layer, ROLE_ATTN_PROJ);
        double square = 0;
        for (int64_t i = 0; i < C; i++)
            for (int64_t j = 0; j < C; j++) {
                double product = 0;
                for (int64_t k = 0; k < C; k++) product += (double)weights_of(g, v, i)[k] * (double)weights_of(g, proj, k)[j];
                assert_near(product, target_at(v, i, j, 0, -0.4 / (layer + 1), 0.3), 1e-6);
                if (i != j) square += product * product;
            }
        assert_near(sqrt(square / (C * (C - 1))), 0.3 / sqrt(C), 0.1 * 0.3 / sqrt(C));
    }
    gpt_free(g);
}

/* The largest singular value of r[C,C]: power iterations on rᵀr. */
static double spectral_norm(const double *r)
{
    double v[C], u[C], length = 0;
    for (int i = 0; i < C; i++) v[i] = test_normal(3, i);
    for (int step = 0; step < 300; step++) {
        double square = 0;
        for (int i = 0; i < C; i++) u[i] = 0;
        for (int i = 0; i < C; i++)
            for (int j = 0; j < C; j++) u[i] += r[i * C + j] * v[j];
        for (int j = 0; j < C; j++) v[j] = 0;
        for (int i = 0; i < C; i++)
            for (int j = 0; j < C; j++) v[j] += r[i * C + j] * u[i];
        for (int j = 0; j < C; j++) square += v[j] * v[j];
        length = sqrt(sqrt(square));
        for (int j = 0; j < C; j++) v[j] /= length * length;
    }
    return length;
}

/* q·kᵀ is the best approximation of rank DIM to M (Eckart, Young): what is left is orthogonal to q and to k, and none of its
 * singular values is above those taken. These stand on the diagonals of qᵀq and kᵀk, falling. */
static void check_head(const Gpt *g, int layer, int64_t head)
{
    const Part *query = part_in(g, layer, ROLE_ATTN_Q), *key = part_in(g, layer, ROLE_ATTN_K);
    double q[C][DIM], k[C][DIM], rest[C * C], kept[DIM];
    for (int64_t i = 0; i < C; i++)
        for (int64_t d = 0; d < DIM; d++) {
            q[i][d] = (double)weights_of(g, query, i)[head * DIM + d];
            k[i][d] = (double)weights_of(g, key, i)[head * DIM + d];
        }
    for (int64_t i = 0; i < C; i++)
        for (int64_t j = 0; j < C; j++) {
            rest[i * C + j] = target_at(query, i, j, head * C, 0.7, 0.7);
            for (int d = 0; d < DIM; d++) rest[i * C + j] -= q[i][d] * k[j][d];
        }
    for (int a = 0; a < DIM; a++) {
        for (int64_t j = 0; j < C; j++) {
            double left = 0, right = 0;
            for (int64_t i = 0; i < C; i++) left += q[i][a] * rest[i * C + j], right += rest[j * C + i] * k[i][a];
            assert_near(left, 0, 2e-6);
            assert_near(right, 0, 2e-6);
        }
        for (int b = 0; b < DIM; b++) {
            double qq = 0, kk = 0;
            for (int64_t i = 0; i < C; i++) qq += q[i][a] * q[i][b], kk += k[i][a] * k[i][b];
            if (a == b) kept[a] = qq;
            assert_near(qq, a == b ? kk : 0, 2e-6);
            assert_near(kk, a == b ? qq : 0, 2e-6);
        }
        assert_true(a == 0 || kept[a] < kept[a - 1]);
    }
    double left = spectral_norm(rest);
    assert_true(left <= kept[DIM - 1] * (1 + 1e-6) && left > 0.8 * kept[DIM - 1]);
}

static void query_times_key_is_the_best_of_its_rank(void **state)
{
    (void)state;
    const Shape shape = WITH(.bias = true);
    Gpt *g = model_filled(&shape, mimetic, 7, 2);
    for (int layer = 0; layer < L; layer++)
        for (int64_t head = 0; head < H; head++) check_head(g, layer, head);
    gpt_free(g);
}

static void mimetic_leaves_the_rest_alone(void **state)
{
    (void)state;
    const Shape shape = WITH(.bias = true);
    Gpt *g = model_filled(&shape, mimetic, 7, 1), *plain = model_filled(&shape, "{\"weights\": {\"*\": {\"normal\": \"0.02\"}}}", 7, 2);
    Gpt *again = model_filled(&shape, mimetic, 7, 3), *other = model_filled(&shape, mimetic, 8, 2);
    for (int i = 0; i < g->params.parts; i++) {
        const Part *p = &g->params.part[i];
        bool own = p->role == ROLE_ATTN_Q || p->role == ROLE_ATTN_K || p->role == ROLE_ATTN_V || p->role == ROLE_ATTN_PROJ;
        bool random = own || role_info[p->role].matrix;
        for (int64_t row = 0; row < p->rows; row++) {
            size_t bytes = (size_t)p->cols * sizeof(real);
            assert_memory_equal(weights_of(g, p, row), weights_of(again, p, row), bytes);
            assert_int_equal(memcmp(weights_of(g, p, row), weights_of(plain, p, row), bytes) != 0, own);
            assert_int_equal(memcmp(weights_of(g, p, row), weights_of(other, p, row), bytes) != 0, random);
        }
    }
    gpt_free(g);
    gpt_free(plain);
    gpt_free(again);
    gpt_free(other);
}

/* --- refused --- */

typedef struct { const char *scheme, *says; bool scales; } Refused;

static void use(void *data)
{
    const Refused *r = data;
    const Shape shape = WITH(.bias = true);
    Scheme s = scheme_of(r->scheme);
    Gpt *g = gpt_new(&shape, ROWS, 1);
    Batch b = batch_random(&shape, ROWS, T, 1);
    init_weights(g, &s, 1);
    if (r->scales) init_output_std(g, &s, &b);
}

#define MIMETIC(rules) "{\"weights\": {\"*\": {\"normal\": \"0.02\"}, " rules "}}"
#define M(part, identity, noise) "\"" part "\": {\"mimetic\": \"" identity "\", \"noise\": \"" noise "\"}"
#define OUTPUT(weights, std) "{\"weights\": {\"*\": {\"normal\": \"0.1\"}" weights "}, \"output_std\": {" std "}}"

static void what_has_no_answer_is_refused(void **state)
{
    (void)state;
    Refused row[] = {
        {MIMETIC(M("attn.q", "0.7", "0.7")), "h.0.attn.q.weight has no such partner", false},
        {MIMETIC(M("attn.k", "0.7", "0.7")), "h.0.attn.k.weight has no such partner", false},
        {MIMETIC(M("attn.q", "0.7", "0.7") ", " M("attn.k", "0.7", "0.6")), "h.0.attn.q.weight has no such partner", false},
        {MIMETIC(M("attn.q", "0.7", "0.7") ", " M("attn.k", "-0.7", "0.7")), "h.0.attn.q.weight has no such partner", false},
        {MIMETIC(M("attn.v", "0.4", "0.4")), "h.0.attn.v.weight has no such partner", false},
        {MIMETIC(M("attn.proj", "0.4", "0.4")), "h.0.attn.proj.weight has no such partner", false},
        {MIMETIC(M("attn.v", "layer", "1") ", " M("attn.proj", "2*layer-1", "1")), "h.1.attn.v.weight has no such partner", false},
        {MIMETIC(M("mlp.fc", "0.4", "0.4")), "h.0.mlp.fc.weight has no such partner", false},
        {MIMETIC(M("wte", "0.4", "0.4")), "wte.weight has no such partner", false},
        {MIMETIC(M("attn.q.bias", "0.4", "0.4")), "mimetic is for matrices", false},
        {MIMETIC(M("attn", "0.4", "-0.4")), "not negative", false},
        {MIMETIC("\"attn\": {\"mimetic\": \"0.4\"}"), "\"noise\" (weight of the noise) belongs to mimetic, which needs it", false},
        {MIMETIC("\"attn\": {\"mimetic\": \"0.4\", \"cut\": \"2\"}"), "\"cut\" belongs to truncated_normal, not to mimetic", false},
        {OUTPUT(", \"attn.proj\": {\"zeros\": true}", "\"attn.proj\": \"1\""),
         "the output of h.0.attn.proj.weight has standard deviation 0, and no factor of its weights makes that 1", true},
        {OUTPUT(", \"attn.v\": {\"zeros\": true}", "\"attn.proj\": \"0.5\""),
         "the output of h.0.attn.proj.weight has standard deviation 0, and no factor of its weights makes that 0.5", true},
        {OUTPUT(", \"ln_2.gain\": {\"constant\": \"layer-2\"}, \"ln_1.gain\": {\"constant\": \"1\"}", "\"mlp.fc\": \"2\""),
         "the output of h.1.mlp.fc.weight has standard deviation 0, and no factor of its weights makes that 2", true},
        {OUTPUT("", "\"mlp\": \"-1\""), "not negative", true},
        {OUTPUT("", "\"bias\": \"1\""), "output_std is of the linear layers of blocks (attn, mlp, attn.q, mlp.proj …); \"bias\" is none", true},
        {OUTPUT("", "\"mlp.prj\": \"1\""), "unknown selector \"mlp.prj\"", true},
        {OUTPUT("", "\"mlp\": {\"normal\": \"1\"}"), "a standard deviation is a formula in quotes", true},
    };
    for (size_t i = 0; i < COUNT(row); i++) check_dies(use, &row[i], row[i].says, row[i].scheme);
}

/* --- outputs of a standard deviation --- */

typedef struct { const Gpt *g; const Scheme *scheme; const char *name; int parts; } Watch;

/* About the mean of all, of a block of columns. */
static double std_of(const real *y, int64_t n, int64_t stride, int64_t at, int64_t cols)
{
    double mean = 0, square = 0, count = (double)(n * cols);
    for (int64_t i = 0; i < n * cols; i++) mean += (double)y[i / cols * stride + at + i % cols] / count;
    for (int64_t i = 0; i < n * cols; i++) square += pow((double)y[i / cols * stride + at + i % cols] - mean, 2) / count;
    return sqrt(square);
}

static void check_outputs(Watch *w, const Linear *l, const real *y, int64_t n)
{
    for (int i = l->weight->first_part; i < l->weight->first_part + l->weight->parts; i++) {
        const Part *part = &w->g->params.part[i];
        double std = std_of(y, n, l->weight->cols, part->column, part->cols), target = scheme_output_std(w->scheme, &w->g->shape, part);
        if (isnan(target)) continue;
        if (!(fabs(std / target - 1) < 2e-3)) fail_msg("%s: the output of %s has standard deviation %g, not %g", w->name, part->name, std, target);
        w->parts++;
    }
}

static void check_branch(void *data, const Branch *b, const Batch *batch)
{
    int64_t n = batch->rows * batch->length;
    Watch *w = data;
    Branch again = *b;
    check_outputs(w, &b->proj, b->out ? b->out : w->g->scratch.narrow, n);
    branch_enter(&again, &w->g->shape, &w->g->scratch, n);      /* F left its slopes in hidden */
    check_outputs(w, &b->in, b->raw ? b->raw : b->hidden, n);
}

/* Targets by role, group and star, by layer, for some matrices and for all. */
static const struct { const char *name, *output_std; int parts; Shape shape; } scaled[] = {
    {"all, pre", "{\"*\": \"1\", \"attn.proj\": \"0.5/sqrt(2*n_layer)\", \"mlp.proj\": \"0.1*layer\"}", 6 * L, WITH(.bias = true)},
    {"some, post", "{\"attn\": \"0.7\", \"attn.q\": \"2\"}", 4 * L, WITH(.bias = true, .tied = true, .norm = NORM_POST)},
    {"two, sandwich", "{\"attn.proj\": \"3\", \"mlp.fc\": \"0.01\"}", 2 * L, WITH(.norm = NORM_SANDWICH, .norm_scale = "1/layer")},
    {"all, sub, qk_norm", "{\"*\": \"1.5\"}", 6 * L, WITH(.norm = NORM_SUB, .qk_norm = true, .activation = RELU)},
    {"all, no norm, gates", "{\"attn\": \"1\", \"mlp\": \"1\"}", 6 * L, WITH(.norm = NORM_NONE, .gate = {.value = "0.5", .shape = FACTOR_VECTOR, .trained = true})},
    {"all, ada_ln", "{\"attn\": \"1\", \"mlp\": \"0.4\"}", 6 * L, WITH(.bias = true, .ada_ln = true)},
};

static Gpt *drawn(const Shape *shape, const Scheme *s, const Batch *b)
{
    Gpt *g = gpt_new(shape, ROWS, 2);
    init_weights(g, s, 5);
    if (b) init_output_std(g, s, b);
    return g;
}

/* What the scheme names is multiplied as a whole, the rest keeps its bits. */
static void check_only_factors(const Gpt *before, const Gpt *after, const Scheme *s, const char *name)
{
    for (int i = 0; i < before->params.parts; i++) {
        const Part *p = &before->params.part[i];
        bool named = !isnan(scheme_output_std(s, &before->shape, p)) && p->role != ROLE_WTE && p->role != ROLE_WPE && p->role != ROLE_LM_HEAD;
        double factor = (double)weights_of(after, p, 0)[0] / (double)weights_of(before, p, 0)[0];
        for (int64_t row = 0; row < p->rows; row++)
            for (int64_t col = 0; col < p->cols; col++) {
                double x = (double)weights_of(before, p, row)[col], y = (double)weights_of(after, p, row)[col];
                if (named ? !(factor > 0 && fabs(y / x / factor - 1) < 2e-6) : y != x) fail_msg("%s: %s became %g of %g", name, p->name, y, x);
            }
        if (named) assert_true(fabs(factor - 1) > 1e-3);
    }
}

static void outputs_have_their_standard_deviation(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(scaled); i++) {
        char *text = text_format("{\"weights\": {\"*\": {\"normal\": \"0.1\"}, \"condition\": {\"normal\": \"1\"}}, \"output_std\": %s}", scaled[i].output_std);
        Scheme s = scheme_of(text);
        Batch b = batch_random(&scaled[i].shape, ROWS, T, 1);
        Gpt *before = drawn(&scaled[i].shape, &s, NULL), *after = drawn(&scaled[i].shape, &s, &b);
        Watch watch = {after, &s, scaled[i].name, 0};
        check_only_factors(before, after, &s, scaled[i].name);
        after->observer = (Observer){.forward = check_branch, .data = &watch};
        gpt_loss(after, &b);
        assert_int_equal(watch.parts, scaled[i].parts);
        gpt_free(before);
        gpt_free(after);
        batch_free(&b);
        scheme_free(&s);
        free(text);
    }
}

/* Twice the standard deviation to start from gives the same bits where all matrices are scaled: factors of two are exact. */
static void the_scale_of_the_start_is_forgotten(void **state)
{
    (void)state;
    const Shape shape = WITH(.bias = true, .qk_norm = true);
    Batch b = batch_random(&shape, ROWS, T, 1);
    Scheme s[] = {scheme_of(OUTPUT("", "\"attn\": \"0.8\", \"mlp\": \"0.6\"")),
                  scheme_of(OUTPUT(", \"attn\": {\"normal\": \"0.2\"}, \"mlp\": {\"normal\": \"0.4\"}", "\"attn\": \"0.8\", \"mlp\": \"0.6\""))};
    Scheme plain = scheme_of("{\"weights\": {\"*\": {\"zeros\": true}}, \"output_std\": {}}");
    Gpt *one = drawn(&shape, &s[0], &b), *two = drawn(&shape, &s[1], &b);
    assert_true(scheme_needs_batch(&s[0]) && !scheme_needs_batch(&plain));
    for (int t = 0; t < one->params.tensors; t++)
        assert_memory_equal(one->params.tensor[t].w, two->params.tensor[t].w, (size_t)(one->params.tensor[t].rows * one->params.tensor[t].cols) * sizeof(real));
    for (int i = 0; i < 2; i++) scheme_free(&s[i]);
    scheme_free(&plain);
    gpt_free(one);
    gpt_free(two);
    batch_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(value_times_proj_is_noise_and_identity),
        cmocka_unit_test(query_times_key_is_the_best_of_its_rank),
        cmocka_unit_test(mimetic_leaves_the_rest_alone),
        cmocka_unit_test(what_has_no_answer_is_refused),
        cmocka_unit_test(outputs_have_their_standard_deviation),
        cmocka_unit_test(the_scale_of_the_start_is_forgotten),
    };
    blas_start(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
