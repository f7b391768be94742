/* Runs, and the groups of them that differ in seed alone: what compare and the report speak of. */
#ifndef STEP0_GROUP_H
#define STEP0_GROUP_H

#include "outcome.h"
#include "statistics.h"

typedef struct { Outcome *run; int count; } Runs;

/* label: the scheme, and the keys that differ among the groups ("xavier_normal lr=0.003"); unique. family: the same without lr. */
typedef struct { Outcome **run; int runs; char *label, *family; } Group;

/* Each folder is a run, or holds runs, as a sweep's does: first those that its ORDER_FILE names, a line each, in the order of the
 * sweep's command, then the others by name. Dies where there is none. A sweep's report, which runs/x-sweep/… names among the
 * folders, is passed over. */
#define ORDER_FILE ".order"
Runs runs_read(char *const *folder, int folders);
void runs_free(Runs *r);

/* Whether two runs have the same seeds: the same noise and the same batches. */
bool runs_share_noise(const Outcome *a, const Outcome *b);

/* Whether two runs saw the same bytes. */
bool runs_share_text(const Outcome *a, const Outcome *b);

/* Whether two runs have the same value of a key; of data.text, whether they saw the same bytes, wherever these lay, or name the same files. */
bool runs_agree(const Outcome *a, const Outcome *b, const Key *k);

/* In the order of their first runs; a run that repeats another's seeds is left out with a notice. The groups point into r. */
Group *runs_grouped(const Runs *r, int *groups);
void groups_free(Group *g, int groups);

/* Whether a key tells groups apart: not a seed, and it decides the outcome. */
bool key_tells_apart(const Key *k);

/* Whether two runs agree in all such keys but those whose paths are given (NULL-terminated) and those derived in both. */
bool runs_agree_but(const Outcome *a, const Outcome *b, const char *const *except);

/* Over the runs that have the number. */
Summary group_summary(const Group *g, double (*value)(const Outcome *));

/* Runs that diverged, failed or are stuck. */
int group_failed(const Group *g);

/* The median over the runs that have the number; where it is one of losses at_end, a run that diverged or failed counts as
 * infinite. group_middle is the mean where no run failed, else that median. */
double group_median(const Group *g, double (*value)(const Outcome *), bool at_end);
double group_middle(const Group *g, double (*value)(const Outcome *), bool at_end);

/* What the group ends at: the mean of the final validation losses, or (robust) their median. group_final is robust where a run
 * failed. */
double group_end(const Group *g, bool robust);
double group_final(const Group *g);

/* Whether it ends below the other one; a group without a validation loss is below none. */
bool group_below(const Group *g, const Group *other);

/* Whether every run of it has come to its end, well or badly. */
bool group_ended(const Group *g);

#endif
