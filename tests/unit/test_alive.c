/* Schemes whose parts kill each other: what is refused, what is only noticed, and that the model itself agrees. */
#include "gradients.h"

#include "../../model/alive.h"
#include "../../model/blas.h"
#include "../../train/config/config.h"

/* A shape and a scheme: the selectors of `zero` start at 0, the other matrices as normal(0.3); `rules` may add to that. */
typedef struct { const char *zero, *rules; Shape shape; } Start;

/* What is said of it; in which layer (0: all), and for which roles, the gradient is 0 for ever, and for no others. */
typedef struct { Start start; const char *says; int layer; const char *dead; } Deadly;

#define LAYERS(n) .n_layer = n, .n_head = 2, .n_embd = 16, .n_inner = 24, .block_size = 8, .vocab_size = 11
#define GPT LAYERS(2)
#define PLAIN GPT, .bias = true

static Scheme scheme_at(const Start *s)
{
    char *text = zeros_scheme(s->zero, s->rules);
    Scheme scheme = scheme_of(text);
    free(text);
    return scheme;
}

/* --- the table --- */

/* What stands in front of a branch's last matrix. */
#define ATTN "ln_1.gain ln_1.bias attn.q attn.k attn.v attn.q.bias attn.k.bias attn.v.bias"
#define MLP "ln_2.gain ln_2.bias mlp.fc mlp.fc.bias"
#define ATTN_ALL ATTN " attn.proj attn.proj.bias"
#define MLP_ALL MLP " mlp.proj mlp.proj.bias"

static const Deadly deadly[] = {
    {{"ln_1.gain attn.proj", NULL, {PLAIN}}, "h.0.attn can never learn: with ", 0, ATTN " attn.proj"},
    {{"ln_1.gain attn.proj", NULL, {GPT, .tied = true, .activation = RELU}}, "h.0.attn can never learn: with ", 0, ATTN " attn.proj"},
    {{"ln_2.gain mlp.proj", NULL, {PLAIN}}, "h.0.mlp can never learn: with ", 0, MLP " mlp.proj"},
    {{"ln_2.gain mlp.proj", NULL, {PLAIN, .norm = NORM_SUB}}, "h.0.mlp can never learn: with ", 0, MLP " mlp.proj ln_2_mid.gain ln_2_mid.bias"},
    {{"ln_1.gain ln_2.gain attn.proj mlp.proj", NULL, {PLAIN}}, "h.0.attn can never learn: with ", 0, ATTN " " MLP " attn.proj mlp.proj"},
    {{"ln_2.gain", NULL, {PLAIN, .activation = RELU}}, "h.0.mlp can never learn: with ", 0, MLP " mlp.proj"},
    {{"ln_2.gain", NULL, {GPT, .norm = NORM_SANDWICH, .activation = RELU}}, "h.0.mlp can never learn: with ", 0, MLP " mlp.proj ln_2_out.gain"},
    {{"ln_1.gain attn.v", NULL, {PLAIN}}, "h.0.attn can never learn: with ", 0, "ln_1.gain ln_1.bias attn.q attn.k attn.v attn.q.bias attn.k.bias"},
    {{"ln_1.gain attn.v", NULL, {GPT}}, "h.0.attn can never learn: with ", 0, ATTN " attn.proj"},
    {{"ln_2.gain mlp.fc", NULL, {PLAIN}}, "h.0.mlp can never learn: with ", 0, "ln_2.gain ln_2.bias mlp.fc"},
    {{"ln_1_out.gain attn.proj", NULL, {PLAIN, .norm = NORM_SANDWICH}}, "h.0.attn can never learn: with ", 0, ATTN_ALL " ln_1_out.gain"},
    {{"ln_2_out.gain mlp.proj", NULL, {PLAIN, .norm = NORM_SANDWICH}}, "h.0.mlp can never learn: with ", 0, MLP_ALL " ln_2_out.gain"},
    {{"ln_1_out.gain attn.gate", NULL, {PLAIN, .norm = NORM_SANDWICH, .gate = TRAINED(FACTOR_VECTOR, "1")}}, "h.0.attn can never learn: with ", 0,
     ATTN_ALL " ln_1_out.gain ln_1_out.bias attn.gate"},
    {{"ln_2_out.gain mlp.gate", NULL, {PLAIN, .norm = NORM_SANDWICH, .gate = TRAINED(FACTOR_SCALAR, "1")}}, "h.0.mlp can never learn: with ", 0,
     MLP_ALL " ln_2_out.gain ln_2_out.bias mlp.gate"},
    {{"attn.proj", NULL, {PLAIN, .gate = TRAINED(FACTOR_SCALAR, "0")}}, "h.0.attn can never learn: with ", 0, ATTN_ALL " attn.gate"},
    {{"mlp.proj", NULL, {PLAIN, .norm = NORM_NONE, .gate = TRAINED(FACTOR_VECTOR, "0")}}, "h.0.mlp can never learn: with ", 0, MLP_ALL " mlp.gate"},
    {{"attn.proj mlp.proj", NULL, {PLAIN, .norm = NORM_NONE, .gate = TRAINED(FACTOR_LAYER, "0")}}, "h.0.attn can never learn: with ", 0,
     ATTN_ALL " " MLP_ALL " layer.gate"},
    {{"attn.proj", NULL, {PLAIN, .ada_ln = true}}, "h.0.attn can never learn: with ", 0, ATTN_ALL " attn.ada attn.ada.bias"},
    {{"mlp.proj", NULL, {GPT, .ada_ln = true}}, "h.0.mlp can never learn: with ", 0, MLP_ALL " mlp.ada"},
    {{"attn.proj", NULL, {PLAIN, .norm = NORM_NONE, .fixup_scalars = true, .gate = {.value = "0"}}}, "h.0.attn can never learn: with ", 0,
     ATTN_ALL " attn.gate attn.shift_in"},
    {{"mlp.proj mlp.gate", NULL, {PLAIN, .norm = NORM_NONE, .fixup_scalars = true}}, "h.0.mlp can never learn: with ", 0,
     MLP_ALL " mlp.gate mlp.shift_in mlp.shift_hidden mlp.shift_mixed"},
    {{"attn.v", NULL, {PLAIN, .gate = TRAINED(FACTOR_SCALAR, "0")}}, "h.0.attn can never learn: with ", 0, ATTN_ALL " attn.gate"},
    {{"mlp.fc mlp.gate", NULL, {PLAIN, .gate = TRAINED(FACTOR_VECTOR, "1")}}, "h.0.mlp can never learn: with ", 0, MLP_ALL " mlp.gate"},
    {{"ln_1.gain", NULL, {PLAIN, .gate = TRAINED(FACTOR_VECTOR, "0")}}, "h.0.attn can never learn: with ", 0, ATTN_ALL " attn.gate"},
    {{"ln_2.gain", NULL, {PLAIN, .gate = TRAINED(FACTOR_SCALAR, "0")}}, "h.0.mlp can never learn: with ", 0, MLP_ALL " mlp.gate"},
    {{"attn.v attn.proj", NULL, {PLAIN}}, "h.0.attn can never learn: with ", 0, ATTN " attn.proj"},
    {{"mlp.fc mlp.proj", NULL, {PLAIN}}, "h.0.mlp can never learn: with ", 0, MLP " mlp.proj"},
    {{"mlp.fc mlp.proj", NULL, {PLAIN, .norm = NORM_POST, .activation = RELU}}, "h.0.mlp can never learn: with ", 0, "mlp.fc mlp.fc.bias mlp.proj"},
    {{"attn.q attn.k", NULL, {PLAIN}}, "h.0.attn can never learn: with attn.q, attn.k at 0", 0, "attn.q attn.k attn.q.bias attn.k.bias"},
    {{"attn.q attn.k", NULL, {PLAIN, .norm = NORM_NONE}}, "h.0.attn can never learn: with attn.q, attn.k at 0", 0, "attn.q attn.k attn.q.bias attn.k.bias"},
    {{"", NULL, {PLAIN, .gate = {.value = "0"}}}, "h.0.attn can never act: its gate is 0 and not trained", 0, ATTN_ALL " " MLP_ALL},
    /* which block: by formulas that are 0 in layer 2 alone */
    {{"", NULL, {PLAIN, .gate = {.value = "2-layer"}}}, "h.1.attn can never act: its gate is 0 and not trained", 2, ATTN_ALL " " MLP_ALL},
    {{"", ", \"attn.q\": {\"uniform\": \"2-layer\"}, \"attn.k\": {\"normal\": \"2-layer\"}", {PLAIN}}, "h.1.attn can never learn: with attn.q, attn.k at 0", 2,
     "attn.q attn.k attn.q.bias attn.k.bias"},
    {{"", ", \"mlp\": {\"orthogonal\": \"2-layer\"}", {PLAIN}}, "h.1.mlp can never learn: with ", 2, MLP " mlp.proj"},
    {{"", ", \"ln_2.gain\": {\"constant\": \"layer-1\"}, \"mlp.proj\": {\"truncated_normal\": \"0.3*(layer-1)\", \"cut\": 2}", {PLAIN}}, "h.0.mlp can never learn: with ", 1,
     MLP " mlp.proj"},
    {{"mlp.fc", NULL, {PLAIN, .activation = RELU}}, "h.0.mlp can never learn", 0, MLP " mlp.proj"},
    {{"mlp.fc", NULL, {GPT, .norm = NORM_NONE, .fixup_scalars = true, .activation = RELU}}, "h.0.mlp can never learn", 0, "mlp.shift_in mlp.fc mlp.shift_hidden"},
    {{"ln_1.gain ln_1_out.gain", NULL, {PLAIN, .norm = NORM_SANDWICH}}, "h.0.attn can never learn", 0, ATTN_ALL " ln_1_out.gain"},
    {{"ln_2_out.gain mlp.fc", NULL, {PLAIN, .norm = NORM_SANDWICH}}, "h.0.mlp can never learn", 0, MLP_ALL " ln_2_out.gain"},
    {{"ln_1_out.gain attn.proj", ", \"ln_1_out.bias\": {\"normal\": \"0.3\"}", {PLAIN, .norm = NORM_SANDWICH}}, "h.0.attn can never learn", 0, ATTN_ALL " ln_1_out.gain"},
    {{"ln_1_mid.gain attn.proj", NULL, {PLAIN, .norm = NORM_SUB}}, "h.0.attn can never learn", 0, ATTN " attn.proj ln_1_mid.gain ln_1_mid.bias"},
    {{"ln_2_mid.gain mlp.fc", NULL, {PLAIN, .norm = NORM_SUB}}, "h.0.mlp can never learn", 0, MLP " ln_2_mid.gain"},
    {{"ln_1.gain ln_1_mid.gain", NULL, {PLAIN, .norm = NORM_SUB}}, "h.0.attn can never learn", 0, ATTN " ln_1_mid.gain"},
    {{"ln_1_mid.gain attn.gate", NULL, {PLAIN, .norm = NORM_SUB, .gate = TRAINED(FACTOR_SCALAR, "1")}}, "h.0.attn can never learn", 0,
     ATTN_ALL " ln_1_mid.gain ln_1_mid.bias attn.gate"},
    {{"attn.q attn.k", NULL, {PLAIN, .qk_norm = true}}, "h.0.attn can never learn", 0, "attn.q attn.k attn.q.bias attn.k.bias attn.q_norm.gain attn.k_norm.gain"},
    {{"attn.q attn.k_norm.gain", NULL, {PLAIN, .qk_norm = true}}, "h.0.attn can never learn", 0, "attn.q attn.k attn.q.bias attn.k.bias attn.q_norm.gain attn.k_norm.gain"},
    {{"attn.q_norm.gain attn.k_norm.gain", NULL, {PLAIN, .qk_norm = true}}, "h.0.attn can never learn", 0,
     "attn.q attn.k attn.q.bias attn.k.bias attn.q_norm.gain attn.k_norm.gain"},
    {{"ln_1.gain ln_2.gain", NULL, {LAYERS(1), .bias = true, .norm = NORM_POST}}, "wte can never learn: with ln_1.gain, ln_2.gain at 0", 0,
     "wte wpe ln_2.gain mlp.fc mlp.fc.bias mlp.proj mlp.proj.bias " ATTN_ALL},
    {{"ln_1.gain ln_2.gain", NULL, {GPT, .norm = NORM_POST}}, "nothing can ever learn: with ln_1.gain, ln_2.gain at 0", 0, "all"},
    {{"condition", NULL, {PLAIN, .ada_ln = true}}, "condition can never learn: with condition", 0, "condition attn.ada mlp.ada"},
    {{"condition", NULL, {GPT, .ada_ln = true}}, "condition can never learn: with condition", 0, "condition attn.ada mlp.ada attn.q attn.k attn.v attn.proj mlp.fc mlp.proj"},
    {{"wte wpe ln_f.gain", NULL, {GPT}}, "nothing can ever learn: with ", 0, "all"},
    {{"attn.proj attn.skip", NULL, {GPT, .skip = TRAINED(FACTOR_VECTOR, "1")}}, "nothing can ever learn: with ", 0, "all"},
    /* the ends */
    {{"wte wpe", NULL, {PLAIN, .tied = true}}, "nothing can ever learn: with wte, wpe", 0, "all"},
    {{"wte wpe lm_head", NULL, {PLAIN}}, "nothing can ever learn: with wte, wpe", 0, "all"},
    {{"ln_f.gain lm_head", NULL, {PLAIN}}, "nothing can ever learn: with ", 0, "all"},
    {{"ln_f.gain wte", NULL, {PLAIN, .tied = true}}, "nothing can ever learn: with ", 0, "all"},
    {{"ln_2.gain lm_head", NULL, {LAYERS(1), .bias = true, .norm = NORM_POST}}, "nothing can ever learn: with ln_2.gain, lm_head at 0", 0, "all"},
    /* llm-foundry's Xavier with its default gain of 0 */
    {{"", ", \"wte\": {\"normal\": \"0\"}, \"wpe\": {\"normal\": \"0\"}, \"lm_head\": {\"normal\": \"0\"}, \"attn\": {\"normal\": \"0\"}, \"mlp\": {\"normal\": \"0\"}",
      {PLAIN}}, "nothing can ever learn: with wte, wpe, attn.q", 0, "all"},
};

#define BIASED ", \"bias\": {\"normal\": \"0.3\"}"

static const Start alive[] = {
    {"lm_head", NULL, {PLAIN}}, {"attn.proj mlp.proj", NULL, {PLAIN}}, {"attn.proj mlp.proj lm_head", NULL, {PLAIN}}, {"attn.q", NULL, {PLAIN}},
    {"attn.k", NULL, {PLAIN}}, {"attn.v mlp.fc", NULL, {PLAIN}}, {"attn.q attn.v", NULL, {PLAIN}}, {"attn.q", NULL, {PLAIN, .qk_norm = true}},
    {"attn.q_norm.gain", NULL, {PLAIN, .qk_norm = true}}, {"ln_1.gain ln_2.gain", NULL, {PLAIN}}, {"ln_1.gain ln_2.gain", NULL, {GPT, .activation = GELU_EXACT}},
    {"ln_1.gain", NULL, {PLAIN, .activation = RELU}}, {"attn.proj mlp.proj", NULL, {PLAIN, .activation = RELU}},
    {"ln_2.gain", ", \"ln_2.bias\": {\"normal\": \"0.5\"}", {PLAIN, .activation = RELU}},
    {"ln_1.gain attn.proj", ", \"ln_1.bias\": {\"normal\": \"0.5\"}", {PLAIN}},
    {"", NULL, {PLAIN, .gate = TRAINED(FACTOR_SCALAR, "0")}}, {"", NULL, {GPT, .gate = TRAINED(FACTOR_VECTOR, "0")}},
    {"", NULL, {PLAIN, .norm = NORM_NONE, .gate = TRAINED(FACTOR_LAYER, "0")}}, {"lm_head", NULL, {PLAIN, .gate = TRAINED(FACTOR_SCALAR, "0")}},
    {"attn.q", NULL, {PLAIN, .gate = TRAINED(FACTOR_SCALAR, "0")}}, {"attn.proj mlp.proj", NULL, {PLAIN, .gate = TRAINED(FACTOR_SCALAR, "1e-4")}},
    {"", NULL, {PLAIN, .ada_ln = true}}, {"", NULL, {GPT, .ada_ln = true, .norm = NORM_SUB}}, {"lm_head", NULL, {PLAIN, .ada_ln = true}},
    {"attn.proj mlp.proj", ", \"ada\": {\"normal\": \"0.1\"}", {PLAIN, .ada_ln = true}},
    {"ln_1_mid.gain ln_2_mid.gain", NULL, {PLAIN, .norm = NORM_SUB}}, {"ln_1_out.gain ln_2_out.gain", NULL, {PLAIN, .norm = NORM_SANDWICH}},
    {"attn.proj mlp.proj", NULL, {PLAIN, .norm = NORM_SANDWICH}}, {"ln_1.gain ln_2.gain", NULL, {PLAIN, .norm = NORM_SANDWICH}},
    {"attn.gate ln_1_out.gain", ", \"ln_1_out.bias\": {\"normal\": \"0.5\"}", {PLAIN, .norm = NORM_SANDWICH, .gate = TRAINED(FACTOR_VECTOR, "1")}},
    {"attn.proj mlp.proj lm_head", NULL, {GPT, .norm = NORM_NONE, .fixup_scalars = true}},
    {"", NULL, {PLAIN, .norm = NORM_NONE, .fixup_scalars = true, .gate = {.value = "0"}}},
    {"attn.proj mlp.proj", NULL, {PLAIN, .norm = NORM_POST}}, {"ln_1.gain", NULL, {LAYERS(1), .bias = true, .norm = NORM_POST}},
    {"ln_2.gain", NULL, {LAYERS(1), .bias = true, .norm = NORM_POST}}, {"ln_f.gain", NULL, {PLAIN}}, {"ln_f.gain", NULL, {PLAIN, .tied = true}},
    {"ln_f.gain lm_head", ", \"ln_f.bias\": {\"normal\": \"0.5\"}", {PLAIN}}, {"wte", NULL, {PLAIN, .tied = true}},
    {"wte lm_head", NULL, {PLAIN}}, {"wte wpe", NULL, {PLAIN}},
    {"", NULL, {PLAIN, .gate = {.value = "layer"}}},
    {"attn.proj", NULL, {PLAIN, .norm = NORM_NONE, .gate = TRAINED(FACTOR_LAYER, "0")}}, {"mlp.fc", NULL, {PLAIN, .norm = NORM_NONE, .gate = TRAINED(FACTOR_LAYER, "0")}},
    {"ln_1.gain attn.proj", BIASED, {PLAIN}}, {"attn.v attn.proj", BIASED, {PLAIN}}, {"attn.q attn.k", BIASED, {PLAIN}}, {"mlp.fc mlp.proj", BIASED, {PLAIN}},
    {"ln_1.gain attn.v", BIASED, {PLAIN}}, {"ln_2.gain", BIASED, {PLAIN, .activation = RELU}}, {"attn.proj", BIASED, {PLAIN, .gate = TRAINED(FACTOR_SCALAR, "0")}},
    {"ln_2.gain", BIASED, {PLAIN, .gate = TRAINED(FACTOR_SCALAR, "0")}}, {"attn.proj", BIASED, {PLAIN, .ada_ln = true}},
    {"ln_1_out.gain attn.proj", BIASED, {PLAIN, .norm = NORM_SANDWICH}}, {"attn.v attn.proj", ", \"ln_1_mid.bias\": {\"normal\": \"0.5\"}", {PLAIN, .norm = NORM_SUB}},
    {"wte wpe", ", \"ln_f.bias\": {\"normal\": \"0.5\"}", {PLAIN, .tied = true}},
};

/* --- what the check says --- */

static void check(void *data)
{
    const Start *s = data;
    Scheme scheme = scheme_at(s);
    scheme_check_alive(&scheme, &s->shape);
}

/* Each role that was set to 0 in the branch that is named is named too. */
static void check_named(Start *start, const char *says)
{
    int status;
    char *said = run_in_child(check, start, &status), *zero = xstrdup(start->zero), *rest = zero;
    const char *branch = strstr(says, ".attn can") ? "attn." : strstr(says, ".mlp can") ? "mlp." : NULL;
    for (char *role; (role = strsep(&rest, " "));) {
        if (branch && *role && !strncmp(role, branch, strlen(branch)) && !strstr(said, role)) fail_msg("%s is not named in %s", role, said);
    }
    free(zero);
    free(said);
}

static void the_deadly_are_refused_and_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(deadly); i++) {
        Start start = deadly[i].start;
        char *says = text_format("scheme \"custom\": %s", deadly[i].says);
        check_dies(check, &start, says, start.zero);
        free(says);
        check_named(&start, deadly[i].says);
    }
}

/* Passes, and says `fragment` and nothing more; NULL: nothing at all. */
static void check_passes(Start start, const char *fragment)
{
    int status;
    char *said = run_in_child(check, &start, &status), *line_end = strchr(said, '\n');
    bool right = fragment ? strstr(said, fragment) && line_end && !line_end[1] : !*said;
    if (status || !right) fail_msg("zero \"%s\": status %d, said \"%s\", not \"%s\"", start.zero, status, said, fragment ? fragment : "");
    free(said);
}

static void their_neighbours_pass_in_silence(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(alive); i++) check_passes(alive[i], NULL);
}

#define PROJ_BY_DEPTH ", \"attn.proj\": {\"normal\": \"0.3/sqrt(2*n_layer)\"}"
#define SHARED_GATE(formula) {.value = formula, .shape = FACTOR_LAYER, .trained = true}

static void the_unusual_is_noticed(void **state)
{
    (void)state;
    static const struct { Start start; const char *says; } row[] = {
        {{"", NULL, {PLAIN, .gate = SHARED_GATE("0")}}, "ReZero's gate with norms"},
        {{"", NULL, {PLAIN, .gate = SHARED_GATE("1")}}, NULL},
        {{"", NULL, {PLAIN, .fixup_scalars = true}}, "Fixup's scalars with norms"},
        {{"", NULL, {PLAIN, .norm = NORM_POST, .fixup_scalars = true}}, "Fixup's scalars with norms"},
        {{"", NULL, {PLAIN, .norm = NORM_NONE, .fixup_scalars = true}}, NULL},
        {{"", NULL, {PLAIN, .skip = {.value = "(2*n_layer)^0.25"}}}, "model.skip is above 1 without a norm behind the addition"},
        {{"", NULL, {PLAIN, .norm = NORM_SANDWICH, .skip = TRAINED(FACTOR_VECTOR, "1.5")}}, "model.skip is above 1"},
        {{"", NULL, {PLAIN, .norm = NORM_POST, .skip = {.value = "(2*n_layer)^0.25"}}}, NULL},
        {{"", NULL, {PLAIN, .skip = {.value = "0.9"}}}, NULL},
        {{"", NULL, {PLAIN, .qk_norm = true, .attn_scale = "1/head_dim"}}, "divided by head_dim, with qk_norm"},
        {{"", NULL, {PLAIN, .qk_norm = true}}, NULL},
        {{"", NULL, {PLAIN, .attn_scale = "1/head_dim"}}, NULL},
        {{"", PROJ_BY_DEPTH, {PLAIN, .norm_scale = "1/sqrt(layer)"}}, "depth enters twice, in the standard deviation of the projections and in model.norm_scale"},
        {{"", PROJ_BY_DEPTH, {PLAIN, .gate = {.value = "2/n_layer"}}}, "depth enters twice, in the standard deviation of the projections and in model.gate"},
        {{"", PROJ_BY_DEPTH, {PLAIN}}, NULL},
        {{"", NULL, {PLAIN, .norm_scale = "1/sqrt(layer)"}}, NULL},
        {{"", NULL, {PLAIN, .gate = {.value = "2/n_layer"}}}, NULL},
    };
    for (size_t i = 0; i < COUNT(row); i++) check_passes(row[i].start, row[i].says);
}

/* --- what the model does --- */

enum { ROWS = 3, UPDATES = 2 };

/* A step of length 0.1 down the gradient. */
static void descend(Gpt *g, double norm)
{
    for (int i = 0; norm > 0 && i < g->params.tensors; i++) {
        const Tensor *t = &g->params.tensor[i];
        for (int64_t k = 0; k < t->rows * t->cols; k++) t->w[k] -= (real)(0.1 / norm) * t->g[k];
    }
}

/* Whether each part's gradient was other than 0 before the first update or after one of the others. */
static bool *ever_moved(Gpt *g, const Scheme *s)
{
    bool *moved = xcalloc((size_t)g->params.parts, sizeof *moved);
    double *square = xcalloc((size_t)g->params.parts, sizeof *square);
    Batch b = batch_random(&g->shape, ROWS, g->shape.block_size, 1);
    init_weights(g, s, 1);
    for (int step = 0; step <= UPDATES; step++) {
        descend(g, gradient_of(g, &b, square));
        for (int i = 0; i < g->params.parts; i++) moved[i] |= square[i] != 0;
    }
    batch_free(&b);
    free(square);
    return moved;
}

static void check_model(const Scheme *s, const Shape *shape, const char *what, int layer, const char *dead)
{
    Gpt *g = gpt_new(shape, ROWS, 1);
    bool *moved = ever_moved(g, s);
    int still = 0;
    check_list(dead);
    for (int i = 0; i < g->params.parts; i++) {
        const Part *part = &g->params.part[i];
        bool listed = role_listed(dead, part->role) && (!layer || part->layer == layer - 1);
        if (!listed && zero_by_symmetry(g, part->role)) continue;
        if (moved[i] == listed)
            fail_msg("zero \"%s\" (%s): the gradient of %s was %s 0", what, norm_placement_name[shape->norm], part->name, listed ? "not" : "always");
        still += !moved[i];
    }
    assert_int_equal(still > 0, *dead != 0);
    free(moved);
    gpt_free(g);
}

static void the_refused_never_move(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(deadly); i++) {
        Scheme s = scheme_at(&deadly[i].start);
        check_model(&s, &deadly[i].start.shape, deadly[i].start.zero, deadly[i].layer, deadly[i].dead);
        scheme_free(&s);
    }
}

static void the_neighbours_all_move_within_two_updates(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(alive); i++) {
        Scheme s = scheme_at(&alive[i]);
        check_model(&s, &alive[i].shape, alive[i].zero, 0, "");
        scheme_free(&s);
    }
}

/* --- the catalogue --- */

/* A scheme and the model that its keys make of a small config. */
typedef struct { Config config; Scheme scheme; Shape shape; } Entry;

static Entry entry_of(const char *name)
{
    char *scheme = text_format("init.scheme=%s", name);
    char *override[] = {scheme, "model.n_layer=2", "model.n_head=2", "model.n_embd=16", "model.block_size=8"};
    bool *given = xcalloc((size_t)config_keys, sizeof *given);
    Entry e = {.config = config_load(NULL, override, COUNT(override), given)};
    e.scheme = scheme_load(e.config.scheme, ".", NULL, NULL);
    config_put_all_params(&e.config, json_get(e.scheme.json, "params"));
    config_apply_scheme(&e.config, &e.scheme, given);
    config_finish(&e.config, given);
    e.shape = config_shape(&e.config, 11);
    free(given);
    free(scheme);
    return e;
}

static void entry_free(Entry *e)
{
    scheme_free(&e->scheme);
    config_free(&e->config);
}

static void check_entry(void *data)
{
    Entry *e = data;
    scheme_check_alive(&e->scheme, &e->shape);
}

static void the_catalogue_passes_in_silence_and_moves(void **state)
{
    (void)state;
    for (int i = 0; i < catalogue_count; i++) {
        int status;
        Entry e = entry_of(catalogue[i].name);
        char *said = run_in_child(check_entry, &e, &status);
        if (status || *said) fail_msg("%s: status %d, said \"%s\"", catalogue[i].name, status, said);
        check_model(&e.scheme, &e.shape, catalogue[i].name, 0, "");
        free(said);
        entry_free(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_deadly_are_refused_and_named),
        cmocka_unit_test(their_neighbours_pass_in_silence),
        cmocka_unit_test(the_unusual_is_noticed),
        cmocka_unit_test(the_refused_never_move),
        cmocka_unit_test(the_neighbours_all_move_within_two_updates),
        cmocka_unit_test(the_catalogue_passes_in_silence_and_moves),
    };
    blas_start(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
