#include "config.h"


#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../model/noise.h"

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

static const char *leaf(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

static bool is_group(const char *word)
{
    size_t length = strlen(word);
    for (int i = 0; i < config_keys; i++)
        if (!strncmp(config_key[i].path, word, length) && config_key[i].path[length] == '.') return true;
    return false;
}

/* What other trainers call some keys. */
static const char *const alias[][2] = {
    {"learning_rate", "train.lr"},   {"max_iters", "train.steps"},   {"max_steps", "train.steps"},  {"gradient_accumulation_steps", "train.grad_accum"},
    {"warmup_iters", "train.warmup_steps"}, {"eval_interval", "eval.every"}, {"log_interval", "log.every"}};

/* The last word of key i where it is in the group that `data` names (NULL: any); behind the keys, aliases. */
static const char *last_word(int i, const void *data)
{
    const char *group = data;
    if (i >= config_keys) return alias[i - config_keys][0];
    size_t length = group ? strcspn(group, ".") : 0;
    return !group || (!strncmp(config_key[i].path, group, length) && config_key[i].path[length] == '.') ? leaf(config_key[i].path) : "";
}

/* The key that was probably meant: of the same group, then by its last word alone, then one that starts alike. A group
 * in another case counts as well. */
static const char *nearest_key(const char *path)
{
    char *word = xstrdup(path);
    for (char *p = word; *p; p++) *p = (char)tolower((unsigned char)*p);
    int all = config_keys + (int)COUNT(alias);
    const char *near = nearest_name(leaf(word), config_keys, last_word, word), *found = NULL;
    if (!near) near = nearest_name(leaf(word), all, last_word, NULL);
    for (int i = 0; i < all && near && !found; i++)
        if (near == last_word(i, NULL)) found = i < config_keys ? config_key[i].path : alias[i - config_keys][1];
    for (int i = 0; i < config_keys && !found && strlen(leaf(word)) > 2; i++)
        if (!strncmp(leaf(config_key[i].path), leaf(word), strlen(leaf(word)))) found = config_key[i].path;
    if (is_group(word)) return word;
    free(word);
    return found;
}

_Noreturn static void unknown_key(const char *where, const char *path)
{
    const char *near = nearest_key(path);
    die("%s: unknown key \"%s\"%s%s%s; `step0 help config` lists all", where, path, near ? "; did you mean \"" : "", near ? near : "",
        near ? "\"?" : "");
}

/* --- values --- */

char *absolute_path(const char *folder, const char *path)
{
    char *joined = path[0] == '/' ? xstrdup(path) : text_format("%s/%s", folder, path);
    char full[PATH_MAX], here[PATH_MAX];
    if (realpath(joined, full)) {
        free(joined);
        return xstrdup(full);
    }
    if (joined[0] == '/' || !getcwd(here, sizeof here)) return joined;
    const char *rest = joined;
    while (!strncmp(rest, "./", 2)) rest += 2;
    char *whole = text_format("%s/%s", here, rest);
    free(joined);
    return whole;
}

_Noreturn static void wrong(const Key *k, const Json *v, const char *right)
{
    char *brief = json_brief(v);
    die("%s: \"%s\" is %s, but must be %s", v->where, k->path, brief, right);
}

static double number_in_range(const Key *k, const Json *v)
{
    char right[128], low[32], high[32];
    number_text(low, k->min);
    number_text(high, k->max);
    const char *kind = k->type == KEY_INT ? "a whole number" : "a number";
    snprintf(right, sizeof right, "%s %s %s and at most %s", kind, k->open_min ? "above" : "of at least", low, high);
    if (v->kind != JSON_NUMBER || (k->type == KEY_INT && v->number != floor(v->number))) wrong(k, v, right);
    if (v->number < k->min || v->number > k->max || (k->open_min && v->number == k->min)) wrong(k, v, right);
    return v->number;
}

static int choice_of(const Key *k, const Json *v)
{
    Text right = {0};
    for (int i = 0; i < k->choices; i++) {
        if (v->kind == JSON_STRING && !strcmp(v->string, k->choice[i])) {
            free(right.at);
            return i;
        }
        text_add(&right, "%s\"%s\"", i == 0 ? "one of " : ", ", k->choice[i]);
    }
    wrong(k, v, right.at);
}

static Json *absolute_paths(const Key *k, const Json *v, const char *folder)
{
    if (v->kind == JSON_STRING) {
        if (!*v->string) wrong(k, v, "a path");
        Json *j = json_new(JSON_STRING);
        j->string = strncmp(v->string, "builtin:", 8) ? absolute_path(folder, v->string) : xstrdup(v->string);
        if (!strncmp(j->string, "builtin:", 8) && strcmp(j->string, BUILTIN_STORIES)) wrong(k, v, "\"" BUILTIN_STORIES "\" or a path");
        return j;
    }
    if (v->kind != JSON_ARRAY || !v->child) wrong(k, v, "a path or a list of paths");
    Json *list = json_new(JSON_ARRAY);
    for (const Json *m = v->child; m; m = m->next) {
        if (m->kind != JSON_STRING) wrong(k, m, "a path");
        json_put(list, NULL, absolute_paths(k, m, folder));
    }
    return list;
}

static Json *scheme_value(const Key *k, const Json *v, const char *folder)
{
    if (v->kind == JSON_OBJECT) return json_copy(v);
    if (v->kind != JSON_STRING) wrong(k, v, "a scheme's name, a path or an object");
    Json *j = json_copy(v);
    size_t length = strlen(v->string);
    if (strchr(v->string, '/') || (length > 5 && !strcmp(v->string + length - 5, ".json"))) {
        free(j->string);
        j->string = absolute_path(folder, v->string);
    }
    return j;
}

static char *name_of(const Key *k, const Json *v)
{
    const char *right = "a name of at most 200 characters without '/', not starting with '.'";
    if (v->kind != JSON_STRING || !*v->string || strchr(v->string, '/') || v->string[0] == '.' || strlen(v->string) > 200) wrong(k, v, right);
    return xstrdup(v->string);
}

void config_set(Config *c, const Key *k, const Json *v, const char *folder)
{
    void *at = (char *)c + k->offset;
    Json *tree = NULL;
    char *text = NULL;
    switch (k->type) {
    case KEY_INT: *(int64_t *)at = (int64_t)number_in_range(k, v); return;
    case KEY_REAL: *(double *)at = number_in_range(k, v); return;
    case KEY_CHOICE: *(int *)at = choice_of(k, v); return;
    case KEY_BOOL:
        if (v->kind != JSON_BOOL) wrong(k, v, "true or false");
        *(bool *)at = v->number != 0;
        return;
    case KEY_NAME: text = name_of(k, v); break;
    case KEY_PATH:
        if (v->kind != JSON_NULL && (v->kind != JSON_STRING || !*v->string)) wrong(k, v, "a path or null");
        if (v->kind == JSON_STRING) text = absolute_path(folder, v->string);
        break;
    case KEY_PATHS: tree = absolute_paths(k, v, folder); break;
    case KEY_SCHEME: tree = scheme_value(k, v, folder); break;
    case KEY_OBJECT:
        if (v->kind != JSON_OBJECT) wrong(k, v, "an object");
        tree = json_copy(v);
        break;
    }
    if (tree) {
        json_free(*(Json **)at);
        *(Json **)at = tree;
    } else {
        free(*(char **)at);
        *(char **)at = text;
    }
}

Json *config_value(const Config *c, const Key *k)
{
    const void *at = (const char *)c + k->offset;
    Json *j = json_new(JSON_NUMBER);
    const char *text = NULL;
    switch (k->type) {
    case KEY_INT: j->number = (double)*(const int64_t *)at; return j;
    case KEY_REAL: j->number = *(const double *)at; return j;
    case KEY_BOOL: j->kind = JSON_BOOL; j->number = *(const bool *)at; return j;
    case KEY_CHOICE: text = k->choice[*(const int *)at]; break;
    case KEY_NAME: case KEY_PATH: text = *(char *const *)at; break;
    case KEY_PATHS: case KEY_OBJECT: case KEY_SCHEME: json_free(j); return json_copy(*(Json *const *)at);
    }
    j->kind = text ? JSON_STRING : JSON_NULL;
    j->string = text ? xstrdup(text) : NULL;
    return j;
}

/* --- a config file --- */

static void read_file(Config *c, const Json *root, const char *folder, bool *given)
{
    if (root->kind != JSON_OBJECT) die("%s: a config is an object, not %s", root->where, json_kind_name(root));
    for (const Json *m = root->child; m; m = m->next) {
        if (!strcmp(m->key, "$schema")) continue;
        const Key *top = config_find(m->key);
        if (!is_group(m->key)) {
            if (top && strchr(m->key, '.'))
                die("%s: a dotted path such as \"%s\" is for the command line; in a file write {\"%.*s\": {\"%s\": ...}}", m->where, m->key,
                    (int)strcspn(m->key, "."), m->key, leaf(m->key));
            if (!top) unknown_key(m->where, m->key);
            config_set(c, top, m, folder);
            given[config_index(top)] = true;
            continue;
        }
        if (m->kind != JSON_OBJECT) die("%s: \"%s\" is a group of keys, an object, not %s", m->where, m->key, json_kind_name(m));
        for (const Json *v = m->child; v; v = v->next) {
            char *path = text_format("%s.%s", m->key, v->key);
            const Key *k = config_find(path);
            if (!k) unknown_key(v->where, path);
            config_set(c, k, v, folder);
            given[config_index(k)] = true;
            free(path);
        }
    }
}

/* --- overrides --- */

/* The key of an override, or the member of an object key: init.params.std, init.rules.attn.proj. */
static const Key *override_key(const char *path, const char **member)
{
    *member = NULL;
    const Key *k = config_find(path);
    for (int i = 0; i < config_keys && !k; i++) {
        size_t length = strlen(config_key[i].path);
        if (config_key[i].type != KEY_OBJECT || strncmp(path, config_key[i].path, length) || path[length] != '.' || !path[length + 1]) continue;
        *member = path + length + 1;
        k = &config_key[i];
    }
    return k;
}

static void put_member(Json *object, const char *member, Json *value)
{
    for (Json **at = &object->child; *at; at = &(*at)->next) {
        if (strcmp((*at)->key, member)) continue;
        Json *old = *at;
        *at = old->next;
        old->next = NULL;
        json_free(old);
        break;
    }
    json_put(object, member, value);
}

/* The value as a part of a folder's name: short, no slash or blank. */
static char *value_slug(const Key *k, const Json *v)
{
    char digits[32];
    char *text = v->kind == JSON_STRING ? xstrdup(v->string) : v->kind == JSON_NUMBER ? xstrdup(number_text(digits, v->number)) : json_print(v, false);
    if ((k->type == KEY_PATH || k->type == KEY_PATHS || k->type == KEY_SCHEME) && v->kind == JSON_STRING && strrchr(text, '/'))
        memmove(text, strrchr(text, '/') + 1, strlen(strrchr(text, '/')));
    uint64_t hash = noise_hash(text, strlen(text));
    for (char *p = text; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("._+-", *p)) *p = '-';
    if (strlen(text) <= 40) return text;
    char *slug = text_format("%.30s-%08x", text, (unsigned)(hash >> 32));
    free(text);
    return slug;
}

static bool leaf_is_unique(const char *path)
{
    int same = 0;
    for (int i = 0; i < config_keys; i++) same += !strcmp(leaf(config_key[i].path), leaf(path));
    return same <= 1;
}

typedef struct { char *path; const Key *key; const char *member; Json *value; } Override;

static Override parse_override(const char *text)
{
    const char *equals = strchr(text, '=');
    char *where = text_format("\"%.80s%s\" on the command line", text, strlen(text) > 80 ? "..." : "");
    if (!equals || equals == text) die("%s: an override is written key=value, for instance train.lr=3e-4", where);
    Override o = {.path = text_format("%.*s", (int)(equals - text), text)};
    o.key = override_key(o.path, &o.member);
    if (!o.key) unknown_key(where, o.path);
    char *error;
    o.value = json_parse(equals + 1, strlen(equals + 1), o.path, &error);
    if (!o.value) {
        if (strchr("{[", equals[1]) && equals[1] && o.key->type >= KEY_PATHS) die("%s", error);
        free(error);
        o.value = json_new(JSON_STRING);
        o.value->string = xstrdup(equals + 1);
    }
    free(o.value->where);
    o.value->where = where;
    return o;
}

static void apply(Config *c, Override *o, bool *given)
{
    given[config_index(o->key)] = true;
    if (!o->member) return config_set(c, o->key, o->value, ".");
    Json **object = (Json **)((char *)c + o->key->offset);
    put_member(*object, o->member, json_copy(o->value));
}

/* The last override of a key wins, in the outcome and in the folder's name. */
static void read_overrides(Config *c, char *const *text, int count, bool *given)
{
    Text changes = {0};
    Override *o = xcalloc((size_t)count, sizeof *o);
    for (int i = 0; i < count; i++) {
        o[i] = parse_override(text[i]);
        apply(c, &o[i], given);
    }
    for (int i = 0; i < count; i++) {
        bool last = true;
        for (int j = i + 1; j < count; j++) last &= strcmp(o[i].path, o[j].path) != 0;
        if (!last || o[i].key->flags & SAME_OUTCOME) continue;
        char *slug = value_slug(o[i].key, o[i].value);
        text_add(&changes, "_%s=%s", o[i].member ? o[i].member : leaf_is_unique(o[i].path) ? leaf(o[i].path) : o[i].path, slug);
        free(slug);
    }
    for (int i = 0; i < count; i++) {
        free(o[i].path);
        json_free(o[i].value);
    }
    free(o);
    c->changes = changes.at ? changes.at : xstrdup("");
}

/* --- derived defaults and checks between keys --- */

static void check_heads(const Config *c)
{
    if (c->n_embd % c->n_head == 0) return;
    int64_t below = c->n_head, above = c->n_head;
    while (c->n_embd % below) below--;
    while (above <= c->n_embd && c->n_embd % above) above++;
    die("model.n_head is %lld, which does not divide model.n_embd %lld; %lld%s%.0lld would%s", (long long)c->n_head, (long long)c->n_embd,
        (long long)below, above <= c->n_embd ? " or " : "", (long long)(above <= c->n_embd ? above : 0),
        c->n_head > c->n_embd ? " (are the two swapped?)" : "");
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
    if (!given[config_index(config_find("train.decay_steps"))]) c->decay_steps = c->steps / 5;
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
    check_schedule(c);
}

static char *stem(const char *path)
{
    const char *base = path && strrchr(path, '/') ? strrchr(path, '/') + 1 : path ? path : "step0";
    size_t length = strlen(base);
    if (length > 5 && !strcmp(base + length - 5, ".json")) length -= 5;
    return text_format("%.*s", (int)length, base);
}

Config config_load(const char *path, char *const *override, int overrides, bool *given)
{
    Config c = {0};
    bool *own = xcalloc((size_t)config_keys, sizeof *own);
    char *error;
    for (int i = 0; i < config_keys; i++) {
        if (!config_key[i].fallback) continue;
        Json *fallback = json_parse(config_key[i].fallback, strlen(config_key[i].fallback), config_key[i].path, &error);
        config_set(&c, &config_key[i], fallback, ".");
        json_free(fallback);
    }
    if (path) {
        Json *root = json_read(path);
        const char *slash = strrchr(path, '/');
        char *folder = slash ? text_format("%.*s", (int)(slash - path + 1), path) : xstrdup(".");
        read_file(&c, root, folder, own);
        free(folder);
        json_free(root);
    }
    read_overrides(&c, override, overrides, own);
    if (!c.name) c.name = stem(path);
    if (!c.from) config_finish(&c, own);
    if (given) memcpy(given, own, (size_t)config_keys * sizeof *own);
    free(own);
    return c;
}

void config_free(Config *c)
{
    for (int i = 0; i < config_keys; i++) {
        void *at = (char *)c + config_key[i].offset;
        if (config_key[i].type == KEY_NAME || config_key[i].type == KEY_PATH) free(*(char **)at);
        if (config_key[i].type == KEY_PATHS || config_key[i].type == KEY_OBJECT || config_key[i].type == KEY_SCHEME) json_free(*(Json **)at);
    }
    free(c->changes);
    *c = (Config){0};
}

Json *config_resolved(const Config *c, const Json *scheme)
{
    Json *root = json_new(JSON_OBJECT);
    for (int i = 0; i < config_keys; i++) {
        const char *path = config_key[i].path, *dot = strchr(path, '.');
        char section[32] = "";
        if (dot) memcpy(section, path, (size_t)(dot - path));
        Json *place = dot ? (Json *)json_get(root, section) : root;
        if (!place) place = json_put(root, section, json_new(JSON_OBJECT));
        Json *value = scheme && config_key[i].type == KEY_SCHEME ? json_copy(scheme) : config_value(c, &config_key[i]);
        json_put(place, leaf(path), value);
    }
    return root;
}

Shape config_shape(const Config *c, int64_t vocab_size)
{
    return (Shape){.n_layer = c->n_layer, .n_head = c->n_head, .n_embd = c->n_embd, .n_inner = c->n_inner, .block_size = c->block_size,
                   .vocab_size = vocab_size, .bias = c->bias, .tied = c->tied, .activation = (Activation)c->activation};
}
