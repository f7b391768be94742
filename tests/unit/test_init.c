/* Initialization: each rule's distribution, its noise, and what the catalogue says of a model of 12 layers of width 256. */
#include "helpers.h"

#include "../../model/init.h"

static const Shape tied = {12, 4, 256, 1024, 64, 65, true, true, GELU}, untied = {12, 4, 256, 1024, 64, 65, true, false, GELU};

static Scheme scheme_of(const char *text)
{
    char *error;
    Json *j = json_parse(text, strlen(text), "test", &error);
    assert_non_null(j);
    Scheme s = scheme_load(j, ".", NULL, NULL);
    json_free(j);
    return s;
}

static Gpt *filled(const Shape *shape, const char *name, uint64_t seed, int threads)
{
    Gpt *g = gpt_new(shape, 1, threads);
    Scheme s = *name == '{' ? scheme_of(name) : scheme_named(name);
    init_weights(g, &s, seed);
    scheme_free(&s);
    return g;
}

static const real *weights_of(const Gpt *g, const Part *part, int64_t row)
{
    return part_row(&g->params, part, g->params.tensor[part->tensor].w, row);
}

/* --- the catalogue --- */

/* Standard deviations as the sources give them, at C 256, F 1024, L 12, V 65. */
static const struct { const char *scheme; Role role; double std; } source_says[] = {
    {"bert", ROLE_WTE, 0.02}, {"bert", ROLE_ATTN_PROJ, 0.02}, {"bert", ROLE_MLP_PROJ, 0.02}, {"bert", ROLE_LM_HEAD, 0.02},
    {"gpt2", ROLE_WPE, 0.02}, {"gpt2", ROLE_ATTN_K, 0.02}, {"gpt2", ROLE_ATTN_PROJ, 0.0040824829}, {"gpt2", ROLE_MLP_PROJ, 0.0040824829},
    {"gpt2_sqrt_l", ROLE_ATTN_V, 0.02}, {"gpt2_sqrt_l", ROLE_ATTN_PROJ, 0.0057735027}, {"gpt2_sqrt_l", ROLE_MLP_PROJ, 0.0057735027},
    {"gpt2_openai", ROLE_WTE, 0.02}, {"gpt2_openai", ROLE_WPE, 0.01}, {"gpt2_openai", ROLE_MLP_PROJ, 0.02},
    {"xavier_uniform", ROLE_ATTN_Q, 0.0625}, {"xavier_uniform", ROLE_MLP_FC, 0.0395284708}, {"xavier_uniform", ROLE_LM_HEAD, 0.0789337180},
    {"xavier_normal", ROLE_ATTN_Q, 0.0625}, {"xavier_normal", ROLE_MLP_PROJ, 0.0395284708}, {"xavier_normal", ROLE_LM_HEAD, 0.0789337180},
    {"he_uniform", ROLE_ATTN_PROJ, 0.0883883476}, {"he_uniform", ROLE_MLP_PROJ, 0.0441941738}, {"he_uniform", ROLE_LM_HEAD, 0.0883883476},
    {"he_normal", ROLE_ATTN_V, 0.0883883476}, {"he_normal", ROLE_MLP_PROJ, 0.0441941738}, {"he_normal", ROLE_MLP_FC, 0.0883883476},
    {"lecun", ROLE_WTE, 0.0625}, {"lecun", ROLE_ATTN_Q, 0.0625}, {"lecun", ROLE_MLP_PROJ, 0.03125}, {"lecun", ROLE_LM_HEAD, 0.0625},
    {"torch_default", ROLE_WTE, 1}, {"torch_default", ROLE_ATTN_Q, 0.0360843918}, {"torch_default", ROLE_MLP_PROJ, 0.0180421959},
    {"torch_default", ROLE_ATTN_K_BIAS, 0.0360843918}, {"torch_default", ROLE_MLP_PROJ_BIAS, 0.0180421959},
    {"normal1", ROLE_WTE, 1}, {"normal1", ROLE_MLP_PROJ, 1}, {"normal1", ROLE_LM_HEAD, 1},
    {"zero_proj", ROLE_ATTN_Q, 0.02}, {"zero_proj", ROLE_ATTN_PROJ, 0}, {"zero_proj", ROLE_MLP_PROJ, 0},
    {"small_init", ROLE_WTE, 0.0395284708}, {"small_init", ROLE_MLP_PROJ, 0.0395284708},
    {"wang", ROLE_ATTN_Q, 0.0395284708}, {"wang", ROLE_ATTN_PROJ, 0.0104166667}, {"wang", ROLE_MLP_PROJ, 0.0104166667},
    {"embed_inv_sqrt_d", ROLE_WTE, 0.0625}, {"embed_inv_sqrt_d", ROLE_WPE, 0.0625}, {"embed_inv_sqrt_d", ROLE_MLP_PROJ, 0.0040824829},
    {"zero_head", ROLE_WTE, 0.02}, {"zero_head", ROLE_LM_HEAD, 0},
    {"ln_zero", ROLE_ATTN_Q, 0.02}, {"ln_zero", ROLE_MLP_PROJ, 0.0040824829},
    {"orthogonal", ROLE_WTE, 0.02}, {"orthogonal", ROLE_LM_HEAD, 0.02},
};

/* Returns how many rows of the table speak of this scheme. */
static int check_table(const Gpt *g, const char *scheme, const PartReport *report)
{
    int rows = 0;
    for (size_t e = 0; e < COUNT(source_says); e++) {
        if (strcmp(source_says[e].scheme, scheme)) continue;
        rows++;
        for (int i = 0; i < g->params.parts; i++) {
            const Part *part = &g->params.part[i];
            double n = (double)(part->rows * part->cols), std = source_says[e].std;
            if (part->role != source_says[e].role) continue;
            if (!(fabs(report[i].measured_std - std) <= 5 * std / sqrt(2 * n)))
                fail_msg("%s: %s has standard deviation %g, not %g", scheme, part->name, report[i].measured_std, std);
        }
    }
    return rows;
}

static void check_reports(const Gpt *g, const char *scheme, const PartReport *report)
{
    for (int i = 0; i < g->params.parts; i++) {
        const Part *part = &g->params.part[i];
        const PartReport *r = &report[i];
        const char *group = role_info[part->role].group;
        bool varies = r->rule.kind != RULE_CONSTANT && r->rule.kind != RULE_ZEROS;
        double constant = group && !strcmp(group, "norm.gain") && strcmp(scheme, "ln_zero") ? 1 : part->role == ROLE_LN_F_GAIN;
        if (!varies) assert_true(r->min == constant && r->max == constant && r->mean == constant && isnan(r->z));
        else if (rule_info[r->rule.kind].elementwise && !(fabs(r->z) < 5)) fail_msg("%s: %s is %.2f standard errors off", scheme, part->name, r->z);
    }
}

static void every_scheme_gives_its_standard_deviations(void **state)
{
    (void)state;
    const Shape *shape[] = {&untied, &tied};
    for (int t = 0; t < 2; t++) {
        Gpt *g = gpt_new(shape[t], 1, 2);
        for (int i = 0; i < catalogue_count; i++) {
            Scheme s = scheme_named(catalogue[i].name);
            init_weights(g, &s, 1 + (uint64_t)t);
            PartReport *report = init_report(g, &s, false);
            check_reports(g, catalogue[i].name, report);
            assert_true(check_table(g, catalogue[i].name, report) > 0);
            free(report);
            scheme_free(&s);
        }
        gpt_free(g);
    }
}

/* At 8 layers 1/√(2L) is 1/4. */
static void gpt2_is_bert_with_quarter_projections(void **state)
{
    (void)state;
    Shape shape = tied;
    shape.n_layer = 8;
    Gpt *bert = filled(&shape, "bert", 1, 2), *gpt2 = filled(&shape, "gpt2", 1, 2);
    for (int i = 0; i < bert->params.parts; i++) {
        const Part *part = &bert->params.part[i];
        real ratio = part->role == ROLE_ATTN_PROJ || part->role == ROLE_MLP_PROJ ? 4 : 1;
        for (int64_t row = 0; row < part->rows; row++)
            for (int64_t col = 0; col < part->cols; col++) assert_true(weights_of(bert, part, row)[col] == ratio * weights_of(gpt2, part, row)[col]);
    }
    gpt_free(bert);
    gpt_free(gpt2);
}

/* --- distributions --- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double normal_cdf(double x) { return erfc(-x / sqrt(2)) / 2; }
static double cut_cdf(double x) { return x <= -2 ? 0 : x >= 2 ? 1 : (normal_cdf(x) - normal_cdf(-2)) / erf(2 / sqrt(2)); }
static double uniform_cdf(double x) { return x <= -1 ? 0 : x >= 1 ? 1 : (x + 1) / 2; }

/* Kolmogorov and Smirnov's D·√n; above 2 with a probability of 1 in 1500. */
static double distance(const Gpt *g, const Part *part, double scale, double (*cdf)(double))
{
    int64_t n = part->rows * part->cols;
    double *x = xcalloc((size_t)n, sizeof *x), worst = 0;
    for (int64_t i = 0; i < n; i++) x[i] = (double)weights_of(g, part, i / part->cols)[i % part->cols] / scale;
    qsort(x, (size_t)n, sizeof *x, ascending);
    for (int64_t i = 0; i < n; i++) {
        double p = cdf(x[i]);
        worst = fmax(worst, fmax(fabs(p - (double)i / (double)n), fabs(p - (double)(i + 1) / (double)n)));
    }
    free(x);
    return worst * sqrt((double)n);
}

static void rules_have_their_distributions(void **state)
{
    (void)state;
    static const struct { const char *scheme; double scale; double (*cdf)(double); } rule[] = {
        {"{\"weights\": {\"*\": {\"normal\": \"0.02\"}, \"bias\": {\"normal\": \"0.02\"}}}", 0.02, normal_cdf},
        {"{\"weights\": {\"*\": {\"truncated_normal\": \"0.3\", \"cut\": \"2\"}, \"bias\": {\"truncated_normal\": \"0.3\", \"cut\": 2}}}", 0.3, cut_cdf},
        {"{\"weights\": {\"*\": {\"uniform\": \"0.5\"}, \"bias\": {\"uniform\": 0.5}}}", 0.5, uniform_cdf}};
    Shape shape = untied;
    shape.n_layer = 2;
    for (size_t r = 0; r < COUNT(rule); r++) {
        Gpt *g = filled(&shape, rule[r].scheme, 3, 2);
        for (int i = 0; i < g->params.parts; i++) {
            const Part *part = &g->params.part[i];
            const char *group = role_info[part->role].group;
            if (group && !strncmp(group, "norm", 4)) continue;
            double d = distance(g, part, rule[r].scale, rule[r].cdf);
            if (!(d < 2)) fail_msg("rule %d: %s is %.2f away from its distribution", (int)r, part->name, d);
        }
        gpt_free(g);
    }
}

/* Sample correlation times √n is about standard normal where two parts are independent. */
static void parts_and_layers_are_independent(void **state)
{
    (void)state;
    Shape shape = untied;
    shape.n_layer = 6;
    Gpt *g = filled(&shape, "torch_default", 1, 2);
    const Params *p = &g->params;
    int pairs = 0;
    double worst = 0;
    for (int i = 0; i < p->parts; i++)
        for (int j = i + 1; j < p->parts; j++) {
            const Part *a = &p->part[i], *b = &p->part[j];
            const char *group = role_info[a->role].group;
            if (a->rows != b->rows || a->cols != b->cols || (group && !strncmp(group, "norm", 4))) continue;
            double xy = 0, xx = 0, yy = 0;
            for (int64_t row = 0; row < a->rows; row++) {
                const real *x = weights_of(g, a, row), *y = weights_of(g, b, row);
                xy += (double)kernel_dot(x, y, a->cols);
                xx += kernel_squares(x, a->cols);
                yy += kernel_squares(y, a->cols);
            }
            if (yy == 0) continue;
            double z = xy / sqrt(xx * yy) * sqrt((double)(a->rows * a->cols));
            if (!(fabs(z) < 5)) fail_msg("%s and %s: correlation %.1f standard errors", a->name, b->name, z);
            worst = fmax(worst, fabs(z));
            pairs++;
        }
    print_message("%d pairs, largest correlation %.2f standard errors\n", pairs, worst);
    assert_true(pairs > 500);
    gpt_free(g);
}

/* --- noise --- */

static void widths_share_their_noise_where_they_overlap(void **state)
{
    (void)state;
    const char *scheme = "{\"weights\": {\"*\": {\"normal\": \"0.02\"}, \"bias\": {\"uniform\": \"0.1\"}}}";
    const Shape narrow = {2, 4, 64, 256, 32, 65, true, false, GELU}, wide = {3, 8, 128, 512, 64, 97, true, false, GELU};
    Gpt *a = filled(&narrow, scheme, 5, 2), *b = filled(&wide, scheme, 5, 2);
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
    const Shape shape = {2, 4, 96, 384, 33, 65, true, false, GELU};
    for (size_t s = 0; s < COUNT(name); s++) {
        Gpt *first = filled(&shape, name[s], 1, 1), *other = filled(&shape, name[s], 2, 1);
        for (size_t i = 0; i < COUNT(threads); i++) {
            Gpt *g = filled(&shape, name[s], 1, threads[i]);
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
    const Shape shape = {2, 4, 96, 250, 33, 65, true, false, GELU};
    static const struct { const char *scheme; double gain; } form[] = {
        {"orthogonal", 1}, {"{\"weights\": {\"attn\": {\"orthogonal\": \"1.5\"}, \"mlp\": {\"orthogonal\": \"1.5\"}, \"wte\": {\"orthogonal\": \"1.5\"}}}", 1.5}};
    for (size_t f = 0; f < COUNT(form); f++) {
        Gpt *g = filled(&shape, form[f].scheme, 1, 2);
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
        cmocka_unit_test(every_scheme_gives_its_standard_deviations),
        cmocka_unit_test(gpt2_is_bert_with_quarter_projections),
        cmocka_unit_test(rules_have_their_distributions),
        cmocka_unit_test(parts_and_layers_are_independent),
        cmocka_unit_test(widths_share_their_noise_where_they_overlap),
        cmocka_unit_test(seeds_differ_and_threads_do_not),
        cmocka_unit_test(orthogonal_matrices_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
