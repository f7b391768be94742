/* One key's value: from JSON, with its checks, and back. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"

/* The last word stays as it is, so that a link is followed when it is used, not now. */
char *absolute_path(const char *folder, const char *path)
{
    char *joined = path[0] == '/' ? xstrdup(path) : text_format("%s/%s", folder, path), full[PATH_MAX];
    for (size_t n = strlen(joined); n > 1 && joined[n - 1] == '/'; n--) joined[n - 1] = 0;
    char *slash = strrchr(joined, '/');
    const char *last = slash + 1;
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
    if (scheme_is_path(v->string)) {
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
