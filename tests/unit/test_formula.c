/* Formulas: what is taken, what is refused, and where the message points. */
#include "helpers.h"

#include "../../model/formula.h"

static const Name known[] = {{"n_layer", 12}, {"n_embd", 256}, {"fan_in", 100}, {"pi", 3.14159265358979323846}, {"std", 0.02}, {"e1", 7}, {"x_2", 5}};

static void accepted_formulas_have_their_values(void **state)
{
    (void)state;
    static const struct { const char *text; double value; } row[] = {
        {"0.02", 0.02}, {".5", 0.5}, {"1e-3", 1e-3}, {"2E+3", 2000}, {" 1 + 2 ", 3}, {"2*3+4", 10}, {"2+3*4", 14}, {"(2+3)*4", 20}, {"7-4-2", 1},
        {"8/4/2", 1}, {"2^3", 8}, {"2^3^2", 512}, {"-2^2", -4}, {"2^-1", 0.5}, {"-3", -3}, {"2*-3", -6}, {"std", 0.02}, {"e1", 7}, {"x_2*2", 10}, {"1e1", 10},
        {"std / sqrt(2*n_layer)", 0.02 / 4.89897948556635619639}, {"2 / (n_layer*sqrt(n_embd))", 2.0 / 192}, {"sqrt(6 / fan_in)", 0.24494897427831780982},
        {"ln(exp(2))", 2}, {"ln(n_layer)", 2.48490664978800031022}, {"exp(-1)", 0.36787944117144232160}, {"min(3,1,2)", 1}, {"max(3, 1, 2)", 3}, {"min(4)", 4},
        {"pi/2", 1.57079632679489661923}, {"sqrt(sqrt(16))", 2}, {"((((((((1))))))))", 1}, {"0", 0}, {"0.1e-300*1e300", 0.1}};
    for (size_t i = 0; i < COUNT(row); i++) {
        char *error;
        double value = formula_value(row[i].text, known, COUNT(known), &error);
        if (error) fail_msg("%s", error);
        if (!(fabs(value - row[i].value) <= 1e-14 * fabs(row[i].value))) fail_msg("%s is %.17g, not %.17g", row[i].text, value, row[i].value);
    }
}

static void refused_formulas_say_where(void **state)
{
    (void)state;
    static const struct { const char *text, *says; } row[] = {
        {"0,02", "one expression is needed, not 2"}, {"1,2,3", "not 3 separated"}, {"a=1", "'=' at position 2"}, {"std=1", "'=' at position 4"},
        {"1>2", "'>' at position 2"}, {"1<2", "'<' at position 2"}, {"1>=2", "'>' at position 2"}, {"1==2", "'=' at position 2"}, {"1!=2", "'!' at position 2"},
        {"1?2:3", "'?' at position 2"}, {"1&&2", "'&' at position 2"}, {"1||2", "'|' at position 2"}, {"0x10", "'x' at position 2"}, {"0b1", "'b' at position 2"},
        {"2x", "'x' at position 2"}, {"2std", "'s' at position 2"}, {"3 % 2", "'%' at position 3"}, {"\"a\"", "'\"' at position 1"}, {"1;2", "';' at position 2"},
        {"1\n2", "at position 2"}, {"5!", "'!' at position 2"}, {"[1]", "'[' at position 1"}, {"{1}", "'{' at position 1"},
        {"sin(1)", "sin"}, {"log(2)", "log"}, {"abs(1)", "abs"}, {"rint(1)", "rint"}, {"sum(1,2)", "sum"}, {"avg(1,2)", "avg"}, {"_pi", "_pi"}, {"_e", "_e"},
        {"unknown", "unknown"}, {"1 + nlayer", "position 5"}, {"layer", "layer"}, {"N_LAYER", "N_LAYER"},
        {"", "formula \"\""}, {"   ", "formula \"   \""}, {"()", "position"}, {"(1", "position"}, {"1)", "position 2"}, {"1 +", "position"}, {"* 2", "position 1"},
        {"(1,2)", "position"}, {"(1,2)*3", "position"}, {"2*(3,4)", "position"}, {"((1,2))", "position"}, {"min((1,2),3)", "position"}, {"sqrt((4,9))", "position"},
        {"max(,1)", "position 5"}, {"1e5pi", "position 4"}, {"1e5x", "position 4"}, {"1e1e1", "position"}, {"0.1.2", "position 4"}, {"--1", "position"}, {"sqrt 4", "position"},
        {"pi=3", "'=' at position 3"}, {"'a'", "'''"}, {"1_000", "position"}, {"e", "unknown name \"e\""}, {"_000", "unknown name \"_000\""}, {"\xc3\xa9", "'\xc3\xa9' at position 1"},
        {"\xff", "'\xff' at position 1"}, {"#11", "'#' at position 1"}, {"1$", "'$'"}, {"1\t+1", "at position 2"}, {"0b101", "'b'"}, {"$a", "'$'"}, {"a:=1", "':' at position 2"}, {"std+=1", "'='"},
        {"n_layr", "did you mean \"n_layer\"?"}, {"srqt(2)", "did you mean \"sqrt\"?"}, {"fan_inn", "did you mean \"fan_in\"?"}, {"quite_another", "quite_another\" at position 1; known"},
        {"1/0", "a finite number is needed"}, {"1 2", "position 3"}, {"1..2", "position"}, {"1 + + ", "position"}, {"sqrt", "position"}, {"sqrt()", "position"}, {"sqrt(1,2)", "position"},
        {"min()", "position"}, {"2(3)", "position 2"}, {"(1)(2)", "position 4"}, {"std std", "position 5"}, {"1,", "position"}, {",1", "position 1"},
        {"2e", "position"}, {"2^", "position"},
        {"1/0", "gives inf"}, {"-1/0", "gives -inf"}, {"sqrt(-1)", "gives nan"}, {"ln(0)", "gives -inf"}, {"ln(-1)", "gives nan"}, {"0/0", "gives nan"},
        {"exp(1000)", "gives inf"}, {"10^400", "gives inf"}, {"(-8)^(1/3)", "gives nan"}};
    for (size_t i = 0; i < COUNT(row); i++) {
        char *error;
        double value = formula_value(row[i].text, known, COUNT(known), &error);
        if (!error) fail_msg("\"%s\" is taken as %g", row[i].text, value);
        if (strstr(error, "(position")) fail_msg("\"%s\": \"%s\" has two positions", row[i].text, error);
        if (!strstr(error, row[i].says)) fail_msg("\"%s\": \"%s\" does not say %s", row[i].text, error, row[i].says);
        assert_true(isnan(value));
        free(error);
    }
}

static void long_formulas_are_refused_unread(void **state)
{
    (void)state;
    static const size_t length[] = {FORMULA_LONGEST - 1, FORMULA_LONGEST + 1, (1 << 20) + 1};
    for (size_t l = 0; l < COUNT(length); l++) {
        char *text = xcalloc(length[l] + 1, 1), *error;
        for (size_t i = 0; i < length[l]; i++) text[i] = "1+"[i % 2];
        double value = formula_value(text, known, COUNT(known), &error);
        if (l == 0) assert_true(!error && value == FORMULA_LONGEST / 2);
        else assert_true(error && strstr(error, "at most 1000") && strlen(error) < 200);
        free(error);
        free(text);
    }
}

static char *nested(int depth, const char *open)
{
    Text t = {0};
    for (int i = 0; i < depth; i++) text_add(&t, "%s", open);
    text_add(&t, "1");
    for (int i = 0; i < depth; i++) text_add(&t, ")");
    return t.at;
}

static void deep_nesting_is_no_trouble(void **state)
{
    (void)state;
    static const char *const open[] = {"(", "sqrt(", "min(2,", "-("};
    for (size_t i = 0; i < COUNT(open); i++) {
        char *text = nested(500, open[i]), *error;
        double value = formula_value(text, known, COUNT(known), &error);
        assert_true((!error && value == 1) || (error && isnan(value)));
        free(error);
        free(text);
    }
}

static void functions_are_known_by_name(void **state)
{
    (void)state;
    static const char *const yes[] = {"sqrt", "ln", "exp", "min", "max"}, *const no[] = {"sin", "log", "Sqrt", "sqr", ""};
    for (size_t i = 0; i < COUNT(yes); i++) assert_true(formula_is_function(yes[i]) && !formula_is_function(no[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepted_formulas_have_their_values),
        cmocka_unit_test(refused_formulas_say_where),
        cmocka_unit_test(long_formulas_are_refused_unread),
        cmocka_unit_test(deep_nesting_is_no_trouble),
        cmocka_unit_test(functions_are_known_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
