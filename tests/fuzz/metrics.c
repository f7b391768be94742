/* metrics.csv: as a table, what compare asks of it, and cut back before a resume. */
#include "harness.h"

#include "../../train/compare/outcome.h"
#include "../../train/run/metrics.h"

static off_t cut_at;

int __wrap_truncate(const char *path, off_t length);
int __wrap_truncate(const char *path, off_t length)
{
    (void)path;
    cut_at = length;
    return 0;
}

static void look(const char *text, size_t length)
{
    static double (*const ask[])(const Outcome *) = {
        outcome_steps, outcome_first_loss, outcome_final_loss, outcome_final_val, outcome_best_val, outcome_fall, outcome_above_floor,
        outcome_largest_norm, outcome_final_norm, outcome_slope_first, outcome_slope_final, outcome_drift, outcome_spikes};
    fuzz_file("metrics.csv", text, length);
    Outcome o = {.metrics = table_read("metrics.csv"), .status = RUN_DIVERGED};
    for (size_t i = 0; i < COUNT(ask); i++) ask[i](&o);
    outcome_val_at(&o, 0);
    outcome_bad_part(&o);
    table_free(&o.metrics);
}

/* The input behind the right header: what is kept are whole rows of steps before. */
static void cut(const char *text)
{
    static const char header[] = "step,tokens,seconds,lr,loss,val_loss,grad_norm,clipped\n";
    const Shape shape = {.n_layer = 1, .n_head = 1, .n_embd = 1, .n_inner = 1, .block_size = 1, .vocab_size = 1, .tied = true, .norm = NORM_NONE};
    const Config c = {.detail = DETAIL_TOTAL};
    Gpt *g = gpt_declared(&shape);
    char *file = text_format("%s%s", header, text);
    fuzz_file("metrics.csv", file, strlen(file));
    int64_t rows = metrics_cut("metrics.csv", g, &c, 2, -1);
    assert(rows >= 0 && rows <= 2 && cut_at >= (off_t)sizeof header - 1 && (size_t)cut_at <= strlen(file) && file[cut_at - 1] == '\n');
    gpt_free(g);
}

void fuzz_one(const char *text, size_t length)
{
    if (*text == '#') cut(text + 1);
    else look(text, length);
}
