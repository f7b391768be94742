#include "rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "noise.h"

const RuleInfo rule_info[RULES] = {
    [RULE_NORMAL] = {"normal", "standard deviation", .elementwise = true},
    [RULE_TRUNCATED_NORMAL] = {"truncated_normal", "standard deviation before the cut", false, "cut", "cut in sigmas", true},
    [RULE_UNIFORM] = {"uniform", "bound", .elementwise = true},
    [RULE_CONSTANT] = {"constant", "value", true, .elementwise = true},
    [RULE_ZEROS] = {"zeros", .elementwise = true},
    [RULE_ORTHOGONAL] = {"orthogonal", "gain"},
    [RULE_MIMETIC] = {"mimetic", "weight of the identity", true, "noise", "weight of the noise"},
};

static const char *rule_name(int i, const void *data)
{
    (void)data;
    return rule_info[i].name;
}

/* --- formulas --- */

const char *formula_text(const Json *j, const char *what)
{
    if (j->kind != JSON_STRING && j->kind != JSON_NUMBER) die("%s: %s is a formula in quotes, not %s", j->where, what, json_kind_name(j));
    return j->string;
}

double formula_number(const char *formula, const Json *where, const Scope *scope, const char *part, const char *scale_word)
{
    char *error, *layer = names_layer(scope->name, scope->names);
    double value = formula_value(formula, scope->name, scope->names, &error);
    if (error) die("%s: %s (for %s%s)", where->where, error, part, layer);
    if (fabs(value) > 1e30) die("%s: formula \"%s\" gives %g for %s%s; weights are kept in float, at most 1e30 is taken", where->where, formula, value, part, layer);
    if (scale_word && value < 0) die("%s: formula \"%s\" gives %g for %s%s; a %s is not negative", where->where, formula, value, part, layer, scale_word);
    free(layer);
    return value;
}

/* --- reading a rule --- */

static _Noreturn void unknown_rule(const Json *m)
{
    const char *near = nearest_name(m->key, RULES, rule_name, NULL);
    die("%s: unknown rule \"%s\"%s%s; rules are %s", m->where, m->key, near ? "; did you mean " : "", near ? near : "", names_listed(RULES, rule_name, NULL));
}

static int kind_of(const char *key)
{
    int kind = 0;
    while (kind < RULES && strcmp(rule_info[kind].name, key)) kind++;
    return kind;
}

/* The rule that takes this key as its second; NULL: none. */
static const RuleInfo *owner_of(const char *key)
{
    for (int i = 0; i < RULES; i++)
        if (rule_info[i].second && !strcmp(rule_info[i].second, key)) return &rule_info[i];
    return NULL;
}

/* A rule as written, its formulas not yet evaluated. */
static Rule parse(const Json *j)
{
    if (j->kind != JSON_OBJECT) die("%s: a rule is an object such as {\"normal\": \"0.02\"}, not %s", j->where, json_kind_name(j));
    Rule rule = {.kind = RULES};
    const Json *second = NULL;
    for (const Json *m = j->child; m; m = m->next) {
        if (owner_of(m->key)) {
            second = m;
            continue;
        }
        int kind = kind_of(m->key);
        if (kind == RULES) unknown_rule(m);
        if (rule.kind != RULES) die("%s: one rule is needed, not \"%s\" and \"%s\"", m->where, rule_info[rule.kind].name, m->key);
        rule.kind = (RuleKind)kind;
        if (rule_info[kind].argument) rule.formula = formula_text(m, rule_info[kind].argument);
        else if (m->kind != JSON_BOOL || m->number == 0) die("%s: \"%s\" takes no formula; write {\"%s\": true}", m->where, m->key, m->key);
    }
    if (rule.kind == RULES) die("%s: this rule names no distribution; write for instance {\"normal\": \"0.02\"}", j->where);
    const RuleInfo *info = &rule_info[rule.kind];
    if (second && (!info->second || strcmp(info->second, second->key))) die("%s: \"%s\" belongs to %s, not to %s", second->where, second->key, owner_of(second->key)->name, info->name);
    if (!second && info->second) die("%s: \"%s\" (%s) belongs to %s, which needs it", j->where, info->second, info->second_argument, info->name);
    if (second) rule.second_formula = formula_text(second, info->second_argument);
    return rule;
}

Rule rule_read(const Json *j, const Scope *scope, const char *part)
{
    Rule rule = parse(j);
    const RuleInfo *info = &rule_info[rule.kind];
    if (rule.formula) rule.scale = formula_number(rule.formula, j, scope, part, info->is_signed ? NULL : info->argument);
    if (rule.second_formula) rule.second = formula_number(rule.second_formula, j, scope, part, info->second);
    if (rule.kind == RULE_TRUNCATED_NORMAL && rule.second < 1e-3) die("%s: a cut of %g sigmas leaves nothing; 2 or 3 are usual", j->where, rule.second);
    return rule;
}

char *rule_text(const Rule *r)
{
    const RuleInfo *info = &rule_info[r->kind];
    if (!r->formula) return xstrdup(info->name);
    if (!r->second_formula) return text_format("%s(%s)", info->name, r->formula);
    bool same = !strcmp(r->second_formula, info->second);       /* a parameter of that name */
    return text_format(same ? "%s(%s, %s)" : "%s(%s, %s %s)", info->name, r->formula, info->second, r->second_formula);
}

/* --- what a rule's weights are like --- */

/* Variance of a standard normal cut at ±c: 1 - 2cφ(c)/P, P the probability within; its fourth moment 3 - 2(c³+3c)φ(c)/P. */
static double cut_variance(double c)
{
    return 1 - 2 * c * normal_density(c) / normal_within(c);
}

double rule_std(const Rule *r, const Part *part)
{
    switch (r->kind) {
    case RULE_NORMAL: return r->scale;
    case RULE_TRUNCATED_NORMAL: return r->scale * sqrt(cut_variance(r->second));
    case RULE_UNIFORM: return r->scale / sqrt(3);
    case RULE_ORTHOGONAL: return r->scale / sqrt((double)max_i64(part->rows, part->cols));
    case RULE_MIMETIC: return NAN;
    default: return 0;
    }
}

double rule_kurtosis(const Rule *r)
{
    if (r->kind == RULE_UNIFORM) return 1.8;
    if (r->kind != RULE_TRUNCATED_NORMAL) return 3;
    double c = r->second, variance = cut_variance(c);
    return (3 - 2 * (c * c * c + 3 * c) * normal_density(c) / normal_within(c)) / (variance * variance);
}

/* --- selectors --- */

static const char *const group_name[] = {"*", "attn", "mlp", "bias", "norm.gain", "norm.bias", "skip", "gate", "shift", "ada"};
enum { GROUPS = COUNT(group_name), MATRIX_GROUPS = 3 };

const char *selector_group(int i)
{
    return i < GROUPS ? group_name[i] : NULL;
}

static const char *selector_name(int i, const void *data)
{
    (void)data;
    return i < ROLES ? role_info[i].name : group_name[i - ROLES];
}

const Json *selector_find(const Json *rules, Role role)
{
    const RoleInfo *info = &role_info[role];
    const Json *exact = json_get(rules, info->name);
    if (exact) return exact;
    const Json *group = info->group ? json_get(rules, info->group) : NULL;
    return group ? group : info->star ? json_get(rules, "*") : NULL;
}

static bool outside_blocks(int selector)
{
    if (selector >= ROLES) return !strcmp(group_name[selector - ROLES], "*");
    return selector == ROLE_WTE || selector == ROLE_WPE || selector == ROLE_CONDITION || selector >= ROLE_LN_F_GAIN;
}

void selector_check(const Json *rules, const Shape *ordinary, void (*check)(const Json *, const Part *, bool, const void *), const void *data)
{
    for (const Json *r = rules ? rules->child : NULL; r; r = r->next) {
        int selector = 0, all = ROLES + GROUPS;
        while (selector < all && strcmp(selector_name(selector, NULL), r->key)) selector++;
        if (selector == all) {
            const char *near = nearest_name(r->key, all, selector_name, NULL);
            Text groups = {0};
            for (int i = 0; i < GROUPS; i++) text_add(&groups, " %s", group_name[i]);
            die("%s: unknown selector \"%s\"%s%s; roles are wte, attn.q, mlp.proj, ln_1.gain, mlp.fc.bias and so on, groups%s", r->where, r->key,
                near ? "; did you mean " : "", near ? near : "", groups.at);
        }
        Part part = {.name = r->key, .layer = outside_blocks(selector) ? -1 : 0, .fan_in = ordinary->n_embd, .fan_out = ordinary->n_embd};
        check(r, &part, selector < ROLES ? role_info[selector].matrix : selector - ROLES < MATRIX_GROUPS, data);
    }
}
