#include "shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const norm_placement_name[NORM_PLACEMENTS] = {"pre", "post", "sandwich", "sub", "none"};
const char *const factor_shape_name[FACTOR_SHAPES] = {"number", "scalar", "layer", "vector"};

/* In the order of shape_names; the last three are not known everywhere. */
static const char *const known_name[SHAPE_NAMES] = {"n_layer", "n_head", "n_embd", "n_inner", "head_dim", "block_size", "vocab_size",
                                                    "pi", "layer", "fan_in", "fan_out"};

const char *shape_name(int i)
{
    return i < SHAPE_NAMES ? known_name[i] : NULL;
}

int shape_names(Name *name, const Shape *s, int layer, int64_t fan_in, int64_t fan_out)
{
    const double value[SHAPE_NAMES] = {(double)s->n_layer, (double)s->n_head, (double)s->n_embd, (double)s->n_inner,
                                       (double)(s->n_embd / s->n_head), (double)s->block_size, (double)s->vocab_size,
                                       3.14159265358979323846, layer + 1.0, (double)fan_in, (double)fan_out};
    int count = 0;
    for (int i = 0; i < SHAPE_NAMES; i++)
        if ((i < 8) || (i == 8 && layer >= 0) || (i > 8 && fan_in > 0)) name[count++] = (Name){known_name[i], value[i]};
    return count;
}

char *names_layer(const Name *name, int names)
{
    for (int i = 0; i < names; i++)
        if (!strcmp(name[i].name, "layer")) return text_format(" in layer %g", name[i].value);
    return xstrdup("");
}

/* "net.json:4:9: model.skip in layer 3" */
static char *place_of(const Shape *s, const char *key, const char *layer)
{
    const Json *where = s->where ? json_get(s->where, key) : NULL;
    return text_format("%s%smodel.%s%s", where ? where->string : "", where ? ": " : "", key, layer);
}

double shape_value(const Shape *s, const char *formula, const char *key, int layer, bool scale)
{
    Name name[SHAPE_NAMES];
    int names = shape_names(name, s, layer, 0, 0);
    char *error, *inside = names_layer(name, names);
    double value = formula_value(formula, name, names, &error);
    if (error) die("%s: %s", place_of(s, key, inside), error);
    if (fabs(value) > 1e30) die("%s: formula \"%s\" gives %g; at most 1e30 is taken", place_of(s, key, inside), formula, value);
    if (scale && !((float)value > 0)) die("%s: formula \"%s\" gives %g; it must be above 0", place_of(s, key, inside), formula, value);
    free(inside);
    return value;
}

double shape_norm_scale(const Shape *s, int layer)
{
    return s->norm_scale ? shape_value(s, s->norm_scale, "norm_scale", layer, true) : 1;
}

double shape_attn_scale(const Shape *s, int layer)
{
    return shape_value(s, s->attn_scale ? s->attn_scale : "1/sqrt(head_dim)", "attn_scale", layer, true);
}

double shape_embd_scale(const Shape *s)
{
    return s->embd_scale ? shape_value(s, s->embd_scale, "embd_scale", -1, true) : 1;
}

double shape_logit_scale(const Shape *s)
{
    return s->logit_scale ? shape_value(s, s->logit_scale, "logit_scale", -1, true) : 1;
}

double multiplier_value(const Shape *s, const Multiplier *m, const char *key, int layer)
{
    return m->value ? shape_value(s, m->value, key, layer, false) : 1;
}

Multiplier shape_gate(const Shape *s)
{
    Multiplier gate = s->gate;
    if (s->fixup_scalars && gate.shape == FACTOR_NUMBER) gate = (Multiplier){gate.value, FACTOR_SCALAR, true};
    return gate;
}

static bool is_one(const Shape *s, const Multiplier *m, const char *key, int layer)
{
    return !m->trained && multiplier_value(s, m, key, layer) == 1;
}

bool shape_is_gpt2(const Shape *s)
{
    if (s->norm != NORM_PRE || s->qk_norm || s->fixup_scalars || s->ada_ln) return false;
    if (shape_embd_scale(s) != 1 || shape_logit_scale(s) != 1) return false;
    double usual = 1 / sqrt((double)(s->n_embd / s->n_head));
    for (int l = 0; l < s->n_layer; l++) {
        if (!is_one(s, &s->skip, "skip", l) || !is_one(s, &s->gate, "gate", l) || shape_norm_scale(s, l) != 1) return false;
        if (fabs(shape_attn_scale(s, l) / usual - 1) > 1e-9) return false;
    }
    return true;
}
