/* Initialization schemes: JSON with one formula a role.
 *
 * A scheme comes from the embedded catalogue (configs/schemes/), a file, or an object in a config:
 *     { "about": …, "source": …, "params": {"std": 0.02},
 *       "weights": { "*": {"normal": "std"}, "attn.proj": {"normal": "std / sqrt(2*n_layer)"} },
 *       "output_std": { "attn.proj": "1 / sqrt(2*n_layer)" },
 *       "model": { config keys that belong to the scheme },
 *       "optimizer": { "*": {"lr": "64 / n_embd"}, "norm.gain": {"weight_decay": "0"} } }
 * Selectors: an exact role (attn.proj, ln_1.gain, mlp.fc.bias) beats a group (attn, mlp, bias, norm.gain …), which beats
 * "*", the matrices. Where nothing matches, gains are 1, skip and gate the value that the model's keys give them, the
 * condition of ada_ln normal(0.02), all else 0; a matrix without a rule is an error, but for those of ada_ln, which are 0.
 * optimizer: factors on the config's lr, weight_decay and eps. output_std: after the drawing, each linear layer's output
 * over the first batch gets this standard deviation, in the order of the forward pass (LSUV). */
#ifndef STEP0_SCHEME_H
#define STEP0_SCHEME_H

#include "gpt.h"
#include "rule.h"

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

/* Whether two schemes written out come to the same: all but their name, about and source. */
bool scheme_same(const Json *a, const Json *b);

const char *scheme_name(const Scheme *s);          /* "custom" where it has none */
const char *scheme_text(const Scheme *s, const char *key);      /* about or source; "" where absent */

/* The rule for a part of a model. Dies where its formula fails. */
Rule scheme_rule(const Scheme *s, const Shape *shape, const Part *part);

/* Factors on the config's lr, weight_decay and eps for a part; formula: as written, NULL where it says nothing. */
enum { FACTOR_LR, FACTOR_WEIGHT_DECAY, FACTOR_EPS, FACTORS };
typedef struct { double value[FACTORS]; const char *formula[FACTORS]; } Factors;
extern const char *const factor_name[FACTORS];
Factors scheme_factors(const Scheme *s, const Shape *shape, const Part *part);

/* The standard deviation that a linear layer's output gets; NAN where the scheme says nothing. */
double scheme_output_std(const Scheme *s, const Shape *shape, const Part *part);

#endif
