/* The grid of a sweep: which combinations, in which order, under which names. */
#include <stdlib.h>
#include <string.h>

#include "../../train/config/config_read.h"
#include "../../train/config/grid.h"
#include "helpers.h"

static Json *sweep_of(const char *text)
{
    char *error;
    Json *j = json_parse(text, strlen(text), "test", &error), *sweep = config_read_sweep(j, "/folder");
    json_free(j);
    return sweep;
}

/* All labels and overrides: "label: override override; …" */
static char *all(const char *text, char *const *word, int words)
{
    int cells;
    Json *sweep = text ? sweep_of(text) : NULL;
    Cell *cell = grid_cells(sweep, word, words, &cells);
    Text t = {0};
    text_add(&t, "%s", "");
    for (int i = 0; i < cells; i++) {
        text_add(&t, "%s:", cell[i].label);
        for (int o = 0; o < cell[i].overrides; o++) text_add(&t, " %s", cell[i].override[o]);
        text_add(&t, ";");
    }
    grid_free(cell, cells);
    json_free(sweep);
    return t.at;
}

#define EXPECT(text, wanted, ...)                                                         \
    do {                                                                                  \
        char *word[] = {__VA_ARGS__}, *got = all(text, word, (int)COUNT(word));           \
        assert_string_equal(got, wanted);                                                 \
        free(got);                                                                        \
    } while (0)

static void test_words(void **state)
{
    (void)state;
    EXPECT(NULL, "lr=0.001 seed=1: train.lr=1e-3 seed=1 name=x;lr=0.001 seed=2: train.lr=1e-3 seed=2 name=x;"
                 "lr=0.003 seed=1: train.lr=0.003 seed=1 name=x;lr=0.003 seed=2: train.lr=0.003 seed=2 name=x;", "train.lr=1e-3,0.003", "seed=1,2", "name=x");
    EXPECT(NULL, "gate=1: model.gate=1;gate={\"value\":\"0\",\"shape\":\"scalar\"}: model.gate={\"value\": \"0\", \"shape\": \"scalar\"};",
           "model.gate=1,{\"value\": \"0\", \"shape\": \"scalar\"}");
    EXPECT(NULL, "text=a,b: data.text=\"a,b\";text=[\"c\",\"d\"]: data.text=[\"c\",\"d\"];", "data.text=\"a,b\",[\"c\",\"d\"]");
}

static void test_sweep_object(void **state)
{
    (void)state;
    EXPECT("{\"train.lr\": [1e-3, 3e-3], \"seed\": [1, 2]}", "lr=0.001: train.lr=0.001 seed=7;lr=0.003: train.lr=0.003 seed=7;", "seed=7");
    EXPECT("{\"init.scheme\": [\"bert\", \"my/x.json\"]}", "scheme=bert: init.scheme=bert seed=1;scheme=my/x.json: init.scheme=/folder/my/x.json seed=1;", "seed=1");
    EXPECT("{\"init.params.std\": [0.1, 0.2], \"model.n_layer\": [3]}", "std=0.1: init.params.std=0.1 model.n_layer=3 seed=1;std=0.2: init.params.std=0.2 model.n_layer=3 seed=1;",
           "seed=1");
    EXPECT("{\"model.norm_scale\": [\"1/sqrt(layer)\", \"12\", 2]}",
           "norm_scale=1/sqrt(layer): model.norm_scale=1/sqrt(layer) seed=1;norm_scale=12: model.norm_scale=\"12\" seed=1;norm_scale=2: model.norm_scale=2 seed=1;", "seed=1");
}

static void test_values(void **state)
{
    (void)state;
    Json *sweep = sweep_of("{\"init.scheme\": [\"gpt2\", \"bert\"], \"seed\": [1, 2, 3]}");
    char *word[] = {"seed=5", "train.lr=1,2,3,4"};
    assert_int_equal(grid_values(sweep, word, 2, "init.scheme"), 2);
    assert_int_equal(grid_values(sweep, word, 2, "seed"), 1);
    assert_int_equal(grid_values(sweep, word, 2, "train.lr"), 4);
    assert_int_equal(grid_values(sweep, word, 2, "data.seed"), 0);
    assert_int_equal(grid_values(NULL, word, 0, "seed"), 0);
    json_free(sweep);
}

int main(void)
{
    const struct CMUnitTest test[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_sweep_object), cmocka_unit_test(test_values)};
    return cmocka_run_group_tests(test, NULL, NULL);
}
