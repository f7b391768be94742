#include "pretrained_shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
        die("%s is %s, but the model in %s has %s; leave the key out", key, asked, c->from, has);
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
    if (eps && eps->number != NORM_EPS) die("%s: its layer_norm_epsilon is %g; step0 computes with %g only", path, eps->number, NORM_EPS);
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

const StoredTensor *pretrained_stored(const Pretrained *p, const char *name)
{
    char *prefixed = text_format("transformer.%s", name);
    const StoredTensor *t = safetensors_find(&p->file, prefixed);
    free(prefixed);
    return t ? t : safetensors_find(&p->file, name);
}

static const char *const numbers[][2] = {
    {"n_layer", "model.n_layer"}, {"n_head", "model.n_head"}, {"n_embd", "model.n_embd"}, {"n_positions", "model.block_size"}};

void pretrained_take_gpt2(Pretrained *p, Config *c, bool *given)
{
    char *path = text_format("%s/config.json", p->folder);
    Json *root = json_read(path);
    refuse_unknown(root, path);
    for (size_t i = 0; i < COUNT(numbers); i++) determine_number(c, given, numbers[i][1], needed_number(root, numbers[i][0], path));
    const Json *inner = member(root, "n_inner", JSON_NUMBER, path);
    determine_number(c, given, "model.n_inner", inner ? inner->number : 4 * (double)c->n_embd);
    determine_string(c, given, "model.activation", activation_of(root, path));
    determine_bool(c, given, "model.tie_embeddings", flag(root, "tie_word_embeddings", true, path));
    determine_bool(c, given, "model.bias", pretrained_stored(p, "ln_f.bias") != NULL);
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

void pretrained_take_run(Pretrained *p, Config *c, bool *given, const char *source)
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
    const StoredTensor *wte = pretrained_stored(p, "wte.weight");
    if (!wte || wte->dims != 2) die("%s: has no wte.weight of two dimensions", p->file.path);
    p->vocab_size = wte->shape[0];
    check_agreement(p, c);
    json_free(root);
}
