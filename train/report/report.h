/* report.html: groups of runs on one page that needs no network. The page's template, its style and its program stand in
 * train/report/, embedded in the binary together with dygraphs. */
#ifndef STEP0_REPORT_H
#define STEP0_REPORT_H

#include "../compare/group.h"

/* Whether this build has what the page needs (dygraphs). */
bool report_possible(void);

/* Writes the page whole, or dies; also where this build has no dygraphs. reference: one of the groups, which the others'
 * verdicts are held against. */
void report_write(const char *path, const Group *g, int groups, const Group *reference);

#endif
