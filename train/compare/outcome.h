/* A run as compare sees it: its config, its facts, its curves, and what they say. */
#ifndef STEP0_OUTCOME_H
#define STEP0_OUTCOME_H

#include "../run/record.h"
#include "table.h"

typedef struct {
    char *folder;
    Config config;
    Json *facts;               /* run.json */
    Table metrics;
    RunStatus status;
    /* Finished after some steps, but the validation loss ends above the unigram entropy - STUCK_MARGIN: unfinished where that is
     * below the first loss and the train loss still falls (outcome_fall is STUCK_MARGIN or more), a run that was short; else stuck. */
    bool stuck, unfinished;
} Outcome;

/* Failed runs rarely go non-finite under LayerNorm; they sit at the entropy of single characters. */
#define STUCK_MARGIN 0.05

/* Dies where the folder holds no run, or its metrics.csv is not one: columns are missing, steps do not rise, a loss is
 * not finite in another row than the last. */
Outcome outcome_read(const char *folder);
void outcome_free(Outcome *o);

/* The text of a file in the run's folder, released with free; NULL, and a notice where it is there, where it cannot be read. */
char *outcome_file(const Outcome *o, const char *name);

/* What a loss is measured by, in run.json (NAN: not there); name: in tables and figures. */
typedef enum { YARD_LN_VOCAB, YARD_UNIGRAM, YARD_BIGRAM, YARD_FLOOR, YARDS } Yard;
extern const struct YardRow { const char *key, *name; } yard_row[YARDS];
double outcome_yardstick(const Outcome *o, Yard yard);
const char *outcome_scheme(const Outcome *o);
const char *outcome_status(const Outcome *o);          /* finished, stuck, unfinished, diverged, … */
bool outcome_failed(const Outcome *o);                 /* diverged, failed or stuck */

/* Of a run that diverged, the column of metrics.csv (h.3, or h.3.attn.q.weight with log.detail=tensor) whose gradient was the
 * first in the order of the backward pass that was not finite; NULL where no column tells. */
const char *outcome_bad_part(const Outcome *o);

/* Whether the curve begins at step 0; one whose metrics.csv was moved away does not, and what is said of step 0 is NAN. */
bool outcome_begins(const Outcome *o);

/* What the curves say. NAN where a run has no such number. */
double outcome_steps(const Outcome *o);
double outcome_first_loss(const Outcome *o);
double outcome_final_loss(const Outcome *o);
double outcome_final_val(const Outcome *o);
double outcome_best_val(const Outcome *o);
double outcome_val_at(const Outcome *o, double step);  /* the validation loss taken at a step */
double outcome_fall(const Outcome *o);                 /* median train loss of the last but one fifth of the rows, minus the last fifth's; 10 rows or more */
double outcome_above_floor(const Outcome *o);          /* final validation loss minus the text's entropy */
double outcome_largest_norm(const Outcome *o);
double outcome_final_norm(const Outcome *o);
double outcome_slope_first(const Outcome *o);          /* gradient norm of the first block over the last one's, at step 0 */
double outcome_slope_final(const Outcome *o);          /* … and at the end */
double outcome_drift(const Outcome *o);                /* outcome_slope_final over outcome_slope_first */

/* Spikes of the train loss: maximal sequences of rows whose residual about the median of the SPIKE_WINDOW rows around (fewer
 * towards the ends) is more than SPIKE robust standard deviations (1.4826·MAD) above the residuals' median, and whose first row is
 * above the median of the SPIKE_WINDOW / 2 rows before: in a curve that falls without noise most residuals are 0, and any row stands out. */
double outcome_spikes(const Outcome *o);
#define SPIKE 7
#define SPIKE_WINDOW 21

#endif
