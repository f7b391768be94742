#include "contrast.h"

#include <math.h>
#include <stdlib.h>

static Paired pair_up(const Group *g, const Group *reference)
{
    double *own = xcalloc((size_t)g->runs, sizeof *own), *other = xcalloc((size_t)g->runs, sizeof *other);
    int pairs = 0;
    for (int i = 0; i < g->runs; i++)
        for (int j = 0; j < reference->runs; j++) {
            if (!runs_share_noise(g->run[i], reference->run[j])) continue;
            own[pairs] = outcome_final_val(g->run[i]);
            other[pairs++] = outcome_final_val(reference->run[j]);
        }
    Paired p = statistics_paired(own, other, pairs);
    free(own);
    free(other);
    return p;
}

Contrast contrast_of(const Group *g, const Group *reference)
{
    Contrast c = {.group = g, .reference = reference, .robust = group_failed(g) + group_failed(reference) > 0, .paired = pair_up(g, reference)};
    if (c.robust) c.paired.half = c.paired.p = NAN;
    c.difference = c.robust || !c.paired.n ? group_end(g, c.robust) - group_end(reference, c.robust) : c.paired.mean;
    c.holm = c.paired.p;
    c.comparisons = !isnan(c.paired.p);
    return c;
}

void contrasts_correct(Contrast *c, int count)
{
    double *p = xcalloc((size_t)count + 1, sizeof *p);
    int comparisons = 0;
    for (int i = 0; i < count; i++) {
        p[i] = c[i].paired.p;
        comparisons += !isnan(p[i]);
    }
    statistics_holm(p, count);
    for (int i = 0; i < count; i++) {
        c[i].holm = p[i];
        c[i].comparisons = comparisons;
    }
    free(p);
}

bool contrast_stands(const Contrast *c)
{
    return c->paired.half < fabs(c->difference) && c->holm <= CHANCE;
}

bool contrast_may_be_chance(const Contrast *c)
{
    return c->paired.half < fabs(c->difference) && c->holm > CHANCE;
}

char *contrast_phrase(const Contrast *c, bool label)
{
    double size = fabs(c->difference), half = c->paired.half;
    const char *side = c->difference < 0 ? "below" : "above", *space = label ? " " : "", *name = label ? c->reference->label : "";
    if (isnan(size)) return text_format("not comparable%s%s", label ? " with " : "", name);
    if (isinf(size)) return text_format("%s%s%s: half of the seeds or more did not get through", side, space, name);
    if (isnan(half)) return text_format("%.3f %s%s%s%s", size, side, space, name, c->robust && c->group->runs + c->reference->runs > 2 ? " (medians)" : "");
    Text t = {0};
    text_add(&t, "%.3f %s%s%s (95 %% interval %.3f to %.3f", size, side, space, name, size - half, size + half);
    if (c->comparisons > 1) text_add(&t, "; Holm's p %.2g for %d comparisons", c->holm, c->comparisons);
    text_add(&t, ")");
    return t.at;
}

char *contrast_limits(const Contrast *c)
{
    const Paired *p = &c->paired;
    if (c->robust)
        return text_format("%d of %d seeds failed, %d of %d of the reference: no interval", group_failed(c->group), c->group->runs, group_failed(c->reference), c->reference->runs);
    if (isnan(c->difference)) return xstrdup("a validation loss is missing");
    if (p->n == 0) return xstrdup("no seeds in common: not paired, no interval");
    if (p->n < MIN_PAIRS) return text_format("%d %s of seeds: no interval below %d; 5 seeds are a good start", p->n, p->n == 1 ? "pair" : "pairs", MIN_PAIRS);
    if (c->difference == 0 && p->deviation == 0) return text_format("%d seeds end alike to the last digit", p->n);
    if (contrast_stands(c)) return text_format("%d seeds tell apart %.2g: it stands", p->n, p->half);
    if (contrast_may_be_chance(c)) return text_format("%d seeds tell apart %.2g, but with so many comparisons that may be chance", p->n, p->half);
    int needed = statistics_pairs_needed(c->difference, p->deviation);
    if (!needed) return text_format("%d seeds tell apart %.2g; this difference would need more than %d", p->n, p->half, MOST_PAIRS);
    return text_format("%d seeds tell apart %.2g; this difference would need about %d", p->n, p->half, needed);
}
