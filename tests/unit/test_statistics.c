/* Statistics: against SciPy's numbers, closed forms, and definitions applied naively. */
#include "helpers.h"

#include "../../train/compare/statistics.h"

static void near_relative(double got, double wanted)
{
    assert_near(got, wanted, 1e-10 * fabs(wanted));
}

/* scipy.stats: 2·t.sf(t, v) at t = 0.01, 1, 3, 40, and t.ppf at .6, .975, .9999. */
static const struct { double freedom, p[4], quantile[3]; } student[] = {
    {1, {0.993634014470186, 0.5, 0.20483276469913345, 0.015912179824051624}, {0.32491969623290634, 12.706204736174694, 3183.098757118502}},
    {2, {0.992929108958201, 0.4226497308103742, 0.09546596626670913, 0.0006244146721847406}, {0.2886751345948128, 4.302652729749462, 70.70007107496818}},
    {4, {0.9925001562458985, 0.37390096630005887, 0.03994196807171883, 2.3340163226012678e-06}, {0.2707222947075976, 2.7764451051977934, 13.033671720896821}},
    {9, {0.9922394455363253, 0.3434363961379136, 0.014956363910414222, 1.8982998449339822e-11}, {0.260955336473911, 2.262157162798205, 6.010132129081531}},
    {99, {0.9920414112146796, 0.3197484741393014, 0.0034155079215788717, 6.385085160287251e-63}, {0.25402901215180673, 1.9842169515864174, 3.8630891071273092}},
    {1000, {0.9920232819321873, 0.31755241808467255, 0.0027667090442381925, 1.0478852155173272e-209}, {0.25341451583949876, 1.9623390808264083, 3.7328516045753966}},
};

static void student_is_scipys(void **state)
{
    (void)state;
    static const double t[] = {0.01, 1, 3, 40}, share[] = {0.6, 0.975, 0.9999};
    for (size_t i = 0; i < COUNT(student); i++) {
        for (size_t k = 0; k < COUNT(t); k++) {
            near_relative(statistics_student_p(t[k], student[i].freedom), student[i].p[k]);
            near_relative(statistics_student_p(-t[k], student[i].freedom), student[i].p[k]);
        }
        for (size_t k = 0; k < COUNT(share); k++) near_relative(statistics_student_quantile(share[k], student[i].freedom), student[i].quantile[k]);
    }
    assert_true(statistics_student_p(0, 3) == 1 && statistics_student_p(INFINITY, 3) == 0);
}

static void pairs_are_scipys(void **state)
{
    (void)state;
    const double x[] = {2.41, 2.38, 2.44, NAN, 2.40, 2.36}, y[] = {2.45, 2.41, 2.46, 1, 2.47, 2.37};
    Paired p = statistics_paired(x, y, COUNT(x));
    assert_int_equal(p.n, 5);
    near_relative(p.mean, -0.03400000000000016);
    near_relative(p.deviation, 0.023021728866442714);
    near_relative(p.half, 0.028585251909870275);
    near_relative(p.p, 0.029866968372355193);
    near_relative(p.correlation, 0.8386762072376023);
    Paired two = statistics_paired(x, y, 2), none = statistics_paired(x + 3, y + 3, 1), same = statistics_paired(x, x, 6);
    assert_true(two.n == 2 && isnan(two.half) && isnan(two.p) && isnan(two.correlation) && two.deviation > 0);
    assert_true(none.n == 0 && isnan(none.mean) && isnan(none.deviation));
    assert_true(same.mean == 0 && same.half == 0 && same.p == 1);
}

static void what_a_difference_would_need(void **state)
{
    (void)state;
    for (double difference = 0.003; difference < 0.2; difference *= 1.3) {
        int n = MIN_PAIRS;
        while (statistics_student_quantile(0.975, n - 1) * 0.02 / sqrt(n) > difference) n++;
        assert_int_equal(statistics_pairs_needed(difference, 0.02), n);
        assert_int_equal(statistics_pairs_needed(-difference, 0.02), n);
    }
    assert_int_equal(statistics_pairs_needed(1e-9, 1), 0);
    assert_int_equal(statistics_pairs_needed(0, 1), 0);
    assert_int_equal(statistics_pairs_needed(1, 0), MIN_PAIRS);
    assert_int_equal(statistics_pairs_needed(NAN, 1), 0);
}

static void holm_by_hand(void **state)
{
    (void)state;
    double p[] = {0.04, NAN, 0.01, 0.03, 1e-30, 0.01, 0.9}, wanted[] = {0.09, NAN, 0.05, 0.09, 6e-30, 0.05, 0.9};
    /* 3·0.03 is above 2·0.04 */
    statistics_holm(p, COUNT(p));
    for (size_t i = 0; i < COUNT(p); i++) {
        if (isnan(wanted[i])) assert_true(isnan(p[i]));
        else near_relative(p[i], wanted[i]);
    }
    double two[] = {0.8, 0.7};
    statistics_holm(two, 2);
    assert_true(two[0] == 1 && two[1] == 1);
}

static void middles_and_spreads(void **state)
{
    (void)state;
    const double x[] = {3, NAN, 1, 2, 10}, infinite[] = {INFINITY, 1, INFINITY, 2}, far[] = {1e9 + 1, 1e9 + 2, 1e9 + 3};
    assert_true(statistics_median(x, 5) == 2.5 && statistics_median(x, 4) == 2 && isnan(statistics_median(x, 0)) && isnan(statistics_median(x + 1, 1)));
    assert_true(isinf(statistics_median(infinite, 4)) && statistics_median(infinite, 3) == INFINITY);
    assert_true(statistics_mad(x, 5) == 1);
    Summary s = statistics_summary(x, 5), one = statistics_summary(x, 1), none = statistics_summary(x + 1, 1), flat = statistics_summary(far, 3);
    assert_true(s.n == 4 && s.mean == 4 && one.deviation == 0 && none.n == 0 && isnan(none.mean));
    near_relative(s.deviation, sqrt(50.0 / 3));
    near_relative(flat.deviation, 1);
    const double y[] = {-3, 5, -1, -2, -10}, still[] = {2, 2, 2, 2, 2};
    near_relative(statistics_correlation(x, y, 5), -1);
    assert_true(isnan(statistics_correlation(x, y, 3)) && isnan(statistics_correlation(x, still, 5)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(student_is_scipys),
        cmocka_unit_test(pairs_are_scipys),
        cmocka_unit_test(what_a_difference_would_need),
        cmocka_unit_test(holm_by_hand),
        cmocka_unit_test(middles_and_spreads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
