#include "scheme.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const factor_name[FACTORS] = {"lr", "weight_decay", "eps"};

/* --- what its formulas know --- */

static Scope scope_of(const Scheme *s, const Shape *m, const Part *part)
{
    Scope scope = {.names = 0};
    scope.names = shape_names(scope.name, m, part->layer, part->fan_in, part->fan_out);
    const Json *params = json_get(s->json, "params");
    for (const Json *p = params ? params->child : NULL; p; p = p->next) scope.name[scope.names++] = (Name){p->key, p->number};
    return scope;
}

/* --- what it says for a part --- */

/* Where nothing names a part that is no matrix. */
static Rule default_rule(const Shape *shape, const Part *part)
{
    const char *group = role_info[part->role].group;
    bool skip = group && !strcmp(group, "skip"), gate = group && !strcmp(group, "gate");
    const Multiplier *m = skip ? &shape->skip : &shape->gate;
    if (skip || gate) return (Rule){.kind = RULE_CONSTANT, .scale = multiplier_value(shape, m, group, part->layer), .formula = m->value ? m->value : "1"};
    if (group && !strcmp(group, "norm.gain")) return (Rule){.kind = RULE_CONSTANT, .scale = 1, .formula = "1"};
    if (part->role == ROLE_CONDITION) return (Rule){.kind = RULE_NORMAL, .scale = 0.02, .formula = "0.02"};
    return (Rule){.kind = RULE_ZEROS};
}

Rule scheme_rule(const Scheme *s, const Shape *shape, const Part *part)
{
    const Json *j = selector_find(s->rules, part->role);
    if (!j) j = selector_find(json_get(s->json, "weights"), part->role);
    Scope scope = scope_of(s, shape, part);
    if (j) return rule_read(j, &scope, part->name);
    if (role_info[part->role].star)
        die("scheme \"%s\": no rule for %s; add one for it, its group or \"*\" (all matrices)", scheme_name(s), role_info[part->role].name);
    return default_rule(shape, part);
}

Factors scheme_factors(const Scheme *s, const Shape *shape, const Part *part)
{
    Factors f = {{1, 1, 1}, {NULL}};
    const Json *j = selector_find(json_get(s->json, "optimizer"), part->role);
    Scope scope = scope_of(s, shape, part);
    for (int i = 0; i < FACTORS && j; i++) {
        const Json *own = json_get(j, factor_name[i]);
        if (!own) continue;
        f.formula[i] = own->string;
        f.value[i] = formula_number(own->string, own, &scope, part->name, "factor of the optimizer");
    }
    return f;
}

/* The linear layers of the blocks, whose outputs a batch can be asked for. */
static bool has_output_std(Role role)
{
    const char *group = role_info[role].group;
    return group && (!strcmp(group, "attn") || !strcmp(group, "mlp"));
}

double scheme_output_std(const Scheme *s, const Shape *shape, const Part *part)
{
    if (!has_output_std(part->role)) return NAN;
    const Json *j = selector_find(json_get(s->json, "output_std"), part->role);
    Scope scope = scope_of(s, shape, part);
    return j ? formula_number(j->string, j, &scope, part->name, "standard deviation") : NAN;
}

/* --- checking a whole scheme --- */

/* Those that are objects decide what a run comes to; the others are for readers. */
static const struct { const char *key; JsonKind kind; } scheme_key[] = {
    {"name", JSON_STRING}, {"about", JSON_STRING}, {"source", JSON_STRING}, {"params", JSON_OBJECT},
    {"weights", JSON_OBJECT}, {"output_std", JSON_OBJECT}, {"model", JSON_OBJECT}, {"optimizer", JSON_OBJECT}};

static const char *scheme_key_name(int i, const void *data)
{
    (void)data;
    return scheme_key[i].key;
}

static void check_keys(const Json *j)
{
    if (j->kind != JSON_OBJECT) die("%s: a scheme is an object, not %s", j->where, json_kind_name(j));
    for (const Json *m = j->child; m; m = m->next) {
        size_t i = 0;
        while (i < COUNT(scheme_key) && strcmp(scheme_key[i].key, m->key)) i++;
        if (i == COUNT(scheme_key)) {
            const char *near = nearest_name(m->key, (int)COUNT(scheme_key), scheme_key_name, NULL);
            die("%s: a scheme has no key \"%s\"%s%s; it has %s", m->where, m->key, near ? "; did you mean " : "", near ? near : "",
                names_listed((int)COUNT(scheme_key), scheme_key_name, NULL));
        }
        if (m->kind != scheme_key[i].kind) die("%s: \"%s\" cannot be %s", m->where, m->key, json_kind_name(m));
    }
    if (!json_get(j, "weights")) die("%s: a scheme needs \"weights\"", j->where);
}

static bool is_word(const char *text)
{
    size_t letters = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    return letters && letters + strspn(text + letters, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == strlen(text);
}

static void check_params(const Json *params)
{
    int count = 0;
    for (const Json *p = params ? params->child : NULL; p; p = p->next) {
        if (p->kind != JSON_NUMBER) die("%s: the parameter \"%s\" is a number, not %s", p->where, p->key, json_kind_name(p));
        if (!is_word(p->key)) die("%s: \"%s\" cannot name a parameter; letters, digits and _ can", p->where, p->key);
        bool taken = formula_is_function(p->key);
        for (int i = 0; shape_name(i); i++) taken |= !strcmp(p->key, shape_name(i));
        if (taken) die("%s: \"%s\" is a name that formulas know already; name the parameter otherwise", p->where, p->key);
        if (++count > MAX_PARAMS) die("%s: more than %d parameters", p->where, MAX_PARAMS);
    }
}

/* Each formula is tried in a model of ordinary numbers, so that one that does not parse is found even where this config
 * has no such part. */
static const Shape ordinary = {.n_layer = 12, .n_head = 12, .n_embd = 768, .n_inner = 3072, .block_size = 1024, .vocab_size = 50257};

static void check_rule(const Json *r, const Part *part, bool matrix, const void *scheme)
{
    Scope scope = scope_of(scheme, &ordinary, part);
    Rule rule = rule_read(r, &scope, part->name);
    if (!rule_info[rule.kind].elementwise && !matrix)
        die("%s: %s is for matrices, and \"%s\" means vectors", r->where, rule_info[rule.kind].name, r->key);
}

static const char *factor_name_at(int i, const void *data)
{
    (void)data;
    return factor_name[i];
}

static void check_factors(const Json *j, const Part *part, bool matrix, const void *scheme)
{
    Scope scope = scope_of(scheme, &ordinary, part);
    if (j->kind != JSON_OBJECT) die("%s: factors of the optimizer are an object such as {\"lr\": \"0.1\"}, not %s", j->where, json_kind_name(j));
    for (const Json *m = j->child; m; m = m->next) {
        int i = 0;
        while (i < FACTORS && strcmp(factor_name[i], m->key)) i++;
        if (i == FACTORS) die("%s: the optimizer has no factor \"%s\"; it has %s", m->where, m->key, names_listed(FACTORS, factor_name_at, NULL));
        double value = formula_number(formula_text(m, "a factor"), m, &scope, part->name, "factor of the optimizer");
        if (i == FACTOR_EPS && value == 0) die("%s: a factor of 0 leaves AdamW nothing to divide by; write a number above 0", m->where);
        bool decays = matrix;
        for (int role = 0; role < ROLES; role++) decays |= role_info[role].matrix && role_info[role].group && !strcmp(role_info[role].group, j->key);
        if (!decays && i == FACTOR_WEIGHT_DECAY && value != 0) die("%s: \"%s\" means vectors, which never decay; only 0 can stand here", m->where, j->key);
    }
}

static void check_output_std(const Json *j, const Part *part, bool matrix, const void *scheme)
{
    Scope scope = scope_of(scheme, &ordinary, part);
    bool meant = !strcmp(j->key, "*") || !strcmp(j->key, "attn") || !strcmp(j->key, "mlp");
    for (int role = 0; role < ROLES; role++) meant |= !strcmp(role_info[role].name, j->key) && has_output_std((Role)role);
    if (!meant || !matrix) die("%s: output_std is of the linear layers of blocks (attn, mlp, attn.q, mlp.proj …); \"%s\" is none", j->where, j->key);
    double std = formula_number(formula_text(j, "a standard deviation"), j, &scope, part->name, "standard deviation");
    if (!(std > 0)) die("%s: formula \"%s\" gives 0 for %s%s; an output's standard deviation is above 0", j->where, j->string, part->name, names_layer(scope.name, scope.names));
}

/* The scheme's params, with the values of init.params put in. */
static void put_params(Json *scheme, const Json *params)
{
    for (const Json *p = params ? params->child : NULL; p; p = p->next) {
        Json *own = (Json *)json_get(json_get(scheme, "params"), p->key);
        if (!own) {
            Text names = {0};
            const Json *have = json_get(scheme, "params");
            for (const Json *m = have ? have->child : NULL; m; m = m->next) text_add(&names, " %s", m->key);
            const Json *name = json_get(scheme, "name");
            bool named = name && name->kind == JSON_STRING;
            die("%s: the scheme%s%s has no parameter \"%s\"; it has%s", p->where, named ? " " : "", named ? name->string : "", p->key, names.at ? names.at : " none");
        }
        if (p->kind != JSON_NUMBER) die("%s: the parameter \"%s\" is a number, not %s", p->where, p->key, json_kind_name(p));
        own->number = p->number;
    }
}

/* --- finding it --- */

static const char *catalogue_name(int i, const void *data)
{
    (void)data;
    return catalogue[i].name;
}

static Json *from_catalogue(const char *name, const char *where)
{
    for (int i = 0; i < catalogue_count; i++) {
        if (strcmp(catalogue[i].name, name)) continue;
        char *error, *source = text_format("schemes/%s.json", name);
        Json *j = json_parse(catalogue[i].text, (size_t)(catalogue[i].end - catalogue[i].text), source, &error);
        if (!j) die("%s", error);
        free(source);
        return j;
    }
    char *lower = xstrdup(name);
    for (char *p = lower; *p; p++) *p = (char)tolower((unsigned char)*p);
    const char *near = nearest_name(lower, catalogue_count, catalogue_name, NULL);
    Text all = {0};
    for (int i = 0; i < catalogue_count; i++) text_add(&all, " %s", catalogue[i].name);
    die("%s: unknown scheme \"%.80s\"%s%s%s; known are:%s (or a path to a .json file)", where, name, near ? "; did you mean \"" : "",
        near ? near : "", near ? "\"?" : "", all.at);
}

bool scheme_is_path(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') || (length > 5 && !strcmp(name + length - 5, ".json"));
}

static Json *find(const Json *value, const char *folder)
{
    if (value->kind == JSON_OBJECT) return json_copy(value);
    if (value->kind != JSON_STRING) die("%s: a scheme is a name, a path or an object, not %s", value->where, json_kind_name(value));
    const char *name = value->string;
    Json *j;
    if (scheme_is_path(name)) {
        char *path = name[0] == '/' ? xstrdup(name) : text_format("%s/%s", folder, name);
        j = json_read(path);
        free(path);
        const char *stem = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
        if (j->kind == JSON_OBJECT && !json_get(j, "name")) {
            Json *own = json_put_string(j, "name", stem);
            if (strrchr(own->string, '.')) *strrchr(own->string, '.') = 0;
        }
        return j;
    }
    j = from_catalogue(name, value->where);
    json_put_string(j, "name", name);
    return j;
}

static void spell_numbers(Json *j)
{
    char digits[32];
    if (j->kind == JSON_NUMBER && !j->string) j->string = xstrdup(number_text(digits, j->number));
    for (Json *m = j->child; m; m = m->next) spell_numbers(m);
}

Scheme scheme_load(const Json *value, const char *folder, const Json *params, const Json *rules)
{
    Scheme s = {.json = find(value, folder), .rules = rules ? json_copy(rules) : NULL};
    check_keys(s.json);
    spell_numbers(s.json);
    if (s.rules) spell_numbers(s.rules);
    check_params(json_get(s.json, "params"));
    put_params(s.json, params);
    selector_check(json_get(s.json, "weights"), &ordinary, check_rule, &s);
    selector_check(s.rules, &ordinary, check_rule, &s);
    selector_check(json_get(s.json, "optimizer"), &ordinary, check_factors, &s);
    selector_check(json_get(s.json, "output_std"), &ordinary, check_output_std, &s);
    return s;
}

bool scheme_same(const Json *a, const Json *b)
{
    const Json none = {.kind = JSON_OBJECT};
    for (size_t i = 0; i < COUNT(scheme_key); i++) {
        if (scheme_key[i].kind != JSON_OBJECT) continue;
        const Json *x = json_get(a, scheme_key[i].key), *y = json_get(b, scheme_key[i].key);
        if (!json_equal(x ? x : &none, y ? y : &none)) return false;
    }
    return true;
}

Scheme scheme_named(const char *name)
{
    Json value = {.kind = JSON_STRING, .string = (char *)name, .where = "catalogue"};
    return scheme_load(&value, ".", NULL, NULL);
}

void scheme_free(Scheme *s)
{
    json_free(s->json);
    json_free(s->rules);
    *s = (Scheme){0};
}

const char *scheme_text(const Scheme *s, const char *key)
{
    const Json *j = json_get(s->json, key);
    return j ? j->string : "";
}

const char *scheme_name(const Scheme *s)
{
    const char *name = scheme_text(s, "name");
    return *name ? name : "custom";
}
