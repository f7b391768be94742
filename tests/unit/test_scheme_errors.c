/* Schemes from the tables of keys, rules, selectors and factors: what none of them can be is refused with its place. */
#include "helpers.h"

#include "../../model/scheme.h"

static const Shape shape = SHAPE(2, 2, 8, 32, 8, 5, true, false, GELU);

/* Loads a scheme and asks for all that it says of every part. */
static void use(void *text)
{
    Scheme s = scheme_of(text);
    Gpt *g = gpt_declared(&shape);
    for (int i = 0; i < g->params.parts; i++) {
        scheme_rule(&s, &shape, &g->params.part[i]);
        scheme_factors(&s, &shape, &g->params.part[i]);
        scheme_output_std(&s, &shape, &g->params.part[i]);
    }
}

static int refused;

/* One message that begins with the place, line 2 of the text. */
static void check_refused(const char *text, const char *says)
{
    int status;
    char *said = run_in_child(use, (char *)(uintptr_t)text, &status);
    const char *second = strstr(said, "\nstep0: ");
    if (status != 1 || strncmp(said, "step0: test:2:", 14) || second || !strstr(said, says) || strlen(said) > 4200)
        fail_msg("%.300s: status %d, said \"%.600s\", not \"step0: test:2:\" and \"%s\"", text, status, said, says);
    free(said);
    refused++;
}

static void check_taken(const char *text)
{
    int status;
    char *said = run_in_child(use, (char *)(uintptr_t)text, &status);
    if (status) fail_msg("%.300s: refused with \"%.600s\"", text, said);
    free(said);
}

/* {…, "GROUP": {\n"KEY": VALUE}}, with a rule for every matrix, or another selector's. */
static char *scheme_with(const char *group, const char *key, const char *value)
{
    if (strcmp(group, "weights")) return text_format("{\"weights\": {\"*\": {\"normal\": \"1\"}}, \"%s\": {\n\"%s\": %s}}", group, key, value);
    const char *other = !strcmp(key, "*") ? "attn" : "*";
    return text_format("{\"weights\": {\"%s\": {\"normal\": \"1\"},\n\"%s\": %s}}", other, key, value);
}

static void check_member(const char *group, const char *key, const char *value, const char *says)
{
    char *text = scheme_with(group, key, value);
    check_refused(text, says);
    free(text);
}

/* --- formulas: JSON that is none, and texts without a value --- */

static const struct { const char *json, *says; } no_formula[] = {
    {"true", "formula"}, {"false", "formula"}, {"null", "formula"}, {"[]", "formula"}, {"[1]", "formula"}, {"{}", "formula"}, {"{\"normal\": \"1\"}", "formula"},
    {"\"\"", "formula \"\""}, {"\" \"", "formula \" \""}, {"\"1/0\"", "inf"}, {"\"-1/0\"", "-inf"}, {"\"0/0\"", "nan"}, {"\"sqrt(-1)\"", "nan"}, {"\"ln(0)\"", "-inf"},
    {"\"2^100000\"", "inf"}, {"\"exp(1e9)\"", "inf"}, {"\"n_layr\"", "did you mean \"n_layer\"?"}, {"\"srqt(2)\"", "did you mean \"sqrt\"?"}, {"\"N_EMBD\"", "unknown name \"N_EMBD\""},
    {"\"(1\"", "parenthesis"}, {"\"1)\"", "position 2"}, {"\"1 +\"", "position"}, {"\"0,02\"", "one expression"}, {"\"n_embd = 2\"", "'=' at position 8"}, {"\"0x10\"", "'x'"},
    {"\"2n_embd\"", "'n' at position 2"}, {"\"1 ? 2 : 3\"", "'?'"}, {"\"'a'\"", "'''"}, {"\"\xc3\xa9\"", "'\xc3\xa9'"}, {"\"1\\n+1\"", "position 2"}, {"1e31", "at most 1e30"}, {"\"1e300\"", "at most 1e30"},
    {"\"-1e31\"", "at most 1e30"}};

/* Deeply nested, and of more characters than are read. */
static char *nested(int depth)
{
    char *text = xcalloc(2 * (size_t)depth + 4, 1);
    memset(text, '(', (size_t)depth + 1);
    memset(text + depth + 2, ')', (size_t)depth);
    text[0] = text[2 * depth + 2] = '"';
    text[depth + 1] = '1';
    return text;
}

/* A place that takes a formula: {"KEY": FORMULA}, or with a second. `format` has %s for it. */
static void check_formulas(const char *group, const char *key, const char *format, bool is_signed)
{
    char *deepest = nested(100000), *large = nested(1 << 19);
    const char *hole = strstr(format, "%s"), *const more[][2] = {{deepest, "at most 1000"}, {large, "at most 1000"}, {is_signed ? NULL : "\"-1\"", "not negative"},
        {is_signed ? NULL : "-1e-30", "not negative"}};
    for (size_t i = 0; i < COUNT(no_formula) + COUNT(more); i++) {
        size_t m = i - COUNT(no_formula);
        const char *json = i < COUNT(no_formula) ? no_formula[i].json : more[m][0];
        if (!json) continue;
        char *value = text_format("%.*s%s%s", (int)(hole - format), format, json, hole + 2);
        check_member(group, key, value, i < COUNT(no_formula) ? no_formula[i].says : more[m][1]);
        free(value);
    }
    free(deepest);
    free(large);
}

static void formulas_without_a_value_are_refused_wherever_one_stands(void **state)
{
    (void)state;
    refused = 0;
    for (int r = 0; r < RULES; r++) {
        const RuleInfo *info = &rule_info[r];
        if (!info->argument) continue;
        char *first = info->second ? text_format("{\"%s\": %%s, \"%s\": 1}", info->name, info->second) : text_format("{\"%s\": %%s}", info->name);
        char *second = info->second ? text_format("{\"%s\": 1, \"%s\": %%s}", info->name, info->second) : NULL, *good = text_format("{\"weights\": {\"*\": {\"normal\": 1}, \"attn\": {\"%s\": 1%s%s%s}}}",
            info->name, info->second ? ", \"" : "", info->second ? info->second : "", info->second ? "\": 1" : "");
        check_formulas("weights", "attn.q", first, info->is_signed);
        if (second) check_formulas("weights", "attn.q", second, false);
        check_taken(good);
        free(first);
        free(second);
        free(good);
    }
    for (int f = 0; f < FACTORS; f++) {
        char *format = text_format("{\"%s\": %%s}", factor_name[f]);
        check_formulas("optimizer", "mlp.fc", format, false);
        free(format);
    }
    check_formulas("output_std", "attn.k", "%s", false);
    print_message("%d formulas refused\n", refused);
}

/* --- keys, selectors, rules --- */

static void what_is_no_object_is_refused(void **state)
{
    (void)state;
    static const char *const key[] = {"name", "about", "source", "params", "weights", "output_std", "model", "optimizer"}, *const wrong[] = {"1", "true", "null", "[]", "[{}]", "\"x\"", "{}"};
    for (size_t k = 0; k < COUNT(key); k++)
        for (size_t v = 0; v < COUNT(wrong); v++) {
            bool fits = k < 3 ? *wrong[v] == '"' : *wrong[v] == '{', weights = !strcmp(key[k], "weights");
            char *text = text_format("{%s\n\"%s\": %s}", weights ? "" : "\"weights\": {\"*\": {\"normal\": 1}},", key[k], wrong[v]);
            if (!fits) check_refused(text, key[k]);
            else if (!weights) check_taken(text);
            free(text);
        }
    check_refused("{\"weights\": {\"*\": {\"normal\": 1}},\n\"weight\": {}}", "did you mean weights");
    check_refused("{\"weights\": {\"*\": {\"normal\": 1}},\n\"Model\": {}}", "no key \"Model\"");
}

static const char *selector(int i)
{
    return i < ROLES ? role_info[i].name : selector_group(i - ROLES);
}

static void every_selector_wants_a_rule(void **state)
{
    (void)state;
    static const struct { const char *rule, *says; } row[] = {
        {"1", "a rule is an object"}, {"\"0.02\"", "a rule is an object"}, {"true", "a rule is an object"}, {"null", "a rule is an object"}, {"[]", "a rule is an object"},
        {"{}", "names no distribution"}, {"{\"norml\": 1}", "did you mean normal"}, {"{\"normal\": 1, \"uniform\": 1}", "one rule is needed"}, {"{\"NORMAL\": 1}", "unknown rule"},
        {"{\"\": 1}", "unknown rule"}, {"{\"zeros\": 1}", "takes no formula"}, {"{\"zeros\": null}", "takes no formula"}, {"{\"normal\": 1, \"cut\": 1}", "belongs to"}};
    for (int s = 0; selector(s); s++) {
        for (size_t i = 0; i < COUNT(row); i++) check_member("weights", selector(s), row[i].rule, row[i].says);
        char *wrong = text_format("%sx", selector(s));
        check_member("weights", wrong, "{\"normal\": 1}", "unknown selector");
        check_member("optimizer", wrong, "{\"lr\": 1}", "unknown selector");
        check_member("output_std", wrong, "1", "unknown selector");
        free(wrong);
        check_member("optimizer", selector(s), "1", "are an object");
        check_member("optimizer", selector(s), "{\"beta1\": 1}", "no factor \"beta1\"");
        check_member("optimizer", selector(s), "{\"eps\": \"0\"}", "nothing to divide by");
    }
}

static void params_are_finite_numbers_with_new_names(void **state)
{
    (void)state;
    static const char *const wrong[] = {"\"1\"", "true", "null", "[]", "{}", "\"\""}, *const name[] = {"", "a b", "1a", "a-b", "a.b", "\xc3\xa9", "a=1", "(", "min", "ln", "pi", "layer", "fan_in"};
    for (size_t v = 0; v < COUNT(wrong); v++) check_member("params", "a", wrong[v], "is a number, not");
    for (size_t n = 0; n < COUNT(name); n++) check_member("params", name[n], "1", name[n]);
    Text many = {0};
    text_add(&many, "{\"weights\": {\"*\": {\"normal\": 1}}, \"params\": {\n\"a0\": 1");
    for (int i = 1; i < 70; i++) text_add(&many, ", \"a%d\": 1", i);
    text_add(&many, "}}");
    check_refused(many.at, "more than 64 parameters");
    free(many.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_without_a_value_are_refused_wherever_one_stands), cmocka_unit_test(what_is_no_object_is_refused),
        cmocka_unit_test(every_selector_wants_a_rule), cmocka_unit_test(params_are_finite_numbers_with_new_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
