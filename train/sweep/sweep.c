/* step0 sweep: every combination of key=a,b,c as a run of its own, several processes side by side. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../model/alive.h"
#include "../../model/noise.h"
#include "../commands.h"
#include "../config/grid.h"
#include "../run/record.h"
#include "../run/setup.h"
#include "../report/report.h"
#include "sweep_jobs.h"
#include "../terminal.h"
#include "../out.h"
#include "../threads.h"

typedef struct {
    const Args *args;
    const char *config;        /* the file, or NULL */
    char *folder;              /* of the runs' folders */
    Cell *cell; Job *job; int jobs;
    int at_once;
    char threads[16];          /* of each run */
    bool over_seeds;           /* the default ones */
    char *text; uint64_t hash; /* the text read last, as its config has it */
} Sweep;

/* --- what to run --- */

enum { NAME_LONGEST = 150 };

/* "scheme=bert lr=0.003" as a folder's name; a long one ends in a hash. */
static char *folder_name(const char *label)
{
    char *name = xstrdup(*label ? label : "run");
    if (strlen(name) > NAME_LONGEST) snprintf(name + NAME_LONGEST - 17, 18, "-%016" PRIx64, noise_hash(label, strlen(label)));
    for (char *p = name; *p; p++)
        if (strchr(" /{}[]\"',:", *p)) *p = *p == ' ' ? '_' : '-';
    return terminal_plain(name, '-');
}

static const char five_seeds[] = "seed=1,2,3,4,5";

/* Schemes are compared over seeds: where several are swept and nothing says which seeds, five. */
static bool wants_seeds(const Config *c, const bool *given, const Args *args)
{
    if (grid_values(c->sweep, args->override, args->overrides, "init.scheme") < 2) return false;
    for (int i = 0; i < config_keys; i++)
        if (config_is_seed(&config_key[i]) && (given[i] || grid_values(c->sweep, args->override, args->overrides, config_key[i].path))) return false;
    return true;
}

static void find_cells(Sweep *s)
{
    const Args *a = s->args;
    bool *given = xcalloc((size_t)config_keys, sizeof *given);
    Config c = config_open(s->config, given);
    char **word = xcalloc((size_t)a->overrides + 1, sizeof *word);
    int words = a->overrides;
    for (int i = 0; i < words; i++) word[i] = a->override[i];
    s->over_seeds = wants_seeds(&c, given, a);
    if (s->over_seeds) word[words++] = (char *)five_seeds;
    s->cell = grid_cells(c.sweep, word, words, &s->jobs);
    s->folder = a->out ? xstrdup(a->out) : text_format("runs/%s-sweep", c.name);
    config_free(&c);
    free(word);
    free(given);
}

/* --- the jobs --- */

static Job job_of(const Sweep *s, const Cell *cell)
{
    char *name = folder_name(cell->label);
    Job job = {.folder = text_format("%s/%s", s->folder, name), .step = -1, .loss = NAN, .val_loss = NAN};
    int status = record_read_status(job.folder);
    job.state = status == RUN_FINISHED ? JOB_FINISHED : status == RUN_DIVERGED ? JOB_DIVERGED : JOB_WAITING;
    job.earlier = job_has_ended(&job);
    free(name);
    return job;
}

static int waiting(const Sweep *s)
{
    return jobs_count(s->job, s->jobs, JOB_WAITING);
}

/* The cores are shared: as many runs at a time as there are, with a thread each, or fewer runs with more. In a list nobody
 * knows how many will run at a time, unless --jobs says so. */
static void share_cores(Sweep *s)
{
    const Args *a = s->args;
    int cores = threads_available(), threads = a->threads ? threads_chosen(a->threads) : 0, most = cores / (threads ? threads : 1);
    s->at_once = (int)number_flag("--jobs", a->jobs, most > 1 ? most : 1, 1, 1024, true);
    int side_by_side = a->list && !a->jobs ? cores : (int)min_i64(s->at_once, waiting(s));
    if (!threads) threads = side_by_side > 0 ? cores / side_by_side : 1;
    snprintf(s->threads, sizeof s->threads, "%d", threads > 1 ? threads : 1);
}

static void write_command(const Sweep *s, const Cell *cell, Job *job)
{
    const char *flag[] = {"--out", job->folder, "--threads", s->threads, "--quiet", record_read_status(job->folder) >= 0 ? "--resume" : NULL,
                          s->args->cpu ? "--cpu" : NULL, s->args->cpu};
    int n = 0;
    job->word = xcalloc((size_t)cell->overrides + 3 + COUNT(flag) + 1, sizeof *job->word);
    job->word[n++] = xstrdup("step0");
    job->word[n++] = xstrdup("train");
    if (s->config) job->word[n++] = xstrdup(s->config);
    for (int i = 0; i < cell->overrides; i++) job->word[n++] = xstrdup(cell->override[i]);
    for (size_t i = 0; i < COUNT(flag); i++)
        if (flag[i]) job->word[n++] = xstrdup(flag[i]);
}

static void print_job(const Job *job)
{
    for (int i = 0; job->word[i]; i++) {
        char *word = shell_word(job->word[i]);
        printf("%s%s", i ? " " : "", word);
        free(word);
    }
    printf("\n");
}

/* --- checks --- */

static void check_texts(const Config *c)
{
    const char **path = config_texts(c);
    for (int i = 0; path[i]; i++)
        if (strcmp(path[i], BUILTIN_STORIES) && access(path[i], R_OK)) die("data.text: cannot read %s: %s", path[i], strerror(errno));
    free(path);
}

/* A run that has begun must have seen what its files hold today, or those that have not would be of another text than it. */
static void check_same_text(Sweep *s, const Config *c, const char *folder)
{
    char *files = json_print(c->text, false), *text = text_format("%s %lld %lld", files, (long long)c->chars, (long long)c->text_seed);
    if (!s->text || strcmp(s->text, text)) {
        Corpus corpus = setup_corpus(c);
        s->hash = corpus.hash;
        corpus_free(&corpus);
    }
    free(s->text);
    s->text = text;
    record_check_text(folder, s->hash);
    free(files);
}

/* Every combination is read, and compared with the run that its folder may hold, before the first one starts. */
static void check_cell(Sweep *s, const Cell *cell, Job *job)
{
    bool *given = xcalloc((size_t)config_keys, sizeof *given);
    Plan plan = plan_read(s->config, cell->override, cell->overrides, given);
    if (record_read_status(job->folder) >= 0 && !plan.config.from) {
        char *other = record_differences(&plan.config, &plan.scheme, job->folder);
        if (other) die("%s holds a run of another config; name another folder with --out. These differ:%s", job->folder, other);
    }
    check_texts(&plan.config);
    if (record_read_status(job->folder) >= 0) check_same_text(s, &plan.config, job->folder);
    enum { VOCAB = 65 };       /* of any text */
    Shape shape = config_shape(&plan.config, VOCAB);
    if (!plan.config.from) scheme_check_alive(&plan.scheme, &shape);
    job->steps = plan.config.steps;
    plan_free(&plan);
    free(given);
}

static void check_folders(const Job *job, int jobs)
{
    for (int i = 0; i < jobs; i++)
        for (int j = 0; j < i; j++)
            if (!strcmp(job[i].folder, job[j].folder)) die("two combinations would share the folder %s; give each value once, and files other names", job[i].folder);
}

static Sweep sweep_new(const Args *args)
{
    Sweep s = {.args = args, .config = args->words ? args->word[0] : NULL};
    find_cells(&s);
    if (record_read_status(s.folder) >= 0) die("%s holds a run; a sweep's folder holds those of its runs: name another one with --out", s.folder);
    s.job = xcalloc((size_t)s.jobs, sizeof *s.job);
    for (int i = 0; i < s.jobs; i++) s.job[i] = job_of(&s, &s.cell[i]);
    check_folders(s.job, s.jobs);
    if (s.jobs == 1) notice("nothing varies, so this is one run; several values of a key are written init.scheme=gpt2,bert");
    share_cores(&s);
    for (int i = 0; i < s.jobs; i++) write_command(&s, &s.cell[i], &s.job[i]);
    blas_start(args->cpu);
    for (int i = 0; i < s.jobs; i++) check_cell(&s, &s.cell[i], &s.job[i]);
    return s;
}

static void sweep_free(Sweep *s)
{
    for (int i = 0; i < s->jobs; i++) job_free(&s->job[i]);
    free(s->job);
    free(s->text);
    free(s->folder);
    grid_free(s->cell, s->jobs);
}

/* --- running, and what came of it --- */

static void name_ready(const Sweep *s)
{
    int ready = s->jobs - waiting(s);
    if (ready) fprintf(stderr, "%d of %d have ended before and are not run again\n", ready, s->jobs);
}

static int list(const Sweep *s)
{
    name_ready(s);
    for (int i = 0; i < s->jobs; i++)
        if (s->job[i].state == JOB_WAITING) print_job(&s->job[i]);
    return EXIT_DONE;
}

/* For a later `step0 compare FOLDER`: the first combination is what the others are held against. */
static void write_order(const Sweep *s)
{
    Text t = {0};
    char *path = text_format("%s/" ORDER_FILE, s->folder), *error = out_folder(s->folder);
    for (int i = 0; i < s->jobs; i++) text_add(&t, "%s\n", s->job[i].folder + strlen(s->folder) + 1);
    if (!error) error = out_replace(path, t.at, t.length);
    if (error) notice("%s", error);
    free(error);
    free(path);
    free(t.at);
}

static void name_failed(const Sweep *s)
{
    for (int i = 0; i < s->jobs; i++)
        if (s->job[i].state == JOB_FAILED) fprintf(stderr, "step0: %s failed: %s\n", s->job[i].folder, s->job[i].reason);
}

/* The sweep's folder as a whole, as the user would; beside failed runs only those that have ended well, which can be read. */
static void compare(const Sweep *s)
{
    char **word = xcalloc((size_t)s->jobs, sizeof *word), *page = text_format("%s/" REPORT_FILE, s->folder);
    Args args = {.word = word, .html = report_possible() ? page : NULL};
    if (!jobs_count(s->job, s->jobs, JOB_FAILED)) word[args.words++] = s->folder;
    else
        for (int i = 0; i < s->jobs; i++)
            if (s->job[i].state == JOB_FINISHED || s->job[i].state == JOB_DIVERGED) word[args.words++] = s->job[i].folder;
    if (args.words && command_compare(&args) == EXIT_DONE && args.html) printf("\nreport: %s\n", page);
    free(page);
    free(word);
}

static int run(const Sweep *s)
{
    int left = waiting(s);
    name_ready(s);
    if (left) fprintf(stderr, "%d to run, %d at a time, threads each: %s\n", left, (int)min_i64(s->at_once, left), s->threads);
    write_order(s);
    int signal = jobs_run(s->job, s->jobs, s->at_once, s->folder);
    name_failed(s);
    if (signal) {
        fprintf(stderr, "step0: stopped; the same command goes on\n");
        return 128 + signal;
    }
    compare(s);
    return jobs_count(s->job, s->jobs, JOB_FAILED) ? EXIT_ERROR : EXIT_DONE;
}

int command_sweep(const Args *args)
{
    Sweep s = sweep_new(args);
    if (s.over_seeds) fprintf(stderr, "schemes are compared over five seeds: %s; give seed=1 for a single one\n", five_seeds);
    int status = args->list ? list(&s) : run(&s);
    sweep_free(&s);
    return status;
}
