/* The processes of a sweep: each job is a `step0 train`, several at a time. */
#ifndef STEP0_SWEEP_JOBS_H
#define STEP0_SWEEP_JOBS_H

#include <sys/types.h>

#include "../../model/base.h"

typedef enum { JOB_WAITING, JOB_RUNNING, JOB_FINISHED, JOB_DIVERGED, JOB_STOPPED, JOB_FAILED, JOB_STATES } JobState;
extern const char *const job_state_name[JOB_STATES];

typedef struct {
    char *folder;
    char **word;               /* of `step0 train …`, NULL-terminated */
    JobState state;
    bool earlier;              /* had ended before this sweep began */
    int64_t steps;             /* of the whole run */
    pid_t process;
    int pipe;                  /* its stderr, while it runs */
    Text said;                 /* what came out of it */
    char *reason;              /* in one line, why it failed, stopped or diverged; else NULL */
    /* Its curve as far as it is written: */
    int64_t row_at;            /* where in metrics.csv the last row begins */
    int64_t before, step;      /* where this sweep took it up, and the last row's step; -1: no row */
    double started, seen;      /* when that was, by progress_clock */
    double loss, val_loss;     /* of the last row, and the last one taken; NAN: none */
} Job;

/* Runs what waits, `at_once` at a time, with a screen (sweep_screen.h) until all has ended or a signal came, which is
 * passed on: each run saves and stops. Returns the signal, or 0. */
int jobs_run(Job *job, int jobs, int at_once, const char *folder);

int jobs_count(const Job *job, int jobs, JobState state);
bool job_has_ended(const Job *job);
void job_free(Job *job);

#endif
