/* Every key of the table with every kind of value: what it cannot be is refused with place, key and value, in a file and
 * on the command line; both ends of a range are taken. A new key is covered by its row in the table. */
#include "helpers.h"

#include "../../train/config/plan.h"

/* --- what is refused, and how --- */

typedef struct { char *file, *word; } Source;      /* a config file or an override; the other is NULL */

/* What a run does with its config and scheme before it needs a text. */
static void read_all(void *data)
{
    const Source *s = data;
    char *const override[] = {s->word};
    bool *given = xcalloc((size_t)config_keys, sizeof *given);
    plan_read(s->file, override, s->word != NULL, given);
}

static int messages_of(const char *said)
{
    int messages = 0;
    for (const char *p = said; p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) messages += !strncmp(p, "step0: ", 7);
    return messages;
}

#define PARTS(...) (const char *const[]){__VA_ARGS__, NULL}

/* Ends with status 1 and one short message that has all the parts. */
static void check_refused(Source s, const char *what, const char *const *part)
{
    int status;
    char *said = run_in_child(read_all, &s, &status);
    if (status != 1) fail_msg("%.200s: status %d, not 1; said \"%.600s\"", what, status, said);
    if (messages_of(said) != 1 || strlen(said) > 4200) fail_msg("%.200s: not one short message: \"%.600s\"", what, said);
    for (; *part; part++)
        if (!strstr(said, *part)) fail_msg("%.200s: \"%.600s\" does not say %s", what, said, *part);
    free(said);
}

static void check_text_refused(const char *text, size_t length, const char *const *part)
{
    char *folder = scratch_new(), *file = text_format("%s/c.json", folder);
    write_file(file, text, length);
    check_refused((Source){file, NULL}, text, part);
    free(file);
    scratch_remove(folder);
}

/* {"train": {"lr": JSON}}, the key on line 2. */
static char *config_with(const char *path, const char *json)
{
    const char *leaf = config_leaf(path);
    if (leaf == path) return text_format("{\n\"%s\": %s}", path, json);
    return text_format("{\"%.*s\": {\n\"%s\": %s}}", (int)(leaf - path - 1), path, leaf, json);
}

/* --- every key × every kind of value --- */

static const char *const values[] = {
    "\"word\"", "\"4\"", "\"1e-3\"", "\"true\"", "\"\"", "\" \"", "true", "false", "null", "[]", "[1]", "[[]]", "[null]", "[\"\"]", "{}", "{\"a\": 1}", "{\"value\": {}}",
    "0", "-0.0", "-1", "-1e-300", "0.5", "3.7", "1.0000001", "1e-400", "2147483648", "9007199254740992", "9007199254740993", "9223372036854775808",
    "18446744073709551616", "1e300", "-1e300", "1e999", "-1e999", "NaN", "nan", "-nan", "Infinity", "inf", "None", "True", "0x10", "1_000", "1,5", "5.", ".5", "+5", "05",
    "1e", "1e-3.5", "4 4", "'a'", "", " ", "[", "{", "\"", "[1,]", "{\"a\":}", "// 1", "\xef\xbb\xbf" "1", "\"\\u0000\"", "\"\xff\"", "\"a\tb\""};

/* What a type takes, and the longest text of it. The kinds: number, string, boolean, null (0), array, object. */
static const struct { const char *kinds; size_t longest; } takes[] = {
    [KEY_INT] = {"n", 0}, [KEY_REAL] = {"n", 0}, [KEY_BOOL] = {"b", 0}, [KEY_CHOICE] = {"", 0}, [KEY_NAME] = {"s", 200}, [KEY_PATH] = {"s0", 4095}, [KEY_PATHS] = {"s", 4095},
    [KEY_OBJECT] = {"o", 0}, [KEY_SCHEME] = {"so", 4095}, [KEY_FORMULA] = {"sn", 1000}, [KEY_MULTIPLIER] = {"sn", 1000}};

static bool fits(const Key *k, const Json *v)
{
    char kind = "0bnsao"[v->kind];
    double x = v->number;
    if (kind == 'n' && (x < k->min || x > k->max || (k->open_min && x == k->min)) && k->type <= KEY_REAL) return false;
    if (kind == 'n' && k->type == KEY_INT && x != floor(x)) return false;
    if (kind == 's' && (!*v->string || strlen(v->string) > takes[k->type].longest)) return false;
    if (kind == 's' && k->type < KEY_FORMULA && !utf8_is_valid(v->string)) return false;
    if (kind == 's' && k->type == KEY_NAME && strpbrk(v->string, "/\t")) return false;
    if (kind == 'o' && k->type == KEY_MULTIPLIER) return !v->child;      /* of 1, a fixed number */
    return strchr(takes[k->type].kinds, kind) != NULL;
}

/* As the reader of a file, or of the command line, understands a text; NULL: not at all. */
static Json *understood(const Key *k, const char *text, bool word)
{
    char *error = NULL;
    Json *v = json_parse(text, strlen(text), "", &error);
    free(error);
    if (!word || (!v && *text && strchr("[{", *text) && k->type >= KEY_PATHS)) return v;
    bool texts = k->type == KEY_NAME || k->type == KEY_PATH || k->type == KEY_PATHS;
    if (v && !(texts && v->kind == JSON_NUMBER)) return v;
    json_free(v);
    v = json_new(JSON_STRING);
    v->string = xstrdup(text);
    return v;
}

/* 1 where key and value are refused, as they must be; 0 where they fit. A scheme's name or text has messages of its own. */
/* Text as a message shows it; released with free. */
static char *as_shown(const char *text)
{
    Text t = {0};
    char one[5];
    text_add(&t, "%s", "");
    for (const unsigned char *p = (const unsigned char *)text, *end = p + strlen(text); p < end;) {
        p += utf8_shown(one, p, end);
        text_add(&t, "%s", one);
    }
    return t.at;
}

static int try_value(const Key *k, const char *text, bool word, const char *folder)
{
    Json *v = understood(k, text, word);
    if (!v && !word && k != config_key) return 0;      /* no key is reached */
    if (v && (fits(k, v) || (k->type == KEY_SCHEME && v->kind != JSON_NUMBER))) return json_free(v), 0;
    bool plain = v && v->kind != JSON_ARRAY && v->kind != JSON_OBJECT;
    char *whole = word ? text_format("%s=%s", k->path, text) : config_with(k->path, text), *file = text_format("%s/c.json", folder);
    char *brief = plain ? json_brief(v) : xstrdup(""), *key = text_format("\"%s\"", k->path), *start = text_format("%.20s", text), *seen = as_shown(start), *place;
    place = word && plain ? text_format("\"%s=%s", k->path, seen) : text_format("%s", word ? k->path : file);
    char *shown = plain && v->kind == JSON_STRING && !utf8_is_valid(v->string) ? xstrdup("") : text_format("is %s", brief);
    if (!word) write_file(file, whole, strlen(whole));
    Source s = {word ? NULL : file, word ? whole : NULL};
    if (!v) check_refused(s, whole, word ? PARTS(k->path) : PARTS(place));
    else check_refused(s, whole, PARTS(place, key, plain ? shown : "", "must be"));
    json_free(v);
    char *const made[] = {whole, file, brief, key, start, seen, place, shown};
    for (size_t i = 0; i < COUNT(made); i++) free(made[i]);
    return 1;
}

static char *long_text(size_t length)
{
    char *text = xcalloc(length + 3, 1);
    memset(text, 'a', length + 2);
    text[0] = text[length + 1] = '"';
    return text;
}

/* Beside AddressSanitizer, where a child takes its time, every third key. */
#ifdef __SANITIZE_ADDRESS__
enum { KEY_STEP = 3 };
#else
enum { KEY_STEP = 1 };
#endif

static void values_that_a_key_cannot_have_are_refused(void **state)
{
    (void)state;
    char *folder = scratch_new(), *longest = long_text(1 << 20), *longer = long_text(5000), end[32];
    int refused = 0, types = 0;
    for (int i = 0; i < config_keys; i += KEY_STEP)
        for (int word = 0; word < 2; word++) {
            const Key *k = &config_key[i];
            int before = refused;
            for (size_t v = 0; v < COUNT(values); v++) refused += try_value(k, values[v], word, folder);
            refused += try_value(k, types & 1 << k->type ? longer : longest, word, folder);
            types |= word << k->type;
            if (k->type == KEY_INT || k->type == KEY_REAL) {
                int ends = try_value(k, number_text(end, k->type == KEY_INT ? k->max + 1 : nextafter(k->max, INFINITY)), word, folder);
                ends += try_value(k, number_text(end, k->type == KEY_INT ? k->min - 1 : k->open_min ? k->min : nextafter(k->min, -INFINITY)), word, folder);
                assert_int_equal(ends, 2);
                refused += ends;
            }
            if (refused - before < 10) fail_msg("%s: only %d values are refused", k->path, refused - before);
        }
    print_message("%d values refused\n", refused);
    free(longest);
    free(longer);
    scratch_remove(folder);
}

static void take(void *data)
{
    const Key *k = data;
    for (int end = 0; end < 2; end++) {
        Json number = {.kind = JSON_NUMBER, .number = end ? k->max : k->open_min ? nextafter(k->min, 1) : k->min, .where = "here"};
        json_free(config_canonical(k, &number, "."));
    }
}

static void the_ends_of_a_range_are_taken(void **state)
{
    (void)state;
    for (int i = 0; i < config_keys; i++) {
        Key k = config_key[i];
        int status = 0;
        char *said = k.type == KEY_INT || k.type == KEY_REAL ? run_in_child(take, &k, &status) : NULL;
        if (status) fail_msg("%s: %s", k.path, said);
        free(said);
    }
}

/* --- every key misspelled, misplaced, doubled --- */

static char *upper(const char *text)
{
    char *copy = xstrdup(text);
    for (char *p = copy; *p; p++)
        if (*p >= 'a' && *p <= 'z') *p = (char)(*p - 32);
    return copy;
}

/* Of a wrong path, in both sources: it is named, and so is the key that was meant. */
static void check_unknown(const char *wrong, const char *meant)
{
    char *text = config_with(wrong, "1"), *named = text_format("unknown key \"%s\"", wrong), *word = text_format("%s=1", wrong), *near = text_format("did you mean \"%s\"?", meant);
    check_text_refused(text, strlen(text), PARTS("c.json:2:1: ", named, near));
    check_refused((Source){NULL, word}, word, PARTS("on the command line", named, near));
    char *const made[] = {text, named, word, near};
    for (size_t i = 0; i < COUNT(made); i++) free(made[i]);
}

static bool leaf_is_unique(const Key *k)
{
    int same = 0;
    for (int i = 0; i < config_keys; i++) same += !strcmp(config_leaf(k->path), config_leaf(config_key[i].path));
    return same == 1;
}

static void keys_that_are_not_there_are_guessed(void **state)
{
    (void)state;
    for (int i = 0; i < config_keys; i++) {
        const Key *k = &config_key[i];
        const char *leaf = config_leaf(k->path);
        char *capital = upper(leaf), *wrong = text_format("%.*s%s", (int)(leaf - k->path), k->path, capital), *text;
        check_unknown(wrong, k->path);
        if (leaf != k->path) {
            text = text_format("{\n\"%s\": 1}", k->path);
            check_text_refused(text, strlen(text), PARTS("c.json:2:1: a dotted path", k->path, "write {"));
            free(text);
        }
        if (leaf != k->path && leaf_is_unique(k)) {
            const char *other = strncmp(k->path, "eval.", 5) ? "eval" : "train";
            char *elsewhere = text_format("%s.%s", other, leaf);
            check_unknown(leaf, k->path);
            check_unknown(elsewhere, k->path);
            free(elsewhere);
        }
        free(wrong);
        free(capital);
    }
}

static void keys_that_stand_twice_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < config_keys; i++) {
        const char *path = config_key[i].path, *leaf = config_leaf(path);
        char *usual = config_key[i].fallback ? xstrdup(config_key[i].fallback) : xstrdup("1"), *named = text_format("the key \"%s\" stands twice", leaf);
        char *both = text_format("%s,\n\"%s\":%s", usual, leaf, usual), *text = config_with(path, both);
        check_text_refused(text, strlen(text), PARTS("c.json:3:1: ", named));
        char *const made[] = {usual, named, both, text};
        for (size_t j = 0; j < COUNT(made); j++) free(made[j]);
    }
}

/* --- what one message may hold --- */

static void messages_stay_one_and_short(void **state)
{
    (void)state;
    static const char *const place[] = {"{\"%s\": 1}", "{\"train\": {\"%s\": 1}}", "{\"sweep\": {\"%s\": 1}}", "{\"init\": {\"params\": {\"%s\": 1}}}", "{\"init\": {\"rules\": {\"%s\": 1}}}",
        "{\"init\": {\"rules\": {\"wpe\": {\"%s\": 1}}}}", "{\"init\": {\"rules\": {\"wpe\": {\"normal\": \"%s\"}}}}", "{\"init\": {\"scheme\": \"%s\"}}", "{\"init\": {\"scheme\": \"/%s\"}}",
        "{\"init\": {\"scheme\": {\"%s\": 1}}}", "{\"init\": {\"scheme\": {\"weights\": {}, \"model\": {\"%s\": 1}}}}", "{\"init\": {\"scheme\": {\"weights\": {}, \"optimizer\": {\"%s\": 1}}}}",
        "{\"init\": {\"scheme\": {\"weights\": {}, \"optimizer\": {\"*\": {\"%s\": 1}}}}}", "{\"init\": {\"scheme\": {\"weights\": {}, \"output_std\": {\"%s\": 1}}}}",
        "{\"model\": {\"gate\": {\"%s\": 1}}}", "{\"seed\": 1, \"%s\": 1}", "{\"name\": %s}", "[\"%s\"] x"};
    char *longest = long_text(1 << 20), *words = long_text(100000);
    longest[strlen(longest) - 1] = 0;
    words[strlen(words) - 1] = 0;
    for (char *p = words + 2; *p && p[1]; p += 3) *p = ' ';
    const char *const hostile[] = {longest + 1, words + 1, "a\\n\\nstep0: all is well", "\\u001b[31mred\\u0007\\u007f", "a\\rb", "\\u009b31m"};
    for (size_t p = 0; p < COUNT(place); p++)
        for (size_t h = 0; h < COUNT(hostile); h++) {
            Text text = {0};
            const char *hole = strstr(place[p], "%s");
            text_add(&text, "%.*s%s%s", (int)(hole - place[p]), place[p], hostile[h], hole + 2);
            char *folder = scratch_new(), *file = text_format("%s/c.json", folder);
            write_file(file, text.at, text.length);
            int status;
            char *said = run_in_child(read_all, &(Source){file, NULL}, &status);
            if (status != 1 || messages_of(said) != 1 || strlen(said) > 4200) fail_msg("%s: status %d, said \"%.600s\"", place[p], status, said);
            if (!utf8_is_valid(said)) fail_msg("%s: not in UTF-8: \"%.600s\"", place[p], said);
            for (const char *c = said; *c; c++)
                if (((unsigned char)*c < 0x20 && *c != '\n') || *c == 0x7f || !strncmp(c, "\xc2\x9b", 2)) fail_msg("%s: a control character in \"%.600s\"", place[p], said);
            free(said);
            free(file);
            free(text.at);
            scratch_remove(folder);
        }
    free(longest);
    free(words);
}

/* --- names and paths that a run could not write down --- */

static void names_of_files_become_names_of_runs(void **state)
{
    (void)state;
    static const struct { const char *file, *name; } row[] = {{"a/b/demo.json", "demo"}, {"demo", "demo"}, {"x.y.json", "x.y"}, {".json", "-json"}, {"a/.hidden.json", "-hidden"},
        {"caf\xc3\xa9.json", "caf\xc3\xa9"}, {"caf\xe9.json", "caf-"}, {"a\nb.json", "a-b"}, {"a b.json", "a b"}};
    for (size_t i = 0; i < COUNT(row); i++) {
        char *name = config_name_of_file(row[i].file);
        assert_string_equal(name, row[i].name);
        free(name);
    }
    char *text = long_text(230), *name = config_name_of_file(text + 1);
    assert_int_equal(strlen(name), 200);
    free(name);
    free(text);
}

static void paths_that_are_no_text_are_refused(void **state)
{
    (void)state;
    static const char *const word[] = {"data.text=caf\xe9.txt", "data.text=[\"a\",\"b\xff\"]", "init.from=\xff", "init.scheme=./\xff", "init.scheme=\xff.json", "name=\xff"};
    for (size_t i = 0; i < COUNT(word); i++) check_refused((Source){NULL, (char *)(uintptr_t)word[i]}, word[i], PARTS("UTF-8"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_that_a_key_cannot_have_are_refused), cmocka_unit_test(the_ends_of_a_range_are_taken),   cmocka_unit_test(keys_that_are_not_there_are_guessed),
        cmocka_unit_test(keys_that_stand_twice_are_refused),         cmocka_unit_test(messages_stay_one_and_short),     cmocka_unit_test(names_of_files_become_names_of_runs),
        cmocka_unit_test(paths_that_are_no_text_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
