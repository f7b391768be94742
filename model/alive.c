#include "alive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What starts at exactly 0 in one block, and what the block is like. */
enum {
    ZERO_NORM_IN = 1, ZERO_NORM_OUT = 2, ZERO_GATE = 4, ZERO_PROJ = 8, ZERO_FIRST = 16,   /* first: v or mlp.fc */
    ZERO_QUERY_KEY = 32, RELU_MLP = 64
};

/* A set of zeros that leaves weights without a gradient for ever, and why. */
static const struct { int zeros; const char *what; } deadly[] = {
    {ZERO_NORM_IN | ZERO_PROJ, "the gain of its first norm and its proj are both 0, so neither has a gradient"},
    {ZERO_NORM_IN | RELU_MLP, "the gain of its first norm is 0 and its activation is relu, whose slope at 0 is 0"},
    {ZERO_NORM_IN | ZERO_FIRST, "the gain of its first norm and the matrix behind it are both 0, so neither has a gradient"},
    {ZERO_NORM_OUT | ZERO_PROJ, "the gain of its last norm and its proj are both 0, so neither has a gradient"},
    {ZERO_NORM_OUT | ZERO_GATE, "the gain of its last norm and its gate are both 0, so neither has a gradient"},
    {ZERO_GATE | ZERO_PROJ, "its gate and its proj are both 0, so neither has a gradient"},
    {ZERO_FIRST | ZERO_PROJ, "its first matrix (v or fc) and its proj are both 0, so neither has a gradient"},
    {ZERO_GATE | ZERO_FIRST, "its gate and its first matrix (v or fc) are both 0, so neither has a gradient"},
    {ZERO_GATE | ZERO_NORM_IN, "its gate and the gain of its first norm are both 0, so neither has a gradient"},
    {ZERO_QUERY_KEY, "attn.q and attn.k are both 0, so neither has a gradient and attention stays uniform"},
};

/* zero: whether a role starts at 0 in a layer, ROLES a layer, those outside the blocks first. */
typedef struct { const Scheme *scheme; const Gpt *g; bool *zero; } Question;

static bool starts_at_zero(const Question *q, int layer, Role role)
{
    return q->zero[(layer + 1) * ROLES + (int)role];
}

static void find_zeros(Question *q)
{
    for (int i = 0; i < q->g->params.parts; i++) {
        const Part *part = &q->g->params.part[i];
        Rule r = scheme_rule(q->scheme, &q->g->shape, part);
        q->zero[(part->layer + 1) * ROLES + (int)part->role] = r.scale == 0 && (r.kind != RULE_MIMETIC || r.second == 0);
    }
}

/* A norm whose bias is not 0 passes something on. */
static bool zero_norm(const Question *q, int layer, Role gain)
{
    bool biased = q->g->shape.bias && !starts_at_zero(q, layer, gain + 1);
    return starts_at_zero(q, layer, gain) && !biased;
}

static int zeros_of(const Question *q, int layer, BranchKind kind)
{
    const Shape *s = &q->g->shape;
    bool attn = kind == BRANCH_ATTENTION, front = s->norm != NORM_POST && s->norm != NORM_NONE;
    Multiplier gate = shape_gate(s);
    bool zero_gate = s->ada_ln ? starts_at_zero(q, layer, attn ? ROLE_ATTN_ADA : ROLE_MLP_ADA) && (!s->bias || starts_at_zero(q, layer, attn ? ROLE_ATTN_ADA_BIAS : ROLE_MLP_ADA_BIAS))
                     : !gate.trained ? multiplier_value(s, &gate, "gate", layer) == 0
                     : starts_at_zero(q, layer, gate.shape == FACTOR_LAYER ? ROLE_LAYER_GATE : attn ? ROLE_ATTN_GATE : ROLE_MLP_GATE);
    int zeros = zero_gate ? ZERO_GATE : 0;
    if (front && !s->ada_ln && zero_norm(q, layer, attn ? ROLE_LN_1_GAIN : ROLE_LN_2_GAIN)) zeros |= ZERO_NORM_IN;
    if (s->norm == NORM_SANDWICH && zero_norm(q, layer, attn ? ROLE_LN_1_OUT_GAIN : ROLE_LN_2_OUT_GAIN)) zeros |= ZERO_NORM_OUT;
    if (starts_at_zero(q, layer, attn ? ROLE_ATTN_PROJ : ROLE_MLP_PROJ)) zeros |= ZERO_PROJ;
    if (starts_at_zero(q, layer, attn ? ROLE_ATTN_V : ROLE_MLP_FC)) zeros |= ZERO_FIRST;
    if (attn && !s->qk_norm && starts_at_zero(q, layer, ROLE_ATTN_Q) && starts_at_zero(q, layer, ROLE_ATTN_K)) zeros |= ZERO_QUERY_KEY;
    if (!attn && s->activation == RELU) zeros |= RELU_MLP;
    return zeros;
}

static void check_branch(const Question *q, int layer, BranchKind kind)
{
    const char *name = kind == BRANCH_ATTENTION ? "attn" : "mlp";
    int zeros = zeros_of(q, layer, kind);
    if (zeros & ZERO_GATE && !q->g->shape.ada_ln && !shape_gate(&q->g->shape).trained)
        die("scheme \"%s\": h.%d.%s can never act: its gate is 0 and not trained", scheme_name(q->scheme), layer, name);
    for (size_t i = 0; i < COUNT(deadly); i++)
        if ((zeros & deadly[i].zeros) == deadly[i].zeros)
            die("scheme \"%s\": h.%d.%s can never learn: %s", scheme_name(q->scheme), layer, name, deadly[i].what);
}

static void check_ends(const Question *q)
{
    const Shape *s = &q->g->shape;
    bool no_token = starts_at_zero(q, -1, ROLE_WTE), no_head = s->tied ? no_token : starts_at_zero(q, -1, ROLE_LM_HEAD);
    bool last_norm = s->norm != NORM_POST && s->norm != NORM_NONE && zero_norm(q, -1, ROLE_LN_F_GAIN);
    if (no_head && no_token && starts_at_zero(q, -1, ROLE_WPE))
        die("scheme \"%s\": nothing can ever learn: wte, wpe and the head are all 0", scheme_name(q->scheme));
    if (no_head && last_norm) die("scheme \"%s\": nothing can ever learn: ln_f's gain and the head are both 0", scheme_name(q->scheme));
    if (s->norm == NORM_POST && no_head && zero_norm(q, (int)s->n_layer - 1, ROLE_LN_2_GAIN))
        die("scheme \"%s\": nothing can ever learn: the last norm's gain and the head are both 0", scheme_name(q->scheme));
}

/* --- what is unusual --- */

static bool scales_by_depth(const Question *q)
{
    for (int i = 0; i < q->g->params.parts; i++) {
        const Part *part = &q->g->params.part[i];
        if (part->role != ROLE_ATTN_PROJ && part->role != ROLE_MLP_PROJ) continue;
        Rule r = scheme_rule(q->scheme, &q->g->shape, part);
        if (r.formula && (strstr(r.formula, "n_layer") || strstr(r.formula, "layer"))) return true;
    }
    return false;
}

static bool mentions_depth(const char *formula)
{
    return formula && strstr(formula, "layer");
}

static void notice_unusual(const Question *q)
{
    const Shape *s = &q->g->shape;
    const char *name = scheme_name(q->scheme);
    Multiplier gate = shape_gate(s);
    bool norms = s->norm != NORM_NONE, starts_closed = gate.trained && multiplier_value(s, &gate, "gate", 0) == 0;
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
    Question q = {s, gpt_declared(shape), xcalloc(((size_t)shape->n_layer + 1) * ROLES, sizeof(bool))};
    find_zeros(&q);
    for (int layer = 0; layer < shape->n_layer; layer++)
        for (int kind = 0; kind < BRANCHES; kind++) check_branch(&q, layer, (BranchKind)kind);
    check_ends(&q);
    notice_unusual(&q);
    free(q.zero);
    gpt_free((Gpt *)q.g);
}
