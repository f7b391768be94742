/* step0 compare: one row a group of runs that differ in seed alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../commands.h"
#include "compare.h"
#include "../report/report.h"
#include "../figure/svg.h"
#include "verdict.h"
#include "../run/spare.h"

static void print_notes(const Outcome *o)
{
    for (Yard y = 0; y < YARDS; y++)
        if (y != YARD_FLOOR || !isnan(outcome_yardstick(o, y))) printf("%s%s %.4f", y ? ", " : "", yard_row[y].name, outcome_yardstick(o, y));
    printf(" (nats a token). val: last validation loss, ± the standard deviation over seeds.\n"
           "|g|: gradient norm before clipping. g ratio: the first block's over the last one's, at step 0 and at the end.\n"
           "spikes: in the train loss, a run. stuck: finished with a validation loss above unigram - %.2f.\n"
           "Curves: the mean train loss, from the least loss of all up to ln V. More: step0 help verdicts.\n", STUCK_MARGIN);
}

/* --- warnings --- */

static void warn_where_different(const Runs *runs)
{
    const Outcome *all = runs->run;
    int count = runs->count;
    static const char *const key[] = {"data.text", "data.val_fraction", "model.block_size", "eval.batches", "train.batch_size", "train.steps"};
    for (size_t i = 0; i < COUNT(key); i++) {
        bool same = true;
        for (int r = 1; r < count; r++) same &= runs_agree(&all[0], &all[r], config_find(key[i]));
        if (!same) notice("the runs differ in %s: their losses are not comparable without thought", key[i]);
    }
    bool same_text = true;
    for (int r = 1; r < count; r++) same_text &= runs_share_text(&all[0], &all[r]);
    if (!same_text) notice("the runs saw different texts: their losses are not comparable");
}

static void warn_of_open_runs(const Runs *all)
{
    int open = 0;
    for (int r = 0; r < all->count; r++) open += all->run[r].status == RUN_RUNNING || all->run[r].status == RUN_INTERRUPTED;
    if (open) notice("%d of %d runs have not ended: their numbers are what they have reached so far", open, all->count);
}

static int rows_below(const Outcome *o, double step)
{
    const Table *t = &o->metrics;
    int rows = 0, steps = table_column(t, "step");
    while (rows < t->rows && table_cell(t, rows, steps) < step) rows++;
    return rows;
}

/* A curve that somebody cut, or a disk that lost a piece of it. */
static void warn_of_torn_run(const Outcome *o)
{
    double last = json_number(o->facts, "last_step"), wrote = json_number(o->facts, "rows");
    bool ended = o->status == RUN_FINISHED || o->status == RUN_DIVERGED;
    int rows = rows_below(o, last);
    if (o->metrics.rows && !outcome_begins(o)) notice("%s: its metrics.csv does not begin at step 0: nothing is known of its start", o->folder);
    if (ended && !isnan(last) && outcome_steps(o) != last)
        notice("%s %s at step %.0f, but its metrics.csv does not reach it: its numbers are not those of the end", o->folder, run_status_name[o->status], last);
    else if (rows < wrote) notice("%s: its metrics.csv has %d of the %.0f rows that the run wrote before step %.0f", o->folder, rows, wrote, last);
}

static void print_differing_keys(const Study *s)
{
    int *key = xcalloc((size_t)config_keys, sizeof *key), keys = study_differing_keys(key, s);
    for (int i = 0; i < keys; i++) printf("%s%s", i ? ", " : "The configs differ in: ", config_key[key[i]].path);
    if (keys) puts(".");
    free(key);
}

static void print_contrasts(const Study *s)
{
    if (s->lr_varied && !isnan(group_final(s->reference))) puts("The learning rate varied: schemes are compared each at its best one.");
    int comparisons = s->contrasts ? s->contrast[0].comparisons : 0;
    if (comparisons > 1) printf("Against %s, paired by seed; Holm's correction for %d comparisons:\n", s->reference->label, comparisons);
    else if (s->contrasts) printf("Against %s, paired by seed:\n", s->reference->label);
    for (int i = 0; i < s->contrasts; i++) {
        const Contrast *c = &s->contrast[i];
        char *phrase = contrast_phrase(c, false), *limits = contrast_limits(c);
        printf("  %s: %s; %s", c->group->label, phrase, limits);
        if (!isnan(c->paired.correlation) && !c->robust) printf(" (correlation of the pairs %.2f)", c->paired.correlation);
        puts("");
        free(phrase);
        free(limits);
    }
}

static void check_outputs(const Args *args)
{
    const struct { const char *flag, *path; } output[] = {{"--html", args->html}, {"--json", args->json_file}, {"--csv", args->csv}};
    for (size_t i = 0; i < COUNT(output); i++) {
        if (!output[i].path) continue;
        spare_own(output[i].flag, output[i].path);
        for (size_t j = 0; j < i; j++)
            if (output[j].path && !strcmp(output[i].path, output[j].path)) die("%s and %s name one file, %s", output[j].flag, output[i].flag, output[i].path);
    }
}

int command_compare(const Args *args)
{
    if (!args->words) die("compare needs the folders of runs");
    check_outputs(args);
    Study s = study_new(args->word, args->words, args->reference);
    warn_where_different(&s.runs);
    warn_of_open_runs(&s.runs);
    for (int r = 0; r < s.runs.count; r++) warn_of_torn_run(&s.runs.run[r]);
    if (args->json_file) compare_write_json(args->json_file, &s);
    if (args->csv) compare_write_csv(args->csv, &s);
    if (args->html) report_write(args->html, &s);
    char *figures = args->svg ? svg_write(args->svg, &s) : NULL;
    compare_print_runs(&s);
    puts("");
    print_contrasts(&s);
    compare_print_verdicts(&s);
    print_differing_keys(&s);
    print_notes(&s.runs.run[0]);
    if (figures) puts(figures);
    free(figures);
    study_free(&s);
    return EXIT_DONE;
}
