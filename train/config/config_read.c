#include "config_read.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../model/noise.h"

/* --- unknown keys, and what was probably meant --- */

/* Its first key; NULL where the word is no group. */
static const char *first_of_group(const char *word)
{
    size_t length = strlen(word);
    for (int i = 0; i < config_keys; i++)
        if (!strncmp(config_key[i].path, word, length) && config_key[i].path[length] == '.') return config_key[i].path;
    return NULL;
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
    return !group || (!strncmp(config_key[i].path, group, length) && config_key[i].path[length] == '.') ? config_leaf(config_key[i].path) : "";
}

/* The first key whose last word it is. */
static const char *key_of_leaf(const char *leaf)
{
    for (int i = 0; i < config_keys; i++)
        if (!strcmp(config_leaf(config_key[i].path), leaf)) return config_key[i].path;
    return NULL;
}

/* The key that was probably meant: the same letters in the same group, then elsewhere, then one nearby of the group, then
 * by its last word alone, then one that starts alike. A group in another case counts as well. */
static const char *nearest_key(const char *path)
{
    char *word = xstrdup(path);
    for (char *p = word; *p; p++) *p = (char)tolower((unsigned char)*p);
    int all = config_keys + (int)COUNT(alias);
    const Key *same = config_find(word);
    const char *found = same ? same->path : key_of_leaf(config_leaf(word)), *near = NULL;
    if (!found) near = nearest_name(config_leaf(word), config_keys, last_word, word);
    if (!found && !near) near = nearest_name(config_leaf(word), all, last_word, NULL);
    for (int i = 0; i < all && near && !found; i++)
        if (near == last_word(i, NULL)) found = i < config_keys ? config_key[i].path : alias[i - config_keys][1];
    for (int i = 0; i < config_keys && !found && strlen(config_leaf(word)) > 2; i++)
        if (!strncmp(config_leaf(config_key[i].path), config_leaf(word), strlen(config_leaf(word)))) found = config_key[i].path;
    if (first_of_group(word)) return word;
    free(word);
    return found;
}

void config_unknown_key(const char *where, const char *path)
{
    if (first_of_group(path)) die("%s: \"%s\" is a group of keys; name one of them, for instance %s", where, path, first_of_group(path));
    const char *near = nearest_key(path);
    die("%s: unknown key \"%s\"%s%s%s (`step0 help config` lists all)", where, path, near ? "; did you mean \"" : "", near ? near : "",
        near ? "\"?" : "");
}

/* --- a config file --- */

/* For editors and readers; a run does not depend on it. */
static bool is_note(const Json *m)
{
    if (strcmp(m->key, "$schema") && strcmp(m->key, "about")) return false;
    if (m->kind != JSON_STRING) die("%s: \"%s\" is a text in quotes, not %s", m->where, m->key, json_kind_name(m));
    return true;
}

void config_read_file(Config *c, const Json *root, const char *folder, bool *given)
{
    if (root->kind != JSON_OBJECT) die("%s: a config is an object, not %s", root->where, json_kind_name(root));
    for (const Json *m = root->child; m; m = m->next) {
        if (is_note(m)) continue;
        if (!strcmp(m->key, "sweep")) {
            c->sweep = config_read_sweep(m, folder);
            continue;
        }
        const Key *top = config_find(m->key);
        if (!first_of_group(m->key)) {
            if (top && strchr(m->key, '.'))
                die("%s: a dotted path such as \"%s\" is for the command line; in a file write {\"%.*s\": {\"%s\": ...}}", m->where, m->key,
                    (int)strcspn(m->key, "."), m->key, config_leaf(m->key));
            if (!top) config_unknown_key(m->where, m->key);
            config_set(c, top, m, folder);
            given[config_index(top)] = true;
            continue;
        }
        if (m->kind != JSON_OBJECT) die("%s: \"%s\" is a group of keys, an object, not %s", m->where, m->key, json_kind_name(m));
        for (const Json *v = m->child; v; v = v->next) {
            char *path = text_format("%s.%s", m->key, v->key);
            const Key *k = config_find(path);
            if (!k) config_unknown_key(v->where, path);
            config_set(c, k, v, folder);
            given[config_index(k)] = true;
            free(path);
        }
    }
}

/* --- overrides --- */

const Key *config_key_of(const char *path, const char **member)
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

/* The value as a part of a folder's name: short, no slash or blank. */
static char *value_slug(const Key *k, const Json *v)
{
    char *text = config_shown(v);
    if ((config_is_path(k) || k->type == KEY_SCHEME) && v->kind == JSON_STRING && strrchr(text, '/'))
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
    for (int i = 0; i < config_keys; i++) same += !strcmp(config_leaf(config_key[i].path), config_leaf(path));
    return same <= 1;
}

typedef struct { char *path; const Key *key; const char *member; Json *value; } Override;

static Override parse_override(const char *text)
{
    const char *equals = strchr(text, '=');
    char *where = text_format("\"%.80s%s\" on the command line", text, strlen(text) > 80 ? "..." : "");
    if (!equals || equals == text) die("%s: an override is written key=value, for instance train.lr=3e-4", where);
    Override o = {.path = text_format("%.*s", (int)(equals - text), text)};
    o.key = config_key_of(o.path, &o.member);
    if (!o.key) config_unknown_key(where, o.path);
    char *error;
    o.value = json_parse(equals + 1, strlen(equals + 1), o.path, &error);
    if (!o.value) {
        if (strchr("{[", equals[1]) && equals[1] && o.key->type >= KEY_PATHS) die("%s", error);
        free(error);
        o.value = json_new(JSON_STRING);
        o.value->string = xstrdup(equals + 1);
    }
    bool words = o.key->type == KEY_NAME || config_is_path(o.key);
    if (words && o.value->kind == JSON_NUMBER) {
        o.value->kind = JSON_STRING;
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
    json_replace(*object, o->member, json_copy(o->value));
}

/* The last override of a key wins, in the outcome and in the folder's name. */
void config_read_overrides(Config *c, char *const *text, int count, bool *given)
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
        text_add(&changes, "_%s=%s", o[i].member ? o[i].member : leaf_is_unique(o[i].path) ? config_leaf(o[i].path) : o[i].path, slug);
        free(slug);
    }
    for (int i = 0; i < count; i++) {
        free(o[i].path);
        json_free(o[i].value);
    }
    free(o);
    c->changes = changes.at ? changes.at : xstrdup("");
}
