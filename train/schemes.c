/* step0 schemes: the catalogue, and one scheme with a config's numbers put in. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "catalogue_table.h"
#include "config/config_doc.h"
#include "config/config_read.h"
#include "run/report_shape.h"
#include "run/setup.h"

/* For the numbers of tables; no text is read. */
enum { VOCAB = 65 };

/* The first sentence, or as many of its words as fit into a line. */
static int summary_length(const char *about)
{
    enum { WIDTH = 80 };
    const char *end = strstr(about, ". ");
    int length = end ? (int)(end - about) : (int)strlen(about);
    if (length <= WIDTH) return length;
    length = WIDTH;
    while (length > 0 && about[length] != ' ') length--;
    return length;
}

/* Words in lines of about 100 columns. */
static void print_words(FILE *out, const char *title, const char *(*word)(int i))
{
    int column = fprintf(out, "%s", title);
    for (int i = 0; word(i); i++) {
        if (column > 100) column = fprintf(out, "\n   ") - 1;
        column += fprintf(out, " %s", word(i));
    }
    fputc('\n', out);
}

static const char *role_word(int i)
{
    return i < ROLES ? role_info[i].name : NULL;
}

void scheme_help(FILE *out)
{
    fputs("A scheme is a JSON file of formulas, one for each role of a weight:\n"
          "    { \"about\": \"...\", \"source\": \"...\",\n"
          "      \"params\":  { \"std\": 0.02 },\n"
          "      \"weights\": { \"*\": {\"normal\": \"std\"}, \"mlp.proj\": {\"normal\": \"std / sqrt(2*n_layer)\"} } }\n"
          "Train with it: init.scheme=my.json; change a number: init.params.std=0.05; change a rule: init.rules.wpe='{\"normal\": \"0.01\"}'.\n\n", out);
    print_words(out, "Roles:", role_word);
    print_words(out, "Groups:", selector_group);
    fputs("A role beats its group, a group beats * (the matrices). Gains default to 1, biases to 0; every matrix needs a rule.\n\nRules:", out);
    for (int i = 0; i < RULES; i++) {
        fprintf(out, " %s", rule_info[i].name);
        if (rule_info[i].argument) fprintf(out, " (%s)", rule_info[i].argument);
    }
    fputs(".\n", out);
    for (int i = 0; i < RULES; i++)
        if (rule_info[i].second) fprintf(out, "%s needs \"%s\" beside it, the %s.\n", rule_info[i].name, rule_info[i].second, rule_info[i].second_argument);
    print_words(out, "Formulas know the scheme's params,", shape_name);
    fputs("and sqrt ln exp min max + - * / ^ ( ). layer counts from 1, inside the blocks only.\n\n"
          "\"model\" sets keys of the config's model (`step0 help config`): {\"norm\": \"post\", \"gate\": {\"value\": \"0\", \"shape\": \"scalar\"}}.\n"
          "\"optimizer\" multiplies lr, weight_decay and eps of what a selector means: {\"*\": {\"lr\": \"64 / n_embd\"}, \"wte\": {\"lr\": \"1\"}}.\n"
          "\"output_std\" scales weights until the output over the first batch has this standard deviation: {\"attn.proj\": \"1 / sqrt(2*n_layer)\"}.\n", out);
}

static int list(void)
{
    for (int i = 0; i < catalogue_count; i++) {
        Scheme s = scheme_named(catalogue[i].name);
        const char *about = scheme_text(&s, "about");
        int length = summary_length(about);
        printf("%-26s %.*s%s\n", catalogue[i].name, length, about, about[length] == ' ' ? " ..." : "");
        scheme_free(&s);
    }
    printf("\n`step0 schemes NAME` shows one with its source and formulas; `init.scheme=NAME` trains with it.\n");
    return EXIT_DONE;
}

/* A model's parts without their memory, to ask a scheme about. */
static Gpt *shape_only(const Config *c, int64_t n_embd, int64_t vocab)
{
    Shape shape = config_shape(c, vocab);
    if (n_embd != shape.n_embd) {
        shape.n_inner = shape.n_inner * n_embd / shape.n_embd;
        shape.n_embd = n_embd;
        shape.n_head = max_i64(1, n_embd / 64);
    }
    return gpt_declared(&shape);
}

/* Of each role the first part and, where blocks differ, the last. */
static bool shown(const Gpt *g, const Scheme *s, int i)
{
    const Params *p = &g->params;
    const Part *part = &p->part[i];
    if (part->layer <= 0) return true;
    if (part->layer + 1 < g->shape.n_layer) return false;
    Part first = *part;
    first.layer = 0;
    return scheme_rule(s, &g->shape, &first).scale != scheme_rule(s, &g->shape, part).scale;
}

static const int64_t width[] = {128, 768, 4096};

/* A rule's standard deviation; of a constant, its value. */
static double shown_number(const Rule *r, const Part *part)
{
    return r->kind == RULE_CONSTANT ? r->scale : rule_std(r, part);
}

static void print_rules(const Config *c, const Scheme *s)
{
    Gpt *own = shape_only(c, c->n_embd, VOCAB), *at[COUNT(width)];
    for (size_t w = 0; w < COUNT(width); w++) at[w] = shape_only(c, width[w], VOCAB);
    printf("%-24s %-42s %12s   at width %8lld %10lld %10lld\n", "part", "rule", "std here", (long long)width[0], (long long)width[1], (long long)width[2]);
    for (int i = 0; i < own->params.parts; i++) {
        const Part *part = &own->params.part[i];
        if (!shown(own, s, i)) continue;
        Rule rule = scheme_rule(s, &own->shape, part);
        char *text = rule_text(&rule);
        printf("%-24s %-42s %12.6g           ", part->name, text, shown_number(&rule, part));
        for (size_t w = 0; w < COUNT(width); w++) {
            const Part *wide = &at[w]->params.part[i];
            Rule r = scheme_rule(s, &at[w]->shape, wide);
            printf(" %10.5g", shown_number(&r, wide));
        }
        printf("\n");
        free(text);
    }
    for (size_t w = 0; w < COUNT(width); w++) gpt_free(at[w]);
    gpt_free(own);
    printf("\nHere: n_layer %lld, n_embd %lld, n_inner %lld, block_size %lld, a vocabulary of %d. Numbers are standard deviations of each rule itself, of a constant its value.\n"
           "For comparison at widths 128, 768, 4096: Xavier sqrt(1/d) = %.3f, %.3f, %.3f; He sqrt(2/d) = %.3f, %.3f, %.3f.\n",
           (long long)c->n_layer, (long long)c->n_embd, (long long)c->n_inner, (long long)c->block_size, VOCAB, sqrt(1 / 128.), sqrt(1 / 768.),
           sqrt(1 / 4096.), sqrt(2 / 128.), sqrt(2 / 768.), sqrt(2 / 4096.));
}

static void print_output_std(const Scheme *s)
{
    const Json *output = json_get(s->json, "output_std");
    for (const Json *m = output ? output->child : NULL; m; m = m->next) printf("  scaled on the first batch: the output of %s gets standard deviation %s\n", m->key, m->string);
}

/* Factors on the optimizer's numbers, a line a role. */
static void print_optimizer(const Config *c, const Scheme *s)
{
    const Json *optimizer = json_get(s->json, "optimizer");
    const Shape shape = config_shape(c, VOCAB);
    Gpt *g = gpt_declared(&shape);
    bool done[ROLES] = {false};
    for (int i = 0; i < g->params.parts && optimizer; i++) {
        const Part *part = &g->params.part[i];
        Factors f = scheme_factors(s, &shape, part);
        for (int k = 0; k < FACTORS && !done[part->role]; k++)
            if (f.formula[k]) printf("  %s of %s times %s = %.5g\n", factor_name[k], role_info[part->role].name, f.formula[k], f.value[k]);
        done[part->role] = true;
    }
    gpt_free(g);
}

static void print_scheme(const Config *c, const Scheme *s)
{
    printf("%s\n  %s\n", scheme_name(s), scheme_text(s, "about"));
    if (*scheme_text(s, "source")) printf("  source: %s\n", scheme_text(s, "source"));
    const Json *params = json_get(s->json, "params"), *model = json_get(s->json, "model");
    for (const Json *p = params ? params->child : NULL; p; p = p->next) printf("  %s = %g (init.params.%s)\n", p->key, p->number, p->key);
    for (const Json *m = model ? model->child : NULL; m; m = m->next) {
        char *value = json_brief(m);
        printf("  sets model.%s to %s\n", m->key, value);
        free(value);
    }
    const Shape shape = config_shape(c, VOCAB);
    if (model) print_switches(stdout, &shape, "    here: ");
    print_optimizer(c, s);
    print_output_std(s);
    printf("\n");
    print_rules(c, s);
}

int command_schemes(const Args *args)
{
    if (args->words && args->markdown) die("--markdown writes the whole catalogue; leave %s out", args->word[0]);
    if (args->markdown) return catalogue_markdown();
    if (!args->words && args->overrides) die("\"%s\" on the command line: numbers are of one scheme; name it in front, for instance `step0 schemes gpt2 %s`", args->override[0], args->override[0]);
    if (!args->words) return list();
    if (config_gives(args->override, args->overrides, "init.scheme")) die("init.scheme is given twice; %s names the scheme, leave the key out", args->word[0]);
    char **override = xcalloc((size_t)args->overrides + 1, sizeof *override);
    bool *given = xcalloc((size_t)config_keys, sizeof *given);
    memcpy(override, args->override, (size_t)args->overrides * sizeof *override);
    override[args->overrides] = text_format("init.scheme=%s", args->word[0]);
    Plan plan = plan_read(args->words > 1 ? args->word[1] : NULL, override, args->overrides + 1, given);
    if (plan.config.from) die("init.from is %s, whose weights no scheme draws; leave it out", plan.config.from);
    print_scheme(&plan.config, &plan.scheme);
    plan_free(&plan);
    free(override[args->overrides]);
    free(override);
    free(given);
    return EXIT_DONE;
}
