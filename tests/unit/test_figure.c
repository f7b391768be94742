/* Axes and texts of figures: round numbers, places, what fits, what XML can hold. */
#include "../../train/figure/figure_axis.h"
#include "helpers.h"

static void check_ticks(double low, double high, bool logarithmic, int most, double least, const char *expected)
{
    Range r = range_empty(logarithmic);
    range_add(&r, low);
    range_add(&r, high);
    Axis a = {r, 0, 100};
    Tick tick[AXIS_TICKS];
    Text t = {0};
    for (int i = 0, n = axis_ticks(&a, most, least, tick); i < n; i++) text_add(&t, "%s%s", i ? " " : "", tick[i].label);
    assert_string_equal(t.at, expected);
    free(t.at);
}

static void test_ticks(void **state)
{
    (void)state;
    check_ticks(0, 100, false, 6, 0, "0 20 40 60 80 100");
    check_ticks(-0.04, 1.04, false, 6, 0, "0 0.2 0.4 0.6 0.8 1");
    check_ticks(2.1012, 2.1049, false, 5, 0, "2.102 2.103 2.104");
    check_ticks(0, 2, false, 6, 1, "0 1 2");
    check_ticks(0, 5e6, false, 5, 0, "0 1e6 2e6 3e6 4e6 5e6");
    check_ticks(0, 250000, false, 5, 0, "0 50000 100000 150000 200000 250000");
    check_ticks(1e-4, 1e-1, true, 7, 0, "0.0001 0.0003 0.001 0.003 0.01 0.03 0.1");
    check_ticks(0.15, 6, true, 7, 0, "0.2 0.5 1 2 5");
    check_ticks(1e-30, 1e30, true, 6, 0, "1e-30 1e-20 1e-10 1 1e10 1e20 1e30");
    check_ticks(0.021, 0.029, true, 6, 0, "0.022 0.024 0.026 0.028");
}

static void test_places(void **state)
{
    (void)state;
    Range r = range_empty(true);
    assert_false(range_any(&r));
    const double none[] = {NAN, INFINITY, 0, -1};
    for (size_t i = 0; i < COUNT(none); i++) range_add(&r, none[i]);
    assert_false(range_any(&r));
    range_add(&r, 1);
    range_add(&r, 100);
    assert_false(range_holds(&r, 0) || range_holds(&r, 101));
    Axis a = axis_of(r, 300, 100, 0);
    assert_float_equal(axis_place(&a, 1), 300, 1e-9);
    assert_float_equal(axis_place(&a, 10), 200, 1e-9);
    assert_float_equal(axis_place(&a, 100), 100, 1e-9);
    assert_true(axis_place(&a, 0) > 300 && axis_place(&a, 1e300) < 100 && axis_place(&a, 1e300) >= -9999);

    Range point = range_empty(false);
    range_add(&point, 4);
    Axis wide = axis_of(point, 0, 100, 0);
    assert_true(wide.range.low < 4 && wide.range.high > 4);
    assert_float_equal(axis_place(&wide, 4), 50, 1e-9);
}

static void check_escape(const char *text, const char *expected)
{
    Text t = {0};
    figure_escape(&t, text);
    assert_string_equal(t.at, expected);
    free(t.at);
}

static void test_escape(void **state)
{
    (void)state;
    check_escape("", "");
    check_escape("</svg> & \"x\"", "&lt;/svg&gt; &amp; &quot;x&quot;");
    check_escape("caf\xc3\xa9 \xf0\x9f\x98\x80", "caf\xc3\xa9 \xf0\x9f\x98\x80");
    check_escape("a\x01" "b\x1b[31m\n", "a\xef\xbf\xbd" "b\xef\xbf\xbd[31m\xef\xbf\xbd");
    check_escape("\xff\xc3(\xef\xbf\xbe\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

/* What figure_label shows of a text. */
static char *label_of(const char *text, double width)
{
    Figure f = {.name = "x"};
    figure_label(&f, 0, 0, width, text);
    const char *whole = strstr(f.body.at, "</title>"), *from = whole ? whole + 8 : strchr(f.body.at, '>') + 1;
    char *shown = text_format("%.*s", (int)(strstr(from, "</text>") - from), from);
    free(f.body.at);
    return shown;
}

static void test_label(void **state)
{
    (void)state;
    const char *text = "\xc3\xa9\xc3\xa9\xc3\xa9 a scheme of a long name lr=0.003 \xe4\xb8\x80\xe4\xb8\x80\xe4\xb8\x80";
    char *whole = label_of(text, 1000);
    assert_string_equal(whole, text);
    free(whole);
    for (double width = 0; width < figure_text_width(text); width += 3) {
        char *shown = label_of(text, width);
        assert_non_null(strstr(shown, "\xe2\x80\xa6"));
        assert_null(strstr(shown, "\xef\xbf\xbd"));
        assert_true(figure_text_width(shown) <= fmax(width, figure_text_width("\xe2\x80\xa6")));
        for (const char *p = shown; *p; p += utf8_length((const unsigned char *)p, (const unsigned char *)p + strlen(p)))
            assert_true(utf8_length((const unsigned char *)p, (const unsigned char *)p + strlen(p)) > 0);
        free(shown);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ticks), cmocka_unit_test(test_places), cmocka_unit_test(test_escape), cmocka_unit_test(test_label)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
