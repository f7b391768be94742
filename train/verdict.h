/* What can be said of groups of runs, each with its formula and its source: `step0 help verdicts`. */
#ifndef STEP0_VERDICT_H
#define STEP0_VERDICT_H

#include "group.h"

/* One sentence about a group beside the reference group, for a reader who sees nothing else. reference may be g itself.
 * Released with free. */
char *verdict_sentence(const Group *g, const Group *reference);

#endif
