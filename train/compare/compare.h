/* What compare shows and writes of a study. */
#ifndef STEP0_COMPARE_H
#define STEP0_COMPARE_H

#include "study.h"

/* The numbers of a run that compare shows: name in --json, title in the table. */
typedef struct { const char *name, *title; double (*value)(const Outcome *); const char *format; } RunColumn;
extern const RunColumn run_column[];
extern const int run_columns;

/* Of a column over a group: its mean and deviation; of the final validation loss, where seeds failed, group_final and no
 * deviation. */
Summary run_column_summary(const RunColumn *c, const Group *g);

/* Tables on stdout: a row a group; a row a scheme of the verdicts that the first has no column for. */
void compare_print_runs(const Study *s);
void compare_print_verdicts(const Study *s);

/* Die where the file cannot be written; `step0 help verdicts` says what is in them. */
void compare_write_json(const char *path, const Study *s);
void compare_write_csv(const char *path, const Study *s);

#endif
