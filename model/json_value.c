/* Values, and building them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

void json_free(Json *j)
{
    while (j) {
        Json *next = j->next;
        json_free(j->child);
        free(j->key);
        free(j->where);
        free(j->string);
        free(j);
        j = next;
    }
}

const Json *json_get(const Json *object, const char *key)
{
    if (!object || object->kind != JSON_OBJECT) return NULL;
    for (const Json *m = object->child; m; m = m->next)
        if (!strcmp(m->key, key)) return m;
    return NULL;
}

double json_number(const Json *object, const char *key)
{
    const Json *j = json_get(object, key);
    return j && j->kind == JSON_NUMBER ? j->number : NAN;
}

const char *json_kind_name(const Json *j)
{
    static const char *const name[] = {"null", "a boolean", "a number", "a string", "an array", "an object"};
    return name[j->kind];
}

char *json_brief(const Json *j)
{
    char *all = json_print(j, false);
    size_t length = strlen(all);
    if (length > 60) {
        size_t cut = 57;
        while (cut && ((unsigned char)all[cut] & 0xc0) == 0x80) cut--;
        strcpy(all + cut, "...");
    }
    return all;
}

bool json_equal(const Json *a, const Json *b)
{
    if (a->kind != b->kind) return false;
    if (a->kind == JSON_STRING) return !strcmp(a->string, b->string);
    if (a->kind != JSON_OBJECT && a->kind != JSON_ARRAY) return a->number == b->number;
    int balance = 0;
    for (const Json *m = b->child; m; m = m->next) balance++;
    const Json *other = b->child;
    for (const Json *m = a->child; m; m = m->next, balance--) {
        const Json *twin = a->kind == JSON_OBJECT ? json_get(b, m->key) : other;
        if (!twin || !json_equal(m, twin)) return false;
        if (other) other = other->next;
    }
    return balance == 0;
}

Json *json_new(JsonKind kind)
{
    Json *j = xcalloc(1, sizeof *j);
    j->kind = kind;
    return j;
}

Json *json_put(Json *parent, const char *key, Json *value)
{
    assert(parent->kind == JSON_OBJECT ? key != NULL : parent->kind == JSON_ARRAY && !key);
    Json **tail = parent->appended ? &parent->appended->next : &parent->child;
    while (*tail) tail = &(*tail)->next;
    if (key) {
        free(value->key);
        value->key = xstrdup(key);
    }
    return *tail = parent->appended = value;
}

Json *json_replace(Json *object, const char *key, Json *value)
{
    for (Json **at = &object->child; *at; at = &(*at)->next) {
        if (strcmp((*at)->key, key)) continue;
        Json *old = *at;
        *at = old->next;
        old->next = object->appended = NULL;
        json_free(old);
        break;
    }
    return json_put(object, key, value);
}

Json *json_put_number(Json *parent, const char *key, double value)
{
    Json *j = json_put(parent, key, json_new(JSON_NUMBER));
    j->number = value;
    return j;
}

Json *json_put_string(Json *parent, const char *key, const char *value)
{
    Json *j = json_put(parent, key, json_new(JSON_STRING));
    j->string = xstrdup(value);
    return j;
}

Json *json_put_bool(Json *parent, const char *key, bool value)
{
    Json *j = json_put(parent, key, json_new(JSON_BOOL));
    j->number = value;
    return j;
}

Json *json_copy(const Json *j)
{
    Json *copy = json_new(j->kind);
    copy->number = j->number;
    if (j->key) copy->key = xstrdup(j->key);
    if (j->where) copy->where = xstrdup(j->where);
    if (j->string) copy->string = xstrdup(j->string);
    Json **tail = &copy->child;
    for (const Json *m = j->child; m; m = m->next, tail = &(*tail)->next) *tail = json_copy(m);
    return copy;
}

char *number_text(char out[32], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, 32, "%.*g", digits, value);
        if (strtod(out, NULL) == value) break;
    }
    return out;
}
