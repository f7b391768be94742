/* What compare shows and writes of a study. */
#ifndef STEP0_COMPARE_H
#define STEP0_COMPARE_H

#include "study.h"

/* The numbers of a run that compare shows: name in --json, title in the table; at_end: a loss at the end, infinite where a run diverged. */
typedef struct { const char *name, *title; double (*value)(const Outcome *); const char *format; bool at_end; } RunColumn;
extern const RunColumn run_column[];
extern const int run_columns;

/* Of a column over a group: its mean and deviation; where seeds failed, group_median and no deviation. */
Summary run_column_summary(const RunColumn *c, const Group *g);

/* Tables on stdout: a row a group; a row a scheme of the verdicts that the first has no column for. */
void compare_print_runs(const Study *s);
void compare_print_verdicts(const Study *s);

/* Die where the file cannot be written; `step0 help verdicts` says what is in them. */
void compare_write_json(const char *path, const Study *s);
void compare_write_csv(const char *path, const Study *s);

#endif
