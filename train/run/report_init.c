#include "report_init.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "report_shape.h"

static char *rule_of(const PartReport *r)
{
    return r->loaded ? xstrdup("loaded") : rule_text(&r->rule);
}

static void add_number(Text *t, double x)
{
    if (isnan(x)) text_add(t, ",");
    else text_add(t, ",%.9g", x);
}

char *init_csv(const Setup *s)
{
    Text t = {0};
    text_add(&t, "part,role,layer,rows,cols,rule,expected_std,measured_std,z,mean,min,max,kurtosis\n");
    for (int i = 0; i < s->model->params.parts; i++) {
        const Part *part = &s->model->params.part[i];
        const PartReport *r = &s->report[i];
        char *rule = rule_of(r), layer[16] = "";
        if (part->layer >= 0) snprintf(layer, sizeof layer, "%d", part->layer);
        text_add(&t, "%s,%s,%s,%lld,%lld,\"%s\"", part->name, role_info[part->role].name, layer, (long long)part->rows, (long long)part->cols, rule);
        const double number[] = {r->expected_std, r->measured_std, r->z, r->mean, r->min, r->max, r->kurtosis};
        for (size_t n = 0; n < COUNT(number); n++) add_number(&t, number[n]);
        text_add(&t, "\n");
        free(rule);
    }
    return t.at;
}

/* --- the loss of step 0 --- */

static double measured_std(const Setup *s, Role role)
{
    for (int i = 0; i < s->model->params.parts; i++)
        if (s->model->params.part[i].role == role) return s->report[i].measured_std;
    return NAN;
}

/* The last norm gives vectors of length √C, so a head of standard deviation s gives logits of s·√C; a tied head gives a
 * token's own logit C·s²/√(s² + s_p²) where the blocks add little to the stream (s_p: positions). All times logit_scale. */
void warn_first_loss(const Setup *s, double loss)
{
    double uniform = log(s->tokenizer.size), C = (double)s->config.n_embd, scale = (double)s->model->logit_scale;
    if (!(loss > 1.2 * uniform)) return;
    double table = measured_std(s, ROLE_WTE), place = measured_std(s, ROLE_WPE), head = s->config.tied ? table : measured_std(s, ROLE_LM_HEAD);
    const char *owner = s->config.tied ? "wte, to which the head is tied" : "lm_head";
    Text why = {0};
    if (!s->model->ln_f.gain && s->config.norm == NORM_NONE) text_add(&why, "no norm holds the stream in front of the head, whose scale is %.3g (%s)", head * scale, owner);
    else text_add(&why, "logits have a standard deviation of about %.3g·√%.0f = %.3g, the scale of %s", head * scale, C, head * scale * sqrt(C), owner);
    double own = scale * C * table * table / sqrt(table * table + place * place);
    if (s->config.tied && own > 1) text_add(&why, "; and where blocks add little at step 0, a tied head gives each token's own logit about %.3g", own);
    notice("the loss of step 0 is %.4g, above 1.2 ln V = %.4g: %s", loss, 1.2 * uniform, why.at);
    free(why.at);
}

/* --- --dry-run --- */

/* Parts of one role and rule, over the layers. */
typedef struct { const Part *first; const PartReport *report; int parts; double low, high, z; const char *where; } RoleRow;

/* Of one rule: the same standard deviation, or the same value. */
static bool same_row(const PartReport *a, const PartReport *b)
{
    if (a->rule.kind == RULE_CONSTANT && b->rule.kind == RULE_CONSTANT) return a->rule.scale == b->rule.scale;
    return a->expected_std == b->expected_std || (isnan(a->expected_std) && isnan(b->expected_std));
}

static RoleRow row_of(const Setup *s, int i)
{
    const Params *p = &s->model->params;
    RoleRow row = {.first = &p->part[i], .report = &s->report[i], .low = INFINITY, .high = -INFINITY, .z = 0, .where = ""};
    for (int j = i; j < p->parts; j++) {
        const PartReport *r = &s->report[j];
        if (p->part[j].role != row.first->role || !same_row(row.report, r)) continue;
        row.parts++;
        row.low = fmin(row.low, r->measured_std);
        row.high = fmax(row.high, r->measured_std);
        if (fabs(r->z) > fabs(row.z)) row.z = r->z, row.where = p->part[j].name;
    }
    return row;
}

/* Whether an earlier part has the same role and expected standard deviation, and so stands in its row. */
static bool counted(const Setup *s, int i)
{
    for (int j = 0; j < i; j++)
        if (s->model->params.part[j].role == s->model->params.part[i].role && same_row(&s->report[j], &s->report[i])) return true;
    return false;
}

static void print_row(const RoleRow *row)
{
    char shape[48], expected[16] = "", measured[48], z[16] = "", *rule = rule_of(row->report);
    char *name = row->parts > 1 ? text_format("%s x%d", strchr(strchr(row->first->name, '.') + 1, '.') + 1, row->parts) : xstrdup(row->first->name);
    snprintf(shape, sizeof shape, "%lld x %lld", (long long)row->first->rows, (long long)row->first->cols);
    bool constant = row->report->rule.kind == RULE_CONSTANT && !row->report->loaded;
    if (constant) snprintf(expected, sizeof expected, "= %.5g", row->report->rule.scale);
    else if (!isnan(row->report->expected_std)) snprintf(expected, sizeof expected, "%.5g", row->report->expected_std);
    snprintf(measured, sizeof measured, row->parts > 1 && row->high > 0 ? "%.4g..%.4g" : "%.4g", row->low, row->high);
    if (row->z != 0) snprintf(z, sizeof z, "%+.1f", row->z);
    printf("%-22s %-12s %-38s %10s %20s %6s\n", name, shape, rule, expected, measured, z);
    free(name);
    free(rule);
}

/* One line a role; init.csv has one a part. */
static void print_table(const Setup *s)
{
    printf("\n%-22s %-12s %-38s %10s %20s %6s\n", "part", "shape", "rule", "std of it", "measured std", "z");
    for (int i = 0; i < s->model->params.parts; i++) {
        if (counted(s, i)) continue;
        RoleRow row = row_of(s, i);
        print_row(&row);
    }
    printf("z: the largest difference of measured and expected, in standard errors; above 5 warns, above 8 stops. ");
    print_applied(stdout, s);
}

/* Roles whose factor is `like`'s, once each. */
static void add_roles(Text *t, const Setup *s, int factor, const Factors *like)
{
    bool done[ROLES] = {false};
    for (int i = 0; i < s->model->params.parts; i++) {
        Role role = s->model->params.part[i].role;
        if (done[role] || s->factors[i].formula[factor] == NULL || s->factors[i].value[factor] != like->value[factor]) continue;
        done[role] = true;
        text_add(t, " %s", role_info[role].name);
    }
}

/* A line for each value that a factor of the optimizer takes. */
static void print_factors(const Setup *s)
{
    for (int factor = 0; factor < FACTORS; factor++)
        for (int i = 0; i < s->model->params.parts; i++) {
            const Factors *f = &s->factors[i];
            bool fresh = f->formula[factor] != NULL;
            for (int j = 0; j < i && fresh; j++) fresh = !(s->factors[j].formula[factor] && s->factors[j].value[factor] == f->value[factor]);
            if (!fresh) continue;
            Text roles = {0};
            add_roles(&roles, s, factor, f);
            printf("optimizer    %s times %.4g (%s) for%s\n", factor_name[factor], f->value[factor], f->formula[factor], roles.at);
            free(roles.at);
        }
}

void print_applied(FILE *out, const Setup *s)
{
    int worst = -1, checked = 0;
    for (int i = 0; i < s->model->params.parts; i++) {
        if (isnan(s->report[i].z)) continue;
        checked++;
        if (worst < 0 || fabs(s->report[i].z) > fabs(s->report[worst].z)) worst = i;
    }
    if (worst < 0) fprintf(out, "no random weights by rule\n");
    else fprintf(out, "%d random parts measured: largest |z| %.1f (%s)\n", checked, fabs(s->report[worst].z), s->model->params.part[worst].name);
}

static void print_yardsticks(const Setup *s)
{
    printf("yardsticks   ln V %.4f", log(s->tokenizer.size));
    if (!isnan(s->yardsticks.unigram)) printf(", unigram %.4f, bigram %.4f", s->yardsticks.unigram, s->yardsticks.bigram);
    if (!isnan(s->floor)) printf(", floor %.4f", s->floor);
    printf(" nats a token\n");
}

static void print_memory(const Setup *s)
{
    const double MiB = 1048576;
    MemoryEstimate m = memory_estimate(&s->config, &s->model->shape, s->threads, (double)s->corpus.size);
    printf("memory       weights %.1f, gradients %.1f, moments %.1f, activations and scratch %.1f, text and program %.1f: peak about %.1f MiB\n",
           m.weights / MiB, m.weights / MiB, 2 * m.weights / MiB, m.activations / MiB, m.rest / MiB, m.peak / MiB);
}

void print_dry_run(Setup *s)
{
    const Config *c = &s->config;
    printf("model        %lld layers, %lld heads, width %lld, MLP %lld, context %lld: %lld parameters%s\n", (long long)c->n_layer,
           (long long)c->n_head, (long long)c->n_embd, (long long)c->n_inner, (long long)c->block_size, (long long)s->model->params.size,
           c->tied ? " (head tied)" : "");
    printf("text         %lld tokens to train on, %lld to validate on, vocabulary %d\n", (long long)s->corpus.train,
           (long long)(s->corpus.size - s->corpus.train), s->tokenizer.size);
    print_yardsticks(s);
    print_memory(s);
    printf("OpenBLAS     kernel %s (chosen by %s), %d threads\n", s->blas.kernel, s->blas.chosen_by, s->threads);
    printf("scheme       %s\n", c->from ? c->from : scheme_name(&s->scheme));
    print_switches(stdout, &s->model->shape, "model        ");
    print_table(s);
    print_factors(s);
    double loss = setup_first_loss(s);
    printf("\nloss of step 0: %.4f; ln V is %.4f\n", loss, log(s->tokenizer.size));
    warn_first_loss(s, loss);
}
