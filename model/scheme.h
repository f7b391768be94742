/* Initialization schemes: JSON with one formula a role.
 *
 * A scheme comes from the embedded catalogue (configs/schemes/), a file, or an object in a config:
 *     { "about": …, "source": …, "params": {"std": 0.02},
 *       "weights": { "*": {"normal": "std"}, "attn.proj": {"normal": "std / sqrt(2*n_layer)"} },
 *       "model": { config keys that belong to the scheme } }
 * Selectors: an exact role (attn.proj, ln_1.gain, mlp.fc.bias) beats a group (attn, mlp, bias, norm.gain, norm.bias),
 * which beats "*", the matrices. Where nothing matches, gains are 1 and biases 0; a matrix without a rule is an error. */
#ifndef STEP0_SCHEME_H
#define STEP0_SCHEME_H

#include "gpt.h"
#include "json.h"

typedef enum { RULE_NORMAL, RULE_TRUNCATED_NORMAL, RULE_UNIFORM, RULE_CONSTANT, RULE_ZEROS, RULE_ORTHOGONAL, RULES } RuleKind;

typedef struct {
    const char *name;
    const char *argument;      /* what its formula is: standard deviation, bound, value, gain; NULL: takes none */
    bool elementwise;          /* each weight is a function of its own noise; else of the whole matrix */
} RuleInfo;

extern const RuleInfo rule_info[RULES];

/* The i-th name that every formula knows, the i-th selector that is no role; NULL behind the last. */
const char *scheme_formula_name(int i);
const char *scheme_group(int i);

/* A rule with its numbers put in. */
typedef struct {
    RuleKind kind;
    double scale, cut;         /* the formula's value; the cut of truncated_normal, in sigmas */
    const char *formula, *cut_formula;   /* as written, or NULL; live as long as the scheme */
} Rule;

/* Name and text of each scheme in the catalogue, sorted by name. */
typedef struct { const char *name, *text, *end; } CatalogueEntry;
extern const CatalogueEntry catalogue[];
extern const int catalogue_count;

typedef struct {
    Json *json;                /* the scheme written out: name, about, source, params with values put in, weights, model */
    Json *rules;               /* init.rules; win over the scheme's */
} Scheme;

/* From a config's init.scheme (a name, a path relative to `folder`, or an object), init.params and init.rules (objects
 * or NULL). Dies with place and reason where any of it is wrong. */
Scheme scheme_load(const Json *value, const char *folder, const Json *params, const Json *rules);
Scheme scheme_named(const char *name);
bool scheme_is_path(const char *name);             /* a file, not a name of the catalogue: it has a slash or ends in .json */
void scheme_free(Scheme *s);

const char *scheme_name(const Scheme *s);          /* "custom" where it has none */
const char *scheme_text(const Scheme *s, const char *key);      /* about or source; "" where absent */

/* The rule for a part of a model. Dies where its formula fails. */
Rule scheme_rule(const Scheme *s, const Shape *shape, const Part *part);

/* "normal(std / sqrt(2*n_layer))", released with free. */
char *rule_text(const Rule *r);

#endif
