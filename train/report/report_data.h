/* What report.html shows, as JSON: numbers in few digits, curves thinned. */
#ifndef STEP0_REPORT_DATA_H
#define STEP0_REPORT_DATA_H

#include "../compare/study.h"

/* One object; train/report/page/data.js says what is in it. Released with free. */
char *report_data(const Study *s);

#endif
