#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../data/stories.h"
#include "../../model/noise.h"

enum { STORIES = 250, SEED = 7, WORDS_MIN = 300, WORDS_MAX = 1300 };

static Story *story_new(void)
{
    return xcalloc(1, sizeof(Story));
}

static double cost_of_choices(const Story *s)
{
    double sum = 0;
    for (int i = 0; i < s->choices; i++) sum += s->choice[i].cost;
    return sum;
}

static void each_story_has_one_derivation(void **state)
{
    (void)state;
    Story *s = story_new(), *back = story_new();
    for (uint32_t i = 0; i < STORIES; i++) {
        stories_story(s, SEED, i);
        assert_int_equal(s->chars, strlen(s->text));
        assert_string_equal(s->text + s->chars - 2, "\n\n");
        assert_int_equal(stories_parse(back, s->text, (size_t)s->chars), 1);
        assert_int_equal(back->reached, s->chars);
        assert_int_equal(back->choices, s->choices);
        for (int c = 0; c < s->choices; c++) {
            assert_ptr_equal(s->choice[c].rule, back->choice[c].rule);
            assert_int_equal(s->choice[c].pick, back->choice[c].pick);
            assert_true(s->choice[c].cost >= 0 && s->choice[c].cost == back->choice[c].cost);
        }
        assert_string_equal(s->text, back->text);
        assert_true(fabs(s->cost - cost_of_choices(s)) < 1e-9);
        assert_true(fabs(s->cost - stories_cost(s->text, (size_t)s->chars)) < 1e-9 * s->cost);
    }
    free(s);
    free(back);
}

static void what_is_no_story_has_no_derivation(void **state)
{
    (void)state;
    Story *s = story_new(), *back = story_new();
    stories_story(s, SEED, 0);
    assert_int_equal(stories_parse(back, s->text, (size_t)s->chars - 1), 0);
    assert_int_equal(back->choices, 0);
    assert_int_equal(back->reached, s->chars - 1);
    assert_true(isfinite(stories_cost(s->text, (size_t)s->chars - 1)));

    int middle = s->chars / 2;
    s->text[middle] = '#';
    assert_int_equal(stories_parse(back, s->text, (size_t)s->chars), 0);
    assert_int_equal(back->reached, middle);
    assert_true(isinf(stories_cost(s->text, (size_t)s->chars)));
    assert_true(fabs(stories_cost("", 0)) < 1e-9);

    char *two = stories_text(3000, SEED);
    assert_int_equal(stories_parse(back, two, 3000), 0);
    free(two);
    free(s);
    free(back);
}

/* The cost of a beginning grows with every character, from 0 to the story's own. */
static void a_beginning_costs_no_more_than_the_whole(void **state)
{
    (void)state;
    Story *s = story_new();
    for (uint32_t i = 0; i < 2; i++) {
        stories_story(s, SEED, i);
        double before = 0;
        for (int n = 1; n <= s->chars; n += 9) {
            double cost = stories_cost(s->text, (size_t)n);
            assert_true(cost >= before - 1e-9 && cost <= s->cost + 1e-9);
            before = cost;
        }
    }
    free(s);
}

static void a_longer_text_starts_with_the_shorter(void **state)
{
    (void)state;
    char *all = stories_text(20000, SEED);
    assert_int_equal(strlen(all), 20000);
    size_t length[] = { 0, 1, 2, 100, 511, 512, 513, 4999, 19999 };
    for (size_t i = 0; i < COUNT(length); i++) {
        char *part = stories_text(length[i], SEED);
        assert_int_equal(strlen(part), length[i]);
        assert_memory_equal(part, all, length[i]);
        free(part);
    }
    Story *s = story_new();
    size_t at = 0;
    for (uint32_t i = 0; i < 10; at += (size_t)s->chars, i++) {
        stories_story(s, SEED, i);
        assert_memory_equal(all + at, s->text, (size_t)s->chars);
    }
    free(s);
    free(all);
}

static void the_text_is_the_same_everywhere(void **state)
{
    (void)state;
    char *text = stories_text(10000, 1), *again = stories_text(10000, 1), *other = stories_text(10000, 2);
    assert_memory_equal(text, again, 10000);
    assert_memory_not_equal(text, other, 200);
    assert_int_equal(noise_hash(text, 10000), 0x4c1d5f65e49ac2f5u);      /* changes with the grammar only */
    free(text);
    free(again);
    free(other);
}

static void the_floor_is_the_cost_of_the_choices(void **state)
{
    (void)state;
    Story *s = story_new();
    size_t chars = 0;
    double cost = 0;
    for (uint32_t i = 0; i < 200; i++) {
        stories_story(s, SEED, i);
        chars += (size_t)s->chars;
        cost += cost_of_choices(s);
    }
    char *text = stories_text(chars, SEED);
    double floor_all = stories_floor(text, chars, SEED, 0);
    free(text);
    assert_true(fabs(floor_all * (double)chars - cost) < 1e-6);
    free(s);
}

static void the_floor_adds_up_over_any_borders(void **state)
{
    (void)state;
    size_t border[] = { 0, 1, 337, 5000, 5001, 12345, 29999, 30000 };
    char *text = stories_text(30000, SEED);
    double sum = 0;
    for (size_t i = 0; i + 1 < COUNT(border); i++) {
        double part = stories_floor(text, border[i + 1], SEED, border[i]) * (double)(border[i + 1] - border[i]);
        assert_true(part >= -1e-9);
        sum += part;
    }
    assert_true(fabs(sum - 30000 * stories_floor(text, 30000, SEED, 0)) < 1e-6);
    free(text);
}

static void the_floor_is_a_good_size(void **state)
{
    (void)state;
    double tail[2];
    for (uint64_t seed = 0; seed < 2; seed++) {
        char *text = stories_text(1000000, seed);
        tail[seed] = stories_floor(text, 1000000, seed, 900000);
        free(text);
    }
    assert_true(tail[0] > 0.25 && tail[0] < 1);
    assert_true(fabs(tail[0] - tail[1]) < 0.01);
}

/* Seven standard errors. The weights: an aspect has one option of 2 and three of 1. */
static void choices_come_as_often_as_their_weights_say(void **state)
{
    (void)state;
    enum { N = 4000 };
    int count[4] = { 0 }, n = 0;
    Story *s = story_new();
    for (uint32_t i = 0; i < N; i++) {
        stories_story(s, SEED, i);
        for (int c = 0; c < s->choices; c++) {
            if (strcmp(s->choice[c].rule, "aspect") != 0) continue;
            assert_in_range(s->choice[c].pick, 0, 3);
            assert_true(fabs(s->choice[c].cost - log(s->choice[c].pick == 0 ? 5 / 2.0 : 5)) < 1e-12);
            count[s->choice[c].pick]++;
            n++;
        }
    }
    assert_true(n > N / 2);
    for (int i = 0; i < 4; i++) {
        double p = i == 0 ? 0.4 : 0.2;
        assert_true(fabs(count[i] - n * p) < 7 * sqrt(n * p * (1 - p)));
    }
    free(s);
}

/* A person is one of those whom the story does not keep yet: the number only falls. */
static void a_name_that_is_kept_is_out(void **state)
{
    (void)state;
    Story *s = story_new();
    int most = 0;
    for (uint32_t i = 0; i < STORIES; i++) {
        stories_story(s, SEED, i);
        int before = INT_MAX;
        for (int c = 0; c < s->choices; c++) {
            if (strcmp(s->choice[c].rule, "Person") != 0) continue;
            int open = (int)lround(exp(s->choice[c].cost));
            assert_true(fabs(s->choice[c].cost - log(open)) < 1e-12);
            assert_true(open <= before);
            if (before == INT_MAX && open > most) most = open;
            before = open;
        }
        assert_in_range(before, most - 20, most);
    }
    assert_true(most > 50);
    free(s);
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void words_sentences_and_letters_are_in_range(void **state)
{
    (void)state;
    enum { CHARS = 300000 };
    char *text = stories_text(CHARS, 1), **word = xcalloc(CHARS, sizeof *word);
    bool seen[256] = { false };
    int words = 0, distinct = 0, letters = 0, sentences = 0, stories = 0;
    for (int i = 0; i < CHARS; i++) {
        unsigned char c = (unsigned char)text[i];
        assert_true(c == '\n' || (c >= ' ' && c <= '~'));
        letters += !seen[c];
        seen[c] = true;
        stories += c == '\n' && text[i + 1] == '\n';
        sentences += strchr(".!?", c) != NULL;
    }
    for (char *w = strtok(text, " \n.,!?:\"'-"); w; w = strtok(NULL, " \n.,!?:\"'-")) {
        word[words++] = w;
        *w = (char)tolower((unsigned char)*w);
    }
    qsort(word, (size_t)words, sizeof *word, compare_words);
    for (int i = 0; i < words; i++) distinct += i == 0 || strcmp(word[i], word[i - 1]) != 0;
    assert_in_range(letters, 40, 64);
    assert_in_range(distinct, WORDS_MIN, WORDS_MAX);
    assert_in_range(CHARS / stories, 300, 700);
    assert_in_range(sentences / stories, 8, 20);
    free(text);
    free(word);
}

/* The commonest slips of a grammar of templates. */
static void the_english_has_no_slips(void **state)
{
    (void)state;
    char *text = stories_text(1000000, 3);
    const char *bad[] = { "  ", " \n", " .", " ,", " a a", " a e", " a i", " a o", " a u", " an b", " an s", " an t",
                          "..", ",,", ".,", "{", "}", "|", "/", "\n\n\n", "the the", " and and ", "\"\"", " some a " };
    for (size_t i = 0; i < COUNT(bad); i++)
        if (strstr(text, bad[i])) fail_msg("\"%s\": %.60s", bad[i], strstr(text, bad[i]));
    int quotes = 0;
    for (char *c = text; *c; c++) {
        if (c[0] == '\n' && c[1] == '\n') {
            assert_int_equal(quotes % 2, 0);
            quotes = 0;
        }
        quotes += *c == '"';
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_story_has_one_derivation),
        cmocka_unit_test(what_is_no_story_has_no_derivation),
        cmocka_unit_test(a_beginning_costs_no_more_than_the_whole),
        cmocka_unit_test(a_longer_text_starts_with_the_shorter),
        cmocka_unit_test(the_text_is_the_same_everywhere),
        cmocka_unit_test(the_floor_is_the_cost_of_the_choices),
        cmocka_unit_test(the_floor_adds_up_over_any_borders),
        cmocka_unit_test(the_floor_is_a_good_size),
        cmocka_unit_test(choices_come_as_often_as_their_weights_say),
        cmocka_unit_test(a_name_that_is_kept_is_out),
        cmocka_unit_test(words_sentences_and_letters_are_in_range),
        cmocka_unit_test(the_english_has_no_slips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
