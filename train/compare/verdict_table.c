#include <math.h>
#include <stdlib.h>

#include "verdict.h"

static const Finding nothing = {NAN, NULL};

static Finding number_finding(double x, const char *format)
{
    char text[64];
    snprintf(text, sizeof text, format, x);
    return isnan(x) ? nothing : (Finding){x, xstrdup(text)};
}

static Finding seeds_finding(const Group *g, const char *status)
{
    int count = verdict_count(g, status);
    return count ? (Finding){count, text_format("%d of %d", count, g->runs)} : nothing;
}

static Finding find_diverged(const Study *s, const Group *g)
{
    (void)s;
    const Outcome *first = verdict_first_diverged(g);
    return first ? (Finding){outcome_steps(first), verdict_divergence(first)} : nothing;
}

static Finding find_stuck(const Study *s, const Group *g)
{
    (void)s;
    return seeds_finding(g, "stuck");
}

static Finding find_unfinished(const Study *s, const Group *g)
{
    (void)s;
    return seeds_finding(g, "unfinished");
}

static Finding find_spikes(const Study *s, const Group *g)
{
    (void)s;
    return number_finding(group_middle(g, outcome_spikes, false), "%.2g");
}

static Finding find_depth(const Study *s, const Group *g)
{
    (void)s;
    double ratio = group_middle(g, outcome_slope_first, false);
    return (Finding){ratio, verdict_depth(ratio)};
}

static Finding find_drift(const Study *s, const Group *g)
{
    (void)s;
    return number_finding(group_middle(g, outcome_drift, false), "%.2g");
}

static Finding find_steps(const Study *s, const Group *g)
{
    double steps = study_steps_to_reference(s, g), last = group_middle(g, outcome_steps, false);
    if (!isnan(steps)) return number_finding(steps, "%.0f");
    return !isfinite(group_final(s->reference)) ? nothing : (Finding){NAN, text_format(">%.0f", last)};
}

static Finding find_floor(const Study *s, const Group *g)
{
    (void)s;
    double floor = outcome_yardstick(g->run[0], YARD_FLOOR), end = group_final(g);
    return isfinite(end) ? number_finding(end - floor, "%.3f") : nothing;
}

static Finding find_difference(const Study *s, const Group *g)
{
    const Contrast *c = study_contrast(s, g);
    if (!c) return nothing;
    char *phrase = contrast_phrase(c, true), *limits = contrast_limits(c), *text = text_format("%s; %s", phrase, limits);
    free(phrase);
    free(limits);
    return (Finding){c->difference, text};
}

static Finding find_sensitivity(const Study *s, const Group *g)
{
    double cap = outcome_yardstick(s->reference->run[0], YARD_LN_VOCAB);
    return number_finding(family_sensitivity(study_family(s, g), s->grid, s->points, cap), "%.3f");
}

static Finding find_largest(const Study *s, const Group *g)
{
    const Family *f = study_family(s, g);
    if (f->members < 2) return nothing;
    bool bounded;
    const Group *largest = family_largest(f, &bounded);
    if (!largest) return bounded ? (Finding){NAN, xstrdup("none")} : nothing;
    double lr = group_lr(largest);
    return (Finding){lr, text_format("%s%.3g", bounded ? "" : ">=", lr)};
}

/* The best group of the families that differ from g's in warm-up (and rate) alone, and have some where g has none or none where g
 * has some; NULL where there is none. */
static const Group *warmup_partner(const Study *s, const Group *g)
{
    static const char *const spared[] = {"train.lr", "train.warmup_steps", NULL};
    const Group *best = NULL;
    for (int i = 0; i < s->families; i++) {
        const Group *other = s->family[i].best;
        bool opposite = (other->run[0]->config.warmup_steps > 0) != (g->run[0]->config.warmup_steps > 0);
        if (opposite && runs_agree_but(g->run[0], other->run[0], spared) && (!best || group_final(other) < group_final(best))) best = other;
    }
    return best;
}

static bool mostly_fails(const Group *g)
{
    return 2 * group_failed(g) > g->runs;
}

static Finding find_warmup(const Study *s, const Group *g)
{
    const Group *partner = warmup_partner(s, g);
    if (!partner) return nothing;
    const Group *with = g->run[0]->config.warmup_steps > 0 ? g : partner, *without = with == g ? partner : g;
    Contrast c = contrast_of(with, without);
    if (mostly_fails(without) && !mostly_fails(with))
        return (Finding){c.difference, text_format("needed: %d of %d failed without, %d of %d with", group_failed(without), without->runs, group_failed(with), with->runs)};
    char *limits = contrast_limits(&c), *text;
    if (isnan(c.difference) || isinf(c.difference)) text = xstrdup("cannot be said");
    else if (contrast_stands(&c)) text = text_format("%s by %.3f", c.difference < 0 ? "helps" : "harms", fabs(c.difference));
    else text = text_format("not shown to matter (%+.3f with it): %s", c.difference, limits);
    free(limits);
    return (Finding){c.difference, text};
}

/* --- the table --- */

#define TEXT_OF(number) QUOTED(number)
#define QUOTED(number) #number

const Verdict verdict_row[] = {
    {"diverged", "diverged", "the first step s whose gradient norm is not finite, and the last column grad_norm.PART of that row that is not",
     "the run's metrics.csv; the backward pass meets parts from last to first", "of the seed that diverged first; no update was made at s", find_diverged},
    {"stuck", NULL, "finished after a step or more, final validation loss > unigram - " TEXT_OF(STUCK_MARGIN) ", and not unfinished",
     "unigram: entropy of single tokens, run.json", "seeds; under norms failed runs rarely diverge, they learn the tokens' frequencies and nothing else", find_stuck},
    {"unfinished", NULL, "as stuck, but below the loss of step 0, and median train loss of the last fifth of the rows <= that of the fifth before - " TEXT_OF(STUCK_MARGIN),
     "this program's; stuck runs of configs/demo.json fall by 0.03", "seeds; the run was short and still falling: take more steps. Does not count as failed", find_unfinished},
    {"spikes", NULL, "maximal sequences of rows with r > median(r) + " TEXT_OF(SPIKE) "·1.4826·MAD(r); r = train loss - median of the " TEXT_OF(SPIKE_WINDOW) " rows around; the first row above the median of those before it",
     "Hampel 1974 (median absolute deviation)", "over seeds, a run", find_spikes},
    {"gradient_by_depth", NULL, "grad_norm.h.0 / grad_norm.h.(n_layer-1) of row 0; flat: within a factor of " TEXT_OF(FLAT), "metrics.csv", "over seeds", find_depth},
    {"drift", "drift", "gradient_by_depth of the last row / that of row 0", "metrics.csv", "over seeds; 1: the profile stayed as it began", find_drift},
    {"steps_to_reference", "steps to reference", "first step with validation loss <= the reference's final one",
     "censored, as in survival analysis, where never: >500", "of the curve over seeds (mean; median where seeds failed); as fine as eval.every", find_steps},
    {"above_floor", NULL, "final validation loss - floor", "floor: -ln P(text) / characters under the grammar, run.json", "built-in text alone", find_floor},
    {"difference", NULL, "mean of d = loss - reference's loss over runs with the same init.seed and data.seed; interval mean ± t(.975, n-1)·sd(d)/√n, n >= " TEXT_OF(MIN_PAIRS),
     "Student 1908; Holm 1979 where several stand against the reference",
     "seeds needed: the least n whose half interval is at most |difference|. Stands: 0 outside the interval and Holm's p <= " TEXT_OF(CHANCE) ". With failed seeds medians, no interval",
     find_difference},
    {"lr_sensitivity", "lr sensitivity", "E[min(loss(lr), ln V) - best] over the learning rates that all schemes share, best the least of them",
     "Wortsman et al. 2023, arXiv 2309.14322", "loss: final validation loss over seeds; diverged: ln V. 0: any rate of the grid will do", find_sensitivity},
    {"largest_lr", "largest lr", "the largest learning rate of the grid at which every seed ended and none failed", "this program's",
     ">= where none failed at a larger one: take a wider grid", find_largest},
    {"warmup", "warm-up", "runs with train.warmup_steps 0 and > 0, else alike, each at its best lr: needed where more than half of the seeds fail without and not with",
     "this program's", "else helps or harms where the paired difference stands, and what the data can show where it does not", find_warmup},
};

const int verdict_rows = COUNT(verdict_row);

void verdict_help(FILE *out)
{
    fputs("What compare says of a group, the runs that differ in seed alone. Failed: diverged, stuck, or stopped by an error. A group with failed\n"
          "seeds is told by \"k of n\" and by medians over its runs, in every column, instead of mean ± deviation; in those of losses at the end a\n"
          "diverged run counts as infinite. Where the learning rate varied, each scheme is judged at its best one: the lowest final validation\n"
          "loss. The reference is the row of the first run given (of a sweep's folder, of its first combination), or --reference.\n", out);
    for (int i = 0; i < verdict_rows; i++)
        fprintf(out, "\n  %s\n      formula  %s\n      source   %s\n      %s\n", verdict_row[i].name, verdict_row[i].formula, verdict_row[i].source, verdict_row[i].help);
    fputs("\n--csv: a row a number of metrics.csv that is not empty: run (folder), row (label), scheme, init_seed, data_seed, step, quantity (loss,\n"
          "val_loss, grad_norm, …), part (h.3, wte, h.0.attn.q.weight; empty: the whole), layer (from 0; empty outside blocks), value, and a column for\n"
          "each key of the config that differs among the runs.\n"
          "--json: one object: reference, yardsticks, differs (keys and their values), rows (runs with all their numbers, summaries, verdicts, sentence),\n"
          "contrasts (differences in pairs, interval, p, Holm's p, correlation, seeds needed), learning_rates. What is not finite is null.\n", out);
}
