#include "scheme.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formula.h"

const RuleInfo rule_info[RULES] = {
    [RULE_NORMAL] = {"normal", "standard deviation", true},
    [RULE_TRUNCATED_NORMAL] = {"truncated_normal", "standard deviation before the cut", true},
    [RULE_UNIFORM] = {"uniform", "bound", true},
    [RULE_CONSTANT] = {"constant", "value", true},
    [RULE_ZEROS] = {"zeros", NULL, true},
    [RULE_ORTHOGONAL] = {"orthogonal", "gain", false},
};

/* --- names that formulas know --- */

static const char *const known_name[] = {"n_layer", "n_head", "n_embd", "n_inner", "head_dim", "block_size", "vocab_size",
                                         "pi", "fan_in", "fan_out", "layer"};

enum { KNOWN = COUNT(known_name), MAX_PARAMS = 64 };

const char *scheme_formula_name(int i)
{
    return i < KNOWN ? known_name[i] : NULL;
}

/* Fills `name` with what a part's formulas know and returns how many. layer is known inside blocks only. */
static int scope(Name *name, const Scheme *s, const Shape *m, const Part *part)
{
    double value[KNOWN] = {(double)m->n_layer, (double)m->n_head, (double)m->n_embd, (double)m->n_inner,
                           (double)(m->n_embd / m->n_head), (double)m->block_size, (double)m->vocab_size,
                           3.14159265358979323846, (double)part->fan_in, (double)part->fan_out, part->layer + 1.0};
    int count = 0;
    for (int i = 0; i < KNOWN - (part->layer < 0); i++) name[count++] = (Name){known_name[i], value[i]};
    const Json *params = json_get(s->json, "params");
    for (const Json *p = params ? params->child : NULL; p; p = p->next) name[count++] = (Name){p->key, p->number};
    return count;
}

/* --- rules --- */

static const char *rule_name(int i, const void *data)
{
    (void)data;
    return rule_info[i].name;
}

/* Numbers may stand for formulas: their text is put beside them when a scheme is loaded. */
static const char *formula_text(const Json *j, const char *what)
{
    if (j->kind != JSON_STRING && j->kind != JSON_NUMBER) die("%s: %s is a formula in quotes, not %s", j->where, what, json_kind_name(j));
    return j->string;
}

/* A rule as written, its formulas not yet evaluated. Forms: {"normal": F}, {"truncated_normal": F, "cut": F},
 * {"zeros": true}. */
static Rule parse_rule(const Json *j)
{
    if (j->kind != JSON_OBJECT) die("%s: a rule is an object such as {\"normal\": \"0.02\"}, not %s", j->where, json_kind_name(j));
    Rule rule = {.kind = RULES};
    for (const Json *m = j->child; m; m = m->next) {
        if (!strcmp(m->key, "cut")) {
            rule.cut_formula = formula_text(m, "a cut, in sigmas,");
            continue;
        }
        int kind = 0;
        while (kind < RULES && strcmp(rule_info[kind].name, m->key)) kind++;
        if (kind == RULES) {
            const char *near = nearest_name(m->key, RULES, rule_name, NULL);
            die("%s: unknown rule \"%s\"%s%s; rules are normal, truncated_normal, uniform, constant, zeros, orthogonal", m->where,
                m->key, near ? "; did you mean " : "", near ? near : "");
        }
        if (rule.kind != RULES) die("%s: one rule is needed, not \"%s\" and \"%s\"", m->where, rule_info[rule.kind].name, m->key);
        rule.kind = (RuleKind)kind;
        if (rule_info[kind].argument) rule.formula = formula_text(m, rule_info[kind].argument);
        else if (m->kind != JSON_BOOL || !m->number) die("%s: \"%s\" takes no formula; write {\"%s\": true}", m->where, m->key, m->key);
    }
    if (rule.kind == RULES) die("%s: this rule names no distribution; write for instance {\"normal\": \"0.02\"}", j->where);
    if ((rule.kind == RULE_TRUNCATED_NORMAL) != !!rule.cut_formula)
        die("%s: \"cut\" (in sigmas) belongs to truncated_normal, and truncated_normal needs it", j->where);
    return rule;
}

static double evaluate(const char *formula, const Json *where, const Name *name, int names, const char *part, const char *scale_word)
{
    char *error;
    double value = formula_value(formula, name, names, &error);
    if (error) die("%s: %s (for %s)", where->where, error, part);
    if (fabs(value) > 1e30) die("%s: formula \"%s\" gives %g for %s; weights are kept in float, at most 1e30 is taken", where->where, formula, value, part);
    if (scale_word && value < 0) die("%s: formula \"%s\" gives %g for %s; a %s is not negative", where->where, formula, value, part, scale_word);
    return value;
}

static Rule evaluated(const Json *j, const Scheme *s, const Shape *shape, const Part *part)
{
    Name name[KNOWN + MAX_PARAMS];
    int names = scope(name, s, shape, part);
    Rule rule = parse_rule(j);
    const char *word = rule.kind == RULE_CONSTANT ? NULL : rule_info[rule.kind].argument;
    if (rule.formula) rule.scale = evaluate(rule.formula, j, name, names, part->name, word);
    if (rule.cut_formula) rule.cut = evaluate(rule.cut_formula, j, name, names, part->name, "cut");
    if (rule.cut_formula && rule.cut < 1e-3) die("%s: a cut of %g sigmas leaves nothing; 2 or 3 are usual", j->where, rule.cut);
    return rule;
}

char *rule_text(const Rule *r)
{
    if (!r->formula) return xstrdup(rule_info[r->kind].name);
    if (!r->cut_formula) return text_format("%s(%s)", rule_info[r->kind].name, r->formula);
    return text_format("%s(%s, cut %s)", rule_info[r->kind].name, r->formula, r->cut_formula);
}

/* --- selectors --- */

static const char *const group_name[] = {"*", "attn", "mlp", "bias", "norm.gain", "norm.bias"};

const char *scheme_group(int i)
{
    return i < (int)COUNT(group_name) ? group_name[i] : NULL;
}

static const char *selector_name(int i, const void *data)
{
    (void)data;
    return i < ROLES ? role_info[i].name : group_name[i - ROLES];
}

static const Json *matching(const Json *rules, Role role)
{
    const RoleInfo *info = &role_info[role];
    const Json *exact = json_get(rules, info->name);
    if (exact) return exact;
    const Json *group = info->group ? json_get(rules, info->group) : NULL;
    return group ? group : info->matrix ? json_get(rules, "*") : NULL;
}

Rule scheme_rule(const Scheme *s, const Shape *shape, const Part *part)
{
    const Json *j = matching(s->rules, part->role);
    if (!j) j = matching(json_get(s->json, "weights"), part->role);
    if (j) return evaluated(j, s, shape, part);
    if (role_info[part->role].matrix)
        die("scheme \"%s\": no rule for %s; add one for it, its group or \"*\" (all matrices)", scheme_name(s), role_info[part->role].name);
    const char *group = role_info[part->role].group;
    if (group && !strcmp(group, "norm.gain")) return (Rule){.kind = RULE_CONSTANT, .scale = 1, .formula = "1"};
    return (Rule){.kind = RULE_ZEROS};
}

/* --- checking a whole scheme --- */

static const struct { const char *key; JsonKind kind; } scheme_key[] = {
    {"name", JSON_STRING}, {"about", JSON_STRING}, {"source", JSON_STRING}, {"params", JSON_OBJECT},
    {"weights", JSON_OBJECT}, {"model", JSON_OBJECT}, {"optimizer", JSON_OBJECT}};

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
            die("%s: a scheme has no key \"%s\"%s%s; it has name, about, source, params, weights, model, optimizer", m->where, m->key,
                near ? "; did you mean " : "", near ? near : "");
        }
        if (m->kind != scheme_key[i].kind) die("%s: \"%s\" cannot be %s", m->where, m->key, json_kind_name(m));
    }
    const Json *optimizer = json_get(j, "optimizer");
    if (optimizer && optimizer->child) die("%s: optimizer factors are not implemented yet", optimizer->child->where);
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
        for (int i = 0; i < KNOWN; i++) taken |= !strcmp(p->key, known_name[i]);
        if (taken) die("%s: \"%s\" is a name that formulas know already; name the parameter otherwise", p->where, p->key);
        if (++count > MAX_PARAMS) die("%s: more than %d parameters", p->where, MAX_PARAMS);
    }
}

/* Each rule is tried on every role that its selector could mean, in a model of ordinary numbers, so that a formula that
 * does not parse is found even where this config has no such part. */
static void check_rules(const Scheme *s, const Json *rules)
{
    const Shape shape = {12, 12, 768, 3072, 1024, 50257, true, false, GELU};
    for (const Json *r = rules ? rules->child : NULL; r; r = r->next) {
        int selector = 0, all = ROLES + (int)COUNT(group_name);
        while (selector < all && strcmp(selector_name(selector, NULL), r->key)) selector++;
        if (selector == all) {
            const char *near = nearest_name(r->key, all, selector_name, NULL);
            die("%s: unknown selector \"%s\"%s%s; roles are wte, attn.q, mlp.proj, ln_1.gain, mlp.fc.bias and so on, groups "
                "* attn mlp bias norm.gain norm.bias", r->where, r->key, near ? "; did you mean " : "", near ? near : "");
        }
        Part part = {.name = r->key, .layer = selector < ROLES && strchr(r->key, '.') && strncmp(r->key, "ln_f", 4) ? 0 : -1,
                     .fan_in = 768, .fan_out = 768};
        if (selector >= ROLES && strcmp(r->key, "*")) part.layer = 0;
        Rule rule = evaluated(r, s, &shape, &part);
        bool matrix = selector < ROLES ? role_info[selector].matrix : selector - ROLES < 3;
        if (!rule_info[rule.kind].elementwise && !matrix)
            die("%s: %s is for matrices, and \"%s\" means vectors", r->where, rule_info[rule.kind].name, r->key);
    }
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
            die("%s: the scheme has no parameter \"%s\"; it has%s", p->where, p->key, names.at ? names.at : " none");
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
    check_params(json_get(s.json, "params"));
    check_rules(&s, json_get(s.json, "weights"));
    check_rules(&s, s.rules);
    return s;
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
