/* What touches cJSON: parsing and printing. */
#include "json.h"

#include <cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "file.h"

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

/* Of a number; cJSON before 1.7.18 reads 63 and stops there. */
enum { DIGITS = 60 };
static const char of_number[] = "0123456789.eE+-";
static const char too_long[] = "this number has more than 60 digits";

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
    else if (p - start > DIGITS) complain(c, start, too_long);
    else if (!isfinite(value)) complain(c, start, "this number is too large for a double");
}

typedef struct { const Json *member; size_t rank; } Ranked;

static int by_key(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    int order = strcmp(x->member->key, y->member->key);
    return order ? order : x->rank < y->rank ? -1 : 1;
}

/* Complains of the first key that stands twice in an object of any size. */
static void refuse_twins(Cursor *c, const Json *object)
{
    size_t n = 0;
    for (const Json *m = object->child; m; m = m->next) n++;
    Ranked *sorted = xcalloc(n, sizeof *sorted), *twin = NULL;
    n = 0;
    for (const Json *m = object->child; m; m = m->next, n++) sorted[n] = (Ranked){m, n};
    if (!c->error && n > 1) qsort(sorted, n, sizeof *sorted, by_key);
    for (size_t i = 1; i < n && !c->error; i++)
        if (!strcmp(sorted[i - 1].member->key, sorted[i].member->key) && (!twin || sorted[i].rank < twin->rank)) twin = &sorted[i];
    if (twin) c->error = text_format("%s: the key \"%s\" stands twice", twin->member->where, twin->member->key);
    free(sorted);
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
    if (to->kind == JSON_OBJECT) refuse_twins(c, to);
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

/* A constant as other languages spell it. */
static bool is_misspelt_constant(const char *at)
{
    static const char *const word[] = {"true", "false", "null", "none", "nan"};
    bool found = false;
    for (size_t i = 0; i < COUNT(word); i++) found |= !strncasecmp(at, word[i], strlen(word[i])) && !isalnum((unsigned char)at[strlen(word[i])]);
    return found && strchr("TFN", *at);
}

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
    if (is_misspelt_constant(at)) return "JSON writes true, false and null in lower case, and has no NaN";
    if (is_digit(at[*at == '-']) && strspn(at, of_number) > DIGITS) return too_long;
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

/* Where cJSON stopped; in the place of a key it stops one byte behind the one it did not like, in a number far behind its start. */
static const char *culprit(const Cursor *c, const char *stop)
{
    if (stop > c->end) stop = c->end;
    const char *number = stop;
    while (number > c->text && strchr(of_number, number[-1])) number--;
    if (stop - number > DIGITS) return number;
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

Json *json_try_read(const char *path, char **error)
{
    enum { LARGEST = 16 << 20 };
    size_t length;
    char *text = file_bytes_within(path, LARGEST, &length, error);
    Json *j = text ? json_parse(text, length, path, error) : NULL;
    free(text);
    return j;
}

Json *json_read(const char *path)
{
    char *error;
    Json *j = json_try_read(path, &error);
    if (!j) die("%s", error);
    return j;
}

/* --- printing --- */

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
