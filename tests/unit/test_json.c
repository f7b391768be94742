/* Strict JSON: what is refused and where, and that printing and parsing are each other's inverse. */
#include "helpers.h"

#include <time.h>

#include "../../model/file.h"
#include "../../model/json.h"

typedef struct { const char *text; size_t length; const char *says; } Row;

#define TEXT(literal, says) {literal, sizeof literal - 1, says}

static void check_rows(const Row *row, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        char *error = NULL;
        Json *j = json_parse(row[i].text, row[i].length, "f", &error);
        if (!row[i].says && !j) fail_msg("\"%s\" is refused: %s", row[i].text, error);
        if (row[i].says && j) fail_msg("\"%s\" is taken", row[i].text);
        if (row[i].says && !strstr(error, row[i].says)) fail_msg("\"%s\": \"%s\" does not say %s", row[i].text, error, row[i].says);
        if (j) json_free(j);
        else free(error);
    }
}

static void json_is_taken(void **state)
{
    (void)state;
    static const Row row[] = {
        TEXT("{}", NULL), TEXT("[]", NULL), TEXT(" [ ] \n", NULL), TEXT("null", NULL), TEXT("true", NULL), TEXT("false", NULL), TEXT("\"\"", NULL),
        TEXT("0", NULL), TEXT("-0", NULL), TEXT("0.5", NULL), TEXT("-1.5e-3", NULL), TEXT("1E+5", NULL), TEXT("9007199254740991", NULL),
        TEXT("1e308", NULL), TEXT("1e-999", NULL), TEXT("{\"a\": {\"a\": [1, [2, {}]]}, \"A\": 1}", NULL), TEXT("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"]", NULL),
        TEXT("[\"\\ud83d\\ude00\"]", NULL), TEXT("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\"", NULL),
        TEXT("[\"a,:b\",\t{\"x:,\" :1}]", NULL), TEXT("[\"\\\\u0000\"]", NULL), TEXT("\"\x7f\"", NULL)};
    check_rows(row, COUNT(row));
}

static void what_is_no_json_is_refused_with_its_place(void **state)
{
    (void)state;
    static const Row row[] = {
        TEXT("", "f:1:1: the text ends too early"), TEXT("   ", "the text ends too early"), TEXT("{", "f:1:2: the text ends too early"),
        TEXT("{\"a\": 1", "the text ends too early"), TEXT("[1,", "the text ends too early"),
        TEXT("{\"a\": 1} x", "f:1:10: text after the end"), TEXT("1 2", "f:1:3: text after the end"), TEXT("{}{}", "f:1:3: text after the end"), TEXT("[]\n\n]", "f:3:1: text after the end"),
        TEXT("\xef\xbb\xbf{}", "f:1:1: the file starts with a byte-order mark"),
        TEXT("{\"a\": 1, \"b\": 2,\n \"a\": 3}", "f:2:2: the key \"a\" stands twice"), TEXT("[{\"x\": {\"\\u0061\": 1, \"a\": 2}}]", "f:1:22: the key \"a\" stands twice"),
        TEXT("01", "f:1:1: not a number of JSON"), TEXT("[1, -01]", "f:1:5: not a number of JSON"), TEXT("1.", "f:1:1: not a number of JSON"),
        TEXT("[1.e5]", "f:1:2: not a number of JSON"), TEXT(".5", "f:1:1: not a number of JSON"), TEXT("+1", "f:1:1: not a number of JSON"),
        TEXT("-", "f:1:1"), TEXT("[-]", "f:1:2"), TEXT("[1e]", "f:1:"), TEXT("[1e+]", "f:1:"), TEXT("[1-2]", "f:1:"), TEXT("[1.2.3]", "f:1:"), TEXT("[-.5]", "f:1:2"),
        TEXT("[--1]", "f:1:2"), TEXT("[- 1]", "f:1:"), TEXT("[1e5.5]", "f:1:"),
        TEXT("[0x10]", "f:1:3"), TEXT("[1_000]", "f:1:3"), TEXT("[\n  1e999]", "f:2:3: this number is too large"), TEXT("-1e999", "f:1:1: this number is too large"),
        TEXT("Infinity", "f:1:1: not a number of JSON"), TEXT("NaN", "f:1:1: JSON writes true, false and null in lower case, and has no NaN"), TEXT("The text", "f:1:1: not valid JSON"), TEXT("nan", "f:1:1"),
        TEXT("[True]", "f:1:2: JSON writes true"), TEXT("[nul]", "f:1:2"), TEXT("[truex]", "f:1:"),
        TEXT("[1,]", "f:1:4: JSON has no comma after the last value"), TEXT("{\"a\": 1,\n}", "f:2:1: JSON has no comma after the last value"),
        TEXT("[,1]", "f:1:2"), TEXT("[1,,2]", "f:1:4"), TEXT("[1 2]", "f:1:4"), TEXT("{\"a\" 1}", "f:1:6"), TEXT("{\"a\": }", "f:1:7"), TEXT("{a: 1}", "f:1:2"),
        TEXT("{1: 1}", "f:1:2"), TEXT("{\"a\": 1 \"b\": 2}", "f:1:9"), TEXT("{\"a\":: 1}", "f:1:6"), TEXT("[1:2]", "f:1:3"), TEXT("[1}", "f:1:3"), TEXT("{\"a\"}", "f:1:5"), TEXT("[1,[x]]", "f:1:5"), TEXT("{\"a\":1,2:3}", "f:1:8"), TEXT("{\"a\":1,{}}", "f:1:8"),
        TEXT("{\"a\":{,}}", "f:1:7"), TEXT("[1,2x]", "f:1:5"), TEXT("[\"\\\"{\", x]", "f:1:9"), TEXT("{\"a\":{}x}", "f:1:8"), TEXT("[1,[// one\n2]]", "f:1:5: JSON has no comments"),
        TEXT("[1, // one\n2]", "f:1:5: JSON has no comments"), TEXT("{ # x\n}", "f:1:3: JSON has no comments"), TEXT("/* */ {}", "f:1:1: JSON has no comments"),
        TEXT("['a']", "f:1:2: JSON takes double quotes"), TEXT("\"abc", "f:1:"), TEXT("[\"a\\x\"]", "f:1:"), TEXT("[\"\\u12g4\"]", "f:1:3: \\u takes four"), TEXT("[1, \"a\\u00\"]", "f:1:7"), TEXT("[\"\\ud83d\"]", "f:1:"),
        TEXT("[\"\\ude00\"]", "f:1:")};
    check_rows(row, COUNT(row));
}

static void strings_are_clean_utf8(void **state)
{
    (void)state;
    static const Row row[] = {
        TEXT("[\"a\nb\"]", "f:1:4: a control character"), TEXT("[\"\t\"]", "f:1:3: a control character"), TEXT("[\"\x01\"]", "f:1:3: a control character"),
        TEXT("{\"a\x1f\": 1}", "f:1:4: a control character"), TEXT("[1, \"x\\u0000\"]", "f:1:7: \\u0000 cannot stand in a string"),
        TEXT("{\"\\u0000\": 1}", "f:1:3: \\u0000"), TEXT("[\"a\0b\"]", "f:1:4: a NUL byte"), TEXT("{}\0", "f:1:3: a NUL byte"),
        TEXT("[\"\x80\"]", "f:1:3: this byte is not valid UTF-8"), TEXT("[\"a\xff\"]", "f:1:4: this byte"), TEXT("[\"\xfe\"]", "f:1:3: this byte"),
        TEXT("[\"\xc3\"]", "f:1:3: this byte"), TEXT("[\"\xc3(\"]", "f:1:3: this byte"), TEXT("[\"\xc0\xaf\"]", "f:1:3: this byte"), TEXT("[\"\xc1\xbf\"]", "f:1:3: this byte"),
        TEXT("[\"\xe0\x80\xaf\"]", "f:1:3: this byte"), TEXT("[\"\xe0\x9f\xbf\"]", "f:1:3: this byte"), TEXT("[\"\xe2\x82\"]", "f:1:3: this byte"),
        TEXT("[\"\xe2\x82(\"]", "f:1:3: this byte"), TEXT("[\"\xed\xa0\x80\"]", "f:1:3: this byte"), TEXT("[\"\xed\xbf\xbf\"]", "f:1:3: this byte"),
        TEXT("[\"\xf0\x8f\xbf\xbf\"]", "f:1:3: this byte"), TEXT("[\"\xf0\x9f\x98\"]", "f:1:3: this byte"), TEXT("[\"\xf4\x90\x80\x80\"]", "f:1:3: this byte"),
        TEXT("[\"\xf5\x80\x80\x80\"]", "f:1:3: this byte"), TEXT("[\"\xf8\x88\x80\x80\x80\"]", "f:1:3: this byte"), TEXT("{\"\xc3\": 1}", "f:1:3: this byte")};
    check_rows(row, COUNT(row));
}

static void nesting_has_an_end(void **state)
{
    (void)state;
    for (int depth = 100; depth <= 1000000; depth *= 100) {
        char *text = xcalloc(2 * (size_t)depth + 1, 1), *error = NULL;
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        Json *j = json_parse(text, 2 * (size_t)depth, "f", &error);
        assert_true(depth == 100 ? j != NULL : j == NULL && strstr(error, "f:1:") != NULL);
        if (j) json_free(j);
        else free(error);
        free(text);
    }
}

/* Of two keys that stand twice, the one whose second place comes first; in an object of any size, soon. */
static void twins_are_found(void **state)
{
    (void)state;
    static const Row row[] = {TEXT("{\"a\":1,\"a\":1}", "f:1:8: the key \"a\" stands twice"), TEXT("{\"b\":1,\"a\":1,\"a\":1,\"b\":1}", "f:1:14: the key \"a\""),
        TEXT("{\"b\":1,\"a\":1,\"b\":1,\"a\":1}", "f:1:14: the key \"b\""), TEXT("{\"a\":1,\"a\":1,\"a\":1}", "f:1:8: the key \"a\""), TEXT("[{\"x\":{\"\":1,\n\"\":2}}]", "f:2:1: the key \"\""),
        TEXT("{\"\\u0061\":1,\"a\":2}", "f:1:13: the key \"a\"")};
    check_rows(row, COUNT(row));
    Text t = {0};
    text_add(&t, "{\"a\": 1");
    for (int i = 0; i < 200000; i++) text_add(&t, ",\"k%d\":1", i);
    text_add(&t, ",\n\"k77\": 2}");
    char *error;
    clock_t start = clock();
    assert_null(json_parse(t.at, t.length, "f", &error));
    assert_string_equal(error, "f:2:1: the key \"k77\" stands twice");
    assert_true(clock() - start < 20 * CLOCKS_PER_SEC);      /* each beside each: minutes */
    free(error);
    free(t.at);
}

static void values_know_their_place(void **state)
{
    (void)state;
    const char *text = "{\n  \"a\": [1,\n    \"\xc3\xa9\", {\"b\": null}],\n  \"B\" :\n    true }";
    char *error;
    Json *j = json_parse(text, strlen(text), "dir/x.json", &error);
    assert_non_null(j);
    const Json *a = json_get(j, "a");
    assert_string_equal(j->where, "dir/x.json:1:1");
    assert_string_equal(a->where, "dir/x.json:2:3");
    assert_string_equal(a->child->where, "dir/x.json:2:9");
    assert_string_equal(a->child->next->where, "dir/x.json:3:5");
    assert_string_equal(json_get(a->child->next->next, "b")->where, "dir/x.json:3:12");
    assert_string_equal(json_get(j, "B")->where, "dir/x.json:4:3");
    assert_null(json_get(j, "b"));
    assert_null(json_get(a, "a"));
    assert_int_equal(json_get(j, "B")->kind, JSON_BOOL);
    assert_string_equal(a->child->next->string, "\xc3\xa9");
    json_free(j);
}

static void numbers_read_back_to_the_same_bits(void **state)
{
    (void)state;
    char text[32];
    for (int64_t i = 0; i < 200000; i++) {
        Noise n = noise_at(1, NOISE_SAMPLES, (uint32_t)i, 1, 0, 0);
        double x, back;
        memcpy(&x, n.word, sizeof x);
        if (!isfinite(x)) continue;
        back = strtod(number_text(text, x), NULL);
        assert_memory_equal(&back, &x, sizeof x);
    }
    static const struct { double value; const char *text; } row[] = {{9007199254740991.0, "9007199254740991"}, {0.1, "0.1"}, {3e-4, "0.0003"}, {1, "1"}, {-0.5, "-0.5"},
                                                                     {1e100, "1e+100"}, {0.02, "0.02"}, {1.0 / 3, "0.3333333333333333"}, {5e-324, "4.94065645841247e-324"}};
    for (size_t i = 0; i < COUNT(row); i++) assert_string_equal(number_text(text, row[i].value), row[i].text);
}

static void printing_and_parsing_are_inverse(void **state)
{
    (void)state;
    const char *text = "{\"a\":[1,2.5,-3e-07,9007199254740991,true,false,null,\"q\\\"\\\\\\n\xc3\xa9\"],\"empty\":{},\"list\":[],\"A\":{\"b\":{\"c\":\"\"}}}";
    char *error;
    Json *j = json_parse(text, strlen(text), "f", &error), *copy = json_copy(j);
    for (int indented = 0; indented < 2; indented++) {
        char *printed = json_print(j, indented);
        Json *back = json_parse(printed, strlen(printed), "g", &error);
        assert_non_null(back);
        assert_true(json_equal(j, back) && json_equal(back, copy));
        json_free(back);
        if (!indented) assert_string_equal(printed, text);
        free(printed);
    }
    json_free(j);
    json_free(copy);
    Json *built = json_new(JSON_ARRAY);
    json_put_number(built, NULL, NAN);
    json_put_number(built, NULL, INFINITY);
    char *printed = json_print(built, false);
    assert_string_equal(printed, "[null,null]");
    free(printed);
    json_free(built);
}

static void a_member_is_put_behind_the_others_or_replaced(void **state)
{
    (void)state;
    char *error;
    Json *j = json_parse("{\"a\":1,\"b\":2}", 13, "o", &error);
    json_put_number(j, "c", 3);
    json_replace(j, "c", json_new(JSON_NULL));
    json_put_number(j, "d", 4);
    json_replace(j, "a", json_new(JSON_ARRAY));
    json_replace(j, "e", json_new(JSON_OBJECT));
    char *printed = json_print(j, false);
    assert_string_equal(printed, "{\"b\":2,\"c\":null,\"d\":4,\"a\":[],\"e\":{}}");
    free(printed);
    json_free(j);
}

static void equal_means_the_same_members(void **state)
{
    (void)state;
    static const struct { const char *a, *b; bool equal; } row[] = {
        {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true}, {"{\"a\":1}", "{\"a\":1,\"b\":2}", false}, {"{\"a\":1,\"b\":2}", "{\"a\":1}", false}, {"{\"a\":1}", "{\"A\":1}", false},
        {"[1,2]", "[2,1]", false}, {"[1,2]", "[1,2]", true}, {"[1,2]", "[1]", false}, {"[1]", "[1,2]", false}, {"[]", "{}", false}, {"null", "null", true}, {"1", "1.0", true},
        {"1", "\"1\"", false}, {"true", "false", false}, {"true", "1", false}, {"\"a\"", "\"a\"", true}, {"\"a\"", "\"b\"", false}, {"[[1],{\"x\":[]}]", "[[1],{\"x\":[]}]", true},
        {"{\"x\":{\"y\":1}}", "{\"x\":{\"y\":2}}", false}};
    for (size_t i = 0; i < COUNT(row); i++) {
        char *error;
        Json *a = json_parse(row[i].a, strlen(row[i].a), "a", &error), *b = json_parse(row[i].b, strlen(row[i].b), "b", &error);
        if (json_equal(a, b) != row[i].equal || json_equal(b, a) != row[i].equal) fail_msg("%s and %s: equal or not?", row[i].a, row[i].b);
        json_free(a);
        json_free(b);
    }
}

static void brief_forms_are_short_and_whole(void **state)
{
    (void)state;
    Json *j = json_new(JSON_STRING);
    Text t = {0};
    for (int i = 0; i < 60; i++) text_add(&t, "a\xc3\xa9");
    j->string = t.at;
    char *brief = json_brief(j);
    assert_true(strlen(brief) <= 60 && !strcmp(brief + strlen(brief) - 3, "..."));
    assert_true((unsigned char)brief[strlen(brief) - 4] != 0xc3);
    free(brief);
    json_free(j);
}

static void read_missing(void *path)
{
    json_read(path);
}

static void files_that_cannot_be_read_are_named(void **state)
{
    (void)state;
    char *folder = scratch_new(), *path = text_format("%s/bad.json", folder), *says = text_format("%s:1:2: JSON has no comments", path);
    check_dies(read_missing, folder, "is not a regular file", "a folder");
    check_dies(read_missing, path, path, "a missing file");
    write_file(path, "{//}", 4);
    check_dies(read_missing, path, says, "a bad file");
    size_t length;
    char *error = NULL;
    if (truncate(path, (off_t)1 << 40) == 0) {
        assert_null(file_bytes(path, &length, &error));
        assert_non_null(strstr(error, "has 1099511627776 bytes (1024.0 GiB), more than this machine's memory"));
        free(error);
        check_dies(read_missing, path, "has 1099511627776 bytes; at most 16777216 are read", "a sparse file");
    }
    free(says);
    free(path);
    scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_is_taken),
        cmocka_unit_test(what_is_no_json_is_refused_with_its_place),
        cmocka_unit_test(strings_are_clean_utf8),
        cmocka_unit_test(nesting_has_an_end),
        cmocka_unit_test(twins_are_found),
        cmocka_unit_test(values_know_their_place),
        cmocka_unit_test(numbers_read_back_to_the_same_bits),
        cmocka_unit_test(printing_and_parsing_are_inverse),
        cmocka_unit_test(a_member_is_put_behind_the_others_or_replaced),
        cmocka_unit_test(equal_means_the_same_members),
        cmocka_unit_test(brief_forms_are_short_and_whole),
        cmocka_unit_test(files_that_cannot_be_read_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
