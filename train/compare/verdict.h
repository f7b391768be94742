/* What can be said of groups of runs, each with its formula and its source: one row of a table each. */
#ifndef STEP0_VERDICT_H
#define STEP0_VERDICT_H

#include <stdio.h>

#include "study.h"

/* number NAN and text NULL where there is nothing to say; text is released with free. */
typedef struct { double number; char *text; } Finding;

typedef struct {
    const char *name;          /* in --json and in help */
    const char *title;         /* in compare's table of verdicts; NULL: the table of runs has it, or the line on differences */
    const char *formula, *source, *help;
    Finding (*of)(const Study *, const Group *);
} Verdict;

extern const Verdict verdict_row[];
extern const int verdict_rows;

/* First over last block's gradient norm within this factor of 1: flat. */
#define FLAT 2

/* One sentence about a group beside the reference, for a reader who sees nothing else. The difference has its interval, and
 * Holm's p, at the group's best learning rate only. Released with free. */
char *verdict_sentence(const Study *s, const Group *g);

/* "flat by depth at step 0 (ratio 1.2)"; NULL where the ratio is NAN. Released with free. */
char *verdict_depth(double ratio);

/* "diverged 2 of 3 (at step 40, first in h.0), stuck 1 of 3": how the group's runs ended. Released with free. */
char *verdict_status(const Group *g);

/* Runs of a status (outcome_status); the run that diverged first, or NULL; "at step 40, first in h.0", released with free. */
int verdict_count(const Group *g, const char *status);
const Outcome *verdict_first_diverged(const Group *g);
char *verdict_divergence(const Outcome *o);

void verdict_help(FILE *out);          /* step0 help verdicts */

#endif
