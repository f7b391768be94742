/* Schemes: which rule a part gets, what formulas see, and what is refused. */
#include "helpers.h"

#include "../../model/scheme.h"

static const Shape shape = SHAPE(12, 4, 256, 1000, 64, 65, true, false, GELU);

static Json *parsed(const char *text)
{
    char *error;
    Json *j = text ? json_parse(text, strlen(text), "test", &error) : NULL;
    if (text && !j) fail_msg("%s", error);
    return j;
}

static Scheme loaded(const char *scheme, const char *params, const char *rules)
{
    Json *a = parsed(scheme), *b = parsed(params), *c = parsed(rules);
    Scheme s = scheme_load(a, ".", b, c);
    json_free(a);
    json_free(b);
    json_free(c);
    return s;
}

/* The rule of a part: "normal 0.02". */
static char *rule_of(const Scheme *s, const char *part)
{
    Gpt *g = gpt_declared(&shape);
    const Part *p = part_named(&g->params, part);
    assert_non_null(p);
    Rule r = scheme_rule(s, &shape, p);
    char *text = text_format("%s %.9g", rule_info[r.kind].name, r.scale);
    gpt_free(g);
    return text;
}

static void check_rule(const Scheme *s, const char *part, const char *expected)
{
    char *rule = rule_of(s, part);
    if (strcmp(rule, expected)) fail_msg("%s has the rule %s, not %s", part, rule, expected);
    free(rule);
}

static void exact_beats_group_beats_star(void **state)
{
    (void)state;
    Scheme s = loaded("{\"weights\": {\"attn.q\": {\"normal\": \"3\"}, \"attn\": {\"normal\": \"2\"}, \"*\": {\"normal\": \"1\"}, \"bias\": {\"normal\": \"4\"},"
                      " \"mlp.fc.bias\": {\"uniform\": \"5\"}, \"norm.gain\": {\"constant\": \"6\"}, \"ln_f.gain\": {\"constant\": \"7\"},"
                      " \"norm.bias\": {\"constant\": \"-8\"}}}", NULL, NULL);
    static const char *const row[][2] = {
        {"wte.weight", "normal 1"}, {"wpe.weight", "normal 1"}, {"lm_head.weight", "normal 1"}, {"h.3.mlp.fc.weight", "normal 1"},
        {"h.3.attn.q.weight", "normal 3"}, {"h.3.attn.k.weight", "normal 2"}, {"h.3.attn.proj.weight", "normal 2"}, {"h.3.attn.q.bias", "normal 4"},
        {"h.3.mlp.fc.bias", "uniform 5"}, {"h.3.mlp.proj.bias", "normal 4"}, {"h.3.ln_1.weight", "constant 6"}, {"ln_f.weight", "constant 7"},
        {"h.3.ln_2.bias", "constant -8"}, {"ln_f.bias", "constant -8"}};
    for (size_t i = 0; i < COUNT(row); i++) check_rule(&s, row[i][0], row[i][1]);
    scheme_free(&s);
}

static void what_nothing_names_is_1_or_0(void **state)
{
    (void)state;
    Scheme s = loaded("{\"weights\": {\"*\": {\"normal\": \"1\"}}}", NULL, NULL);
    check_rule(&s, "h.0.ln_1.weight", "constant 1");
    check_rule(&s, "h.0.ln_1.bias", "zeros 0");
    check_rule(&s, "h.0.attn.q.bias", "zeros 0");
    check_rule(&s, "ln_f.weight", "constant 1");
    assert_string_equal(scheme_name(&s), "custom");
    assert_string_equal(scheme_text(&s, "about"), "");
    scheme_free(&s);
}

static void rules_of_the_config_win_over_the_scheme(void **state)
{
    (void)state;
    Scheme s = loaded("{\"weights\": {\"*\": {\"normal\": \"1\"}, \"attn.q\": {\"normal\": \"2\"}, \"wpe\": {\"normal\": \"3\"}}, \"params\": {\"g\": 11}}", NULL,
                      "{\"attn\": {\"normal\": \"9\"}, \"attn.k\": {\"normal\": \"g\"}}");
    check_rule(&s, "h.0.attn.q.weight", "normal 9");
    check_rule(&s, "h.0.attn.k.weight", "normal 11");
    check_rule(&s, "h.0.mlp.fc.weight", "normal 1");
    check_rule(&s, "wpe.weight", "normal 3");
    scheme_free(&s);
    Scheme all = loaded("{\"weights\": {\"attn.q\": {\"normal\": \"2\"}}}", NULL, "{\"*\": {\"zeros\": true}}");
    check_rule(&all, "h.0.attn.q.weight", "zeros 0");
    scheme_free(&all);
}

static void params_are_overridden_by_name(void **state)
{
    (void)state;
    const char *text = "{\"params\": {\"std\": 0.02, \"gain\": 2}, \"weights\": {\"*\": {\"normal\": \"std*gain\"}}}";
    Scheme own = loaded(text, NULL, NULL), other = loaded(text, "{\"std\": 0.5}", NULL);
    check_rule(&own, "wte.weight", "normal 0.04");
    check_rule(&other, "wte.weight", "normal 1");
    assert_true(json_get(json_get(other.json, "params"), "std")->number == 0.5);
    scheme_free(&own);
    scheme_free(&other);
}

/* Fans are those of the part, never of the fused tensor; layer counts from 1 inside blocks. */
static void formulas_see_the_model_and_the_part(void **state)
{
    (void)state;
    static const struct { const char *formula, *part, *rule; } row[] = {
        {"n_layer", "wte.weight", "normal 12"}, {"n_head", "wte.weight", "normal 4"}, {"n_embd", "wte.weight", "normal 256"},
        {"n_inner", "wte.weight", "normal 1000"}, {"head_dim", "wte.weight", "normal 64"}, {"block_size", "wte.weight", "normal 64"},
        {"vocab_size", "wte.weight", "normal 65"}, {"pi", "wte.weight", "normal 3.14159265"}, {"fan_in", "wte.weight", "normal 65"},
        {"fan_out", "wte.weight", "normal 256"}, {"fan_in", "wpe.weight", "normal 64"}, {"fan_in", "lm_head.weight", "normal 256"},
        {"fan_out", "lm_head.weight", "normal 65"}, {"fan_out", "h.0.attn.q.weight", "normal 256"}, {"fan_in", "h.0.mlp.proj.weight", "normal 1000"},
        {"fan_out", "h.0.mlp.proj.weight", "normal 256"}, {"fan_out", "h.0.mlp.fc.weight", "normal 1000"}, {"min(n_layer, 3)", "wpe.weight", "normal 3"}};
    for (size_t i = 0; i < COUNT(row); i++) {
        char *text = text_format("{\"weights\": {\"*\": {\"normal\": \"%s\"}}}", row[i].formula);
        Scheme s = loaded(text, NULL, NULL);
        check_rule(&s, row[i].part, row[i].rule);
        scheme_free(&s);
        free(text);
    }
    Scheme s = loaded("{\"weights\": {\"attn\": {\"normal\": \"layer\"}, \"bias\": {\"normal\": \"fan_in\"}}}", NULL, NULL);
    check_rule(&s, "h.0.attn.q.weight", "normal 1");
    check_rule(&s, "h.11.attn.proj.weight", "normal 12");
    check_rule(&s, "h.0.mlp.proj.bias", "normal 1000");
    check_rule(&s, "h.0.attn.k.bias", "normal 256");
    scheme_free(&s);
}

/* --- refused --- */

typedef struct { const char *scheme, *params, *rules, *says; } Refused;

/* Loads a scheme and asks for the rule of every part. */
static void use(void *data)
{
    const Refused *r = data;
    Scheme s = loaded(r->scheme, r->params, r->rules);
    Gpt *g = gpt_declared(&shape);
    for (int i = 0; i < g->params.parts; i++) scheme_rule(&s, &shape, &g->params.part[i]);
}

#define STAR(rule) "{\"weights\": {\"*\": " rule "}}"
#define PARAM(param) "{\"params\": {" param "}, \"weights\": {}}"

static void wrong_schemes_are_refused(void **state)
{
    (void)state;
    Refused row[] = {
        {"[]", NULL, NULL, "test:1:1: a scheme is a name, a path or an object, not an array"},
        {"{\"weights\": {}, \"abuot\": \"x\"}", NULL, NULL, "did you mean about"},
        {"{\"about\": \"x\"}", NULL, NULL, "needs \"weights\""},
        {"{\"weights\": {}}", NULL, NULL, "no rule for wte"},
        {"{\"weights\": {\"wte\": {\"normal\": \"1\"}, \"wpe\": {\"normal\": \"1\"}, \"attn\": {\"normal\": \"1\"}}}", NULL, NULL, "no rule for mlp.fc"},
        {"{\"weights\": []}", NULL, NULL, "\"weights\" cannot be an array"},
        {"{\"weights\": {}, \"about\": 3}", NULL, NULL, "\"about\" cannot be a number"},
        {"{\"weights\": {\n  \"attn.qq\": {\"normal\": \"1\"}}}", NULL, NULL, "test:2:3: unknown selector \"attn.qq\"; did you mean attn.q;"},
        {"{\"weights\": {\"Attn\": {\"normal\": \"1\"}}}", NULL, NULL, "unknown selector"},
        {STAR("3"), NULL, NULL, "a rule is an object"},
        {STAR("{}"), NULL, NULL, "names no distribution"},
        {STAR("{\"norml\": \"1\"}"), NULL, NULL, "unknown rule \"norml\"; did you mean normal;"},
        {STAR("{\"normal\": \"1\", \"uniform\": \"1\"}"), NULL, NULL, "one rule is needed"},
        {STAR("{\"normal\": [1]}"), NULL, NULL, "is a formula in quotes, not an array"},
        {STAR("{\"normal\": \"-1\"}"), NULL, NULL, "not negative"},
        {STAR("{\"uniform\": -1}"), NULL, NULL, "not negative"},
        {STAR("{\"zeros\": \"1\"}"), NULL, NULL, "takes no formula"},
        {STAR("{\"zeros\": false}"), NULL, NULL, "takes no formula"},
        {STAR("{\"normal\": \"1\", \"cut\": \"2\"}"), NULL, NULL, "belongs to truncated_normal"},
        {STAR("{\"truncated_normal\": \"1\"}"), NULL, NULL, "needs it"},
        {STAR("{\"truncated_normal\": \"1\", \"cut\": \"0\"}"), NULL, NULL, "leaves nothing"},
        {STAR("{\"normal\": \"0,02\"}"), NULL, NULL, "one expression is needed"},
        {STAR("{\"normal\": \"std\"}"), NULL, NULL, "std"},
        {STAR("{\"normal\": \"1/0\"}"), NULL, NULL, "gives inf"},
        {STAR("{\"normal\": \"layer\"}"), NULL, NULL, "layer"},
        {"{\"weights\": {\"wte\": {\"normal\": \"layer\"}}}", NULL, NULL, "layer"},
        {"{\"weights\": {\"ln_f.gain\": {\"constant\": \"layer\"}}}", NULL, NULL, "layer"},
        {"{\"weights\": {\"bias\": {\"orthogonal\": \"1\"}}}", NULL, NULL, "orthogonal is for matrices"},
        {"{\"weights\": {\"ln_1.gain\": {\"orthogonal\": \"1\"}}}", NULL, NULL, "orthogonal is for matrices"},
        {PARAM("\"pi\": 3"), NULL, NULL, "know already"},
        {PARAM("\"layer\": 3"), NULL, NULL, "know already"},
        {PARAM("\"sqrt\": 3"), NULL, NULL, "know already"},
        {PARAM("\"a b\": 3"), NULL, NULL, "cannot name a parameter"},
        {PARAM("\"2a\": 3"), NULL, NULL, "cannot name a parameter"},
        {PARAM("\"a\": \"3\""), NULL, NULL, "is a number, not a string"},
        {PARAM("\"std\": 3"), "{\"sdt\": 1}", NULL, "no parameter \"sdt\"; it has std"},
        {PARAM(""), "{\"std\": 1}", NULL, "it has none"},
        {PARAM("\"std\": 3"), "{\"std\": \"x\"}", NULL, "is a number"},
        {PARAM(""), NULL, "{\"wte\": {\"normal\": \"sdt\"}}", "sdt"},
        {PARAM(""), NULL, "{\"wtee\": {\"normal\": \"1\"}}", "unknown selector"},
        {"\"gtp2\"", NULL, NULL, "unknown scheme \"gtp2\"; did you mean \"gpt2\"?"},
        {"\"\"", NULL, NULL, "unknown scheme \"\""},
        {"\"/nowhere/x.json\"", NULL, NULL, "/nowhere/x.json"},
    };
    for (size_t i = 0; i < COUNT(row); i++) check_dies(use, &row[i], row[i].says, row[i].scheme);
}

static void the_catalogue_is_sorted_and_sourced(void **state)
{
    (void)state;
    static const char *const promised[] = {"bert", "gpt2", "gpt2_sqrt_l", "gpt2_openai", "xavier_uniform", "xavier_normal", "he_uniform", "he_normal", "lecun",
                                           "torch_default", "normal1", "orthogonal", "zero_proj", "small_init", "wang", "embed_inv_sqrt_d", "zero_head", "ln_zero"};
    for (size_t i = 0; i < COUNT(promised); i++) {
        Scheme s = scheme_named(promised[i]);
        assert_string_equal(scheme_name(&s), promised[i]);
        assert_true(strlen(scheme_text(&s, "about")) > 20 && strlen(scheme_text(&s, "source")) > 5);
        scheme_free(&s);
    }
    for (int i = 1; i < catalogue_count; i++) assert_true(strcmp(catalogue[i - 1].name, catalogue[i].name) < 0);
}

static void a_scheme_file_is_named_by_its_stem(void **state)
{
    (void)state;
    char *folder = scratch_new(), *path = text_format("%s/mine.json", folder);
    const char *text = STAR("{\"truncated_normal\": \"0.02\", \"cut\": 3}");
    write_file(path, text, strlen(text));
    Json *name = parsed("\"mine.json\"");
    Scheme s = scheme_load(name, folder, NULL, NULL);
    assert_string_equal(scheme_name(&s), "mine");
    check_rule(&s, "wte.weight", "truncated_normal 0.02");
    Rule rule = scheme_rule(&s, &shape, &(Part){.role = ROLE_WTE, .name = "wte.weight", .layer = -1});
    char *spelled = rule_text(&rule);
    assert_string_equal(spelled, "truncated_normal(0.02, cut 3)");
    free(spelled);
    json_free(name);
    scheme_free(&s);
    free(path);
    scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_beats_group_beats_star),
        cmocka_unit_test(what_nothing_names_is_1_or_0),
        cmocka_unit_test(rules_of_the_config_win_over_the_scheme),
        cmocka_unit_test(params_are_overridden_by_name),
        cmocka_unit_test(formulas_see_the_model_and_the_part),
        cmocka_unit_test(wrong_schemes_are_refused),
        cmocka_unit_test(the_catalogue_is_sorted_and_sourced),
        cmocka_unit_test(a_scheme_file_is_named_by_its_stem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
