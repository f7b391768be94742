/* Everything that compare knows of the runs it was given. */
#ifndef STEP0_STUDY_H
#define STEP0_STUDY_H

#include "family.h"

typedef struct {
    Runs runs;
    Group *group; int groups;              /* the lowest group_final first */
    Family *family; int families;
    bool lr_varied;                        /* a family has several members: each is judged at its best rate */
    const Group *reference;
    Contrast *contrast; int contrasts;     /* of the best group of each family with the reference, but for the reference itself */
    double *grid; int points;              /* learning rates that all families which varied it have */
} Study;

/* reference: a group's label, a family's (its best learning rate), or a scheme that one family alone has; NULL: the family of the
 * first run. Dies where a folder holds no run or the reference is none of these. */
Study study_new(char *const *folder, int folders, const char *reference);
void study_free(Study *s);

const Contrast *study_contrast(const Study *s, const Group *g);        /* NULL: it has none */
const Family *study_family(const Study *s, const Group *g);

/* The keys that tell groups apart (derived ones left out) and have several values, ascending indices into config_key; returns
 * how many. out holds config_keys. */
int study_differing_keys(int *out, const Study *s);

/* The first step at which a validation loss was taken that is, over the group's runs (mean, or median where runs failed), at most
 * what the reference ends at; NAN: never, or the reference has no end. */
double study_steps_to_reference(const Study *s, const Group *g);

#endif
