#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../model/file.h"
#include "config_read.h"

/* --- keys --- */

const Key *config_find(const char *path)
{
    for (int i = 0; i < config_keys; i++)
        if (!strcmp(config_key[i].path, path)) return &config_key[i];
    return NULL;
}

int config_index(const Key *key)
{
    return (int)(key - config_key);
}

const char *config_leaf(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

bool config_in_section(const char *path, char section[32])
{
    size_t length = (size_t)(config_leaf(path) - path);
    snprintf(section, 32, "%.*s", length ? (int)length - 1 : 0, path);
    return length > 0;
}

bool config_is_path(const Key *key)
{
    return key->type == KEY_PATH || key->type == KEY_PATHS;
}

bool config_is_seed(const Key *key)
{
    return !strcmp(config_leaf(key->path), "seed");
}

const char **config_texts(const Config *c)
{
    bool one = c->text->kind == JSON_STRING;
    int count = one;
    for (const Json *m = c->text->child; m; m = m->next) count++;
    const char **path = xcalloc((size_t)count + 1, sizeof *path);
    if (one) path[0] = c->text->string;
    count = 0;
    for (const Json *m = c->text->child; m; m = m->next) path[count++] = m->string;
    return path;
}

/* --- derived defaults and checks between keys --- */

static void check_heads(const Config *c)
{
    if (c->n_embd % c->n_head == 0) return;
    int64_t below = c->n_head, above = c->n_head;
    while (c->n_embd % below) below--;
    while (above <= c->n_embd && c->n_embd % above) above++;
    Text right = {0};
    text_add(&right, "%lld", (long long)below);
    if (above <= c->n_embd) text_add(&right, " or %lld", (long long)above);
    die("model.n_head is %lld, which does not divide model.n_embd %lld; %s would%s", (long long)c->n_head, (long long)c->n_embd, right.at,
        c->n_head > c->n_embd ? " (are the two swapped?)" : "");
}

Json *config_fallback(const Key *key)
{
    char *error;
    return key->fallback ? json_parse(key->fallback, strlen(key->fallback), key->path, &error) : NULL;
}

bool config_has_fallback(const Config *c, const Key *key)
{
    Json *own = config_value(c, key), *usual = config_fallback(key);
    bool same = usual && json_equal(own, usual);
    json_free(own);
    json_free(usual);
    return same;
}

static void check_switches(const Config *c)
{
    bool front = c->norm != NORM_POST && c->norm != NORM_NONE;
    if (c->ada_ln && !front) die("model.ada_ln modulates the norm in front of a branch, and model.norm is %s; pre, sandwich or sub have one", norm_placement_name[c->norm]);
    if (c->ada_ln && !config_has_fallback(c, config_find("model.gate"))) die("model.ada_ln makes the gate of each branch; leave model.gate out");
    if (c->norm == NORM_NONE && !config_has_fallback(c, config_find("model.norm_scale"))) die("model.norm_scale scales the norms of the blocks, and model.norm is none; leave one of them out");
    if (c->n_embd == 1 && c->norm != NORM_NONE) die("model.n_embd is 1, and a norm of one number is 0; 2 or more would do, or model.norm none");
    if (c->qk_norm && c->n_embd == c->n_head) die("model.qk_norm needs heads of at least 2 numbers, and n_embd %lld / n_head %lld is 1", (long long)c->n_embd, (long long)c->n_head);
}

static void check_schedule(const Config *c)
{
    if (c->warmup_steps > c->steps)
        die("train.warmup_steps is %lld, more than train.steps %lld; it must be at most that", (long long)c->warmup_steps, (long long)c->steps);
    if (c->min_lr > c->lr) die("train.min_lr is %g, above train.lr %g; it must be at most that", c->min_lr, c->lr);
    if (c->schedule == SCHEDULE_WSD && c->decay_steps > c->steps - c->warmup_steps)
        die("train.decay_steps is %lld, but after the warm-up only %lld of the %lld steps are left", (long long)c->decay_steps,
            (long long)(c->steps - c->warmup_steps), (long long)c->steps);
}

static void derive(Config *c, const bool *given)
{
    if (!given[config_index(config_find("init.seed"))]) c->init_seed = c->seed;
    if (!given[config_index(config_find("data.seed"))]) c->data_seed = c->seed;
    if (!given[config_index(config_find("model.n_inner"))]) c->n_inner = 4 * c->n_embd;
    if (!given[config_index(config_find("train.min_lr"))]) c->min_lr = c->lr / 10;
    if (!given[config_index(config_find("train.decay_steps"))]) c->decay_steps = min_i64(c->steps / 5, max_i64(0, c->steps - c->warmup_steps));
}

bool config_is_derived(const Config *c, const Key *key)
{
    if (key->fallback || key->type == KEY_NAME) return false;
    Config other = *c;
    bool *given = xcalloc((size_t)config_keys, sizeof *given);
    for (int i = 0; i < config_keys; i++) given[i] = &config_key[i] != key;
    derive(&other, given);
    free(given);
    Json *own = config_value(c, key), *derived = config_value(&other, key);
    bool same = json_equal(own, derived);
    json_free(own);
    json_free(derived);
    return same;
}

void config_finish(Config *c, bool *given)
{
    derive(c, given);
    check_heads(c);
    check_switches(c);
    check_schedule(c);
}

/* Equal as JSON, blanks in formulas apart. */
static bool same_but_blanks(const Json *a, const Json *b)
{
    char *text[] = {json_print(a, false), json_print(b, false)};
    for (int i = 0; i < 2; i++) {
        char *to = text[i];
        for (const char *from = to; *from; from++)
            if (*from != ' ') *to++ = *from;
        *to = 0;
    }
    bool same = !strcmp(text[0], text[1]);
    free(text[0]);
    free(text[1]);
    return same;
}

void config_apply_scheme(Config *c, const Scheme *s, bool *given)
{
    const Json *model = json_get(s->json, "model"), *params = json_get(s->json, "params");
    for (const Json *m = model ? model->child : NULL; m; m = m->next) {
        char *path = text_format("model.%s", m->key);
        const Key *k = config_find(path);
        if (!k) die("%s: a scheme's \"model\" sets keys of a config's \"model\"; there is no \"%s\"", m->where, m->key);
        Json *own = config_value(c, k), *needs = config_canonical(k, m, ".");
        config_put_params(needs, k, params);
        needs->where = xstrdup(m->where);
        if (given[config_index(k)] && !same_but_blanks(own, needs)) {
            char *asked = json_brief(own), *right = json_brief(needs);
            die("%s is %s, but the scheme \"%s\" needs %s; leave the key out or take another scheme", path, asked, scheme_name(s), right);
        }
        config_set(c, k, needs, ".");
        given[config_index(k)] = true;
        json_free(own);
        json_free(needs);
        free(path);
    }
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static void refuse_folder(const char *path)
{
    char *own = text_format("%s/resolved.json", path);
    bool run = file_is_there(own);
    die("%s is a folder; a config is a file%s%s", path, run ? ", and a run's is " : "", run ? own : "");
}

Config config_open(const char *path, bool *given)
{
    Config c = {0};
    for (int i = 0; i < config_keys; i++) {
        if (!config_key[i].fallback) continue;
        Json *fallback = config_fallback(&config_key[i]);
        config_set(&c, &config_key[i], fallback, ".");
        json_free(fallback);
    }
    if (path) {
        if (is_folder(path)) refuse_folder(path);
        Json *root = json_read(path);
        const char *slash = strrchr(path, '/');
        char *folder = slash ? text_format("%.*s", (int)(slash > path ? slash - path : 1), path) : xstrdup(".");
        config_read_file(&c, root, folder, given);
        free(folder);
        json_free(root);
    }
    if (!c.name) c.name = config_name_of_file(path ? path : "step0");
    return c;
}

Config config_load(const char *path, char *const *override, int overrides, bool *given)
{
    bool *own = xcalloc((size_t)config_keys, sizeof *own);
    Config c = config_open(path, own);
    config_read_overrides(&c, override, overrides, own);
    if (!c.from) config_finish(&c, own);
    if (given) memcpy(given, own, (size_t)config_keys * sizeof *own);
    free(own);
    return c;
}

void config_free(Config *c)
{
    for (int i = 0; i < config_keys; i++) {
        void *at = (char *)c + config_key[i].offset;
        if (config_key[i].type == KEY_NAME || config_key[i].type == KEY_PATH || config_key[i].type == KEY_FORMULA) free(*(char **)at);
        if (config_key[i].type == KEY_PATHS || config_key[i].type == KEY_OBJECT || config_key[i].type == KEY_SCHEME || config_key[i].type == KEY_MULTIPLIER) json_free(*(Json **)at);
    }
    json_free(c->where);
    json_free(c->sweep);
    free(c->changes);
    *c = (Config){0};
}

Json *config_resolved(const Config *c, const Json *scheme)
{
    Json *root = json_new(JSON_OBJECT);
    for (int i = 0; i < config_keys; i++) {
        const char *path = config_key[i].path;
        char section[32];
        Json *place = config_in_section(path, section) ? (Json *)json_get(root, section) : root;
        if (!place) place = json_put(root, section, json_new(JSON_OBJECT));
        Json *value = scheme && config_key[i].type == KEY_SCHEME ? json_copy(scheme) : config_value(c, &config_key[i]);
        json_put(place, config_leaf(path), value);
    }
    return root;
}

static Multiplier multiplier(const Json *j)
{
    Multiplier m = {.value = json_get(j, "value")->string, .trained = json_get(j, "trained")->number != 0};
    while (strcmp(factor_shape_name[m.shape], json_get(j, "shape")->string)) m.shape++;
    return m;
}

Shape config_shape(const Config *c, int64_t vocab_size)
{
    return (Shape){.n_layer = c->n_layer, .n_head = c->n_head, .n_embd = c->n_embd, .n_inner = c->n_inner, .block_size = c->block_size,
                   .vocab_size = vocab_size, .bias = c->bias, .tied = c->tied, .activation = (Activation)c->activation,
                   .norm = (NormPlacement)c->norm, .qk_norm = c->qk_norm, .fixup_scalars = c->fixup_scalars, .ada_ln = c->ada_ln,
                   .skip = multiplier(c->skip), .gate = multiplier(c->gate), .norm_scale = c->norm_scale, .embd_scale = c->embd_scale,
                   .logit_scale = c->logit_scale, .attn_scale = c->attn_scale, .where = c->where};
}
