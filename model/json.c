#include "json.h"

#include <cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- positions and what cJSON lets pass: a cursor that walks the text beside the parsed tree --- */

typedef struct {
    const char *source, *text, *at, *end;
    const char *mark;      /* up to here, lines are counted */
    int line, column;      /* of the mark */
    char *error;
} Cursor;

static char *place(Cursor *c, const char *at)
{
    if (!c->mark || at < c->mark) c->mark = c->text, c->line = c->column = 1;
    for (; c->mark < at; c->mark++) {
        c->column++;
        if (*c->mark == '\n') c->line++, c->column = 1;
    }
    return text_format("%s:%d:%d", c->source, c->line, c->column);
}

static void complain(Cursor *c, const char *at, const char *what)
{
    if (c->error) return;
    char *where = place(c, at);
    c->error = text_format("%s: %s", where, what);
    free(where);
}

static bool is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* To the next byte that is neither white space nor punctuation between values. */
static void skip_to_value(Cursor *c)
{
    while (c->at < c->end && (is_space(*c->at) || strchr(",:", *c->at))) c->at++;
}

static void walk_string(Cursor *c)
{
    const char *start = c->at++;
    while (c->at < c->end && *c->at != '"') {
        size_t n = utf8_length((const unsigned char *)c->at, (const unsigned char *)c->end);
        if (!n) return complain(c, c->at, "this byte is not valid UTF-8");
        if ((unsigned char)*c->at < 0x20) return complain(c, c->at, "a control character in a string; write \\n, \\t or \\u00XX");
        if (!strncmp(c->at, "\\u", 2) && strspn(c->at + 2, "0123456789abcdefABCDEF") < 4) return complain(c, c->at, "\\u takes four hexadecimal digits");
        if (!strncmp(c->at, "\\u0000", 6)) return complain(c, c->at, "\\u0000 cannot stand in a string");
        c->at += *c->at == '\\' ? 2 : n;
    }
    if (c->at >= c->end) return complain(c, start, "this string does not end");
    c->at++;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Behind the digits at p. */
static const char *digits_end(const char *p)
{
    while (is_digit(*p)) p++;
    return p;
}

static void walk_number(Cursor *c, double value)
{
    const char *start = c->at, *first = start + (*start == '-'), *p = digits_end(first);
    bool bad = p == first || (*first == '0' && p > first + 1);
    if (*p == '.') bad |= !is_digit(p[1]), p = digits_end(p + 1);
    if (*p == 'e' || *p == 'E') {
        p += p[1] == '+' || p[1] == '-' ? 2 : 1;
        bad |= !is_digit(*p);
        p = digits_end(p);
    }
    c->at = p;
    if (bad) complain(c, start, "not a number of JSON (no leading zeros, digits on both sides of the point)");
    else if (p - start > 60) complain(c, start, "this number has more than 60 digits");
    else if (!isfinite(value)) complain(c, start, "this number is too large for a double");
}

static Json *convert(Cursor *c, const cJSON *from);

static void convert_members(Cursor *c, const cJSON *from, Json *to)
{
    Json **tail = &to->child;
    c->at++;
    for (const cJSON *m = from->child; m && !c->error; m = m->next) {
        skip_to_value(c);
        char *where = NULL;
        if (to->kind == JSON_OBJECT) {
            where = place(c, c->at);
            if (json_get(to, m->string)) {
                c->error = text_format("%s: the key \"%s\" stands twice", where, m->string);
                free(where);
                return;
            }
            walk_string(c);
        }
        Json *j = convert(c, m);
        if (where) {
            free(j->where);
            j->where = where;
            j->key = xstrdup(m->string);
        }
        *tail = j;
        tail = &j->next;
    }
    skip_to_value(c);
    c->at++;
}

static Json *convert(Cursor *c, const cJSON *from)
{
    skip_to_value(c);
    Json *j = json_new(JSON_NULL);
    j->where = place(c, c->at);
    if (cJSON_IsObject(from) || cJSON_IsArray(from)) {
        j->kind = cJSON_IsObject(from) ? JSON_OBJECT : JSON_ARRAY;
        convert_members(c, from, j);
    } else if (cJSON_IsString(from)) {
        j->kind = JSON_STRING;
        j->string = xstrdup(from->valuestring);
        walk_string(c);
    } else if (cJSON_IsNumber(from)) {
        j->kind = JSON_NUMBER;
        j->number = from->valuedouble;
        walk_number(c, j->number);
    } else {
        if (cJSON_IsBool(from)) j->kind = JSON_BOOL;
        j->number = cJSON_IsTrue(from);
        c->at += cJSON_IsFalse(from) ? 5 : 4;
    }
    return j;
}

/* --- errors of the parser itself --- */

/* What was probably meant, judged by the text around the place where cJSON stopped. */
static const char *hint(const Cursor *c, const char *at)
{
    const char *before = at;
    while (before > c->text && is_space(before[-1])) before--;
    char last = before > c->text ? before[-1] : 0;
    if (c->end - c->text >= 3 && !memcmp(c->text, "\xef\xbb\xbf", 3)) return "the file starts with a byte-order mark; save it without one";
    if (at >= c->end) return "the text ends too early: a brace, bracket or quote is still open";
    if (*at == '/' || *at == '#') return "JSON has no comments";
    if (last == ',' && strchr("}]", *at)) return "JSON has no comma after the last value";
    if (*at == '\'') return "JSON takes double quotes";
    if (strchr("TFN", *at)) return "JSON writes true, false and null in lower case, and has no NaN";
    if (strchr("+.I", *at)) return "not a number of JSON";
    cJSON *whole = cJSON_ParseWithLengthOpts(c->text, (size_t)(c->end - c->text) + 1, NULL, false);
    cJSON_Delete(whole);
    return whole ? "text after the end of the JSON value" : "not valid JSON";
}

/* Whether the innermost bracket that is open before `at` is a brace. */
static bool in_object(const Cursor *c, const char *at)
{
    enum { DEEPEST = 1024 };      /* cJSON gives up at 1000 */
    bool brace[DEEPEST] = {false}, quoted = false;
    int depth = 0;
    for (const char *p = c->text; p < at; p++) {
        if (quoted && *p == '\\') p++;
        else if (*p == '"') quoted = !quoted;
        else if (!quoted && strchr("{[", *p) && depth < DEEPEST - 1) brace[++depth] = *p == '{';
        else if (!quoted && strchr("}]", *p) && depth > 0) depth--;
    }
    return brace[depth];
}

/* Where cJSON stopped; in the place of a key it stops one byte behind the one it did not like. */
static const char *culprit(const Cursor *c, const char *stop)
{
    if (stop > c->end) stop = c->end;
    if (stop == c->text || is_space(stop[-1]) || stop[-1] == '"' || !in_object(c, stop - 1)) return stop;
    const char *before = stop - 1;
    while (is_space(before[-1])) before--;
    bool in_key_place = before[-1] == ',' || (before[-1] == '{' && stop[-1] != '}');
    return in_key_place ? stop - 1 : stop;
}

static char *parse_error(Cursor *c, const char *stop)
{
    const char *at = culprit(c, stop);
    while (at < c->end && is_space(*at)) at++;
    const char *from = at, *to = at;
    while (from > c->text && from[-1] != '\n' && at - from < 60) from--;
    while (to < c->end && *to != '\n' && to - at < 60) to++;
    char *where = place(c, at);
    char *error = text_format("%s: %s%s%.*s", where, hint(c, at), to > from ? "\n    " : "", (int)(to - from), from);
    free(where);
    return error;
}

Json *json_parse(const char *text, size_t length, const char *source, char **error)
{
    Cursor c = {.source = source, .text = text, .at = text, .end = text + length};
    const char *stop = text;
    bool mark = length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3);
    cJSON *tree = NULL;
    if (mark) *error = parse_error(&c, text);
    else if (memchr(text, 0, length)) {
        complain(&c, memchr(text, 0, length), "a NUL byte; this is not a text file");
        *error = c.error;
    } else {
        tree = cJSON_ParseWithLengthOpts(text, length + 1, &stop, true);
        if (!tree) *error = parse_error(&c, stop ? stop : text);
    }
    if (!tree) return NULL;
    Json *j = convert(&c, tree);
    cJSON_Delete(tree);
    if (!c.error) return j;
    *error = c.error;
    json_free(j);
    return NULL;
}

Json *json_read(const char *path)
{
    size_t length;
    char *error = NULL, *text = file_bytes(path, &length, &error);
    Json *j = text ? json_parse(text, length, path, &error) : NULL;
    if (!j) die("%s", error);
    free(text);
    return j;
}

/* --- values --- */

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
    Json **tail = &parent->child;
    while (*tail) tail = &(*tail)->next;
    if (key) {
        free(value->key);
        value->key = xstrdup(key);
    }
    return *tail = value;
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

/* --- printing --- */

char *number_text(char out[32], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, 32, "%.*g", digits, value);
        if (strtod(out, NULL) == value) break;
    }
    return out;
}

static cJSON *to_cjson(const Json *j)
{
    char digits[32];
    switch (j->kind) {
    case JSON_BOOL: return cJSON_CreateBool(j->number != 0);
    case JSON_STRING: return cJSON_CreateString(j->string);
    case JSON_NUMBER: return isfinite(j->number) ? cJSON_CreateRaw(number_text(digits, j->number)) : cJSON_CreateNull();
    case JSON_NULL: return cJSON_CreateNull();
    case JSON_ARRAY: case JSON_OBJECT: break;
    }
    cJSON *to = j->kind == JSON_OBJECT ? cJSON_CreateObject() : cJSON_CreateArray();
    for (const Json *m = j->child; m; m = m->next) {
        if (j->kind == JSON_OBJECT) cJSON_AddItemToObject(to, m->key, to_cjson(m));
        else cJSON_AddItemToArray(to, to_cjson(m));
    }
    return to;
}

char *json_print(const Json *j, bool indented)
{
    cJSON *tree = to_cjson(j);
    char *text = indented ? cJSON_Print(tree) : cJSON_PrintUnformatted(tree);
    if (!text) die("out of memory while printing JSON");
    cJSON_Delete(tree);
    return text;
}

/* --- files --- */

static char *full_path(const char *path)
{
    char full[PATH_MAX];
    if (realpath(path, full)) return xstrdup(full);
    return path[0] != '/' && getcwd(full, sizeof full) ? text_format("%s/%s", full, path) : xstrdup(path);
}

char *file_bytes(const char *path, size_t *length, char **error)
{
    char *full = full_path(path);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    char *text = NULL;
    *error = NULL;
    if (file < 0 || fstat(file, &info)) *error = text_format("cannot open %s: %s", full, strerror(errno));
    else if (!S_ISREG(info.st_mode)) *error = text_format("%s is not a regular file", full);
    else {
        text = malloc((size_t)info.st_size + 1);
        if (!text) *error = text_format("%s: no memory for its %lld bytes", full, (long long)info.st_size);
    }
    size_t got = 0;
    while (text && got < (size_t)info.st_size) {
        ssize_t n = read(file, text + got, (size_t)info.st_size - got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) *error = text_format("cannot read %s: %s", full, strerror(errno));
        if (n <= 0) break;
        got += (size_t)n;
    }
    if (file >= 0) close(file);
    free(full);
    if (*error) {
        free(text);
        return NULL;
    }
    text[got] = 0;
    *length = got;
    return text;
}
