/* Runs, and the groups of them that differ in seed alone: what compare and the report speak of. */
#ifndef STEP0_GROUP_H
#define STEP0_GROUP_H

#include "outcome.h"

typedef struct { Outcome *run; int count; } Runs;

/* label: the scheme, and the keys that differ among the groups ("xavier_normal lr=0.003"). */
typedef struct { Outcome **run; int runs; char *label; } Group;

/* Each folder is a run, or holds runs, as a sweep's does. Dies where there is none. */
Runs runs_read(char *const *folder, int folders);
void runs_free(Runs *r);

/* Whether two runs have the same value of a key. */
bool runs_agree(const Outcome *a, const Outcome *b, const Key *k);

/* In the order of their first runs; a run that repeats another's seeds is left out with a notice. The groups point into r. */
Group *runs_grouped(const Runs *r, int *groups);
void groups_free(Group *g, int groups);

/* Over the runs that have the number: NAN where none has; the standard deviation (n - 1) needs two. */
typedef struct { double mean, deviation; int n; } Summary;
Summary group_summary(const Group *g, double (*value)(const Outcome *));

#endif
