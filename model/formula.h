/* Formulas of scheme files: one expression over named numbers, evaluated by muParser.
 *
 * Known: the names given, the functions sqrt ln exp min max, + - * / ^, parentheses and decimal numbers. Everything else
 * that muParser would take (assignments, comparisons, ?:, several expressions, hexadecimal) is refused. */
#ifndef STEP0_FORMULA_H
#define STEP0_FORMULA_H

#include "base.h"

typedef struct { const char *name; double value; } Name;

enum { FORMULA_LONGEST = 1000 };      /* characters */

/* The value, finite; or NAN and a message (position included) in *error, released with free. */
double formula_value(const char *text, const Name *name, int names, char **error);

/* Whether a word is a function of formulas. */
bool formula_is_function(const char *word);

#endif
