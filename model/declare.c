#include "declare.h"

/* --- parameters --- */

enum { TENSORS_A_BLOCK = 36, TENSORS_OUTSIDE = 6 };

typedef struct { Params *params; const Shape *shape; int layer; } Place;

static Tensor *vector(const Place *at, const char *name, Role role, int64_t cols)
{
    return params_add(at->params, name, at->layer, 1, cols, 1, &role, cols, cols);
}

/* Gain and bias; the bias's role follows the gain's. Outside blocks nothing is scaled. */
static Norm norm_of(const Place *at, const char *gain, const char *bias, Role role, int64_t cols)
{
    Norm norm = {.gain = vector(at, gain, role, cols), .scale = 1};
    if (at->shape->bias) norm.bias = vector(at, bias, role + 1, cols);
    if (at->layer >= 0) norm.scale = (real)shape_norm_scale(at->shape, at->layer);
    return norm;
}

/* `parts` matrices of in x out side by side, and their biases; the biases' roles follow the matrices'. */
static Linear linear_of(const Place *at, const char *weight, const char *bias, Role first, int parts, int64_t in, int64_t out)
{
    Role role[6];
    for (int i = 0; i < 2 * parts; i++) role[i] = (Role)(first + (Role)i);
    Linear l = {.weight = params_add(at->params, weight, at->layer, in, parts * out, parts, role, in, out)};
    if (at->shape->bias) l.bias = params_add(at->params, bias, at->layer, 1, parts * out, parts, role + parts, in, out);
    return l;
}

/* The names and roles of a branch's slots; what they are made of is the same. */
typedef struct {
    struct { const char *weight, *bias; Role role; } norm, mid, out, ada;
    struct { const char *name; Role role; } skip, gate, shift_in;
} Slots;

#define SLOT_NORM(name, id) {name ".weight", name ".bias", id}
static const Slots slots[BRANCHES] = {
    [BRANCH_ATTENTION] = {SLOT_NORM("ln_1", ROLE_LN_1_GAIN), SLOT_NORM("ln_1_mid", ROLE_LN_1_MID_GAIN), SLOT_NORM("ln_1_out", ROLE_LN_1_OUT_GAIN),
                          SLOT_NORM("attn.ada", ROLE_ATTN_ADA), {"attn.skip", ROLE_ATTN_SKIP}, {"attn.gate", ROLE_ATTN_GATE},
                          {"attn.shift_in", ROLE_ATTN_SHIFT_IN}},
    [BRANCH_MLP] = {SLOT_NORM("ln_2", ROLE_LN_2_GAIN), SLOT_NORM("ln_2_mid", ROLE_LN_2_MID_GAIN), SLOT_NORM("ln_2_out", ROLE_LN_2_OUT_GAIN),
                    SLOT_NORM("mlp.ada", ROLE_MLP_ADA), {"mlp.skip", ROLE_MLP_SKIP}, {"mlp.gate", ROLE_MLP_GATE},
                    {"mlp.shift_in", ROLE_MLP_SHIFT_IN}}};

static void declare_ada(const Place *at, Branch *b, Tensor *condition)
{
    int64_t C = at->shape->n_embd;
    Tensor one = {.rows = 1, .cols = C};
    b->ada = (Modulation){.condition = condition, .shift = one, .gain = one, .gate = one,
                          .linear = linear_of(at, slots[b->kind].ada.weight, slots[b->kind].ada.bias, slots[b->kind].ada.role, 1, C, 3 * C)};
    b->norm_in = (Norm){.gain = &b->ada.gain, .bias = &b->ada.shift, .scale = (real)shape_norm_scale(at->shape, at->layer)};
    b->gate.trained = &b->ada.gate;
}

/* Norms wherever they act, adaLN and the first shift: all that is declared before the branch's first matrix. */
static void declare_norms(const Place *at, Branch *b, Tensor *condition)
{
    const Shape *s = at->shape;
    const Slots *name = &slots[b->kind];
    int64_t mixed = b->kind == BRANCH_ATTENTION ? s->n_embd : s->n_inner;
    bool front = s->norm == NORM_PRE || s->norm == NORM_SANDWICH || s->norm == NORM_SUB;
    if (front && !condition) b->norm_in = norm_of(at, name->norm.weight, name->norm.bias, name->norm.role, s->n_embd);
    if (s->norm == NORM_POST) b->norm_post = norm_of(at, name->norm.weight, name->norm.bias, name->norm.role, s->n_embd);
    if (s->norm == NORM_SUB) b->norm_mid = norm_of(at, name->mid.weight, name->mid.bias, name->mid.role, mixed);
    if (s->norm == NORM_SANDWICH) b->norm_out = norm_of(at, name->out.weight, name->out.bias, name->out.role, s->n_embd);
    if (condition) declare_ada(at, b, condition);
    if (s->fixup_scalars) b->shift_in = vector(at, name->shift_in.name, name->shift_in.role, 1);
}

static void declare_attention(const Place *at, Branch *b)
{
    int64_t C = at->shape->n_embd, dim = C / at->shape->n_head;
    b->attn_scale = (real)shape_attn_scale(at->shape, at->layer);
    b->in = linear_of(at, "attn.c_attn.weight", "attn.c_attn.bias", ROLE_ATTN_Q, 3, C, C);
    if (at->shape->qk_norm) {
        b->q_norm = (Norm){.gain = vector(at, "attn.q_norm.weight", ROLE_ATTN_Q_NORM_GAIN, dim), .scale = 1};
        b->k_norm = (Norm){.gain = vector(at, "attn.k_norm.weight", ROLE_ATTN_K_NORM_GAIN, dim), .scale = 1};
    }
    b->proj = linear_of(at, "attn.c_proj.weight", "attn.c_proj.bias", ROLE_ATTN_PROJ, 1, C, C);
}

static void declare_mlp(const Place *at, Branch *b)
{
    int64_t C = at->shape->n_embd, F = at->shape->n_inner;
    b->in = linear_of(at, "mlp.c_fc.weight", "mlp.c_fc.bias", ROLE_MLP_FC, 1, C, F);
    if (at->shape->fixup_scalars) {
        b->shift_hidden = vector(at, "mlp.shift_hidden", ROLE_MLP_SHIFT_HIDDEN, 1);
        b->shift_mixed = vector(at, "mlp.shift_mixed", ROLE_MLP_SHIFT_MIXED, 1);
    }
    b->proj = linear_of(at, "mlp.c_proj.weight", "mlp.c_proj.bias", ROLE_MLP_PROJ, 1, F, C);
}

/* A factor a branch; one a layer is declared by its first branch and shared by the second. */
static void declare_factor(const Place *at, Factor *f, const Factor *before, const Multiplier *m, const char *key, BranchKind kind,
                           const char *name, Role role, Role layer_role)
{
    f->number = multiplier_value(at->shape, m, key, at->layer);
    if (!m->trained || m->shape == FACTOR_NUMBER) return;
    if (m->shape != FACTOR_LAYER) f->trained = vector(at, name, role, m->shape == FACTOR_VECTOR ? at->shape->n_embd : 1);
    else f->trained = kind == BRANCH_ATTENTION ? vector(at, key, layer_role, 1) : before->trained;
}

static void declare_branch(const Place *at, Branch *b, Tensor *condition)
{
    const Slots *name = &slots[b->kind];
    const Branch *first = b->kind == BRANCH_ATTENTION ? b : b - 1;      /* of the block */
    Multiplier gate = shape_gate(at->shape);
    declare_norms(at, b, condition);
    if (b->kind == BRANCH_ATTENTION) declare_attention(at, b);
    else declare_mlp(at, b);
    declare_factor(at, &b->skip, &first->skip, &at->shape->skip, "skip", b->kind, name->skip.name, name->skip.role, ROLE_LAYER_SKIP);
    if (!condition) declare_factor(at, &b->gate, &first->gate, &gate, "gate", b->kind, name->gate.name, name->gate.role, ROLE_LAYER_GATE);
}

void declare(Gpt *g)
{
    const Shape *s = &g->shape;
    Params *p = &g->params;
    Place at = {p, s, -1};
    const Role wte = ROLE_WTE, wpe = ROLE_WPE, lm_head = ROLE_LM_HEAD;
    params_reserve(p, g->branches / BRANCHES * TENSORS_A_BLOCK + TENSORS_OUTSIDE);
    g->embd_scale = (real)shape_embd_scale(s);
    g->logit_scale = (real)shape_logit_scale(s);
    g->wte = params_add(p, "wte.weight", -1, s->vocab_size, s->n_embd, 1, &wte, s->vocab_size, s->n_embd);
    g->wpe = params_add(p, "wpe.weight", -1, s->block_size, s->n_embd, 1, &wpe, s->block_size, s->n_embd);
    if (s->ada_ln) g->condition = vector(&at, "condition", ROLE_CONDITION, s->n_embd);
    for (int i = 0; i < g->branches; i++) {
        g->branch[i] = (Branch){.kind = i % BRANCHES, .layer = i / BRANCHES};
        at.layer = i / BRANCHES;
        declare_branch(&at, &g->branch[i], g->condition);
    }
    at.layer = -1;
    if (s->norm != NORM_POST && s->norm != NORM_NONE) g->ln_f = norm_of(&at, "ln_f.weight", "ln_f.bias", ROLE_LN_F_GAIN, s->n_embd);
    g->head = s->tied ? g->wte : params_add(p, "lm_head.weight", -1, s->vocab_size, s->n_embd, 1, &lm_head, s->n_embd, s->vocab_size);
}

/* --- memory --- */

static real *numbers(Arena *a, int64_t n, int64_t each)
{
    int64_t count;
    if (__builtin_mul_overflow(n, each, &count)) die("this batch is too large: %lld x %lld numbers", (long long)n, (long long)each);
    return arena_take(a, (size_t)count, sizeof(real));
}

/* What a norm that is there keeps of `rows` rows. */
static void lay_out_kept(Arena *a, Norm *p, int64_t rows)
{
    if (!p->gain) return;
    p->mean = numbers(a, rows, 1);
    p->rstd = numbers(a, rows, 1);
}

static void lay_out_norm(Arena *a, Norm *p, int64_t rows)
{
    if (p->gain) p->y = numbers(a, rows, p->gain->cols);
    lay_out_kept(a, p, rows);
}

static void lay_out_factor(Arena *a, Factor *f, int64_t C)
{
    f->row = numbers(a, 1, C);
    f->drow = numbers(a, 1, C);
}

static void lay_out_ada(Arena *a, Modulation *m, int64_t C)
{
    if (!m->condition) return;
    real **vector[] = {&m->silu, &m->dsilu, &m->sigmoid};
    for (size_t i = 0; i < COUNT(vector); i++) *vector[i] = numbers(a, 1, C);
    m->made = numbers(a, 3, C);
    m->dmade = numbers(a, 3, C);
    Tensor *made[] = {&m->shift, &m->gain, &m->gate};
    for (int64_t i = 0; i < 3 && m->made; i++) {
        made[i]->w = m->made + i * C;
        made[i]->g = m->dmade + i * C;
    }
}

static void lay_out_branch(Arena *a, Branch *b, const Shape *s, int64_t n)
{
    bool attn = b->kind == BRANCH_ATTENTION;
    int64_t C = s->n_embd, heads = n * s->n_head;
    lay_out_norm(a, &b->norm_in, n);
    if (b->shift_in) b->shifted = b->norm_in.gain ? b->norm_in.y : numbers(a, n, C);
    if (b->q_norm.gain) {
        b->raw = numbers(a, n, 3 * C);
        lay_out_kept(a, &b->q_norm, heads);
        lay_out_kept(a, &b->k_norm, heads);
    }
    b->hidden = numbers(a, n, attn ? 3 * C : s->n_inner);
    b->mixed = numbers(a, n, attn ? C : s->n_inner);
    if (attn) b->kept = arena_take(a, (size_t)heads, sizeof(Softmax));
    lay_out_norm(a, &b->norm_mid, n);
    if (b->norm_out.gain || b->gate.trained) b->out = numbers(a, n, C);
    lay_out_norm(a, &b->norm_out, n);
    b->sum = b->norm_post.gain ? numbers(a, n, C) : b->next;
    b->norm_post.y = b->next;
    lay_out_kept(a, &b->norm_post, n);
    lay_out_factor(a, &b->skip, C);
    lay_out_factor(a, &b->gate, C);
    lay_out_ada(a, &b->ada, C);
}

void lay_out(Gpt *g, Arena *a)
{
    const Shape *s = &g->shape;
    int64_t n = g->batch_rows * s->block_size, C = s->n_embd;
    for (int i = 0; i < g->branches; i++) g->branch[i].x = numbers(a, n, C);
    g->x = numbers(a, n, C);
    for (int i = 0; i < g->branches; i++) {
        g->branch[i].next = i + 1 < g->branches ? g->branch[i + 1].x : g->x;
        lay_out_branch(a, &g->branch[i], s, n);
    }
    lay_out_norm(a, &g->ln_f, n);
    g->dx = numbers(a, n, C);
    g->scratch = (Scratch){.threads = g->threads, .narrow = numbers(a, n, C), .wide = numbers(a, n, max_i64(C, s->n_inner)),
                           .hidden = numbers(a, n, max_i64(3 * C, s->n_inner)),
                           .attention = numbers(a, g->threads, attention_scratch(s->block_size))};
    g->logits = numbers(a, min_i64(n, head_chunk(s->vocab_size)), s->vocab_size);
    g->loss = arena_take(a, (size_t)n, sizeof(double));
}
