/* A run's config: one table of keys makes the parser, the overrides, `help config`, resolved.json and schema.json.
 *
 * Strict: unknown keys, wrong types and values out of range end the program with their place. */
#ifndef STEP0_CONFIG_H
#define STEP0_CONFIG_H

#include "../../data/batches.h"
#include "../../data/tokenizer.h"
#include "../../model/scheme.h"

typedef enum { SCHEDULE_COSINE, SCHEDULE_LINEAR, SCHEDULE_CONSTANT, SCHEDULE_WSD, SCHEDULES } Schedule;
typedef enum { DETAIL_TOTAL, DETAIL_LAYER, DETAIL_TENSOR, DETAILS } Detail;
extern const char *const schedule_name[SCHEDULES];
extern const char *const detail_name[DETAILS];

typedef struct {
    char *name;
    int64_t seed, init_seed, data_seed;
    Json *text;                    /* a path or an array of paths, absolute */
    int64_t chars, text_seed;
    int tokenizer;                 /* TokenizerKind */
    double val_fraction;
    int order;                     /* Order */
    int64_t n_layer, n_head, n_embd, block_size, n_inner;
    bool bias, tied;
    double dropout;
    int activation;                /* Activation */
    int norm;                      /* NormPlacement */
    char *norm_scale;              /* formulas */
    Json *skip, *gate;             /* {"value": formula, "shape": …, "trained": …} */
    bool fixup_scalars, ada_ln, qk_norm;
    char *embd_scale, *logit_scale, *attn_scale;   /* formulas */
    Json *where;                   /* as Shape has it; NULL: nothing was given */
    Json *scheme, *params, *rules; /* as given; params and rules are objects */
    char *from;                    /* absolute, or NULL */
    int64_t steps, batch_size, grad_accum;
    double lr, min_lr;
    int64_t warmup_steps;
    int schedule;                  /* Schedule */
    int64_t decay_steps;
    double beta1, beta2, eps, weight_decay, grad_clip;
    int64_t eval_every, eval_batches;
    int64_t log_every;
    int detail;                    /* Detail */
    bool signals;
    int64_t checkpoint_every;
    double checkpoint_minutes;
    Json *sweep;                   /* of the file's "sweep", see config_read_sweep; NULL: it has none */
    char *changes;                 /* "_scheme=bert_lr=0.003": overrides that change the outcome; "" where none */
} Config;

typedef enum { KEY_INT, KEY_REAL, KEY_BOOL, KEY_CHOICE, KEY_NAME, KEY_PATH, KEY_PATHS, KEY_OBJECT, KEY_SCHEME, KEY_FORMULA, KEY_MULTIPLIER } KeyType;

enum { SAME_OUTCOME = 1, MAY_CHANGE_ON_RESUME = 2 };    /* flags of a key */

typedef struct {
    const char *path;              /* train.lr */
    KeyType type;
    size_t offset;                 /* into Config */
    const char *fallback;          /* the default as JSON; NULL: derived, see default_text */
    const char *default_text;      /* as help and schema.json write a derived default */
    double min, max;               /* of numbers; open_min: min itself is out of range */
    bool open_min;
    const char *const *choice;     /* of KEY_CHOICE, so many */
    int choices;
    int flags;
    const char *help;
} Key;

extern const Key config_key[];
extern const int config_keys;

/* Reads `path` (NULL: defaults alone), then each of `override` ("key=value"), fills what is derived and checks what
 * belongs together. given[i], where not NULL, says which of config_key was set explicitly. Dies on any error. */
Config config_load(const char *path, char *const *override, int overrides, bool *given);

/* The defaults and the file alone: nothing derived, no check between keys, no `changes`. given is not NULL. */
Config config_open(const char *path, bool *given);
void config_free(Config *c);

/* Derived defaults and the checks between keys, after keys were set from elsewhere (init.from, the scheme). */
void config_finish(Config *c, bool *given);

/* Sets the keys of the model that belong to the scheme; one that the config gives otherwise is an error. */
void config_apply_scheme(Config *c, const Scheme *s, bool *given);

/* A key's default as JSON, owned by the caller; NULL where it is derived. Whether a config has it. */
Json *config_fallback(const Key *key);
bool config_has_fallback(const Config *c, const Key *key);

/* Whether a key has the value that would be derived for it. */
bool config_is_derived(const Config *c, const Key *key);

/* Sets one key as the config would; `folder` is where relative paths start. Dies where the value does not fit. */
void config_set(Config *c, const Key *key, const Json *value, const char *folder);

/* The name of a run whose config does not say: the file's stem, with '-' for what no name may have. Released with free. */
char *config_name_of_file(const char *path);

const Key *config_find(const char *path);            /* NULL where there is none */
int config_index(const Key *key);
const char *config_leaf(const char *path);           /* the last word: lr of train.lr */
bool config_in_section(const char *path, char section[32]);     /* train of train.lr; false, and "", where a path has none */
bool config_is_path(const Key *key);                    /* of a file or several, or null; not of a scheme, which may be a name */
bool config_is_seed(const Key *key);                    /* seed, init.seed or data.seed, which runs of a group differ in */

/* The paths of data.text, BUILTIN_STORIES among them, and behind the last NULL. The list is released with free, the paths are c's. */
const char **config_texts(const Config *c);

/* The value of a key as JSON, owned by the caller. */
Json *config_value(const Config *c, const Key *key);

/* A value as config_value would give it back after config_set: a number for a formula spelled out, a multiplier with all
 * its members; paths start at `folder`. Dies where it does not fit. */
Json *config_canonical(const Key *key, const Json *value, const char *folder);

/* Puts numbers for the names of `params` (an object or NULL) into the model's formulas: into one value as config_value
 * gives it, and into all of a config. */
void config_put_params(Json *value, const Key *key, const Json *params);
void config_put_all_params(Config *c, const Json *params);

/* Every key with its value; training from it gives the same bits. `scheme`: written out in init.scheme (or NULL). */
Json *config_resolved(const Config *c, const Json *scheme);

/* Formulas are those of the config, which must outlive it. */
Shape config_shape(const Config *c, int64_t vocab_size);

/* Absolute form of a path that starts at `folder`; the file need not exist. Released with free. */
char *absolute_path(const char *folder, const char *path);

#endif
