#include "init.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "init_matrix.h"
#include "noise.h"

/* --- a rule as a function of one number --- */

/* inside: normal_within(cut) of truncated_normal, computed once a part. */
static double value_at(const Rule *r, double u, double inside)
{
    switch (r->kind) {
    case RULE_NORMAL: return r->scale * normal_quantile(u);
    case RULE_TRUNCATED_NORMAL: return r->scale * normal_quantile(0.5 + (u - 0.5) * inside);
    case RULE_UNIFORM: return r->scale * (2 * u - 1);
    case RULE_CONSTANT: return r->scale;
    default: return 0;
    }
}

/* --- filling --- */

static void fill_slab(const Params *p, const Slab *slab, const Rule *rule, uint64_t seed)
{
    const Part *part = &p->part[slab->part];
    uint64_t name = noise_hash(part->name, strlen(part->name));
    double inside = rule->kind == RULE_TRUNCATED_NORMAL ? normal_within(rule->second) : 1;
    bool constant = rule->kind == RULE_CONSTANT || rule->kind == RULE_ZEROS;
    for (int64_t row = slab->row; row < slab->row + slab->rows; row++) {
        real *w = part_row(p, part, p->tensor[part->tensor].w, row);
        for (int64_t col = 0; col < part->cols; col++)
            w[col] = (real)value_at(rule, constant ? 0.5 : weight_noise(seed, name, row, col), inside);
    }
}

static Rule *rules_of(const Gpt *g, const Scheme *s)
{
    Rule *rule = xcalloc((size_t)g->params.parts, sizeof *rule);
    for (int i = 0; i < g->params.parts; i++) rule[i] = scheme_rule(s, &g->shape, &g->params.part[i]);
    return rule;
}

void init_weights(Gpt *g, const Scheme *s, uint64_t seed)
{
    const Params *p = &g->params;
    Rule *rule = rules_of(g, s);
#pragma omp parallel num_threads(g->threads)
    {
#pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < p->parts; i++)
            if (rule[i].kind == RULE_ORTHOGONAL) fill_orthogonal(p, &p->part[i], rule[i].scale, seed);
#pragma omp for schedule(dynamic)
        for (int i = 0; i < p->slabs; i++) {
            const Rule *r = &rule[p->slab[i].part];
            if (rule_info[r->kind].elementwise) fill_slab(p, &p->slab[i], r, seed);
        }
    }
    fill_mimetic(g, rule, seed);
    free(rule);
}

/* --- the proof --- */

static void measure(PartReport *report, const Params *p, const Part *part, double centre)
{
    double n = (double)(part->rows * part->cols), sum = 0, square = 0;
    report->min = INFINITY;
    report->max = -INFINITY;
    for (int64_t row = 0; row < part->rows; row++) {
        const real *w = part_row(p, part, p->tensor[part->tensor].w, row);
        for (int64_t col = 0; col < part->cols; col++) {
            double x = (double)w[col];
            sum += x - centre;
            square += (x - centre) * (x - centre);
            if (x < report->min) report->min = x;
            if (x > report->max) report->max = x;
        }
    }
    report->mean = centre + sum / n;
    report->measured_std = sqrt(square / n);
    double second = 0, fourth = 0;
    for (int64_t row = 0; row < part->rows; row++) {
        const real *w = part_row(p, part, p->tensor[part->tensor].w, row);
        for (int64_t col = 0; col < part->cols; col++) {
            double d = ((double)w[col] - report->mean) * ((double)w[col] - report->mean);
            second += d;
            fourth += d * d;
        }
    }
    report->kurtosis = second > 0 ? n * fourth / (second * second) : NAN;
}

static PartReport report_part(const Gpt *g, const Part *part, Rule rule, bool loaded, bool rescaled)
{
    PartReport report = {.rule = rule, .loaded = loaded, .expected_std = NAN, .z = NAN};
    measure(&report, &g->params, part, rule.kind == RULE_CONSTANT && !loaded ? rule.scale : 0);
    if (loaded || rescaled) return report;
    report.expected_std = rule_std(&rule, part);
    double n = (double)(part->rows * part->cols), error = report.expected_std * sqrt((rule_kurtosis(&rule) - 1) / (4 * n));
    if (error > 0 && rule_info[rule.kind].elementwise) report.z = (report.measured_std - report.expected_std) / error;
    return report;
}

PartReport *init_report(const Gpt *g, const Scheme *s, bool loaded)
{
    int parts = g->params.parts;
    PartReport *report = xcalloc((size_t)parts, sizeof *report);
    Rule *rule = rules_of(g, s);
#pragma omp parallel for num_threads(g->threads) schedule(dynamic)
    for (int i = 0; i < parts; i++) {
        const Part *part = &g->params.part[i];
        report[i] = report_part(g, part, rule[i], loaded, !isnan(scheme_output_std(s, &g->shape, part)));
    }
    free(rule);
    return report;
}

bool init_is_exact(const PartReport *r)
{
    if (isnan(r->expected_std) || !isnan(r->z)) return true;
    double size = r->expected_std > 0 ? r->expected_std : fabs(r->rule.scale);
    return fabs(r->measured_std - r->expected_std) <= 1e-4 * size;
}
