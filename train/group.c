#include "group.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- reading --- */

static void add_run(Runs *r, const char *folder)
{
    r->run = xrealloc(r->run, (size_t)r->count + 1, sizeof *r->run);
    r->run[r->count++] = outcome_read(folder);
}

/* What a word means: a run's folder, or the runs in a folder such as a sweep's. */
static void add_runs(Runs *r, const char *folder)
{
    struct dirent **entry;
    int entries = record_read_status(folder) >= 0 ? 0 : scandir(folder, &entry, NULL, alphasort), before = r->count;
    for (int i = 0; i < entries; i++) {
        char *inner = text_format("%s/%s", folder, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.' && record_read_status(inner) >= 0) add_run(r, inner);
        free(inner);
        free(entry[i]);
    }
    if (entries > 0) free(entry);
    if (r->count == before) add_run(r, folder);
}

Runs runs_read(char *const *folder, int folders)
{
    Runs r = {0};
    for (int i = 0; i < folders; i++) add_runs(&r, folder[i]);
    return r;
}

void runs_free(Runs *r)
{
    for (int i = 0; i < r->count; i++) outcome_free(&r->run[i]);
    free(r->run);
}

/* --- what differs --- */

static bool is_seed(const Key *k)
{
    return !strcmp(k->path, "seed") || !strcmp(k->path, "init.seed") || !strcmp(k->path, "data.seed");
}

/* Keys that tell groups apart, besides the scheme: those that decide the outcome. */
static bool tells_apart(const Key *k)
{
    return !is_seed(k) && !(k->flags & SAME_OUTCOME);
}

bool runs_agree(const Outcome *a, const Outcome *b, const Key *k)
{
    Json *x = config_value(&a->config, k), *y = config_value(&b->config, k);
    bool same = json_equal(x, y);
    json_free(x);
    json_free(y);
    return same;
}

static bool same_group(const Outcome *a, const Outcome *b)
{
    for (int i = 0; i < config_keys; i++)
        if (tells_apart(&config_key[i]) && !runs_agree(a, b, &config_key[i])) return false;
    return true;
}

/* What the scheme's name says already, and switches that are off. */
static bool goes_without_saying(const Outcome *o, const Key *k)
{
    const Json *model = json_get(o->config.scheme, "model");
    if (!strncmp(k->path, "model.", 6) && model && json_get(model, config_leaf(k->path))) return true;
    bool is_switch = k->type == KEY_MULTIPLIER || k->type == KEY_FORMULA || k->type == KEY_BOOL;
    return is_switch && config_has_fallback(&o->config, k);
}

/* A value in a label: of a path its file, of a multiplier "0 scalar". */
static char *label_value(const Key *k, const Json *value)
{
    if (k->type == KEY_MULTIPLIER) return text_format("%s %s", json_get(value, "value")->string, json_get(value, "shape")->string);
    char *brief = json_brief(value), *slash = k->type == KEY_PATHS || k->type == KEY_PATH ? strrchr(brief, '/') : NULL;
    char *text = xstrdup(slash ? slash + 1 : value->kind == JSON_STRING ? value->string : brief);
    free(brief);
    return text;
}

/* "xavier_normal lr=0.003": the scheme, and the keys that differ among the groups. */
static char *label_of(const Outcome *o, const Outcome *all, int count)
{
    Text t = {0};
    text_add(&t, "%s", outcome_scheme(o));
    for (int i = 0; i < config_keys; i++) {
        const Key *k = &config_key[i];
        bool differs = false;
        if (!tells_apart(k) || k->type == KEY_SCHEME) continue;
        for (int r = 0; r < count; r++) differs |= !runs_agree(o, &all[r], k);
        if (!differs || config_is_derived(&o->config, k)) continue;
        Json *value = config_value(&o->config, k);
        char *text = label_value(k, value);
        bool silent = goes_without_saying(o, k) || (k->type == KEY_OBJECT && !value->child);
        if (!silent) text_add(&t, " %s=%s", config_leaf(k->path), text);
        free(text);
        json_free(value);
    }
    return t.at;
}

/* --- groups --- */

static bool has_seeds(const Group *g, const Outcome *o)
{
    for (int i = 0; i < g->runs; i++)
        if (g->run[i]->config.init_seed == o->config.init_seed && g->run[i]->config.data_seed == o->config.data_seed) return true;
    return false;
}

Group *runs_grouped(const Runs *r, int *groups)
{
    Outcome *all = r->run;
    int count = r->count;
    Group *g = xcalloc((size_t)count, sizeof *g);
    *groups = 0;
    for (int i = 0; i < count; i++) {
        int at = 0;
        while (at < *groups && !same_group(g[at].run[0], &all[i])) at++;
        if (at == *groups) g[(*groups)++] = (Group){.run = xcalloc((size_t)count, sizeof(Outcome *)), .label = label_of(&all[i], all, count)};
        if (!has_seeds(&g[at], &all[i])) g[at].run[g[at].runs++] = &all[i];
        else notice("%s repeats the seeds of another run of its row; counted once", all[i].folder);
    }
    return g;
}

Summary group_summary(const Group *g, double (*value)(const Outcome *))
{
    Summary s = {0, NAN, 0};
    double square = 0;
    for (int i = 0; i < g->runs; i++) {
        double x = value(g->run[i]);
        if (isnan(x)) continue;
        s.n++;
        double step = x - s.mean;
        s.mean += step / s.n;
        square += step * (x - s.mean);
    }
    if (!s.n) s.mean = NAN;
    if (s.n > 1) s.deviation = sqrt(square / (s.n - 1));
    return s;
}

void groups_free(Group *g, int groups)
{
    for (int i = 0; i < groups; i++) {
        free(g[i].run);
        free(g[i].label);
    }
    free(g);
}
