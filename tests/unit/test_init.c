/* Initialization: each rule's distribution, and what the catalogue says of a model of 12 layers of width 256. */
#include "helpers.h"

#include "../../model/blas.h"

static const Shape tied = SHAPE(12, 4, 256, 1024, 64, 65, true, true, GELU), untied = SHAPE(12, 4, 256, 1024, 64, 65, true, false, GELU);

/* --- the catalogue --- */

/* What the rules themselves should be stands in test_catalogue.c; here, that the weights follow them. */
static void check_reports(const Gpt *g, const char *scheme, const PartReport *report)
{
    for (int i = 0; i < g->params.parts; i++) {
        const Part *part = &g->params.part[i];
        const PartReport *r = &report[i];
        bool varies = r->rule.kind != RULE_CONSTANT && r->rule.kind != RULE_ZEROS, ruled = rule_info[r->rule.kind].elementwise && !isnan(r->expected_std);
        double constant = (double)(real)r->rule.scale;
        if (!init_is_exact(r)) fail_msg("%s: %s is said to be off", scheme, part->name);
        if (!varies) assert_true(r->min == constant && r->max == constant && r->mean == constant && isnan(r->z));
        else if (ruled && r->rule.scale > 0 && !(fabs(r->z) < 5)) fail_msg("%s: %s is %.2f standard errors off", scheme, part->name, r->z);
    }
}

static void every_scheme_gives_its_standard_deviations(void **state)
{
    (void)state;
    const Shape small = SHAPE(4, 4, 128, 512, 64, 65, true, false, GELU);
    Gpt *g = gpt_new(&small, 1, 2);
    for (int i = 0; i < catalogue_count; i++) {
        Scheme s = scheme_named(catalogue[i].name);
        init_weights(g, &s, 1);
        PartReport *report = init_report(g, &s, false);
        check_reports(g, catalogue[i].name, report);
        free(report);
        scheme_free(&s);
    }
    gpt_free(g);
}

/* A thousandth off, or a bias that is not 0. */
static void what_is_not_exact_is_seen(void **state)
{
    (void)state;
    const Shape small = SHAPE(1, 1, 16, 32, 8, 11, true, false, GELU);
    static const struct { const char *part; real factor, more; } row[] = {
        {"h.0.mlp.fc.weight", 1.001f, 0}, {"h.0.attn.q.weight", 0.999f, 0}, {"h.0.ln_1.weight", 1.001f, 0}, {"h.0.mlp.fc.bias", 1, 1e-6f}, {"h.0.mlp.fc.weight", NAN, 0}};
    for (size_t i = 0; i < COUNT(row); i++) {
        Gpt *g = model_filled(&small, "orthogonal", 1, 1);
        Scheme s = scheme_named("orthogonal");
        int off = 0;
        for (int k = 0; k < g->params.parts; k++) {
            const Part *part = &g->params.part[k];
            if (strcmp(part->name, row[i].part)) continue;
            for (int64_t r = 0; r < part->rows; r++)
                for (int64_t c = 0; c < part->cols; c++) {
                    real *w = part_row(&g->params, part, g->params.tensor[part->tensor].w, r) + c;
                    *w = *w * row[i].factor + row[i].more;
                }
        }
        PartReport *report = init_report(g, &s, false);
        for (int k = 0; k < g->params.parts; k++) off += !init_is_exact(&report[k]);
        if (off != 1) fail_msg("%s: %d parts are said to be off", row[i].part, off);
        free(report);
        scheme_free(&s);
        gpt_free(g);
    }
}

static void a_tied_head_changes_no_other_weight(void **state)
{
    (void)state;
    Shape with = tied, without = untied;
    with.n_layer = without.n_layer = 2;
    with.n_embd = without.n_embd = 64;
    for (int i = 0; i < catalogue_count; i++) {
        Gpt *a = model_filled(&with, catalogue[i].name, 1, 2), *b = model_filled(&without, catalogue[i].name, 1, 2);
        assert_int_equal(a->params.tensors + 1, b->params.tensors);
        for (int t = 0; t < a->params.tensors; t++) {
            const Tensor *x = &a->params.tensor[t], *y = &b->params.tensor[t];
            assert_string_equal(x->name, y->name);
            assert_memory_equal(x->w, y->w, (size_t)(x->rows * x->cols) * sizeof(real));
        }
        gpt_free(a);
        gpt_free(b);
    }
}

/* At 8 layers 1/√(2L) is 1/4. */
static void gpt2_is_bert_with_quarter_projections(void **state)
{
    (void)state;
    Shape shape = tied;
    shape.n_layer = 8;
    Gpt *bert = model_filled(&shape, "bert", 1, 2), *gpt2 = model_filled(&shape, "gpt2", 1, 2);
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
        Gpt *g = model_filled(&shape, rule[r].scheme, 3, 2);
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
    Gpt *g = model_filled(&shape, "torch_default", 1, 2);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scheme_gives_its_standard_deviations),
        cmocka_unit_test(what_is_not_exact_is_seen), cmocka_unit_test(a_tied_head_changes_no_other_weight),
        cmocka_unit_test(gpt2_is_bert_with_quarter_projections),
        cmocka_unit_test(rules_have_their_distributions),
        cmocka_unit_test(parts_and_layers_are_independent),
    };
    blas_start(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
