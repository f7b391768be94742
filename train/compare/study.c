#include "study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_final(const void *a, const void *b)
{
    return group_below(b, a) - group_below(a, b);
}

const Family *study_family(const Study *s, const Group *g)
{
    return family_with(s->family, s->families, g);
}

static const Group *group_of_run(const Study *s, const Outcome *run)
{
    for (int i = 0; i < s->groups; i++)
        for (int r = 0; r < s->group[i].runs; r++)
            if (s->group[i].run[r] == run) return &s->group[i];
    return NULL;
}

/* The names of the families, for a message. */
static char *family_names(const Study *s)
{
    Text t = {0};
    for (int i = 0; i < s->families; i++) text_add(&t, "%s\"%s\"", i ? ", " : "", s->family[i].best->family);
    return t.at;
}

static const Group *find_reference(const Study *s, const char *name)
{
    const Group *scheme = NULL;
    int schemes = 0;
    if (!name) return study_family(s, group_of_run(s, &s->runs.run[0]))->best;
    for (int i = 0; i < s->groups; i++)
        if (!strcmp(s->group[i].label, name)) return &s->group[i];
    for (int i = 0; i < s->families; i++)
        if (!strcmp(s->family[i].best->family, name)) return s->family[i].best;
    for (int i = 0; i < s->families; i++)
        if (!strcmp(outcome_scheme(s->family[i].best->run[0]), name)) {
            scheme = s->family[i].best;
            schemes++;
        }
    if (schemes == 1) return scheme;
    char *names = family_names(s);
    die("--reference is \"%s\", which %s; the rows are %s", name, schemes ? "several rows have as their scheme" : "is no row and no scheme", names);
}

static void make_contrasts(Study *s)
{
    s->contrast = xcalloc((size_t)s->families + 1, sizeof *s->contrast);
    for (int i = 0; i < s->families; i++)
        if (s->family[i].best != s->reference) s->contrast[s->contrasts++] = contrast_of(s->family[i].best, s->reference);
    contrasts_correct(s->contrast, s->contrasts);
}

Study study_new(char *const *folder, int folders, const char *reference)
{
    Study s = {.runs = runs_read(folder, folders)};
    s.group = runs_grouped(&s.runs, &s.groups);
    qsort(s.group, (size_t)s.groups, sizeof *s.group, by_final);
    s.family = families_of(s.group, s.groups, &s.families);
    s.lr_varied = s.families < s.groups;
    s.reference = find_reference(&s, reference);
    make_contrasts(&s);
    s.grid = families_grid(s.family, s.families, &s.points);
    return s;
}

void study_free(Study *s)
{
    free(s->grid);
    free(s->contrast);
    families_free(s->family, s->families);
    groups_free(s->group, s->groups);
    runs_free(&s->runs);
}

const Contrast *study_contrast(const Study *s, const Group *g)
{
    for (int i = 0; i < s->contrasts; i++)
        if (s->contrast[i].group == g) return &s->contrast[i];
    return NULL;
}

int study_differing_keys(int *out, const Study *s)
{
    const Outcome *all = s->runs.run;
    int count = 0;
    for (int i = 0; i < config_keys; i++) {
        bool differs = false, derived = config_is_derived(&all[0].config, &config_key[i]);
        for (int r = 1; r < s->runs.count && key_tells_apart(&config_key[i]); r++) {
            differs |= !runs_agree(&all[0], &all[r], &config_key[i]);
            derived &= config_is_derived(&all[r].config, &config_key[i]);
        }
        if (differs && !derived) out[count++] = i;
    }
    return count;
}

/* A run that has no row of the step, one that diverged before, counts as infinite. */
static double val_at(const Group *g, double step)
{
    double *x = xcalloc((size_t)g->runs, sizeof *x);
    for (int i = 0; i < g->runs; i++) {
        double val = outcome_val_at(g->run[i], step);
        x[i] = isnan(val) ? INFINITY : val;
    }
    double middle = group_failed(g) ? statistics_median(x, g->runs) : statistics_summary(x, g->runs).mean;
    free(x);
    return middle;
}

double study_steps_to_reference(const Study *s, const Group *g)
{
    const Table *m = &g->run[0]->metrics;
    for (int i = 1; i < g->runs; i++)
        if (g->run[i]->metrics.rows > m->rows) m = &g->run[i]->metrics;
    int steps = table_column(m, "step"), val = table_column(m, "val_loss");
    double target = group_final(s->reference);
    for (int row = 0; isfinite(target) && row < m->rows; row++)
        if (!isnan(table_cell(m, row, val)) && val_at(g, table_cell(m, row, steps)) <= target) return table_cell(m, row, steps);
    return NAN;
}
