/* metrics.csv: a row a step. Row s holds what the weights after s updates give on batch s; lr, clipped and the signals of
 * the update are of the one that leaves s. Gradient norms are before clipping; the squares of the columns sum to the
 * total's. Columns depend on the model, log.detail and log.signals (watch.h) alone. */
#ifndef STEP0_METRICS_H
#define STEP0_METRICS_H

#include <stdio.h>

#include "../config/config.h"
#include "../out.h"
#include "watch.h"

typedef struct {
    int64_t step, tokens;              /* tokens seen by the updates before */
    double seconds;                    /* of training since step 0 */
    double loss, val_loss;             /* val_loss NAN where none was taken: validated says which */
    bool validated;
    double norm;
    bool update;                       /* false in the last row: lr and clipped are empty */
    double lr;
    bool clipped;
    Watch *watch;                      /* the step's signals; NULL without log.signals */
} MetricsRow;

/* Where some of the columns stand that every file has. */
enum { METRICS_LOSS = 4, METRICS_VAL_LOSS = 5 };
void metrics_header(Out *out, const Gpt *g, const Config *c);

/* Cuts the file back to the rows before `step` and returns how many; a row that a crash left torn goes too. Dies where its
 * header is not that of this model and config, where there are some but fewer than `rows` (-1: not known), and where a row among
 * the first `rows` has other columns or a step that does not rise; what is wrong behind them is cut off. A file that is gone, or
 * has no row before `step` (it was gone, and the run that began it anew was killed), starts anew, which is said. */
int64_t metrics_cut(const char *path, const Gpt *g, const Config *c, int64_t step, int64_t rows);

/* square: of each part's gradient. */
void metrics_row(Out *out, const Gpt *g, const Config *c, const MetricsRow *row, const double *square);

/* The columns of gradient norms: fills `column` (a part's index to its column) and returns how many. `name`, where not
 * NULL, receives the columns' names, released with free each. */
int metrics_columns(const Params *p, Detail detail, int *column, char **name);

void metrics_help(FILE *out);          /* step0 help metrics */

#endif
