/* What compare shows and writes of a study. */
#ifndef STEP0_COMPARE_H
#define STEP0_COMPARE_H

#include "study.h"

/* The numbers of a run that compare shows: name in --json, title in the table. */
typedef struct { const char *name, *title; double (*value)(const Outcome *); const char *format; } RunColumn;
extern const RunColumn run_column[];
extern const int run_columns;

/* The keys that tell groups apart (derived ones left out) and have several values, ascending indices into config_key; returns
 * how many. out holds config_keys. */
int study_differing_keys(int *out, const Study *s);

/* Tables on stdout: a row a group; a row a scheme of the verdicts that the first has no column for. */
void compare_print_runs(const Study *s);
void compare_print_verdicts(const Study *s);

/* Die where the file cannot be written; `step0 help verdicts` says what is in them. */
void compare_write_json(const char *path, const Study *s);
void compare_write_csv(const char *path, const Study *s);

#endif
