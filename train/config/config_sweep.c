/* A config's "sweep": what step0 sweep would run, in the file. */
#include <stdlib.h>
#include <string.h>

#include "config_read.h"

char *config_shown(const Json *value)
{
    char digits[32];
    if (value->kind == JSON_STRING) return xstrdup(value->string);
    return value->kind == JSON_NUMBER ? xstrdup(number_text(digits, value->number)) : json_print(value, false);
}

bool config_gives(char *const *override, int overrides, const char *key)
{
    size_t length = strlen(key);
    for (int i = 0; i < overrides; i++)
        if (!strncmp(override[i], key, length) && override[i][length] == '=') return true;
    return false;
}

/* A text that JSON would read as something else keeps its quotes. */
static char *as_override(const Json *value)
{
    char *error = NULL;
    if (value->kind != JSON_STRING) return json_print(value, false);
    Json *other = json_parse(value->string, strlen(value->string), "", &error);
    bool quoted = other || strpbrk(value->string, "[]{}\"");
    json_free(other);
    free(error);
    return quoted ? json_print(value, false) : xstrdup(value->string);
}

static void add_value(Json *values, const Key *k, const char *member, const Json *v, const char *folder)
{
    Json *own = member ? json_copy(v) : config_canonical(k, v, folder);
    bool path = config_is_path(k) || k->type == KEY_SCHEME;
    char *shown = config_shown(v), *text = as_override(path ? own : v);
    json_put_string(values, shown, text);
    json_free(own);
    free(shown);
    free(text);
}

Json *config_read_sweep(const Json *sweep, const char *folder)
{
    if (sweep->kind != JSON_OBJECT) die("%s: \"sweep\" is an object of keys and their values, {\"train.lr\": [1e-3, 3e-3]}, not %s", sweep->where, json_kind_name(sweep));
    Json *all = json_new(JSON_OBJECT);
    for (const Json *m = sweep->child; m; m = m->next) {
        const char *member;
        const Key *k = config_key_of(m->key, &member);
        if (!k && m->kind == JSON_OBJECT && m->child) die("%s: in \"sweep\" a key is a dotted path, \"%s.%s\": [...]", m->where, m->key, m->child->key);
        if (!k) config_unknown_key(m->where, m->key);
        if (m->kind != JSON_ARRAY || !m->child) {
            char *brief = json_brief(m);
            die("%s: \"%s\" in \"sweep\" is %s, but must be a list of values, [a, b, c]", m->where, m->key, brief);
        }
        Json *values = json_put(all, m->key, json_new(JSON_OBJECT));
        for (const Json *v = m->child; v; v = v->next) add_value(values, k, member, v, folder);
    }
    return all;
}
