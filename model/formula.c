#include "formula.h"

#include <ctype.h>
#include <math.h>
#include <muParserDLL.h>
#include <stdlib.h>
#include <string.h>

static muFloat_t smallest(const muFloat_t *x, muInt_t n)
{
    muFloat_t best = x[0];
    for (muInt_t i = 1; i < n; i++) best = x[i] < best ? x[i] : best;
    return best;
}

static muFloat_t greatest(const muFloat_t *x, muInt_t n)
{
    muFloat_t best = x[0];
    for (muInt_t i = 1; i < n; i++) best = x[i] > best ? x[i] : best;
    return best;
}

static const struct { const char *name; muFun1_t of_one; muMultFun_t of_many; } function[] = {
    {"sqrt", sqrt, NULL}, {"ln", log, NULL}, {"exp", exp, NULL}, {"min", NULL, smallest}, {"max", NULL, greatest}};

bool formula_is_function(const char *word)
{
    for (size_t i = 0; i < COUNT(function); i++)
        if (!strcmp(word, function[i].name)) return true;
    return false;
}

/* The first character that no formula has, or NULL. A digit may be followed by no letter but the e of an exponent. */
static const char *foreign(const char *text)
{
    for (const char *p = text; *p; p++) {
        if (!isalnum((unsigned char)*p) && !strchr("_ .+-*/^(),", *p)) return p;
        bool in_name = p > text && (isalpha((unsigned char)p[-1]) || p[-1] == '_');
        if (isdigit((unsigned char)*p) && !in_name && isalpha((unsigned char)p[1]) && p[1] != 'e' && p[1] != 'E') {
            const char *start = p;
            while (start > text && (isalnum((unsigned char)start[-1]) || start[-1] == '_')) start--;
            if (isdigit((unsigned char)*start)) return p + 1;
        }
    }
    return NULL;
}

static muParserHandle_t parser_with(const Name *name, int names)
{
    muParserHandle_t p = mupCreate(muBASETYPE_FLOAT);
    mupClearFun(p);
    mupClearConst(p);
    for (size_t i = 0; i < COUNT(function); i++) {
        if (function[i].of_one) mupDefineFun1(p, function[i].name, function[i].of_one, 1);
        else mupDefineMultFun(p, function[i].name, function[i].of_many, 1);
    }
    for (int i = 0; i < names; i++) mupDefineConst(p, name[i].name, name[i].value);
    return p;
}

typedef struct { const Name *name; int names; } Words;

/* The names, and behind them the functions. */
static const char *word_of(int i, const void *data)
{
    const Words *w = data;
    return i < w->names ? w->name[i].name : function[i - w->names].name;
}

static bool known(const char *word, const Name *name, int names)
{
    for (int i = 0; i < names; i++)
        if (!strcmp(name[i].name, word)) return true;
    return formula_is_function(word);
}

static char *unknown_name(const char *text, const char *word, int at, const Name *name, int names)
{
    Text all = {0};
    Words words = {name, names};
    const char *near = nearest_name(word, names + (int)COUNT(function), word_of, &words);
    for (int i = 0; i < names + (int)COUNT(function); i++) text_add(&all, " %s", word_of(i, &words));
    char *error = text_format("formula \"%s\": unknown name \"%s\" at position %d%s%s%s; known here are%s", text, word, at, near ? " (did you mean \"" : "",
                              near ? near : "", near ? "\"?)" : "", all.at);
    free(all.at);
    return error;
}

/* muParser's message without its own positions, which count from 0. Its texts share one buffer: each is copied. */
static char *parser_error(muParserHandle_t p, const char *text, const Name *name, int names)
{
    char *message = xstrdup(mupGetErrorMsg(p)), *word = xstrdup(mupGetErrorToken(p)), *error;
    int at = (int)mupGetErrorPos(p) + 1, most = (int)strlen(text) + 1;
    at = at < 1 ? 1 : at > most ? most : at;
    char *end = strstr(message, " (position"), *behind = strstr(message, " at ");
    if (behind && (!end || behind < end)) end = behind;
    if (end && end - message > 6 && !strncmp(end - 6, " found", 6)) end -= 6;
    if (end) *end = 0;
    if (*message && message[strlen(message) - 1] == '.') message[strlen(message) - 1] = 0;
    if ((isalpha((unsigned char)*word) || *word == '_') && !known(word, name, names)) error = unknown_name(text, word, at, name, names);
    else error = text_format("formula \"%s\": %s at position %d", text, message, at);
    free(message);
    free(word);
    return error;
}

double formula_value(const char *text, const Name *name, int names, char **error)
{
    if (strlen(text) > FORMULA_LONGEST) {
        *error = text_format("formula \"%.40s...\" has %zu characters; at most %d are read", text, strlen(text), FORMULA_LONGEST);
        return NAN;
    }
    const char *bad = foreign(text);
    if (bad) {
        size_t bytes = utf8_length((const unsigned char *)bad, (const unsigned char *)text + strlen(text));
        *error = text_format("formula \"%s\": '%.*s' at position %d cannot stand in a formula", text, (int)max_i64(1, (int64_t)bytes), bad, (int)(bad - text) + 1);
        return NAN;
    }
    muParserHandle_t p = parser_with(name, names);
    int count = 0;
    mupSetExpr(p, text);
    const muFloat_t *result = mupEvalMulti(p, &count);
    double value = result && count ? result[count - 1] : NAN;
    *error = NULL;
    if (mupError(p)) {
        *error = parser_error(p, text, name, names);
        value = NAN;
    } else if (count != 1) {
        *error = text_format("formula \"%s\": one expression is needed, not %d separated by commas", text, count);
        value = NAN;
    } else if (!isfinite(value)) {
        *error = text_format("formula \"%s\" gives %s; a finite number is needed", text, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        value = NAN;
    }
    mupRelease(p);
    return value;
}
