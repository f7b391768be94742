/* A group beside a reference group, over the seeds that both have: same batches, same noise, so a difference is the config's. */
#ifndef STEP0_CONTRAST_H
#define STEP0_CONTRAST_H

#include "group.h"

typedef struct {
    const Group *group, *reference;
    bool robust;               /* a run of either failed: medians are compared, and paired has no interval and no p */
    double difference;         /* of what they end at, group - reference, over the pairs; without pairs over all runs */
    Paired paired;             /* final validation losses, paired by (init.seed, data.seed) */
    double holm;               /* paired.p after Holm's correction for all contrasts with the reference that have a p */
    int comparisons;           /* so many */
} Contrast;

Contrast contrast_of(const Group *g, const Group *reference);

/* Fills holm and comparisons of contrasts with one reference. */
void contrasts_correct(Contrast *c, int count);

#define CHANCE 0.05

/* Whether the interval leaves out 0, and the corrected p is at most CHANCE. */
bool contrast_stands(const Contrast *c);

/* Whether the interval leaves out 0, which Holm's correction takes back. */
bool contrast_may_be_chance(const Contrast *c);

/* "0.076 below bert (95 % interval 0.030 to 0.122; Holm's p 0.02 for 4 comparisons)", the interval in the direction named, p where
 * there are several; without the reference's label "0.076 below (…)". Released with free. */
char *contrast_phrase(const Contrast *c, bool label);

/* What the data can and cannot show: "3 seeds tell apart 0.03; this difference would need about 9". Released with free. */
char *contrast_limits(const Contrast *c);

#endif
