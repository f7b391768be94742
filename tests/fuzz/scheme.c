/* Scheme files: read, checked, put into a config, asked about every part of a model. */
#include "harness.h"

#include "../../train/config/plan.h"

void fuzz_one(const char *text, size_t length)
{
    static char *const override[] = {"init.scheme=./fuzzed.json", "model.n_layer=2", "model.n_head=2", "model.n_embd=6"};
    fuzz_file("fuzzed.json", text, length);
    bool *given = xcalloc((size_t)config_keys, sizeof *given);
    Plan p = plan_read(NULL, (char *const *)override, (int)COUNT(override), given);
    Shape shape = config_shape(&p.config, 5);
    Gpt *g = gpt_declared(&shape);
    for (int i = 0; i < g->params.parts; i++) {
        const Part *part = &g->params.part[i];
        Rule rule = scheme_rule(&p.scheme, &shape, part);
        Factors f = scheme_factors(&p.scheme, &shape, part);
        double std = scheme_output_std(&p.scheme, &shape, part);
        free(rule_text(&rule));
        assert(isfinite(rule.scale) && isfinite(rule.second) && !isinf(rule_std(&rule, part)) && !isinf(std));
        for (int k = 0; k < FACTORS; k++) assert(isfinite(f.value[k]) && f.value[k] >= 0);
    }
    gpt_free(g);
    plan_free(&p);
}
