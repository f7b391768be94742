/* `train --report`: the run's report, made anew while the run goes on by a process of its own (`step0 compare`), so that
 * nothing that ails the page can stop the training. */
#ifndef STEP0_LIVE_REPORT_H
#define STEP0_LIVE_REPORT_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct {
    const char *folder;        /* the run's; NULL: no report is wanted */
    pid_t process;             /* that makes the page now; 0: none */
    double made;               /* when the last one began, seconds of progress_clock */
} LiveReport;

/* Begins a new page where the last one began ten seconds ago and is done. */
void live_report_refresh(LiveReport *r);

/* The page of the ended run; returns when it stands, with a notice where it could not be made. */
void live_report_finish(LiveReport *r);

#endif
