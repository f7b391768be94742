/* Rules of scheme files: how a part's weights are drawn, and which parts a selector means. */
#ifndef STEP0_RULE_H
#define STEP0_RULE_H

#include "json.h"
#include "param.h"
#include "shape.h"

typedef enum { RULE_NORMAL, RULE_TRUNCATED_NORMAL, RULE_UNIFORM, RULE_CONSTANT, RULE_ZEROS, RULE_ORTHOGONAL, RULE_MIMETIC, RULES } RuleKind;

typedef struct {
    const char *name;
    const char *argument;      /* what its formula is: standard deviation, bound, value, gain; NULL: takes none */
    bool is_signed;            /* whether that may be negative */
    const char *second;        /* the key of its second formula, and what that is; NULL: has none */
    const char *second_argument;
    bool elementwise;          /* each weight is a function of its own noise; else of the whole matrix */
} RuleInfo;

extern const RuleInfo rule_info[RULES];

/* A rule with its numbers put in. */
typedef struct {
    RuleKind kind;
    double scale, second;      /* the formulas' values; second: the cut of truncated_normal in sigmas, mimetic's noise */
    const char *formula, *second_formula;    /* as written, or NULL; live as long as the scheme */
} Rule;

/* What formulas know: names and values. */
enum { MAX_PARAMS = 64, SCOPE_MAX = SHAPE_NAMES + MAX_PARAMS };
typedef struct { Name name[SCOPE_MAX]; int names; } Scope;

/* A formula's text, from a string or a number that was spelled (json.h); dies, saying `what` it is, where it is neither. */
const char *formula_text(const Json *j, const char *what);

/* Its value; dies with its place where it has none, or where it is negative and `scale_word` names what may not be. */
double formula_number(const char *formula, const Json *where, const Scope *scope, const char *part, const char *scale_word);

/* {"normal": F}, {"truncated_normal": F, "cut": F}, {"zeros": true}, {"mimetic": F, "noise": F}. Dies where it is none. */
Rule rule_read(const Json *j, const Scope *scope, const char *part);

/* "normal(std / sqrt(2*n_layer))", released with free. */
char *rule_text(const Rule *r);

/* A rule's own standard deviation for a part, NAN where it has none, and its kurtosis. */
double rule_std(const Rule *r, const Part *part);
double rule_kurtosis(const Rule *r);

/* The i-th selector that is no role; NULL behind the last. */
const char *selector_group(int i);

/* What an object of selectors says for a role: the exact one, else its group's, else that of "*" (the matrices). */
const Json *selector_find(const Json *rules, Role role);

/* Dies where a key of the object is no selector; else calls `check` with each value, a part such as it could mean (in a
 * model of ordinary numbers) and whether it means matrices only. */
void selector_check(const Json *rules, const Shape *ordinary, void (*check)(const Json *value, const Part *part, bool matrix, const void *data),
                    const void *data);

#endif
