/* Groups that differ in learning rate alone: a scheme, which is judged at its best rate and over the grid of them. */
#ifndef STEP0_FAMILY_H
#define STEP0_FAMILY_H

#include "contrast.h"

typedef struct {
    const Group **member; int members;     /* by learning rate, ascending */
    const Group *best;                     /* below all others (group_below) */
} Family;

/* In the order of their first groups. The families point into g. */
Family *families_of(const Group *g, int groups, int *families);
void families_free(Family *f, int families);
const Family *family_with(const Family *f, int families, const Group *g);

double group_lr(const Group *g);

/* The rates that all families with two or more have in common, ascending; released with free. */
double *families_grid(const Family *f, int families, int *points);

/* E[min(loss(lr), cap) - best] over the grid, best the least of these; NAN below two points or where a rate or its loss is missing. */
double family_sensitivity(const Family *f, const double *grid, int points, double cap);

/* The member of the largest rate at which all runs ended and none failed; NULL: none. bounded: whether at a larger one some failed. */
const Group *family_largest(const Family *f, bool *bounded);

#endif
