#include "family.h"

#include <math.h>
#include <stdlib.h>

double group_lr(const Group *g)
{
    return g->run[0]->config.lr;
}

static int by_lr(const void *a, const void *b)
{
    double x = group_lr(*(const Group *const *)a), y = group_lr(*(const Group *const *)b);
    return (x > y) - (x < y);
}

Family *families_of(const Group *g, int groups, int *families)
{
    static const char *const rate[] = {"train.lr", NULL};
    Family *f = xcalloc((size_t)groups + 1, sizeof *f);
    *families = 0;
    for (int i = 0; i < groups; i++) {
        int at = 0;
        while (at < *families && !runs_agree_but(f[at].member[0]->run[0], g[i].run[0], rate)) at++;
        if (at == *families) f[(*families)++].member = xcalloc((size_t)groups, sizeof(Group *));
        f[at].member[f[at].members++] = &g[i];
    }
    for (int i = 0; i < *families; i++) {
        qsort(f[i].member, (size_t)f[i].members, sizeof *f[i].member, by_lr);
        f[i].best = f[i].member[0];
        for (int m = 1; m < f[i].members; m++)
            if (group_below(f[i].member[m], f[i].best)) f[i].best = f[i].member[m];
    }
    return f;
}

void families_free(Family *f, int families)
{
    for (int i = 0; i < families; i++) free(f[i].member);
    free(f);
}

const Family *family_with(const Family *f, int families, const Group *g)
{
    for (int i = 0; i < families; i++)
        for (int m = 0; m < f[i].members; m++)
            if (f[i].member[m] == g) return &f[i];
    return NULL;
}

static const Group *member_at(const Family *f, double lr)
{
    for (int m = 0; m < f->members; m++)
        if (group_lr(f->member[m]) == lr) return f->member[m];
    return NULL;
}

double *families_grid(const Family *f, int families, int *points)
{
    const Family *first = NULL;
    for (int i = 0; i < families && !first; i++)
        if (f[i].members > 1) first = &f[i];
    double *grid = xcalloc(first ? (size_t)first->members : 1, sizeof *grid);
    *points = 0;
    for (int m = 0; first && m < first->members; m++) {
        double lr = group_lr(first->member[m]);
        bool common = true;
        for (int i = 0; i < families; i++) common &= f[i].members < 2 || member_at(&f[i], lr);
        if (common) grid[(*points)++] = lr;
    }
    return grid;
}

double family_sensitivity(const Family *f, const double *grid, int points, double cap)
{
    double sum = 0, best = INFINITY;
    for (int i = 0; i < points; i++) {
        const Group *g = member_at(f, grid[i]);
        double end = g ? group_final(g) : NAN, loss = fmin(end, cap);
        if (isnan(end)) return NAN;
        sum += loss;
        best = fmin(best, loss);
    }
    return points > 1 ? sum / points - best : NAN;
}

const Group *family_largest(const Family *f, bool *bounded)
{
    *bounded = false;
    for (int m = f->members - 1; m >= 0; m--) {
        if (group_failed(f->member[m])) *bounded = true;
        else if (group_ended(f->member[m])) return f->member[m];
    }
    return NULL;
}
