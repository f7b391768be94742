/* What a person sees during a run, on stderr: one live line on a terminal, a plain line now and then elsewhere. */
#ifndef STEP0_PROGRESS_H
#define STEP0_PROGRESS_H

#include "../../model/base.h"

typedef struct {
    bool quiet, terminal;
    double shown;                      /* when the last line was shown, by progress_clock */
    double started; int64_t first;     /* of this process: time and step of its first update */
    bool live;                         /* a live line stands */
} Progress;

double progress_clock(void);           /* seconds, monotonic */

Progress progress_new(bool quiet);

/* Step `step` of `steps`. shown: whatever the clock says. val_loss NAN where this step has none. */
void progress_show(Progress *p, int64_t step, int64_t steps, int64_t step_tokens, double loss, double val_loss, double norm, bool shown);

/* Ends a live line, before something else is printed. */
void progress_break(Progress *p);

/* "1:02:03", "4:05". out holds 32 bytes. */
char *duration_text(char out[32], double seconds);

#endif
