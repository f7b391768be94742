#include "pretrained.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "state.h"

static bool exists(const char *folder, const char *file)
{
    char *path = text_format("%s/%s", folder, file);
    bool there = access(path, F_OK) == 0;
    free(path);
    return there;
}

static Json *read_in(const char *folder, const char *file)
{
    char *path = text_format("%s/%s", folder, file);
    Json *j = json_read(path);
    free(path);
    return j;
}

/* Sets a model key from the folder, or dies where the config asks for something else. */
static void determine(Config *c, bool *given, const char *key, const Json *value)
{
    const Key *k = config_find(key);
    Json *own = config_value(c, k);
    if (given[config_index(k)] && !json_equal(own, value)) {
        char *asked = json_brief(own), *has = json_brief(value);
        die("%s is %s, but %s, which init.from names, has %s; leave the key out", key, asked, c->from, has);
    }
    json_free(own);
    Json *placed = json_copy(value);
    free(placed->where);
    placed->where = xstrdup(c->from);
    config_set(c, k, placed, ".");
    given[config_index(k)] = true;
    json_free(placed);
}

static void determine_number(Config *c, bool *given, const char *key, double value)
{
    Json j = {.kind = JSON_NUMBER, .number = value};
    determine(c, given, key, &j);
}

static void determine_bool(Config *c, bool *given, const char *key, bool value)
{
    Json j = {.kind = JSON_BOOL, .number = value};
    determine(c, given, key, &j);
}

static void determine_string(Config *c, bool *given, const char *key, const char *value)
{
    Json j = {.kind = JSON_STRING, .string = (char *)value};
    determine(c, given, key, &j);
}

static void determine_fallback(Config *c, bool *given, const char *key)
{
    Json *usual = config_fallback(config_find(key));
    determine(c, given, key, usual);
    json_free(usual);
}

/* Switches of the forward pass, which are as GPT-2 has them by default. */
static const char *const gpt2_only[] = {"model.norm", "model.norm_scale", "model.skip", "model.gate", "model.fixup_scalars", "model.ada_ln",
                                        "model.qk_norm", "model.embd_scale", "model.logit_scale", "model.attn_scale"};

/* A member of config.json that is of its kind; NULL where it is absent or null. */
static const Json *member(const Json *root, const char *key, JsonKind kind, const char *path)
{
    const Json *j = json_get(root, key);
    if (!j || j->kind == JSON_NULL) return NULL;
    const Json right = {.kind = kind};
    if (j->kind != kind) die("%s: \"%s\" is %s, but must be %s", path, key, json_kind_name(j), json_kind_name(&right));
    return j;
}

static double needed_number(const Json *root, const char *key, const char *path)
{
    const Json *j = member(root, key, JSON_NUMBER, path);
    if (!j) die("%s: lacks the number \"%s\"", path, key);
    return j->number;
}

static bool flag(const Json *root, const char *key, bool fallback, const char *path)
{
    const Json *j = member(root, key, JSON_BOOL, path);
    return j ? j->number != 0 : fallback;
}

static void refuse_unknown(const Json *root, const char *path)
{
    const Json *type = member(root, "model_type", JSON_STRING, path), *eps = member(root, "layer_norm_epsilon", JSON_NUMBER, path);
    if (!type || strcmp(type->string, "gpt2"))
        die("%s: its model_type is %s; step0 reads \"gpt2\", and models with other switches from the folder of their run", path, type ? type->string : "missing");
    if (eps && eps->number != 1e-5) die("%s: its layer_norm_epsilon is %g; step0 computes with 1e-5 only", path, eps->number);
    if (!flag(root, "scale_attn_weights", true, path)) die("%s: scale_attn_weights false is not what step0 computes", path);
    if (flag(root, "scale_attn_by_inverse_layer_idx", false, path)) die("%s: scale_attn_by_inverse_layer_idx true is not what step0 computes", path);
}

static const char *activation_of(const Json *root, const char *path)
{
    static const char *const known[][2] = {{"gelu_new", "gelu"}, {"gelu_pytorch_tanh", "gelu"}, {"gelu", "gelu_exact"}, {"relu", "relu"}};
    const Json *j = member(root, "activation_function", JSON_STRING, path);
    const char *name = j ? j->string : "gelu_new";
    for (size_t i = 0; i < COUNT(known); i++)
        if (!strcmp(known[i][0], name)) return known[i][1];
    die("%s: its activation_function is \"%s\"; step0 has gelu_new, gelu_pytorch_tanh, gelu and relu", path, name);
}

static const StoredTensor *stored(const Pretrained *p, const char *name)
{
    char *prefixed = text_format("transformer.%s", name);
    const StoredTensor *t = safetensors_find(&p->file, prefixed);
    free(prefixed);
    return t ? t : safetensors_find(&p->file, name);
}

static const char *const numbers[][2] = {
    {"n_layer", "model.n_layer"}, {"n_head", "model.n_head"}, {"n_embd", "model.n_embd"}, {"n_positions", "model.block_size"}};

static void take_hugging_face(Pretrained *p, Config *c, bool *given)
{
    char *path = text_format("%s/config.json", p->folder);
    Json *root = json_read(path);
    refuse_unknown(root, path);
    for (size_t i = 0; i < COUNT(numbers); i++) determine_number(c, given, numbers[i][1], needed_number(root, numbers[i][0], path));
    const Json *inner = member(root, "n_inner", JSON_NUMBER, path);
    determine_number(c, given, "model.n_inner", inner ? inner->number : 4 * (double)c->n_embd);
    determine_string(c, given, "model.activation", activation_of(root, path));
    determine_bool(c, given, "model.tie_embeddings", flag(root, "tie_word_embeddings", true, path));
    determine_bool(c, given, "model.bias", stored(p, "ln_f.bias") != NULL);
    for (size_t i = 0; i < COUNT(gpt2_only); i++) determine_fallback(c, given, gpt2_only[i]);
    double vocab = needed_number(root, "vocab_size", path);
    if (!(vocab >= 1 && vocab <= INT32_MAX && vocab == floor(vocab))) die("%s: a vocabulary of %g", path, vocab);
    p->vocab_size = (int64_t)vocab;
    json_free(root);
    free(path);
}

/* What the run's own config and the checkpoint's, which has a checksum, both say must be the same: another number of heads
 * would fit the same tensors. */
static void check_agreement(const Pretrained *p, const Config *c)
{
    char *path = text_format("%s/config.json", p->folder);
    Json *root = json_read(path), *activation = config_value(c, config_find("model.activation"));
    for (size_t i = 0; i < COUNT(numbers); i++) {
        Json *own = config_value(c, config_find(numbers[i][1]));
        double stored_one = needed_number(root, numbers[i][0], path);
        if (own->number != stored_one) die("%s: %s is %g, but the run's resolved.json has %g: one of them was changed", path, numbers[i][0], stored_one, own->number);
        json_free(own);
    }
    if (strcmp(activation->string, activation_of(root, path))) die("%s: its activation_function is not the %s of the run's resolved.json: one of them was changed", path, activation->string);
    json_free(activation);
    json_free(root);
    free(path);
}

/* A run knows its own shape better than the checkpoint's config.json, which for GPT-2's sake has biases of zero. */
static void take_run(Pretrained *p, Config *c, bool *given, const char *source)
{
    Json *root = read_in(source, "resolved.json");
    const Json *model = json_get(root, "model");
    for (const Json *m = model ? model->child : NULL; m; m = m->next) {
        char *key = text_format("model.%s", m->key);
        if (config_find(key) && strcmp(m->key, "dropout")) determine(c, given, key, m);
        free(key);
    }
    const Json *scheme = json_get(json_get(root, "init"), "scheme");
    const Key *k = config_find("init.scheme");
    if (scheme && !given[config_index(k)]) config_set(c, k, scheme, ".");
    const StoredTensor *wte = stored(p, "wte.weight");
    if (!wte || wte->dims != 2) die("%s: has no wte.weight of two dimensions", p->file.path);
    p->vocab_size = wte->shape[0];
    check_agreement(p, c);
    json_free(root);
}

/* All files are read from one checkpoint, though a training beside us may let the link point to the next one meanwhile. */
static void follow_link(Pretrained *p)
{
    char target[256], *slash = strrchr(p->folder, '/');
    ssize_t n = readlink(p->folder, target, sizeof target - 1);
    if (n <= 0) return;
    target[n] = 0;
    char *folder = *target == '/' || !slash ? xstrdup(target) : text_format("%.*s/%s", (int)(slash - p->folder), p->folder, target);
    free(p->folder);
    p->folder = folder;
}

/* A checkpoint names the checksums of its files; a Hugging Face folder has none. */
static void check_files(Pretrained *p)
{
    if (!exists(p->folder, "state.json")) return;
    char *path = text_format("%s/state.json", p->folder);
    StateFile f = state_read(path);
    state_check_files(&f, p->folder, "optimizer.safetensors");
    snprintf(p->text_hash, sizeof p->text_hash, "%s", f.text_hash);
    state_free(&f);
    free(path);
}

bool pretrained_exists(const char *folder)
{
    return exists(folder, "model.safetensors") || exists(folder, "checkpoint/model.safetensors");
}

char *pretrained_run(const char *folder)
{
    if (exists(folder, "resolved.json")) return xstrdup(folder);
    char *around = text_format("%s/..", folder);
    if (exists(around, "resolved.json") && exists(folder, "state.json")) return around;
    free(around);
    return NULL;
}

/* The file's tensor for one of the model's. */
static const StoredTensor *fitting(const Pretrained *p, const Tensor *to)
{
    const StoredTensor *from = stored(p, to->name);
    if (!from) die("%s: has no tensor \"%s\" of %lld x %lld numbers", p->file.path, to->name, (long long)to->rows, (long long)to->cols);
    bool fits = to->matrix ? from->dims == 2 && from->shape[0] == to->rows && from->shape[1] == to->cols : from->dims == 1 && from->shape[0] == to->cols;
    if (!fits) die("%s: tensor \"%s\" has shape %lld x %lld; this model needs %lld x %lld", p->file.path, from->name, (long long)from->shape[0],
                   from->dims > 1 ? (long long)from->shape[1] : 1LL, (long long)to->rows, (long long)to->cols);
    return from;
}

/* A folder may claim any size: its tensors tell, before there is memory for a model. */
static void check_tensors(const Pretrained *p, const Config *c)
{
    if (c->n_layer > p->file.tensors) die("%s: has %d tensors, too few for the %lld layers of its config", p->file.path, p->file.tensors, (long long)c->n_layer);
    if (c->n_embd % c->n_head) die("%s: its n_head %lld does not divide its n_embd %lld", p->folder, (long long)c->n_head, (long long)c->n_embd);
    Shape shape = config_shape(c, p->vocab_size);
    Gpt *g = gpt_declared(&shape);
    for (int i = 0; i < g->params.tensors; i++) fitting(p, &g->params.tensor[i]);
    gpt_free(g);
}

Pretrained pretrained_open(Config *c, bool *given, const char *source)
{
    char *run = pretrained_run(source);
    bool whole = run && !strcmp(run, source);
    Pretrained p = {.folder = whole ? text_format("%s/checkpoint", source) : xstrdup(source)};
    if (!exists(p.folder, "model.safetensors"))
        die("init.from: %s has no model.safetensors%s", p.folder, whole ? "; this run has no checkpoint" : "");
    follow_link(&p);
    check_files(&p);
    char *file = text_format("%s/model.safetensors", p.folder), *tokenizer = text_format("%s/tokenizer.json", p.folder);
    p.file = safetensors_read(file);
    if (run) take_run(&p, c, given, run);
    else take_hugging_face(&p, c, given);
    p.has_tokenizer = access(tokenizer, F_OK) == 0;
    if (p.has_tokenizer) p.tokenizer = tokenizer_read(tokenizer);
    if (p.vocab_size < 1 || p.vocab_size > INT32_MAX) die("%s: a vocabulary of %lld", p.folder, (long long)p.vocab_size);
    if (p.has_tokenizer && p.tokenizer.size != p.vocab_size)
        die("%s: tokenizer.json has %d tokens, the model a vocabulary of %lld", p.folder, p.tokenizer.size, (long long)p.vocab_size);
    check_tensors(&p, c);
    free(run);
    free(file);
    free(tokenizer);
    return p;
}

void pretrained_free(Pretrained *p)
{
    safetensors_free(&p->file);
    free(p->folder);
    *p = (Pretrained){0};
}

/* --- weights --- */

static void copy(const Pretrained *p, Tensor *to, bool *used)
{
    const StoredTensor *from = fitting(p, to);
    for (int64_t i = 0; i < to->rows * to->cols; i++) {
        if (!isfinite(from->at[i])) die("%s: tensor \"%s\" has %g at index %lld; weights are finite numbers", p->file.path, from->name, (double)from->at[i], (long long)i);
        to->w[i] = (real)from->at[i];
    }
    used[from - p->file.tensor] = true;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

/* Buffers that old files carry, a tied head written twice, and the zero biases of a bias-free model. */
static bool harmless(const StoredTensor *t, const Shape *s)
{
    if (ends_with(t->name, ".attn.bias") || ends_with(t->name, ".attn.masked_bias")) return true;
    if (s->tied && !strcmp(t->name, "lm_head.weight")) return true;
    if (s->bias || !ends_with(t->name, ".bias") || t->dims != 1) return false;
    for (int64_t i = 0; i < t->shape[0]; i++)
        if (t->at[i] != 0) return false;
    return true;
}

void pretrained_load(const Pretrained *p, Gpt *g)
{
    bool *used = xcalloc((size_t)p->file.tensors, sizeof *used);
    for (int i = 0; i < g->params.tensors; i++) copy(p, &g->params.tensor[i], used);
    for (int i = 0; i < p->file.tensors; i++)
        if (!used[i] && !harmless(&p->file.tensor[i], &g->shape))
            die("%s: tensor \"%s\" has no place in this model", p->file.path, p->file.tensor[i].name);
    free(used);
}
