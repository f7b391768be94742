#include "report_shape.h"

#include <string.h>

/* The formula with its value, in the first block and, where that differs, in the last. */
static void print_value(FILE *out, const char *formula, double first, double last, int64_t layers)
{
    fprintf(out, "%s = %.5g", formula, first);
    if (last != first) fprintf(out, " in h.0, %.5g in h.%lld", last, (long long)layers - 1);
}

static void print_multiplier(FILE *out, const Shape *s, const Multiplier *m, const char *key, const char *indent)
{
    static const char *const form[FACTOR_SHAPES] = {"a number", "one a branch", "one a layer", "n_embd a branch"};
    double first = multiplier_value(s, m, key, 0), last = multiplier_value(s, m, key, (int)s->n_layer - 1);
    if (first == 1 && last == 1 && !m->trained) return;
    fprintf(out, "%s%-12s ", indent, key);
    print_value(out, m->value ? m->value : "1", first, last, s->n_layer);
    fprintf(out, "; %s, %s\n", form[m->shape], m->trained ? "trained" : "fixed");
}

static void print_scale(FILE *out, const char *key, const char *formula, double first, double last, const Shape *s, const char *indent)
{
    fprintf(out, "%s%-12s ", indent, key);
    print_value(out, formula, first, last, s->n_layer);
    fprintf(out, "\n");
}

void print_switches(FILE *out, const Shape *s, const char *indent)
{
    const int end = (int)s->n_layer - 1;
    const Multiplier gate = shape_gate(s);
    const struct { bool on; const char *name; } flag[] = {{s->qk_norm, "qk_norm"}, {s->ada_ln, "ada_ln"}, {s->fixup_scalars, "fixup_scalars"}};
    if (s->norm != NORM_PRE) fprintf(out, "%s%-12s %s\n", indent, "norm", norm_placement_name[s->norm]);
    for (size_t i = 0; i < COUNT(flag); i++)
        if (flag[i].on) fprintf(out, "%s%-12s on\n", indent, flag[i].name);
    print_multiplier(out, s, &s->skip, "skip", indent);
    print_multiplier(out, s, &gate, "gate", indent);
    if (shape_norm_scale(s, 0) != 1 || shape_norm_scale(s, end) != 1) print_scale(out, "norm_scale", s->norm_scale, shape_norm_scale(s, 0), shape_norm_scale(s, end), s, indent);
    if (shape_embd_scale(s) != 1) print_scale(out, "embd_scale", s->embd_scale, shape_embd_scale(s), shape_embd_scale(s), s, indent);
    if (shape_logit_scale(s) != 1) print_scale(out, "logit_scale", s->logit_scale, shape_logit_scale(s), shape_logit_scale(s), s, indent);
    if (s->attn_scale && strcmp(s->attn_scale, "1/sqrt(head_dim)")) print_scale(out, "attn_scale", s->attn_scale, shape_attn_scale(s, 0), shape_attn_scale(s, end), s, indent);
}
