/* report.html: groups of runs on one page that needs no network. The page's template, its style and its program stand in
 * train/report/page/, embedded in the binary together with dygraphs. */
#ifndef STEP0_REPORT_H
#define STEP0_REPORT_H

#include "../compare/study.h"

/* Whether this build has what the page needs (dygraphs). */
bool report_possible(void);

/* Writes the page whole, or dies; also where this build has no dygraphs. */
void report_write(const char *path, const Study *s);

#endif
