#include "alive.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "init_matrix.h"
#include "noise.h"

/* The check itself is an experiment: a tiny model with the scheme's switches, and with its zeros, takes some steps down its
 * gradient. What has a gradient of exactly 0 each time has one for ever: a zero that can leave does so one step behind
 * those that hold it, and no chain of them is as long as UPDATES. */

enum { LAYERS_MAX = 32, UPDATES = 8, LENGTH = 6 };

typedef struct {
    const Scheme *scheme;
    const Gpt *g;              /* of the real size, declared only */
    bool *zero, *constant;     /* whether a role starts at 0, or is a matrix of one number, in a layer: ROLES a layer, those
                                * outside the blocks first */
    int layer[LAYERS_MAX], layers;     /* of the real model, for each of the tiny one: one of each pattern of zeros */
} Question;

static bool starts_at_zero(const Question *q, int layer, Role role)
{
    return q->zero[(layer + 1) * ROLES + (int)role];
}

static void find_zeros(Question *q)
{
    for (int i = 0; i < q->g->params.parts; i++) {
        const Part *part = &q->g->params.part[i];
        Rule r = scheme_rule(q->scheme, &q->g->shape, part);
        q->constant[(part->layer + 1) * ROLES + (int)part->role] = r.kind == RULE_CONSTANT && role_info[part->role].matrix;
        q->zero[(part->layer + 1) * ROLES + (int)part->role] = (float)r.scale == 0 && (r.kind != RULE_MIMETIC || (float)r.second == 0);
    }
}

static double fixed_gate(const Question *q, int layer)
{
    Multiplier gate = shape_gate(&q->g->shape);
    return gate.trained ? 1 : (double)(float)multiplier_value(&q->g->shape, &gate, "gate", layer);
}

static double fixed_skip(const Question *q, int layer)
{
    const Multiplier *skip = &q->g->shape.skip;
    return skip->trained ? 1 : (double)(float)multiplier_value(&q->g->shape, skip, "skip", layer);
}

static bool same_pattern(const Question *q, int a, int b)
{
    return !memcmp(q->zero + (a + 1) * ROLES, q->zero + (b + 1) * ROLES, ROLES * sizeof(bool)) &&
           !memcmp(q->constant + (a + 1) * ROLES, q->constant + (b + 1) * ROLES, ROLES * sizeof(bool)) &&
           (fixed_gate(q, a) == 0) == (fixed_gate(q, b) == 0) && (fixed_skip(q, a) == 0) == (fixed_skip(q, b) == 0);
}

static void choose_layers(Question *q)
{
    for (int l = 0; l < q->g->shape.n_layer && q->layers < LAYERS_MAX; l++) {
        bool seen = false;
        for (int i = 0; i < q->layers; i++) seen |= same_pattern(q, q->layer[i], l);
        if (!seen) q->layer[q->layers++] = l;
    }
    if (q->layers == 1 && q->g->shape.n_layer > 1) q->layer[q->layers++] = 1;
}

/* The scales of norms, scores, embedding and logits are above 0 and kill nothing. */
static Gpt *tiny_model(const Question *q)
{
    Shape shape = q->g->shape;
    shape.n_layer = q->layers;
    shape.n_head = 2, shape.n_embd = 8, shape.n_inner = 12, shape.block_size = LENGTH, shape.vocab_size = 11;
    shape.norm_scale = shape.attn_scale = shape.embd_scale = shape.logit_scale = shape.skip.value = shape.gate.value = NULL;
    Gpt *g = gpt_new(&shape, 2, 1);
    for (int i = 0; i < g->branches; i++) {
        int layer = q->layer[g->branch[i].layer];
        g->branch[i].gate.number = fixed_gate(q, layer);
        g->branch[i].skip.number = fixed_skip(q, layer);
    }
    for (int i = 0; i < g->params.parts; i++) {
        const Part *part = &g->params.part[i];
        const char *group = role_info[part->role].group;
        double centre = group && strstr("norm.gain skip gate", group) ? 1 : 0;
        uint64_t name = noise_hash(part->name, strlen(part->name));
        int layer = part->layer < 0 ? -1 : q->layer[part->layer];
        double spread = q->constant[(layer + 1) * ROLES + (int)part->role] ? 0 : 0.3;
        if (spread == 0) centre = 0.3;
        if (starts_at_zero(q, layer, part->role)) continue;
        for (int64_t row = 0; row < part->rows; row++)
            for (int64_t col = 0; col < part->cols; col++)
                part_row(&g->params, part, g->params.tensor[part->tensor].w, row)[col] =
                    (real)(centre + spread * normal_quantile(weight_noise(1, name, row, col)));
    }
    return g;
}

/* square: of each part's gradient; a step of length 0.1 down. */
static void descend(Gpt *g, double *square)
{
    int32_t token[2 * LENGTH], target[2 * LENGTH];
    for (int i = 0; i < 2 * LENGTH; i++) token[i] = i * 7 % 11, target[i] = (i * 7 + 4) % 11;
    const Batch batch = {.token = token, .target = target, .rows = 2, .length = LENGTH};
    params_zero_gradients(&g->params, 1);
    gpt_loss_back(g, &batch, 1. / (2 * LENGTH));
    double norm = sqrt(params_gradient_squares(&g->params, square, 1));
    for (int i = 0; norm > 0 && i < g->params.tensors; i++) {
        const Tensor *t = &g->params.tensor[i];
        for (int64_t k = 0; k < t->rows * t->cols; k++) t->w[k] -= (real)(0.1 / norm) * t->g[k];
    }
}

/* --- saying so --- */

typedef enum { PLACE_OUTSIDE, PLACE_ATTN, PLACE_MLP, PLACE_LAYER } Where;

static Where where_is(const Part *part)
{
    if (part->layer < 0) return PLACE_OUTSIDE;
    if (part->role == ROLE_LAYER_SKIP || part->role == ROLE_LAYER_GATE) return PLACE_LAYER;
    return part->role < ROLE_LN_2_GAIN ? PLACE_ATTN : PLACE_MLP;
}

/* Zeros that are there on purpose; those of biases and shifts are usual. */
static bool telling_zero(const Question *q, const Part *part)
{
    const char *group = role_info[part->role].group;
    bool usual = group && (!strcmp(group, "bias") || !strcmp(group, "norm.bias") || !strcmp(group, "shift") || strstr(part->name, "ada.bias"));
    return !usual && starts_at_zero(q, part->layer < 0 ? -1 : q->layer[part->layer], part->role);
}

static void add_word(Text *t, const char *word)
{
    if (t->at && strstr(t->at, word)) return;
    text_add(t, "%s%s", t->length ? ", " : "", word);
}

/* The roles that start at 0 in the place of a part that never moves, or anywhere. */
static char *zeros_near(const Question *q, const Gpt *tiny, const Part *still, bool everywhere)
{
    Text t = {0};
    for (int i = 0; i < tiny->params.parts; i++) {
        const Part *part = &tiny->params.part[i];
        bool near = part->layer == still->layer && (where_is(part) == where_is(still) || where_is(part) == PLACE_LAYER || where_is(still) == PLACE_LAYER);
        if ((near || everywhere) && telling_zero(q, part)) add_word(&t, role_info[part->role].name);
    }
    if (!t.at && !everywhere) return zeros_near(q, tiny, still, true);
    if (!t.at) text_add(&t, "what is fixed in it, or a matrix of one number,");
    return t.at;
}

static _Noreturn void refuse(const Question *q, const Gpt *tiny, const bool *moved, int first)
{
    static const char *const suffix[] = {"", ".attn", ".mlp", ""};
    const Part *part = &tiny->params.part[first];
    int any = 0;
    Text still = {0};
    for (int i = 0; i < tiny->params.parts; i++) {
        const Part *other = &tiny->params.part[i];
        any += moved[i];
        if (!moved[i] && other->layer == part->layer && where_is(other) == where_is(part)) add_word(&still, role_info[other->role].name);
    }
    char *place = part->layer < 0 ? xstrdup(role_info[part->role].name) : text_format("h.%d%s", q->layer[part->layer], suffix[where_is(part)]);
    char *zeros = zeros_near(q, tiny, part, !any);
    const char *relu = tiny->shape.activation == RELU && where_is(part) == PLACE_MLP ? " and relu without a slope there" : "";
    if (!any) die("scheme \"%s\": nothing can ever learn: with %s at 0, every gradient is 0 for ever", scheme_name(q->scheme), zeros);
    die("scheme \"%s\": %s can never learn: with %s at 0%s, the gradient of %s is 0 for ever", scheme_name(q->scheme), place, zeros, relu, still.at);
}

static void check_gates(const Question *q)
{
    if (q->g->shape.ada_ln) return;
    for (int l = 0; l < q->g->shape.n_layer; l++)
        if (fixed_gate(q, l) == 0) die("scheme \"%s\": h.%d.attn can never act: its gate is 0 and not trained (a trained one has \"shape\" scalar, layer or vector)", scheme_name(q->scheme), l);
}

static void experiment(const Question *q)
{
    Gpt *tiny = tiny_model(q);
    const Params *p = &tiny->params;
    double *square = xcalloc((size_t)p->parts, sizeof *square);
    bool *moved = xcalloc((size_t)p->parts, sizeof *moved);
    for (int step = 0; step <= UPDATES; step++) {
        descend(tiny, square);
        for (int i = 0; i < p->parts; i++) moved[i] |= square[i] != 0;
    }
    for (int i = 0; i < p->parts; i++)
        if (!moved[i] && !gpt_role_is_still(&tiny->shape, p->part[i].role)) refuse(q, tiny, moved, i);
    free(square);
    free(moved);
    gpt_free(tiny);
}

/* --- what is unusual --- */

/* n_layer or layer, as a word. */
static bool mentions_depth(const char *formula)
{
    for (const char *p = formula ? strstr(formula, "layer") : NULL; p; p = strstr(p + 1, "layer")) {
        bool prefixed = p - formula >= 2 && !strncmp(p - 2, "n_", 2);
        const char *start = prefixed ? p - 2 : p;
        bool begins = start == formula || (!isalnum((unsigned char)start[-1]) && start[-1] != '_');
        if (begins && !isalnum((unsigned char)p[5]) && p[5] != '_') return true;
    }
    return false;
}

static bool scales_by_depth(const Question *q)
{
    for (int i = 0; i < q->g->params.parts; i++) {
        const Part *part = &q->g->params.part[i];
        if (part->role != ROLE_ATTN_PROJ && part->role != ROLE_MLP_PROJ) continue;
        Rule r = scheme_rule(q->scheme, &q->g->shape, part);
        if (mentions_depth(r.formula)) return true;
    }
    return false;
}

static void notice_unusual(const Question *q)
{
    const Shape *s = &q->g->shape;
    const char *name = scheme_name(q->scheme);
    Multiplier gate = shape_gate(s);
    bool norms = s->norm != NORM_NONE, starts_closed = gate.trained && starts_at_zero(q, 0, ROLE_LAYER_GATE);
    double dim = (double)(s->n_embd / s->n_head);
    if (starts_closed && gate.shape == FACTOR_LAYER && norms) notice("scheme \"%s\": ReZero's gate with norms; the published method has none (model.norm none)", name);
    if (s->fixup_scalars && norms) notice("scheme \"%s\": Fixup's scalars with norms; the published method has none (model.norm none)", name);
    if (multiplier_value(s, &s->skip, "skip", 0) > 1 && s->norm != NORM_POST)
        notice("scheme \"%s\": model.skip is above 1 without a norm behind the addition: the stream grows from layer to layer (DeepNorm and Admin are post)", name);
    if (s->qk_norm && fabs(shape_attn_scale(s, 0) * dim - 1) < 1e-9 && dim > 1)
        notice("scheme \"%s\": attention scores divided by head_dim, with qk_norm, are at most 1; muP's 1/head_dim is for q and k without a norm", name);
    if (scales_by_depth(q) && (mentions_depth(s->norm_scale) || (!gate.trained && mentions_depth(gate.value))))
        notice("scheme \"%s\": depth enters twice, in the standard deviation of the projections and in model.%s", name, mentions_depth(s->norm_scale) ? "norm_scale" : "gate");
}

void scheme_check_alive(const Scheme *s, const Shape *shape)
{
    Gpt *declared = gpt_declared(shape);
    size_t roles = ((size_t)shape->n_layer + 1) * ROLES;
    Question q = {.scheme = s, .g = declared, .zero = xcalloc(roles, sizeof(bool)), .constant = xcalloc(roles, sizeof(bool))};
    find_zeros(&q);
    choose_layers(&q);
    check_gates(&q);
    experiment(&q);
    notice_unusual(&q);
    free(q.zero);
    free(q.constant);
    gpt_free(declared);
}
