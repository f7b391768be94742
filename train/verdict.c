#include "verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "stuck in 2 of 3 runs", "" where all finished. */
static char *failures(const Group *g)
{
    int failed = 0;
    for (int i = 0; i < g->runs; i++) failed += strcmp(outcome_status(g->run[i]), run_status_name[RUN_FINISHED]) != 0;
    return failed ? text_format("%d of %d runs failed; ", failed, g->runs) : xstrdup("");
}

char *verdict_sentence(const Group *g, const Group *reference)
{
    Summary own = group_summary(g, outcome_final_val), other = group_summary(reference, outcome_final_val);
    char *failed = failures(g);
    char *text = g == reference || isnan(other.mean) ? text_format("%svalidation loss %.4f", failed, own.mean)
                                                     : text_format("%svalidation loss %.4f, %+.4f against the reference", failed, own.mean, own.mean - other.mean);
    free(failed);
    return text;
}
