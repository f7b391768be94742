#include "sweep_screen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../signals.h"
#include "../terminal.h"

static const double EVERY = 0.2;       /* seconds */

Screen screen_new(const Job *job, int jobs, int at_once, const char *folder)
{
    return (Screen){.job = job, .jobs = jobs, .at_once = at_once, .folder = folder, .live = terminal_live(), .colors = terminal_colors(),
                    .started = progress_clock(), .drawn = -1e9};
}

static const char *name_of(const Screen *s, const Job *job)
{
    return job->folder + strlen(s->folder) + 1;
}

/* --- how long it will take --- */

/* Seconds that a run still needs, at the speed of its steps in this sweep; NAN: not known yet. */
static double run_eta(const Job *job, double now)
{
    double done = (double)(job->step - job->before);
    if (done <= 0) return NAN;
    return fmax(0, (job->seen - job->started) / done * (double)(job->steps - job->step) - (now - job->seen));
}

/* The share of a run that this sweep has done, of what there is to do; a run that is resumed has less. */
static double share(const Job *job, double *all)
{
    double steps = fmax(1, (double)job->steps);
    *all = job->earlier ? 0 : fmax(0, 1 - (double)job->before / steps);
    if (job->earlier || job_has_ended(job)) return *all;
    return job->state == JOB_WAITING ? 0 : fmax(0, (double)(job->step - job->before) / steps);
}

/* What is left at the rate so far, and at least as long as the slowest of the running ones. */
static double sweep_eta(const Screen *s, double now)
{
    double done = 0, all = 0, longest = 0;
    for (int i = 0; i < s->jobs; i++) {
        double own, part = share(&s->job[i], &own), eta = s->job[i].state == JOB_RUNNING ? run_eta(&s->job[i], now) : NAN;
        done += part;
        all += own;
        longest = fmax(longest, eta);
    }
    return done > 0 ? fmax(longest, (now - s->started) * (all - done) / done) : NAN;
}

static void add_eta(Text *t, double seconds)
{
    char text[32];
    if (!isnan(seconds)) text_add(t, "  ETA %s", duration_text(text, seconds));
}

/* --- the block --- */

static int ended(const Screen *s)
{
    int n = 0;
    for (int i = 0; i < s->jobs; i++) n += job_has_ended(&s->job[i]);
    return n;
}

static char *headline(const Screen *s, double now)
{
    Text t = {0};
    char gone[32];
    text_add(&t, "%d of %d ended", ended(s), s->jobs);
    for (int state = 0; state < JOB_STATES; state++) {
        int n = jobs_count(s->job, s->jobs, (JobState)state);
        if (n) text_add(&t, ", %d %s", n, job_state_name[state]);
    }
    text_add(&t, "  %s", duration_text(gone, now - s->started));
    if (signals_caught()) text_add(&t, "  stopping: each run saves after its step");
    else add_eta(&t, sweep_eta(s, now));
    return t.at;
}

static char *numbers_of(const Job *job, double now, bool brief)
{
    Text t = {0};
    if (job->step < 0) text_add(&t, "  starting");
    else {
        text_add(&t, "  step %lld/%lld  loss %.4f", (long long)job->step, (long long)job->steps, job->loss);
        if (!isnan(job->val_loss) && !brief) text_add(&t, "  val %.4f", job->val_loss);
        add_eta(&t, run_eta(job, now));
    }
    return t.at;
}

/* Both, where there is room; else the name is cut, down to a few letters. */
static void add_line(Text *frame, const Screen *s, const char *name, const char *rest)
{
    enum { LETTERS = 8 };
    int width = s->columns - 1, left = width - (int)strlen(rest);
    int taken = terminal_fit(frame, name, (int)min_i64(width, max_i64(left, LETTERS)));
    terminal_fit(frame, rest, width - taken);
    text_add(frame, "\033[K\n");
}

static void add_run(Text *frame, const Screen *s, const Job *job, double now)
{
    char *name = text_format("  %s", name_of(s, job)), *numbers = numbers_of(job, now, false);
    if (strlen(name) + strlen(numbers) >= (size_t)s->columns) {
        free(numbers);
        numbers = numbers_of(job, now, true);
    }
    add_line(frame, s, name, numbers);
    free(name);
    free(numbers);
}

/* To where the block began. After a change of the window's width nobody knows where that is: a new block begins below. */
static void go_up(Text *frame, const Screen *s, int columns)
{
    if (s->lines && s->columns == columns) text_add(frame, "\033[%dA\r", s->lines);
}

static void put(Text *frame)
{
    fflush(stdout);
    if (frame->at) fputs(frame->at, stderr);
    fflush(stderr);
    free(frame->at);
}

bool screen_is_due(const Screen *s, double now)
{
    return s->live && now - s->drawn >= EVERY;
}

void screen_draw(Screen *s, double now)
{
    Text frame = {0};
    int columns, rows, running = jobs_count(s->job, s->jobs, JOB_RUNNING), shown = 0;
    terminal_size(&columns, &rows);
    go_up(&frame, s, columns);
    s->columns = columns;
    s->drawn = now;
    char *head = headline(s, now);
    add_line(&frame, s, head, "");
    s->lines = 1;
    int room = rows - 2, most = running <= room ? running : room - 1;
    for (int i = 0; i < s->jobs && shown < most; i++) {
        if (s->job[i].state != JOB_RUNNING) continue;
        add_run(&frame, s, &s->job[i], now);
        shown++;
    }
    char *more = text_format("  and %d more", running - shown);
    if (shown < running && room > 0) add_line(&frame, s, more, "");
    s->lines += shown + (shown < running && room > 0);
    text_add(&frame, "\033[J");
    put(&frame);
    free(head);
    free(more);
}

static void take_away(Screen *s)
{
    int columns, rows;
    Text frame = {0};
    terminal_size(&columns, &rows);
    go_up(&frame, s, columns);
    if (s->lines) text_add(&frame, "\033[J");
    s->lines = 0;
    s->drawn = -1e9;
    put(&frame);
}

/* --- lines that stay --- */

static void show_warnings(Screen *s, const Job *job)
{
    static const char mark[] = "step0: warning: ";
    for (const char *p = job->said.at; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) {
        char *line = text_format("%.*s", (int)strcspn(p, "\n"), p);
        bool warning = !strncmp(line, mark, strlen(mark));
        if (warning && !(s->told.at && strstr(s->told.at, line))) {
            fprintf(stderr, "step0: warning: %s: %s\n", name_of(s, job), line + strlen(mark));
            text_add(&s->told, "%s\n", line);
        }
        free(line);
    }
}

void screen_ended(Screen *s, const Job *job)
{
    static const char *const color[JOB_STATES] = {[JOB_FINISHED] = "32", [JOB_DIVERGED] = "33", [JOB_STOPPED] = "33", [JOB_FAILED] = "31"};
    take_away(s);
    show_warnings(s, job);
    fprintf(stderr, "%d of %d  ", ended(s), s->jobs);
    fprintf(stderr, s->colors ? "\033[%sm%s\033[0m" : "%.0s%s", color[job->state], job_state_name[job->state]);
    fprintf(stderr, "  %s", job->folder);
    if (job->reason) fprintf(stderr, ": %s", job->reason);
    fputc('\n', stderr);
}

void screen_free(Screen *s)
{
    take_away(s);
    free(s->told.at);
}
