/* step0 train: the loop. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "metrics.h"
#include "optim.h"
#include "progress.h"
#include "record.h"
#include "report_init.h"

typedef struct {
    Setup *setup;
    char *folder;
    Out metrics;
    Progress progress;
    double seconds;            /* of training since step 0; evaluation and saving left out */
    double val_loss;           /* the last one taken; NAN: none yet */
    double *square;            /* of each part's gradient */
} Run;

/* Zeroes the gradients, adds those of every micro-batch; returns the mean loss. */
static double gradients(Setup *s, int64_t step)
{
    double sum = 0, scale = 1 / (double)setup_step_tokens(s);
    params_zero_gradients(&s->model->params, s->threads);
    for (int64_t k = 0; k < s->config.grad_accum; k++) {
        Batch b = setup_batch(s, step, k);
        sum += gpt_loss_back(s->model, &b, scale);
    }
    return sum * scale;
}

/* The part whose gradient is the first non-finite one in the order of the backward pass. */
static const char *first_bad_part(const Run *r)
{
    for (int i = r->setup->model->params.parts - 1; i >= 0; i--)
        if (!isfinite(r->square[i])) return r->setup->model->params.part[i].name;
    return "the sum of all";
}

static bool hits(int64_t step, int64_t every)
{
    return every > 0 && step % every == 0;
}

/* Ends the program where a file of the run could not be written; the run counts as failed. */
static void check_written(Run *r, int64_t step)
{
    if (!r->metrics.error) return;
    progress_break(&r->progress);
    record_status(r->setup, r->folder, RUN_FAILED, step, r->seconds, r->val_loss);
    die("%s", r->metrics.error);
}

static void log_row(Run *r, const MetricsRow *row)
{
    const Config *c = &r->setup->config;
    bool last = row->step == c->steps || !isfinite(row->norm);
    if (!hits(row->step, c->log_every) && !row->validated && row->step > 0 && !last) return;
    metrics_row(&r->metrics, r->setup->model, (Detail)c->detail, row, r->square);
    check_written(r, row->step);
}

static void validate(Run *r, MetricsRow *row)
{
    const Config *c = &r->setup->config;
    bool due = row->step == 0 || row->step == c->steps || hits(row->step, c->eval_every);
    if (!due || r->setup->corpus.train == r->setup->corpus.size) return;
    row->val_loss = r->val_loss = setup_validate(r->setup);
    row->validated = true;
}

static int diverged(Run *r, const MetricsRow *row)
{
    progress_break(&r->progress);
    record_status(r->setup, r->folder, RUN_DIVERGED, row->step, r->seconds, r->val_loss);
    fprintf(stderr, "step0: diverged at step %lld: the gradient of %s is not finite (loss %g, lr %g); no update was made\n", (long long)row->step,
            first_bad_part(r), row->loss, row->lr);
    return EXIT_DIVERGED;
}

/* Step `step` up to its update: gradients, norm, validation, the row. Returns false where the norm is not finite. */
static bool measure(Run *r, int64_t step, MetricsRow *row)
{
    Setup *s = r->setup;
    const Config *c = &s->config;
    double start = progress_clock();
    *row = (MetricsRow){.step = step, .tokens = step * setup_step_tokens(s), .update = step < c->steps, .val_loss = NAN};
    row->loss = gradients(s, step);
    row->norm = sqrt(params_gradient_squares(&s->model->params, r->square, s->threads));
    r->seconds += progress_clock() - start;
    row->seconds = r->seconds;
    if (row->update) row->lr = optim_lr(c, step);
    bool finite = isfinite(row->norm);
    row->clipped = finite && optim_clip(c, row->norm) < 1;
    if (finite) validate(r, row);
    log_row(r, row);
    progress_show(&r->progress, step, c->steps, setup_step_tokens(s), row->loss, r->val_loss, row->norm, !finite || step == c->steps);
    return finite;
}

static void update(Run *r, const MetricsRow *row)
{
    Setup *s = r->setup;
    double start = progress_clock();
    optim_step(&s->model->params, &s->config, row->step, row->lr, optim_clip(&s->config, row->norm), s->threads);
    r->seconds += progress_clock() - start;
}

static void summarize(const Run *r, const MetricsRow *row, bool quiet)
{
    char time[32];
    if (quiet) return;
    printf("finished %lld steps in %s: loss %.4f", (long long)row->step, duration_text(time, r->seconds), row->loss);
    if (!isnan(r->val_loss)) printf(", validation %.4f", r->val_loss);
    if (!isnan(r->setup->floor)) printf(" (floor %.4f)", r->setup->floor);
    printf("; %s\n", r->folder);
}

static int train(Run *r, bool quiet)
{
    MetricsRow row;
    for (int64_t step = 0;; step++) {
        if (!measure(r, step, &row)) return diverged(r, &row);
        if (step == 0) warn_first_loss(r->setup, row.loss);
        if (step == r->setup->config.steps) break;
        update(r, &row);
    }
    char *error = out_close(&r->metrics, true);
    if (error) die("%s", error);
    record_status(r->setup, r->folder, RUN_FINISHED, row.step, r->seconds, r->val_loss);
    summarize(r, &row, quiet);
    return EXIT_DONE;
}

static void announce(const Setup *s, const char *folder, bool quiet)
{
    if (quiet) return;
    fprintf(stderr, "%s: scheme %s, %lld parameters, %lld train tokens, vocabulary %d, %d threads, OpenBLAS kernel %s\n", folder,
            s->config.from ? s->config.from : scheme_name(&s->scheme), (long long)s->model->params.size, (long long)s->corpus.train,
            s->tokenizer.size, s->threads, s->blas.kernel);
}

int command_train(const Args *args)
{
    Setup setup = setup_new(args, args->dry_run ? NULL : record_check);
    int status = EXIT_DONE;
    if (args->dry_run) print_dry_run(&setup);
    else {
        Run run = {.setup = &setup, .folder = record_folder(&setup.config, args), .progress = progress_new(args->quiet), .val_loss = NAN,
                   .square = xcalloc((size_t)setup.model->params.parts, sizeof(double))};
        record_begin(run.folder);
        record_start(&setup, run.folder);
        record_status(&setup, run.folder, RUN_RUNNING, 0, 0, NAN);
        char *path = text_format("%s/metrics.csv", run.folder);
        run.metrics = out_open(path, false);
        metrics_header(&run.metrics, setup.model, (Detail)setup.config.detail);
        check_written(&run, 0);
        announce(&setup, run.folder, args->quiet);
        status = train(&run, args->quiet);
        free(path);
        free(run.square);
        free(run.folder);
    }
    setup_free(&setup);
    return status;
}
