/* step0 train: the loop. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../model/file.h"
#include "checkpoint.h"
#include "../commands.h"
#include "../config/config_read.h"
#include "../generate.h"
#include "../report/report.h"
#include "live_report.h"
#include "metrics.h"
#include "optim.h"
#include "progress.h"
#include "record.h"
#include "report_init.h"
#include "step.h"
#include "../signals.h"

enum { SAMPLES = 3, SAMPLE_TOKENS = 300 };

typedef struct {
    Setup *setup;
    char *folder;
    int lock;                  /* the folder, open */
    Out metrics;
    Progress progress;
    State state;               /* as a checkpoint would hold it now */
    int64_t saved_step, committed_best;  /* of the checkpoint on disk; -1: none */
    double saved_at;           /* by progress_clock: when it was made, or the run began */
    double *square;            /* of each part's gradient */
    Watch *watch;              /* of log.signals, or NULL */
    LiveReport report;
    bool cut;                  /* a signal asked to stop in the middle of the step, which was left there */
} Run;

static bool hits(int64_t step, int64_t every)
{
    return every > 0 && step % every == 0;
}

/* Ends the program where the folder's path leads elsewhere by now: what is there is not this run's, and stays as it is. */
static void check_home(Run *r)
{
    if (file_leads(r->folder, r->lock)) return;
    progress_break(&r->progress);
    die("%s is no longer the folder that this run began in: it was moved, removed or replaced; nothing more is written. Where it was moved, "
        "`step0 train --resume --out` with its new name goes on from its last checkpoint", r->folder);
}

/* Ends the program where a file of the run could not be written; the run counts as failed, if the disk takes even that. */
static void check(Run *r, const char *error)
{
    if (!error) return;
    check_home(r);
    progress_break(&r->progress);
    free(record_status(r->setup, r->folder, RUN_FAILED, &r->state));
    die("%s", error);
}

static void set_status(Run *r, RunStatus status)
{
    check_home(r);
    check(r, record_status(r->setup, r->folder, status, &r->state));
}

/* The state as it stands, unless the disk has it already or its weights are not finite; also where metrics.csv was taken away. */
static void save(Run *r)
{
    r->saved_at = progress_clock();
    if (r->saved_step == r->state.step || !step_weights_are_finite(&r->setup->model->params)) return;
    check_home(r);
    out_sync(&r->metrics);
    if (!r->metrics.lost) check(r, r->metrics.error);
    check(r, checkpoint_save(r->setup, r->folder, &r->state));
    r->saved_step = r->state.step;
    r->committed_best = r->state.best_step;
    check(r, r->metrics.error);
}

static bool validates(const Run *r, int64_t step)
{
    const Config *c = &r->setup->config;
    return (step == 0 || step == c->steps || hits(step, c->eval_every)) && r->setup->corpus.train < r->setup->corpus.size;
}

/* Whether the step has a row, if it does not diverge. */
static bool logs(const Run *r, int64_t step)
{
    const Config *c = &r->setup->config;
    return step == 0 || step == c->steps || hits(step, c->log_every) || validates(r, step);
}

/* last: the row of a step that diverged, which is logged, and watched, in any case. */
static void log_row(Run *r, MetricsRow *row, bool last)
{
    if (!logs(r, row->step) && !last) return;
    if (row->watch != r->watch) step_gradients(r->setup, row->step, row->watch = r->watch, &r->cut);
    metrics_row(&r->metrics, r->setup->model, &r->setup->config, row, r->square);
    if (r->metrics.lost) save(r);
    check(r, r->metrics.error);
    r->state.rows += row->step < r->state.step;
}

static void validate(Run *r, MetricsRow *row)
{
    if (r->cut || !validates(r, row->step)) return;
    double loss = setup_validate(r->setup);
    r->cut = signals_caught();
    if (r->cut) return;
    row->val_loss = r->state.val_loss = loss;
    row->validated = true;
    bool better = isfinite(row->val_loss) && (r->state.best_step < 0 || row->val_loss < r->state.best_loss);
    if (!better) return;
    r->state.best_step = row->step;
    r->state.best_loss = row->val_loss;
    check_home(r);
    check(r, checkpoint_save_best(r->setup, r->folder, &r->state, r->committed_best));
}

/* The run ends before an update; the checkpoint stays at the last good state, the one on disk where there is one. */
static int diverged(Run *r, const MetricsRow *row, const char *what, const char *part)
{
    progress_break(&r->progress);
    if (r->saved_step < 0) save(r);
    bool hopeless = row->step > 0 && r->saved_step == row->step && !isfinite(row->norm);
    set_status(r, RUN_DIVERGED);
    fprintf(stderr, "step0: diverged at step %lld: the %s of %s is not finite (loss %g, lr %g); no update was made%s\n", (long long)row->step, what,
            part, row->loss, row->lr, hopeless ? "; no state before it was saved (checkpoint.every, checkpoint.minutes), so --overwrite with a lower train.lr, not --resume" : "");
    return EXIT_DIVERGED;
}

/* printf would show its sign, which means nothing. */
static double unsigned_nan(double x)
{
    return isnan(x) ? (double)NAN : x;
}

/* Step `step` up to its update: gradients, norm, validation. Returns false where the norm is not finite. */
static bool measure(Run *r, int64_t step, MetricsRow *row)
{
    Setup *s = r->setup;
    const Config *c = &s->config;
    double start = progress_clock();
    *row = (MetricsRow){.step = step, .tokens = step * setup_step_tokens(s), .update = step < c->steps, .val_loss = NAN};
    row->watch = logs(r, step) ? r->watch : NULL;
    row->loss = unsigned_nan(step_gradients(r->setup, step, row->watch, &r->cut));
    row->norm = unsigned_nan(sqrt(params_gradient_squares(&s->model->params, r->square, s->threads)));
    r->state.seconds += progress_clock() - start;
    row->seconds = r->state.seconds;
    if (row->update) row->lr = optim_lr(c, step);
    bool finite = isfinite(row->norm);
    row->clipped = finite && optim_clip(c, row->norm) < 1;
    if (finite) validate(r, row);
    if (!r->cut) progress_show(&r->progress, step, c->steps, setup_step_tokens(s), row->loss, row->val_loss, row->norm, !finite || step == c->steps || row->validated);
    return finite;
}

static void update(Run *r, const MetricsRow *row)
{
    Setup *s = r->setup;
    double start = progress_clock();
    optim_step(&s->model->params, &s->config, s->factors, row->step, row->lr, optim_clip(&s->config, row->norm), s->threads);
    r->state.seconds += progress_clock() - start;
    r->state.step++;
    watch_update(row->watch);
}

static int interrupted(Run *r, int signal)
{
    progress_break(&r->progress);
    save(r);
    set_status(r, RUN_INTERRUPTED);
    char *folder = shell_word(r->folder);
    fprintf(stderr, "step0: stopped before step %lld of %lld; continue with: step0 train --out %s --resume\n",
            (long long)r->state.step, (long long)r->setup->config.steps, folder);
    free(folder);
    return 128 + signal;
}

static void summarize(const Run *r, const MetricsRow *row, bool quiet)
{
    char time[32];
    if (quiet) return;
    printf("finished %lld steps in %s: loss %.4f", (long long)row->step, duration_text(time, r->state.seconds), row->loss);
    if (!isnan(r->state.val_loss)) printf(", validation %.4f", r->state.val_loss);
    if (!isnan(r->setup->floor)) printf(" (floor %.4f)", r->setup->floor);
    printf("; %s\n", r->folder);
}

/* samples.txt: what the model writes now; not where a signal asks to stop meanwhile. */
static void write_samples(Run *r)
{
    Text t = {0};
    for (uint64_t seed = 1; seed <= SAMPLES; seed++) {
        Sampling how = {.tokens = SAMPLE_TOKENS, .temperature = 0.8, .seed = seed};
        size_t length;
        char *text = generate(r->setup->model, &r->setup->tokenizer, "", &how, &length);
        text_add(&t, "%s--- step %lld, temperature %g, seed %d\n", seed > 1 ? "\n" : "", (long long)r->state.step, how.temperature, (int)seed);
        text_add_bytes(&t, text, length);
        text_add(&t, "\n");
        free(text);
    }
    check_home(r);
    if (!signals_caught()) check(r, record_file(r->folder, "samples.txt", t.at, t.length));
    free(t.at);
}

static int finished(Run *r, const MetricsRow *row, bool quiet)
{
    save(r);
    check(r, out_close(&r->metrics, true));
    write_samples(r);
    if (signals_caught()) return interrupted(r, signals_caught());
    set_status(r, RUN_FINISHED);
    summarize(r, row, quiet);
    return EXIT_DONE;
}

/* Whether it is time for a checkpoint. When one is made changes no bit of the curve. */
static bool is_due(const Run *r, int64_t step)
{
    const Config *c = &r->setup->config;
    return hits(step, c->checkpoint_every) || (c->checkpoint_minutes > 0 && progress_clock() - r->saved_at >= 60 * c->checkpoint_minutes);
}

static int train(Run *r, bool quiet)
{
    MetricsRow row;
    for (;;) {
        if (signals_caught()) return interrupted(r, signals_caught());
        bool finite = measure(r, r->state.step, &row);
        if (r->cut) return interrupted(r, signals_caught());
        if (finite && row.step > 0 && row.update && is_due(r, row.step)) {        /* from a gradient that is not finite no run can go on */
            save(r);
            if (signals_caught()) return interrupted(r, signals_caught());
        }
        const char *broken = finite && row.update ? step_bad_update(r->setup, &row) : NULL;
        if (finite && row.update && !broken) update(r, &row);
        log_row(r, &row, !finite || broken);
        live_report_refresh(&r->report);
        if (!finite) return diverged(r, &row, "gradient", step_bad_gradient(&r->setup->model->params, r->square));
        if (broken) return diverged(r, &row, "update", broken);
        if (row.step == 0) warn_first_loss(r->setup, row.loss);
        if (!row.update) return finished(r, &row, quiet);
    }
}

static void announce(const Setup *s, const char *folder, bool quiet)
{
    if (quiet) return;
    fprintf(stderr, "%s: scheme %s, %lld parameters, %lld train tokens, vocabulary %d, %d threads, OpenBLAS kernel %s\n", folder,
            s->config.from ? s->config.from : scheme_name(&s->scheme), (long long)s->model->params.size, (long long)s->corpus.train,
            s->tokenizer.size, s->threads, s->blas.kernel);
    print_applied(stderr, s);
}

/* From here on the folder holds this run; before, what it holds is left as it is. */
static void claim(const Run *r)
{
    char *error = record_status(r->setup, r->folder, RUN_RUNNING, &r->state);
    if (error) die("%s", error);
}

/* Continues from the folder's checkpoint; false where it has none. */
static bool resume(Run *r, const char *metrics)
{
    const Config *c = &r->setup->config;
    record_read_run(r->folder, r->state.run);
    if (!checkpoint_find(r->folder, r->state.run)) {
        bool holds_run = record_read_status(r->folder) >= 0;
        notice("%s has no checkpoint; starting over%s", r->folder, holds_run ? "" : "; a run to continue is named by --out");
        return false;
    }
    char *changes = record_compare(r->setup, r->folder);
    checkpoint_load(r->setup, r->folder, &r->state);
    if (r->state.step > c->steps)
        die("%s stands at step %lld, beyond train.steps %lld; give that many or more, or start anew with --overwrite", r->folder, (long long)r->state.step,
            (long long)c->steps);
    r->saved_step = r->state.step;
    r->committed_best = r->state.best_step;
    r->state.rows = metrics_cut(metrics, r->setup->model, c, r->state.step, r->state.rows);
    fputs(changes ? changes : "", stderr);
    free(changes);
    r->metrics = out_open(metrics, true);
    claim(r);
    check(r, record_resolved(r->setup, r->folder));
    return true;
}

/* While what an earlier run left goes, the folder is still that run's, by name. */
static void begin(Run *r, const char *metrics)
{
    record_read_run(r->folder, r->state.run);
    claim(r);
    check(r, record_clear(r->folder));
    record_draw_run(r->state.run);
    claim(r);
    check(r, record_start(r->setup, r->folder));
    r->metrics = out_open(metrics, false);
    metrics_header(&r->metrics, r->setup->model, &r->setup->config);
}

static int run(Setup *s, const Args *args)
{
    Run r = {.setup = s, .folder = record_folder(&s->config, args), .progress = progress_new(args->quiet), .saved_step = -1, .committed_best = -1, .saved_at = progress_clock(),
             .state = {.val_loss = NAN, .best_step = -1, .best_loss = NAN}, .square = xcalloc((size_t)s->model->params.parts, sizeof(double)),
             .watch = s->config.signals ? watch_new(s->model) : NULL};
    char *metrics = text_format("%s/metrics.csv", r.folder);
    r.lock = s->lock < 0 ? record_lock(r.folder) : s->lock;
    record_check(&s->config, args);        /* again: another process may have made a run since */
    signals_watch();
    if (!args->resume || !resume(&r, metrics)) begin(&r, metrics);
    check(&r, r.metrics.error);
    announce(s, r.folder, args->quiet);
    if (args->report) r.report.folder = r.folder;
    int status = train(&r, args->quiet);
    live_report_finish(&r.report);
    free(out_close(&r.metrics, false));
    free(metrics);
    free(r.square);
    watch_free(r.watch);
    free(r.folder);
    return status;
}

static void notice_sweep(const Config *c, const Args *args)
{
    for (const Json *m = c->sweep ? c->sweep->child : NULL; m; m = m->next) {
        if (config_gives(args->override, args->overrides, m->key)) continue;
        notice("the \"sweep\" of %s is left out, this is one run; `step0 sweep %s` makes them all", args->word[0], args->word[0]);
        return;
    }
}

int command_train(const Args *args)
{
    if (args->report && !report_possible()) die("--report: this step0 was built without dygraphs; install libjs-dygraphs and run make again");
    Setup setup = setup_new(args, args->dry_run ? NULL : record_claim);
    notice_sweep(&setup.config, args);
    int status = EXIT_DONE;
    if (args->dry_run) print_dry_run(&setup);
    else status = run(&setup, args);
    setup_free(&setup);
    return status;
}
