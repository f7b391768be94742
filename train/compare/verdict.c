#include "verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- how runs ended --- */

const Outcome *verdict_first_diverged(const Group *g)
{
    const Outcome *first = NULL;
    for (int i = 0; i < g->runs; i++)
        if (g->run[i]->status == RUN_DIVERGED && (!first || outcome_steps(g->run[i]) < outcome_steps(first))) first = g->run[i];
    return first;
}

int verdict_count(const Group *g, const char *status)
{
    int count = 0;
    for (int i = 0; i < g->runs; i++) count += !strcmp(status, outcome_status(g->run[i]));
    return count;
}

char *verdict_divergence(const Outcome *o)
{
    const char *part = outcome_bad_part(o);
    return text_format("at step %.0f%s%s", outcome_steps(o), part ? ", first in " : "", part ? part : "");
}

char *verdict_status(const Group *g)
{
    Text t = {0};
    for (int i = 0; i < g->runs; i++) {
        const char *word = outcome_status(g->run[i]);
        bool before = false;
        for (int j = 0; j < i; j++) before |= !strcmp(word, outcome_status(g->run[j]));
        if (before) continue;
        int same = verdict_count(g, word);
        text_add(&t, "%s%s", t.length ? ", " : "", word);
        if (same < g->runs) text_add(&t, " %d of %d", same, g->runs);
        if (g->run[i]->status != RUN_DIVERGED) continue;
        char *where = verdict_divergence(verdict_first_diverged(g));
        text_add(&t, " (%s)", where);
        free(where);
    }
    return t.at;
}

/* --- the sentence --- */

char *verdict_depth(double ratio)
{
    if (isnan(ratio)) return NULL;
    if (fabs(log(ratio)) <= log(FLAT)) return text_format("flat by depth at step 0 (ratio %.2g)", ratio);
    if (ratio > 1) return text_format("%.3g times larger in the first block than in the last at step 0", ratio);
    return text_format("%.3g times larger in the last block than in the first at step 0", 1 / ratio);
}

static void add_end(Text *t, const Group *g)
{
    int failed = group_failed(g);
    double end = group_final(g), spread = group_summary(g, outcome_final_val).deviation;
    if (failed) {
        char *status = verdict_status(g);
        if (g->runs > 1) text_add(t, "%d of %d seeds failed: ", failed, g->runs);
        text_add(t, "%s", status);
        if (isfinite(end)) text_add(t, "; %s %.3f", g->runs == 1 ? "ends at" : "median", end);
        free(status);
    } else if (isnan(end)) text_add(t, "no validation loss (%d %s)", g->runs, g->runs == 1 ? "seed" : "seeds");
    else if (g->runs == 1) text_add(t, "ends at %.3f (1 seed)", end);
    else text_add(t, "ends at %.3f ± %.3f (%d seeds)", end, spread, g->runs);
}

static void add_open_runs(Text *t, const Group *g)
{
    static const char *const word[] = {"unfinished", "running", "interrupted"};
    for (size_t i = 0; i < COUNT(word); i++) {
        int count = verdict_count(g, word[i]);
        if (count) text_add(t, "; %d of %d %s", count, g->runs, word[i]);
    }
}

/* Differences at other learning rates than the best stand outside Holm's correction. */
static void add_difference(Text *t, const Study *s, const Group *g)
{
    const Contrast *corrected = study_contrast(s, g);
    Contrast c = corrected ? *corrected : contrast_of(g, s->reference);
    if (g == s->reference || !isfinite(group_final(g))) return;
    if (!corrected) c.paired.half = NAN;
    char *phrase = contrast_phrase(&c, true);
    text_add(t, ", %s", phrase);
    if (contrast_may_be_chance(&c)) text_add(t, ", which may be chance with so many comparisons");
    if (!corrected) text_add(t, "; its best learning rate is %.3g", group_lr(study_family(s, g)->best));
    free(phrase);
}

char *verdict_sentence(const Study *s, const Group *g)
{
    Text t = {0};
    add_end(&t, g);
    add_difference(&t, s, g);
    add_open_runs(&t, g);
    char *depth = verdict_depth(group_middle(g, outcome_slope_first, false));
    if (depth) text_add(&t, "; gradient %s", depth);
    free(depth);
    return t.at;
}
