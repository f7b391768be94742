/* One key's value: from JSON, with its checks, and back. */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"

enum { NAME_LONGEST = 200 };      /* bytes: a folder's name, with overrides behind, has 255 */

/* The last word stays as it is, so that a link is followed when it is used, not now. */
char *absolute_path(const char *folder, const char *path)
{
    char *joined = path[0] == '/' ? xstrdup(path) : text_format("%s/%s", folder, path), full[PATH_MAX];
    for (size_t n = strlen(joined); n > 1 && joined[n - 1] == '/'; n--) joined[n - 1] = 0;
    char *slash = strrchr(joined, '/');
    const char *last = slash ? slash + 1 : joined;
    bool whole = !*last || !strcmp(last, ".") || !strcmp(last, "..");
    char *parent = whole ? xstrdup(joined) : text_format("%.*s", (int)max_i64(1, slash - joined), joined);
    char *result;
    if (realpath(parent, full)) result = whole ? xstrdup(full) : text_format("%s/%s", strcmp(full, "/") ? full : "", last);
    else if (joined[0] == '/' || !getcwd(full, sizeof full)) result = xstrdup(joined);
    else result = text_format("%s/%s", full, joined + (strncmp(joined, "./", 2) ? 0 : 2));
    free(parent);
    free(joined);
    return result;
}

/* As a sweep takes them: a=1,2 or [1, 2]. */
static bool several(const Key *k, const Json *v)
{
    bool single = k->type == KEY_INT || k->type == KEY_REAL || k->type == KEY_BOOL || k->type == KEY_CHOICE || k->type == KEY_SCHEME;
    return single && (v->kind == JSON_ARRAY || (v->kind == JSON_STRING && strchr(v->string, ',')));
}

_Noreturn static void wrong(const Key *k, const Json *v, const char *right)
{
    char *brief = json_brief(v);
    die("%s: \"%s\" is %s, but must be %s%s", v->where, k->path, brief, right, several(k, v) ? "; several values are for `step0 sweep`" : "");
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

/* resolved.json, which is JSON, must be able to hold it. */
static char *path_of(const Key *k, const Json *v, const char *folder)
{
    char *path = absolute_path(folder, v->string);
    if (strlen(path) >= PATH_MAX) wrong(k, v, "a path of at most 4095 bytes");
    if (!utf8_is_valid(path)) die("%s: \"%s\" would be %s, but must be a path in valid UTF-8, as resolved.json writes it; rename it", v->where, k->path, path);
    return path;
}

/* A list of one is that one. */
static Json *absolute_paths(const Key *k, const Json *v, const char *folder)
{
    if (v->kind == JSON_ARRAY && v->child && !v->child->next && v->child->kind == JSON_STRING) v = v->child;
    if (v->kind == JSON_STRING) {
        if (!*v->string) wrong(k, v, "a path");
        Json *j = json_new(JSON_STRING);
        j->string = strncmp(v->string, "builtin:", 8) ? path_of(k, v, folder) : xstrdup(v->string);
        if (!strncmp(j->string, "builtin:", 8) && strcmp(j->string, BUILTIN_STORIES)) wrong(k, v, "\"" BUILTIN_STORIES "\" or a path");
        return j;
    }
    enum { PATHS_MOST = 100000 };
    if (v->kind != JSON_ARRAY || !v->child) wrong(k, v, "a path or a list of paths");
    Json *list = json_new(JSON_ARRAY);
    int paths = 0;
    for (const Json *m = v->child; m; m = m->next) {
        if (m->kind != JSON_STRING) wrong(k, m, "a path");
        if (++paths > PATHS_MOST) die("%s: \"%s\" lists more than %d paths; join the files into fewer", v->where, k->path, PATHS_MOST);
        json_put(list, NULL, absolute_paths(k, m, folder));
    }
    return list;
}

static Json *scheme_value(const Key *k, const Json *v, const char *folder)
{
    if (v->kind == JSON_OBJECT) return json_copy(v);
    bool path = v->kind == JSON_STRING && scheme_is_path(v->string);
    if (v->kind != JSON_STRING || (several(k, v) && !path)) wrong(k, v, "a scheme's name, a path or an object");
    Json *j = json_copy(v);
    if (path) {
        free(j->string);
        j->string = path_of(k, v, folder);
    }
    return j;
}

/* A formula's text; a number is spelled out. */
static char *formula_of(const Key *k, const Json *v)
{
    char digits[32], right[64];
    if (v->kind == JSON_NUMBER) return xstrdup(number_text(digits, v->number));
    snprintf(right, sizeof right, "a formula in quotes, of 1 to %d characters, or a number", FORMULA_LONGEST);
    if (v->kind != JSON_STRING || !*v->string || strlen(v->string) > FORMULA_LONGEST) wrong(k, v, right);
    return xstrdup(v->string);
}

static int shape_of(const Key *k, const Json *v)
{
    for (int i = 0; i < FACTOR_SHAPES; i++)
        if (v->kind == JSON_STRING && !strcmp(v->string, factor_shape_name[i])) return i;
    wrong(k, v, "number, scalar, layer or vector in its \"shape\"");
}

/* A formula, or an object of value, shape and trained, as an object of all three. Without "trained", what is no number
 * is. */
static Json *multiplier_of(const Key *k, const Json *v)
{
    bool object = v->kind == JSON_OBJECT;
    for (const Json *m = object ? v->child : NULL; m; m = m->next)
        if (strcmp(m->key, "value") && strcmp(m->key, "shape") && strcmp(m->key, "trained")) wrong(k, v, "an object of value, shape and trained");
    const Json *value = object ? json_get(v, "value") : v, *shape = object ? json_get(v, "shape") : NULL, *trained = object ? json_get(v, "trained") : NULL;
    int form = shape ? shape_of(k, shape) : FACTOR_NUMBER;
    if (trained && trained->kind != JSON_BOOL) wrong(k, trained, "true or false in its \"trained\"");
    bool learns = trained ? trained->number != 0 : form != FACTOR_NUMBER;
    if (learns && form == FACTOR_NUMBER) wrong(k, v, "fixed where it is a number; a trained one has shape scalar, layer or vector");
    char *text = value ? formula_of(k, value) : xstrdup("1");
    Json *j = json_new(JSON_OBJECT);
    json_put_string(j, "value", text);
    json_put_string(j, "shape", factor_shape_name[form]);
    json_put_bool(j, "trained", learns);
    free(text);
    return j;
}

static bool suits_name(const char *text)
{
    bool clean = *text && *text != '.' && strlen(text) <= NAME_LONGEST && utf8_is_valid(text);
    for (const char *p = text; *p; p++) clean &= (unsigned char)*p >= 0x20 && *p != 0x7f && *p != '/';
    return clean;
}

static char *name_of(const Key *k, const Json *v)
{
    if (v->kind != JSON_STRING || !suits_name(v->string)) wrong(k, v, "a name of at most 200 bytes of UTF-8 without '/' or control characters, not starting with '.'");
    return xstrdup(v->string);
}

char *config_name_of_file(const char *path)
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    size_t length = strlen(base);
    if (length > 5 && !strcmp(base + length - 5, ".json")) length -= 5;
    char *name = text_format("%.*s", (int)length, base);
    if (suits_name(name)) return name;
    for (char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && (!strchr("._+-", *p) || p == name)) *p = '-';
    if (length > NAME_LONGEST) name[NAME_LONGEST] = 0;
    return name;
}

/* Remembers where a formula of the model was given; it is evaluated when all of the shape is known. */
static void note_place(Config *c, const Key *k, const Json *v)
{
    if (!v->where || (k->type != KEY_FORMULA && k->type != KEY_MULTIPLIER)) return;
    Json *place = json_new(JSON_STRING);
    place->string = xstrdup(v->where);
    if (!c->where) c->where = json_new(JSON_OBJECT);
    json_replace(c->where, config_leaf(k->path), place);
}

void config_set(Config *c, const Key *k, const Json *v, const char *folder)
{
    note_place(c, k, v);
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
        if (v->kind == JSON_STRING) text = path_of(k, v, folder);
        break;
    case KEY_PATHS: tree = absolute_paths(k, v, folder); break;
    case KEY_FORMULA: text = formula_of(k, v); break;
    case KEY_MULTIPLIER: tree = multiplier_of(k, v); break;
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
    case KEY_NAME: case KEY_PATH: case KEY_FORMULA: text = *(char *const *)at; break;
    case KEY_PATHS: case KEY_OBJECT: case KEY_SCHEME: case KEY_MULTIPLIER: json_free(j); return json_copy(*(Json *const *)at);
    }
    j->kind = text ? JSON_STRING : JSON_NULL;
    j->string = text ? xstrdup(text) : NULL;
    return j;
}

/* --- formulas of the model --- */

Json *config_canonical(const Key *key, const Json *value, const char *folder)
{
    Config c = {0};
    config_set(&c, key, value, folder);
    Json *j = config_value(&c, key);
    config_free(&c);
    return j;
}

/* A formula with numbers for the names of params. */
static char *with_params(const char *formula, const Json *params)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    Text t = {0};
    char digits[32];
    assert(formula);
    text_add(&t, "%s", "");
    for (const char *p = formula; *p;) {
        size_t length = strspn(p, letters);
        char *word = text_format("%.*s", (int)length, p);
        const Json *param = length && params ? json_get(params, word) : NULL;
        if (param) text_add(&t, param->number < 0 ? "(%s)" : "%s", number_text(digits, param->number));
        else text_add_bytes(&t, p, length ? length : 1);
        p += length ? length : 1;
        free(word);
    }
    return t.at;
}

void config_put_params(Json *value, const Key *key, const Json *params)
{
    Json *formula = key->type == KEY_MULTIPLIER ? (Json *)json_get(value, "value") : key->type == KEY_FORMULA ? value : NULL;
    if (!formula) return;
    char *text = with_params(formula->string, params);
    free(formula->string);
    formula->string = text;
}

void config_put_all_params(Config *c, const Json *params)
{
    for (int i = 0; i < config_keys; i++) {
        const Key *k = &config_key[i];
        if (k->type != KEY_FORMULA && k->type != KEY_MULTIPLIER) continue;
        Json *value = config_value(c, k);
        config_put_params(value, k, params);
        config_set(c, k, value, ".");
        json_free(value);
    }
}
