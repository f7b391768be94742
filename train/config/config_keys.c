/* The table of keys, and what is printed from it. */
#include "config_doc.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

const char *const schedule_name[SCHEDULES] = {"cosine", "linear", "constant", "wsd"};
const char *const detail_name[DETAILS] = {"total", "layer", "tensor"};

#define SEED_MAX 9007199254740991.0        /* 2^53 - 1 */
#define COUNT_MAX 2147483647.0             /* 2^31 - 1 */
#define AT(field) offsetof(Config, field)
#define CHOICES(list) .choice = list, .choices = (int)COUNT(list)
#define RANGE(low, high) .min = low, .max = high

#define ONE "{\"value\": \"1\", \"shape\": \"number\", \"trained\": false}"

const Key config_key[] = {
    {"name", KEY_NAME, AT(name), NULL, "the file's stem", .flags = SAME_OUTCOME | MAY_CHANGE_ON_RESUME,
     .help = "the run's folder is runs/NAME, followed by the overrides that change the outcome, unless --out names it"},
    {"seed", KEY_INT, AT(seed), "1", NULL, RANGE(0, SEED_MAX), .help = "default of init.seed and data.seed"},

    {"init.seed", KEY_INT, AT(init_seed), NULL, "seed", RANGE(0, SEED_MAX), .help = "noise of the weights"},
    {"init.scheme", KEY_SCHEME, AT(scheme), "\"gpt2\"", NULL,
     .help = "how weights start: a name from `step0 schemes`, a path to a scheme file, or a scheme as an object"},
    {"init.params", KEY_OBJECT, AT(params), "{}", NULL, .help = "the scheme's named numbers, for instance init.params.std=0.05"},
    {"init.rules", KEY_OBJECT, AT(rules), "{}", NULL,
     .help = "rules in the scheme's form, for instance {\"wpe\": {\"normal\": \"0.01\"}}; they win over the scheme's"},
    {"init.from", KEY_PATH, AT(from), "null", NULL,
     .help = "a Hugging Face GPT-2 folder or a run of step0: its weights, shape and, where it has one, tokenizer"},

    {"data.seed", KEY_INT, AT(data_seed), NULL, "seed", RANGE(0, SEED_MAX), .help = "batches and dropout"},
    {"data.text", KEY_PATHS, AT(text), "\"" BUILTIN_STORIES "\"", NULL, .flags = MAY_CHANGE_ON_RESUME,
     .help = "a text file, a list of files joined as they are, or builtin:stories"},
    {"data.chars", KEY_INT, AT(chars), "1000000", NULL, RANGE(1, COUNT_MAX), .help = "length of the built-in text"},
    {"data.text_seed", KEY_INT, AT(text_seed), "1", NULL, RANGE(0, SEED_MAX), .help = "seed of the built-in text; `seed` does not change it"},
    {"data.tokenizer", KEY_CHOICE, AT(tokenizer), "\"char\"", NULL, CHOICES(tokenizer_name),
     .help = "char: the text's distinct bytes, sorted; byte: all 256"},
    {"data.val_fraction", KEY_REAL, AT(val_fraction), "0.1", NULL, RANGE(0, 1), .help = "the text's tail that validates; 0: none; 1: all, for eval"},
    {"data.order", KEY_CHOICE, AT(order), "\"random\"", NULL, CHOICES(order_name),
     .help = "random windows, or sequential: row b of the run's k-th micro-batch starts at token ((k*B + b) mod floor((n-1)/T))*T"},

    {"model.n_layer", KEY_INT, AT(n_layer), "4", NULL, RANGE(1, 10000), .help = "blocks"},
    {"model.n_head", KEY_INT, AT(n_head), "4", NULL, RANGE(1, 100000), .help = "attention heads; divides n_embd"},
    {"model.n_embd", KEY_INT, AT(n_embd), "128", NULL, RANGE(1, 1000000), .help = "width of the residual stream"},
    {"model.n_inner", KEY_INT, AT(n_inner), NULL, "4*n_embd", RANGE(1, 10000000), .help = "width of the MLP"},
    {"model.block_size", KEY_INT, AT(block_size), "64", NULL, RANGE(1, 1000000), .help = "context, in tokens"},
    {"model.bias", KEY_BOOL, AT(bias), "true", NULL, .help = "biases of linear layers and norms"},
    {"model.tie_embeddings", KEY_BOOL, AT(tied), "true", NULL, .help = "the head is the token table"},
    {"model.dropout", KEY_REAL, AT(dropout), "0", NULL, RANGE(0, 0.999), .help = "of embeddings, attention weights and branches"},
    {"model.activation", KEY_CHOICE, AT(activation), "\"gelu\"", NULL, CHOICES(activation_name), .help = "gelu is the tanh form, as in GPT-2"},
    {"model.norm", KEY_CHOICE, AT(norm), "\"pre\"", NULL, CHOICES(norm_placement_name),
     .help = "where a branch has its LayerNorms: pre (in front), post (behind the addition), sandwich (in front and on what is added), sub (in front and before "
             "the last matrix), none; post and none have no ln_f"},
    {"model.norm_scale", KEY_FORMULA, AT(norm_scale), "\"1\"", NULL, .help = "multiplies the output of every norm inside blocks"},
    {"model.skip", KEY_MULTIPLIER, AT(skip), ONE, NULL, .help = "what multiplies the stream that a branch is added to"},
    {"model.gate", KEY_MULTIPLIER, AT(gate), ONE, NULL,
     .help = "what multiplies a branch before it is added: a formula, or {\"value\": formula, \"shape\": number, scalar (one a branch), layer (one a layer) or vector "
             "(n_embd a branch), \"trained\": whether it learns; without, all but a number do}"},
    {"model.fixup_scalars", KEY_BOOL, AT(fixup_scalars), "false", NULL,
     .help = "Fixup's trained numbers, from 0: added before attention, before and behind mlp.fc and before mlp.proj; a gate that is a number becomes a trained scalar"},
    {"model.ada_ln", KEY_BOOL, AT(ada_ln), "false", NULL,
     .help = "adaLN-Zero: shift and 1 + scale of each branch's first norm, and its gate, from one learned condition through a linear layer that starts at 0"},
    {"model.qk_norm", KEY_BOOL, AT(qk_norm), "false", NULL, .help = "LayerNorm of each head's q and k, one trained gain [head_dim] for all heads"},
    {"model.embd_scale", KEY_FORMULA, AT(embd_scale), "\"1\"", NULL, .help = "multiplies the sum of token and position embedding"},
    {"model.logit_scale", KEY_FORMULA, AT(logit_scale), "\"1\"", NULL, .help = "multiplies the logits"},
    {"model.attn_scale", KEY_FORMULA, AT(attn_scale), "\"1/sqrt(head_dim)\"", NULL, .help = "multiplies attention's scores"},

    {"train.steps", KEY_INT, AT(steps), "1000", NULL, RANGE(0, COUNT_MAX), .flags = MAY_CHANGE_ON_RESUME,
     .help = "updates; 0: initialize, measure, save"},
    {"train.batch_size", KEY_INT, AT(batch_size), "12", NULL, RANGE(1, 1000000), .help = "sequences of a micro-batch"},
    {"train.grad_accum", KEY_INT, AT(grad_accum), "1", NULL, RANGE(1, 100000), .help = "micro-batches of a step"},
    {"train.lr", KEY_REAL, AT(lr), "1e-3", NULL, RANGE(0, 1e30), .open_min = true, .flags = MAY_CHANGE_ON_RESUME, .help = "peak learning rate"},
    {"train.min_lr", KEY_REAL, AT(min_lr), NULL, "lr/10", RANGE(0, 1e30), .flags = MAY_CHANGE_ON_RESUME, .help = "where cosine, linear and wsd end"},
    {"train.warmup_steps", KEY_INT, AT(warmup_steps), "0", NULL, RANGE(0, COUNT_MAX), .flags = MAY_CHANGE_ON_RESUME,
     .help = "w: update s < w has lr*(s+1)/w"},
    {"train.schedule", KEY_CHOICE, AT(schedule), "\"cosine\"", NULL, CHOICES(schedule_name), .flags = MAY_CHANGE_ON_RESUME,
     .help = "after the warm-up; wsd: lr until the last decay_steps, then linear to min_lr"},
    {"train.decay_steps", KEY_INT, AT(decay_steps), NULL, "steps/5", RANGE(0, COUNT_MAX), .flags = MAY_CHANGE_ON_RESUME, .help = "of wsd; by default at most what the warm-up leaves"},
    {"train.beta1", KEY_REAL, AT(beta1), "0.9", NULL, RANGE(0, 1 - DBL_EPSILON), .flags = MAY_CHANGE_ON_RESUME, .help = "AdamW"},
    {"train.beta2", KEY_REAL, AT(beta2), "0.99", NULL, RANGE(0, 1 - DBL_EPSILON), .flags = MAY_CHANGE_ON_RESUME, .help = "AdamW"},
    {"train.eps", KEY_REAL, AT(eps), "1e-8", NULL, RANGE(1e-37, 1), .flags = MAY_CHANGE_ON_RESUME, .help = "AdamW"},
    {"train.weight_decay", KEY_REAL, AT(weight_decay), "0.1", NULL, RANGE(0, 1e6), .flags = MAY_CHANGE_ON_RESUME,
     .help = "AdamW; of tensors of two dimensions, embeddings included"},
    {"train.grad_clip", KEY_REAL, AT(grad_clip), "1", NULL, RANGE(0, 1e30), .flags = MAY_CHANGE_ON_RESUME,
     .help = "largest global norm of the gradient; 0: no clipping"},

    {"eval.every", KEY_INT, AT(eval_every), "250", NULL, RANGE(0, COUNT_MAX), .flags = SAME_OUTCOME | MAY_CHANGE_ON_RESUME,
     .help = "steps between validations; 0: at the ends only"},
    {"eval.batches", KEY_INT, AT(eval_batches), "20", NULL, RANGE(0, 1000000), .flags = SAME_OUTCOME | MAY_CHANGE_ON_RESUME,
     .help = "evenly spaced windows, batch_size each, always the same, overlapping where the text is short; 0: the whole validation text"},
    {"log.every", KEY_INT, AT(log_every), "1", NULL, RANGE(1, COUNT_MAX), .flags = SAME_OUTCOME | MAY_CHANGE_ON_RESUME, .help = "steps between rows of metrics.csv"},
    {"log.detail", KEY_CHOICE, AT(detail), "\"layer\"", NULL, CHOICES(detail_name), .flags = SAME_OUTCOME,
     .help = "gradient norms: the total, by layer, or of every tensor"},
    {"log.signals", KEY_BOOL, AT(signals), "false", NULL, .flags = SAME_OUTCOME,
     .help = "also activations, updates, attention and logits, by layer (`step0 help metrics`)"},
    {"checkpoint.every", KEY_INT, AT(checkpoint_every), "0", NULL, RANGE(0, COUNT_MAX), .flags = SAME_OUTCOME | MAY_CHANGE_ON_RESUME,
     .help = "steps between checkpoints, besides the one at the end or at a stop, and those of checkpoint.minutes; 0: no others"},
    {"checkpoint.minutes", KEY_REAL, AT(checkpoint_minutes), "10", NULL, RANGE(0, 1e6), .flags = SAME_OUTCOME | MAY_CHANGE_ON_RESUME,
     .help = "also where so many minutes went by since the last one; 0: however long it takes"},
};

const int config_keys = (int)COUNT(config_key);

/* --- printing --- */

static const char *type_word(const Key *k)
{
    static const char *const word[] = {"integer", "number", "true or false", "", "name", "path", "path or list", "object", "name, path or object", "formula", "formula or object"};
    return word[k->type];
}

static void add_range(Text *t, const Key *k)
{
    char low[32], high[32];
    const bool below_1 = k->max > 0.999 && k->max < 1;
    if (k->type != KEY_INT && k->type != KEY_REAL) return;
    number_text(low, k->min);
    if (k->max == SEED_MAX) text_add(t, ", %s to 2^53-1", low);
    else if (k->max >= COUNT_MAX) text_add(t, k->open_min ? ", above %s" : ", from %s", low);
    else text_add(t, k->open_min ? ", above %s to %s%s" : ", %s to %s%s", low, below_1 ? "below " : "", number_text(high, below_1 ? 1 : k->max));
}

void config_help(FILE *out)
{
    fputs("Keys of a config, by dotted path (in JSON: {\"train\": {\"lr\": 3e-4}}; on the command line: train.lr=3e-4).\n"
          "A file may also have \"about\", a note, \"$schema\", and \"sweep\", what `step0 sweep FILE` varies, by dotted path:\n"
          "{\"sweep\": {\"init.scheme\": [\"gpt2\", \"bert\"], \"train.lr\": [1e-3, 3e-3], \"seed\": [1, 2, 3]}}. Other commands leave it out.\n", out);
    const char *section = "";
    for (int i = 0; i < config_keys; i++) {
        const Key *k = &config_key[i];
        size_t length = strcspn(k->path, ".");
        if (k->path[length] && (strlen(section) < length || strncmp(section, k->path, length))) fputc('\n', out);
        section = k->path;
        Text about = {0};
        text_add(&about, "%s", type_word(k));
        for (int c = 0; c < k->choices; c++) text_add(&about, "%s%s", c ? ", " : "one of ", k->choice[c]);
        add_range(&about, k);
        fprintf(out, "  %-21s %s\n%24s%s; default %s\n", k->path, k->help, "", about.at, k->fallback ? k->fallback : k->default_text);
        free(about.at);
    }
}

static Json *schema_of_key(const Key *k)
{
    static const char *const type[] = {"integer", "number", "boolean", "string", "string", NULL, NULL, "object", NULL, NULL, NULL};
    Json *j = json_new(JSON_OBJECT);
    if (type[k->type]) json_put_string(j, "type", type[k->type]);
    else {
        static const char *const some[][3] = {[KEY_PATH] = {"string", "null"}, [KEY_PATHS] = {"string", "array"}, [KEY_SCHEME] = {"string", "object"},
                                               [KEY_FORMULA] = {"string", "number"}, [KEY_MULTIPLIER] = {"string", "number", "object"}};
        Json *types = json_put(j, "type", json_new(JSON_ARRAY));
        for (int i = 0; i < 3 && some[k->type][i]; i++) json_put_string(types, NULL, some[k->type][i]);
    }
    if (k->type == KEY_PATHS) json_put_string(json_put(j, "items", json_new(JSON_OBJECT)), "type", "string");
    if (k->type == KEY_INT || k->type == KEY_REAL) {
        json_put_number(j, k->open_min ? "exclusiveMinimum" : "minimum", k->min);
        json_put_number(j, "maximum", k->max);
    }
    Json *choices = k->choices ? json_put(j, "enum", json_new(JSON_ARRAY)) : NULL;
    for (int c = 0; c < k->choices; c++) json_put_string(choices, NULL, k->choice[c]);
    char *about = text_format("%s%s%s", k->help, k->fallback ? "" : "; default ", k->fallback ? "" : k->default_text);
    json_put_string(j, "description", about);
    free(about);
    if (k->fallback) json_put(j, "default", config_fallback(k));
    return j;
}

static Json *closed_object(Json *parent, const char *key)
{
    Json *j = json_put(parent, key, json_new(JSON_OBJECT));
    json_put_string(j, "type", "object");
    json_put_bool(j, "additionalProperties", false);
    return json_put(j, "properties", json_new(JSON_OBJECT));
}

static Json *list_of(Json *parent, const char *key)
{
    Json *j = json_put(parent, key, json_new(JSON_OBJECT));
    json_put_string(j, "type", "array");
    json_put_number(j, "minItems", 1);
    return j;
}

/* Each key, or member of one that is an object, with a list of values. */
static void put_sweep(Json *top)
{
    Json *keys = closed_object(top, "sweep"), *sweep = (Json *)json_get(top, "sweep"), *members = json_new(JSON_OBJECT);
    for (int i = 0; i < config_keys; i++) {
        Text place = {0};
        text_add(&place, "#/properties/");
        for (const char *p = config_key[i].path; *p; p++) *p == '.' ? text_add(&place, "/properties/") : text_add(&place, "%c", *p);
        json_put_string(json_put(list_of(keys, config_key[i].path), "items", json_new(JSON_OBJECT)), "$ref", place.at);
        free(place.at);
        if (config_key[i].type != KEY_OBJECT) continue;
        char *pattern = text_format("^%s\\..", config_key[i].path);
        list_of(members, pattern);
        free(pattern);
    }
    json_put(sweep, "patternProperties", members);
    json_put_string(sweep, "description", "what `step0 sweep` varies: for each key, by dotted path, the values; every combination is a run");
}

Json *config_schema(void)
{
    Json *root = json_new(JSON_OBJECT);
    json_put_string(root, "$schema", "http://json-schema.org/draft-07/schema#");
    json_put_string(root, "title", "A config of step0");
    json_put_string(root, "type", "object");
    json_put_bool(root, "additionalProperties", false);
    Json *top = json_put(root, "properties", json_new(JSON_OBJECT));
    json_put_string(json_put(top, "$schema", json_new(JSON_OBJECT)), "type", "string");
    json_put_string(json_put(top, "about", json_new(JSON_OBJECT)), "type", "string");
    for (int i = 0; i < config_keys; i++) {
        const char *path = config_key[i].path;
        char section[32];
        Json *place = top;
        if (config_in_section(path, section)) {
            const Json *have = json_get(top, section);
            place = have ? (Json *)json_get(have, "properties") : closed_object(top, section);
        }
        json_put(place, config_leaf(path), schema_of_key(&config_key[i]));
    }
    put_sweep(top);
    return root;
}
