/* step0 sweep: every combination of key=a,b,c as a run of its own, several processes side by side. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../model/alive.h"
#include "../model/noise.h"
#include "commands.h"
#include "grid.h"
#include "record.h"
#include "signals.h"
#include "threads.h"

typedef enum { JOB_WAITING, JOB_RUNNING, JOB_DONE, JOB_FAILED } JobState;

typedef struct {
    char *folder;
    char **word;               /* of `step0 train …`, NULL-terminated */
    JobState state;
    pid_t process;
} Job;

/* --- what to run --- */

enum { NAME_LONGEST = 150 };

/* "scheme=bert lr=0.003" as a folder's name; a long one ends in a hash. */
static char *folder_name(const char *label)
{
    char *name = xstrdup(*label ? label : "run");
    if (strlen(name) > NAME_LONGEST) snprintf(name + NAME_LONGEST - 17, 18, "-%016" PRIx64, noise_hash(label, strlen(label)));
    for (char *p = name; *p; p++)
        if (strchr(" /{}[]\"',:", *p)) *p = *p == ' ' ? '_' : '-';
    return name;
}

static Job job_of(const Args *args, const Cell *cell, const char *out)
{
    char *name = folder_name(cell->label);
    Job job = {.folder = text_format("%s/%s", out, name)};
    int status = record_read_status(job.folder), n = 0;
    job.state = status == RUN_FINISHED || status == RUN_DIVERGED ? JOB_DONE : JOB_WAITING;
    job.word = xcalloc((size_t)cell->overrides + 12, sizeof *job.word);
    job.word[n++] = xstrdup("step0");
    job.word[n++] = xstrdup("train");
    if (args->words) job.word[n++] = xstrdup(args->word[0]);
    for (int i = 0; i < cell->overrides; i++) job.word[n++] = xstrdup(cell->override[i]);
    const char *flag[] = {"--out", job.folder, "--threads", args->threads ? args->threads : "1", "--quiet", status >= 0 ? "--resume" : NULL,
                          args->cpu ? "--cpu" : NULL, args->cpu};
    for (size_t i = 0; i < COUNT(flag); i++)
        if (flag[i]) job.word[n++] = xstrdup(flag[i]);
    free(name);
    return job;
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

static void job_free(Job *job)
{
    for (int i = 0; job->word[i]; i++) free(job->word[i]);
    free(job->word);
    free(job->folder);
}

/* --- running --- */

/* In a process group of its own, so that Ctrl-C reaches it once, through us; it stops when we are gone. */
static void start(Job *job)
{
    fflush(NULL);
    job->process = fork();
    if (job->process < 0) die("cannot start a process: %s", strerror(errno));
    job->state = JOB_RUNNING;
    if (job->process > 0) return;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    execv("/proc/self/exe", job->word);
    _exit(127);
}

static int count(const Job *job, int jobs, JobState state)
{
    int n = 0;
    for (int i = 0; i < jobs; i++) n += job[i].state == state;
    return n;
}

static void report(const Job *job, const char *what, const Job *all, int jobs)
{
    int ended = count(all, jobs, JOB_DONE) + count(all, jobs, JOB_FAILED);
    fprintf(stderr, "%d of %d  %s  %s\n", ended, jobs, what, job->folder);
}

static void collect(Job *all, int jobs, pid_t process, int status)
{
    for (int i = 0; i < jobs; i++) {
        if (all[i].state != JOB_RUNNING || all[i].process != process) continue;
        int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        bool good = code == EXIT_DONE || code == EXIT_DIVERGED;
        all[i].state = good ? JOB_DONE : JOB_FAILED;
        report(&all[i], good ? code == EXIT_DONE ? "finished" : "diverged" : signals_caught() ? "stopped" : "failed", all, jobs);
    }
}

static int run_all(Job *job, int jobs, int at_once)
{
    int next = 0, status;
    bool told = false;
    signals_watch();
    for (;;) {
        pid_t process = waitpid(-1, &status, WNOHANG);
        if (process > 0) {
            collect(job, jobs, process, status);
            continue;
        }
        if (signals_caught() && !told) {
            for (int i = 0; i < jobs; i++)
                if (job[i].state == JOB_RUNNING) kill(job[i].process, signals_caught());
            told = true;
        }
        while (next < jobs && job[next].state != JOB_WAITING) next++;
        int running = count(job, jobs, JOB_RUNNING);
        if (!told && next < jobs && running < at_once) start(&job[next]);
        else if (running == 0) break;
        else nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    if (signals_caught()) return 128 + signals_caught();
    return count(job, jobs, JOB_FAILED) ? EXIT_ERROR : EXIT_DONE;
}

/* The folder of the runs' folders. */
static char *sweep_folder(const Args *args)
{
    if (args->out) return xstrdup(args->out);
    Config c = config_load(args->words ? args->word[0] : NULL, NULL, 0, NULL);
    char *name = text_format("runs/%s-sweep", c.name);
    config_free(&c);
    return name;
}

static void check_texts(const Config *c)
{
    const Json *one = c->text->kind == JSON_STRING ? c->text : c->text->child;
    for (; one; one = c->text->kind == JSON_STRING ? NULL : one->next)
        if (strncmp(one->string, "builtin:", 8) && access(one->string, R_OK)) die("data.text: cannot read %s: %s", one->string, strerror(errno));
}

/* Every combination is read, and compared with the run that its folder may hold, before the first one starts. */
static void check_cell(const Args *args, const Cell *cell, const Job *job)
{
    bool *given = xcalloc((size_t)config_keys, sizeof *given);
    Plan plan = plan_read(args->words ? args->word[0] : NULL, cell->override, cell->overrides, given);
    if (record_read_status(job->folder) >= 0 && !plan.config.from) {
        char *other = record_differences(&plan.config, &plan.scheme, job->folder);
        if (other) die("%s holds a run of another config; name another folder with --out. These differ:%s", job->folder, other);
    }
    check_texts(&plan.config);
    enum { VOCAB = 65 };       /* of any text */
    Shape shape = config_shape(&plan.config, VOCAB);
    if (!plan.config.from) scheme_check_alive(&plan.scheme, &shape);
    plan_free(&plan);
    free(given);
}

static void check_folders(const Job *job, int jobs)
{
    for (int i = 0; i < jobs; i++)
        for (int j = 0; j < i; j++)
            if (!strcmp(job[i].folder, job[j].folder)) die("two combinations would share the folder %s; give each value once, and files other names", job[i].folder);
}

int command_sweep(const Args *args)
{
    int cells, status = EXIT_DONE;
    Cell *cell = grid_cells(args->override, args->overrides, &cells);
    char *out = sweep_folder(args);
    Job *job = xcalloc((size_t)cells, sizeof *job);
    for (int i = 0; i < cells; i++) job[i] = job_of(args, &cell[i], out);
    check_folders(job, cells);
    threads_chosen(args->threads);
    blas_start(args->cpu);
    for (int i = 0; i < cells; i++) check_cell(args, &cell[i], &job[i]);
    if (args->list) {
        for (int i = 0; i < cells; i++)
            if (job[i].state == JOB_WAITING) print_job(&job[i]);
    }
    else {
        int ready = count(job, cells, JOB_DONE);
        if (ready) fprintf(stderr, "%d of %d have ended before and are not run again\n", ready, cells);
        status = run_all(job, cells, (int)number_flag("--jobs", args->jobs, threads_available(), 1, 1024, true));
        char *word = shell_word(out);
        if (status == EXIT_DONE) fprintf(stderr, "compare them: step0 compare %s\n", word);
        free(word);
    }
    for (int i = 0; i < cells; i++) job_free(&job[i]);
    free(job);
    free(out);
    grid_free(cell, cells);
    return status;
}
