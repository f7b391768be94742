/* Formulas: a finite value or a message, never both, and the same one twice. */
#include "harness.h"

#include "../../model/formula.h"

void fuzz_one(const char *text, size_t length)
{
    static const Name name[] = {{"n_layer", 12}, {"n_embd", 768}, {"fan_in", 0}, {"pi", 3.14159}, {"std", 0.02}, {"e", -1}};
    (void)length;
    char *error, *again;
    double value = formula_value(text, name, (int)COUNT(name), &error), same = formula_value(text, name, (int)COUNT(name), &again);
    assert(isfinite(value) == !error && !error == !again);
    assert(error ? *error && !strcmp(error, again) : memcmp(&value, &same, sizeof value) == 0);
    free(error);
    free(again);
}
