/* Which gradients are exactly 0, now or for ever. */
#ifndef STEP0_TESTS_GRADIENTS_H
#define STEP0_TESTS_GRADIENTS_H

#include "helpers.h"

#define TRAINED(form, formula) {.value = formula, .shape = form, .trained = true}

/* A scheme whose matrices are normal(0.3), but for the selectors of `zero` (a blank between two) and what `rules`
 * (members of "weights", each with a comma in front, or NULL) says. Released with free. */
static inline char *zeros_scheme(const char *zero, const char *rules)
{
    Text t = {0};
    text_add(&t, "{\"weights\": {\"*\": {\"normal\": \"0.3\"}%s", rules ? rules : "");
    for (size_t length; *zero; zero += length + (zero[length] == ' ')) {
        length = strcspn(zero, " ");
        text_add(&t, ", \"%.*s\": {\"zeros\": true}", (int)length, zero);
    }
    text_add(&t, "}}");
    return t.at;
}

/* Whether a list of roles (a blank between two; "all") has this one. */
static inline bool role_listed(const char *list, Role role)
{
    if (!strcmp(list, "all")) return true;
    for (size_t length; *list; list += length + (list[length] == ' ')) {
        length = strcspn(list, " ");
        if (strlen(role_info[role].name) == length && !strncmp(role_info[role].name, list, length)) return true;
    }
    return false;
}

/* Dies of a name that is no role: a list with a slip of the pen would say nothing. */
static inline void check_list(const char *list)
{
    for (size_t length; *list && strcmp(list, "all"); list += length + (list[length] == ' ')) {
        length = strcspn(list, " ");
        int role = 0;
        while (role < ROLES && !(strlen(role_info[role].name) == length && !strncmp(role_info[role].name, list, length))) role++;
        if (role == ROLES) fail_msg("\"%s\" begins with no role", list);
    }
}

/* The mean loss's gradient, into g; returns its norm and each part's sum of squares. */
static inline double gradient_of(Gpt *g, const Batch *b, double *square)
{
    params_zero_gradients(&g->params, 1);
    gpt_loss_back(g, b, 1.0 / (double)(b->rows * b->length));
    double norm = sqrt(params_gradient_squares(&g->params, square, 1));
    assert_true(isfinite(norm));
    return norm;
}

/* What symmetry makes 0 but for rounding: a bias of k moves all of a query's scores alike. */
static inline bool zero_by_symmetry(const Gpt *g, Role role)
{
    return role == ROLE_ATTN_K_BIAS && !g->shape.qk_norm;
}

#endif
