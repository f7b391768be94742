#include "catalogue_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "probe/fit.h"
#include "probe/probe.h"

/* The model of the table. */
static char *const fixed[] = {"model.n_layer=12", "model.n_head=4", "model.n_embd=256", "model.block_size=64", "train.batch_size=8",
                              "data.chars=100000", "data.val_fraction=0"};

static const Role measured_role[] = {ROLE_WTE, ROLE_WPE, ROLE_ATTN_Q, ROLE_ATTN_V, ROLE_ATTN_PROJ, ROLE_MLP_FC, ROLE_MLP_PROJ, ROLE_LM_HEAD};

/* A cell of a table: no line breaks, no bars. */
static void print_cell(const char *text)
{
    for (; *text; text++) fputs(*text == '|' ? "\\|" : *text == '\n' ? " " : (char[]){*text, 0}, stdout);
}

static void print_object(const char *title, const Json *object)
{
    for (const Json *m = object ? object->child : NULL; m; m = m->next) {
        char *value = m->kind == JSON_OBJECT || m->kind == JSON_BOOL ? json_print(m, false) : NULL;
        printf("<br>%s%s: `", title, m->key);
        print_cell(value ? value : m->string);
        printf("`");
        free(value);
    }
}

static void print_rules(const Scheme *s)
{
    const Json *weights = json_get(s->json, "weights"), *params = json_get(s->json, "params");
    for (const Json *m = weights->child; m; m = m->next) {
        char *value = json_print(m, false);
        printf("%s%s `", m == weights->child ? "" : "<br>", m->key);
        print_cell(value);
        printf("`");
        free(value);
    }
    for (const Json *p = params ? params->child : NULL; p; p = p->next) printf("%s%s = %g", p == params->child ? "<br>with " : ", ", p->key, p->number);
    print_object("output_std ", json_get(s->json, "output_std"));
    print_object("model.", json_get(s->json, "model"));
    print_object("optimizer ", json_get(s->json, "optimizer"));
}

/* "attn.proj 0.00408 (0.00409)": expected and measured, of the first block and, where it differs, of the last. */
static void print_std(const Setup *s)
{
    const Params *p = &s->model->params;
    bool first = true;
    for (size_t k = 0; k < COUNT(measured_role); k++) {
        double before = -1;
        for (int i = 0; i < p->parts; i++) {
            const Part *part = &p->part[i];
            bool end = part->layer <= 0 || part->layer + 1 == s->model->shape.n_layer;
            double expected = s->report[i].expected_std;
            if (part->role != measured_role[k] || !end || expected == before) continue;
            before = expected;
            printf("%s%s%s ", first ? "" : "<br>", role_info[part->role].name, part->layer > 0 ? " (last)" : "");
            if (isnan(expected)) printf("- (%.3g)", s->report[i].measured_std);
            else printf("%.3g (%.3g)", expected, s->report[i].measured_std);
            first = false;
        }
    }
}

static void print_row(const char *name)
{
    char *override[COUNT(fixed) + 1];
    memcpy(override, fixed, sizeof fixed);
    override[COUNT(fixed)] = text_format("init.scheme=%s", name);
    Args args = {.override = override, .overrides = COUNT(override)};
    Setup s = setup_new(&args, NULL);
    Probe p = probe_measure(&s, "", 0);
    char *slope = fit_sentence(p.gradient, (int)p.layers);
    printf("| **%s** | ", name);
    print_rules(&s.scheme);
    printf(" | ");
    print_std(&s);
    printf(" | %.3f | %.3g (%.3g) | %s | ", p.loss, p.block[p.layers - 1].stream, p.predicted[p.layers], slope);
    print_cell(scheme_text(&s.scheme, "source"));
    printf(" |\n");
    free(slope);
    probe_free(&p);
    setup_free(&s);
    free(override[COUNT(fixed)]);
}

int catalogue_markdown(void)
{
    printf("# The catalogue of initializations\n\n"
           "Made by `step0 schemes --markdown`. Each scheme is a file in this folder; `init.scheme=NAME` trains with it, `step0 schemes NAME` shows what it does.\n\n"
           "Measured at n_layer 12, n_head 4, n_embd 256, block_size 64, over one batch of 8 windows of the built-in text (60 symbols: ln V = 4.094), seed 1.\n"
           "Standard deviation: expected by the rule (measured). Loss: of step 0. Stream: root mean square behind the last block (predicted by theory).\n"
           "Gradient: norm of each block's weights over depth. Where the model has switches, `model.` lists the keys that the scheme sets.\n\n"
           "| scheme | formulas | standard deviation | loss | stream | gradient | source |\n|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < catalogue_count; i++) print_row(catalogue[i].name);
    return EXIT_DONE;
}
