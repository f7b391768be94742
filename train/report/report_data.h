/* What report.html shows, as JSON: numbers in few digits, curves thinned. */
#ifndef STEP0_REPORT_DATA_H
#define STEP0_REPORT_DATA_H

#include "../compare/group.h"

/* One object; train/report/data.js says what is in it. Released with free. */
char *report_data(const Group *g, int groups, const Group *reference);

#endif
