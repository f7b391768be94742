/* Strict JSON: cJSON does the parsing and printing, this file adds what cJSON lets pass.
 *
 * Refused, each with source:line:column: text after the end, a byte-order mark, duplicate keys, numbers that JSON's
 * grammar lacks (01, 1.) or that overflow, control characters and NUL in strings, invalid UTF-8. */
#ifndef STEP0_JSON_H
#define STEP0_JSON_H

#include "base.h"

typedef enum { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } JsonKind;

typedef struct Json Json;
struct Json {
    JsonKind kind;
    char *key;             /* inside an object, else NULL */
    char *where;           /* source:line:column of the key, or of the value where there is none */
    double number;         /* of numbers; 0 or 1 for booleans */
    char *string;          /* of strings; of numbers, their shortest text where someone spelled them (scheme_load) */
    Json *child, *next;    /* first member, next sibling */
    Json *appended;        /* the member that json_put put last, from where it looks for the end; or NULL */
};

/* NULL, and a message in *error (released with free), where the text is not strict JSON. text[length] is NUL;
 * `source` names it. */
Json *json_parse(const char *text, size_t length, const char *source, char **error);
Json *json_read(const char *path);                      /* a whole file of at most 16 MiB, or die */
Json *json_try_read(const char *path, char **error);    /* or NULL and a message */
void json_free(Json *j);

const Json *json_get(const Json *object, const char *key);     /* exact case; NULL where absent or not an object */
double json_number(const Json *object, const char *key);        /* NAN where it has no such number */
const char *json_kind_name(const Json *j);                      /* "a number", "a string", … */

/* A short form of a value for messages: 3.5, "text", {…}. Released with free. */
char *json_brief(const Json *j);

/* Whether two values are the same (members in any order). */
bool json_equal(const Json *a, const Json *b);

/* Building. json_put appends `value` to an object under `key` (or to an array, key NULL), owns it and returns it. */
Json *json_new(JsonKind kind);
Json *json_put(Json *parent, const char *key, Json *value);
Json *json_replace(Json *object, const char *key, Json *value);    /* the same without the member that had the key before */
Json *json_put_number(Json *parent, const char *key, double value);
Json *json_put_string(Json *parent, const char *key, const char *value);
Json *json_put_bool(Json *parent, const char *key, bool value);
Json *json_copy(const Json *j);

/* Text of a value, released with free. Numbers in the fewest digits that read back to the same bits; non-finite ones
 * as null. */
char *json_print(const Json *j, bool indented);

/* The shortest decimal that reads back to `value`. `out` holds 32 bytes. Returns out. */
char *number_text(char out[32], double value);

#endif
