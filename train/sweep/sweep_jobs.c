#include "sweep_jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../commands.h"
#include "../run/metrics.h"
#include "../signals.h"
#include "sweep_screen.h"

const char *const job_state_name[JOB_STATES] = {"waiting", "running", "finished", "diverged", "stopped", "failed"};

int jobs_count(const Job *job, int jobs, JobState state)
{
    int n = 0;
    for (int i = 0; i < jobs; i++) n += job[i].state == state;
    return n;
}

bool job_has_ended(const Job *job)
{
    return job->state != JOB_WAITING && job->state != JOB_RUNNING;
}

void job_free(Job *job)
{
    for (int i = 0; job->word[i]; i++) free(job->word[i]);
    free(job->word);
    free(job->folder);
    free(job->said.at);
    free(job->reason);
}

/* --- how it ended --- */

static void listen_to(Job *job)
{
    char piece[4096];
    for (ssize_t n; (n = read(job->pipe, piece, sizeof piece)) > 0;) text_add_bytes(&job->said, piece, (size_t)n);
}

static char *one_line(const char *text)
{
    char *line = xstrdup(text);
    for (char *p = line; *p; p++)
        if (*p == '\n') *p = p[1] ? ' ' : 0;
    return line;
}

/* The last message on its stderr; NULL: it said nothing. */
static char *last_message(const Job *job)
{
    static const char mark[] = "step0: ";
    const char *last = NULL;
    for (const char *p = job->said.at; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
        if (!strncmp(p, mark, strlen(mark)) && strncmp(p + strlen(mark), "warning: ", 9)) last = p + strlen(mark);
    return last ? one_line(last) : NULL;
}

static char *death(int signal)
{
    return text_format("killed by signal %d (%s)%s", signal, strsignal(signal), signal == SIGKILL ? "; where nobody did that, memory ran out: fewer --jobs" : "");
}

static void end(Job *job, int status)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    listen_to(job);
    close(job->pipe);
    job->state = code == EXIT_DONE ? JOB_FINISHED : code == EXIT_DIVERGED ? JOB_DIVERGED : signals_caught() ? JOB_STOPPED : JOB_FAILED;
    if (job->state == JOB_FINISHED) return;
    job->reason = WIFSIGNALED(status) ? death(WTERMSIG(status)) : last_message(job);
    if (!job->reason) job->reason = text_format("ended with status %d", code);
}

/* --- its curve --- */

static void read_row(Job *job, const char *line, double now)
{
    long long step;
    int column = 0;
    if (sscanf(line, "%lld,", &step) != 1) return;
    job->step = step;
    job->seen = now;
    for (const char *p = line; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL, column++) {
        if (column == METRICS_LOSS) job->loss = strtod(p, NULL);
        if (column == METRICS_VAL_LOSS && *p != ',' && *p != '\n') job->val_loss = strtod(p, NULL);
    }
}

/* What metrics.csv holds since the last look. A row that is not yet whole waits for the next one. A file that became shorter
 * was cut back to a checkpoint, where the run goes on. */
static void look(Job *job, double now)
{
    char *path = text_format("%s/metrics.csv", job->folder), *line = NULL;
    FILE *f = fopen(path, "re");
    size_t room = 0;
    free(path);
    if (!f) return;
    fseeko(f, 0, SEEK_END);
    bool cut = ftello(f) < job->row_at;
    if (cut) job->row_at = 0;
    fseeko(f, job->row_at, SEEK_SET);
    for (ssize_t n; (n = getline(&line, &room, f)) > 0 && line[n - 1] == '\n';) {
        job->row_at = ftello(f) - n;
        read_row(job, line, now);
    }
    if (cut) job->before = job->step, job->started = now;
    free(line);
    fclose(f);
}

/* --- starting --- */

/* In a process group of its own, so that Ctrl-C reaches it once, through us; it stops when we are gone. */
_Noreturn static void become(const Job *job, int pipe, const sigset_t *mask)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signals_default();
    signals_release(mask);
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    dup2(pipe, STDERR_FILENO);
    execv("/proc/self/exe", job->word);
    die("cannot execute itself: %s", strerror(errno));
}

/* What asks to stop waits while the process is not yet one that would end of it. */
static pid_t fork_train(const Job *job, int pipe)
{
    sigset_t before = signals_hold();
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) become(job, pipe, &before);
    signals_release(&before);
    return process;
}

static void start(Job *job)
{
    int end[2] = {-1, -1};
    double now = progress_clock();
    look(job, now);
    job->before = job->step > 0 ? job->step : 0;
    job->started = now;
    job->process = pipe2(end, O_CLOEXEC) ? -1 : fork_train(job, end[1]);
    job->state = job->process < 0 ? JOB_FAILED : JOB_RUNNING;
    job->pipe = end[0];
    if (job->process < 0) {
        job->reason = text_format("cannot start a process: %s", strerror(errno));
        if (end[0] >= 0) close(end[0]);
    }
    else fcntl(job->pipe, F_SETFL, O_NONBLOCK);
    if (end[1] >= 0) close(end[1]);
}

/* --- all of them --- */

static void collect(Screen *screen, Job *job, int jobs, pid_t process, int status)
{
    for (int i = 0; i < jobs; i++) {
        if (job[i].state != JOB_RUNNING || job[i].process != process) continue;
        end(&job[i], status);
        look(&job[i], progress_clock());
        screen_ended(screen, &job[i]);
    }
}

/* SIGTERM, whatever it was that asked: it is ignored nowhere. */
static void stop_all(const Job *job, int jobs)
{
    for (int i = 0; i < jobs; i++)
        if (job[i].state == JOB_RUNNING) kill(job[i].process, SIGTERM);
}

static void start_next(Screen *screen, Job *job, int jobs, int at_once)
{
    for (int i = 0; i < jobs && jobs_count(job, jobs, JOB_RUNNING) < at_once; i++) {
        if (job[i].state != JOB_WAITING) continue;
        start(&job[i]);
        if (job[i].state == JOB_FAILED) screen_ended(screen, &job[i]);
    }
}

static void attend(Screen *screen, Job *job, int jobs)
{
    double now = progress_clock();
    bool due = screen_is_due(screen, now);
    for (int i = 0; i < jobs; i++) {
        if (job[i].state != JOB_RUNNING) continue;
        listen_to(&job[i]);
        if (due) look(&job[i], now);
    }
    if (due) screen_draw(screen, now);
}

int jobs_run(Job *job, int jobs, int at_once, const char *folder)
{
    bool told = false;
    Screen screen = screen_new(job, jobs, at_once, folder);
    signals_watch();
    for (;;) {
        int status;
        for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;) collect(&screen, job, jobs, process, status);
        if (!told && signals_caught()) stop_all(job, jobs);
        told = signals_caught() != 0;
        if (!told) start_next(&screen, job, jobs, at_once);
        if (jobs_count(job, jobs, JOB_RUNNING) == 0) break;
        attend(&screen, job, jobs);
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    screen_free(&screen);
    return signals_caught();
}
