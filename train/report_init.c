#include "report_init.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
 * token's own logit C·s²/√(s² + s_p²) where the blocks add little to the stream (s_p: positions). */
void warn_first_loss(const Setup *s, double loss)
{
    double uniform = log(s->tokenizer.size), C = (double)s->config.n_embd;
    if (!(loss > 1.2 * uniform)) return;
    double table = measured_std(s, ROLE_WTE), place = measured_std(s, ROLE_WPE), head = s->config.tied ? table : measured_std(s, ROLE_LM_HEAD);
    Text why = {0};
    text_add(&why, "logits have a standard deviation of about %.3g·√%.0f = %.3g, the scale of %s", head, C, head * sqrt(C),
             s->config.tied ? "wte, to which the head is tied" : "lm_head");
    double own = C * table * table / sqrt(table * table + place * place);
    if (s->config.tied && own > 1) text_add(&why, "; and where blocks add little at step 0, a tied head gives each token's own logit about %.3g", own);
    notice("the loss of step 0 is %.4g, above 1.2 ln V = %.4g: %s", loss, 1.2 * uniform, why.at);
    free(why.at);
}

/* --- --dry-run --- */

static void print_table(const Setup *s)
{
    printf("\n%-24s %-13s %-44s %10s %10s %6s\n", "part", "shape", "rule", "expected", "measured", "z");
    for (int i = 0; i < s->model->params.parts; i++) {
        const Part *part = &s->model->params.part[i];
        const PartReport *r = &s->report[i];
        char shape[48], z[16] = "", expected[16] = "", *rule = rule_of(r);
        snprintf(shape, sizeof shape, "%lld x %lld", (long long)part->rows, (long long)part->cols);
        if (!isnan(r->z)) snprintf(z, sizeof z, "%+.1f", r->z);
        if (!isnan(r->expected_std)) snprintf(expected, sizeof expected, "%.6g", r->expected_std);
        printf("%-24s %-13s %-44s %10s %10.6g %6s\n", part->name, shape, rule, expected, r->measured_std, z);
        free(rule);
    }
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
    MemoryEstimate m = setup_memory(s, &s->model->shape);
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
    print_table(s);
    double loss = setup_first_loss(s);
    printf("\nloss of step 0: %.4f; ln V is %.4f\n", loss, log(s->tokenizer.size));
    warn_first_loss(s, loss);
}
