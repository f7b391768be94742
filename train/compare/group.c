#include "group.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../model/file.h"
#include "../terminal.h"

/* --- reading --- */

static void add_run(Runs *r, const char *folder)
{
    r->run = xrealloc(r->run, (size_t)r->count + 1, sizeof *r->run);
    r->run[r->count++] = outcome_read(folder);
}

/* A run inside a folder, where it is one, and is not among those from `before` on. */
static void add_inner(Runs *r, int before, const char *folder, const char *name)
{
    char *inner = text_format("%s/%s", folder, name);
    bool fresh = name[0] != '.' && record_read_status(inner) >= 0;
    for (int i = before; i < r->count; i++) fresh &= strcmp(r->run[i].folder, inner) != 0;
    if (fresh) add_run(r, inner);
    free(inner);
}

static void add_in_order(Runs *r, const char *folder)
{
    char *path = text_format("%s/" ORDER_FILE, folder), *error = NULL, *rest = NULL;
    size_t length;
    char *text = file_bytes(path, &length, &error);
    int before = r->count;
    for (char *name = text ? strtok_r(text, "\n", &rest) : NULL; name; name = strtok_r(NULL, "\n", &rest)) add_inner(r, before, folder, name);
    if (!text) free(error);
    free(text);
    free(path);
}

/* What a word means: a run's folder, or the runs in a folder such as a sweep's. */
static void add_runs(Runs *r, const char *folder)
{
    struct dirent **entry;
    int entries = record_read_status(folder) >= 0 ? 0 : scandir(folder, &entry, NULL, alphasort), before = r->count;
    if (entries > 0) add_in_order(r, folder);
    for (int i = 0; i < entries; i++) {
        add_inner(r, before, folder, entry[i]->d_name);
        free(entry[i]);
    }
    if (entries > 0) free(entry);
    if (r->count == before) add_run(r, folder);
}

Runs runs_read(char *const *folder, int folders)
{
    Runs r = {0};
    for (int i = 0; i < folders; i++) {
        const char *slash = strrchr(folder[i], '/');
        if (folders == 1 || !slash || strcmp(slash + 1, REPORT_FILE)) add_runs(&r, folder[i]);
    }
    if (!r.count) die("%s is the report of runs; name the folder that it is in", folder[0]);
    return r;
}

void runs_free(Runs *r)
{
    for (int i = 0; i < r->count; i++) outcome_free(&r->run[i]);
    free(r->run);
}

/* --- what differs --- */

bool key_tells_apart(const Key *k)
{
    return !config_is_seed(k) && !(k->flags & SAME_OUTCOME);
}

bool runs_share_noise(const Outcome *a, const Outcome *b)
{
    return a->config.init_seed == b->config.init_seed && a->config.data_seed == b->config.data_seed;
}

bool runs_share_text(const Outcome *a, const Outcome *b)
{
    const Json *x = json_get(json_get(a->facts, "text"), "hash"), *y = json_get(json_get(b->facts, "text"), "hash");
    return x && y && json_equal(x, y);
}

bool runs_agree(const Outcome *a, const Outcome *b, const Key *k)
{
    if (k->type == KEY_PATHS && runs_share_text(a, b)) return true;
    Json *x = config_value(&a->config, k), *y = config_value(&b->config, k);
    bool same = json_equal(x, y);
    json_free(x);
    json_free(y);
    return same;
}

bool runs_agree_but(const Outcome *a, const Outcome *b, const char *const *except)
{
    for (int i = 0; i < config_keys; i++) {
        const Key *k = &config_key[i];
        bool spared = !key_tells_apart(k) || (config_is_derived(&a->config, k) && config_is_derived(&b->config, k));
        for (int e = 0; except[e]; e++) spared |= !strcmp(except[e], k->path);
        if (!spared && !runs_agree(a, b, k)) return false;
    }
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

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A value in a label: of paths their files ("a.txt+b.txt"), of a multiplier "0 scalar". */
static char *label_value(const Key *k, const Json *value)
{
    Text files = {0};
    bool paths = config_is_path(k);
    for (const Json *one = paths && value->kind == JSON_ARRAY ? value->child : NULL; one; one = one->next)
        text_add(&files, "%s%s", files.length ? "+" : "", file_of(one->string));
    if (files.at) return files.at;
    if (k->type == KEY_MULTIPLIER) return text_format("%s %s", json_get(value, "value")->string, json_get(value, "shape")->string);
    if (value->kind == JSON_STRING) return xstrdup(paths ? file_of(value->string) : value->string);
    return json_brief(value);
}

/* "xavier_normal lr=0.003": the scheme, and the keys that differ among the groups, but for one (or NULL). */
static char *label_of(const Outcome *o, const Outcome *all, int count, const char *except)
{
    Text t = {0};
    text_add(&t, "%s", outcome_scheme(o));
    for (int i = 0; i < config_keys; i++) {
        const Key *k = &config_key[i];
        bool differs = false;
        if (!key_tells_apart(k) || k->type == KEY_SCHEME || (except && !strcmp(except, k->path))) continue;
        for (int r = 0; r < count; r++) differs |= !runs_agree(o, &all[r], k);
        if (!differs || config_is_derived(&o->config, k)) continue;
        Json *value = config_value(&o->config, k);
        char *text = label_value(k, value);
        bool silent = goes_without_saying(o, k) || (k->type == KEY_OBJECT && !value->child);
        if (!silent) text_add(&t, " %s=%s", config_leaf(k->path), text);
        free(text);
        json_free(value);
    }
    return terminal_plain(t.at, '?');
}

/* --- groups --- */

static bool has_seeds(const Group *g, const Outcome *o)
{
    for (int i = 0; i < g->runs; i++)
        if (runs_share_noise(g->run[i], o)) return true;
    return false;
}

static void append(char **label, const char *folder)
{
    char *longer = text_format("%s (%s)", *label, folder);
    free(*label);
    *label = terminal_plain(longer, '?');
}

/* To labels that another group has too, the folder of the first run. */
static void tell_apart(Group *g, int groups)
{
    bool *twin = xcalloc((size_t)groups + 1, sizeof *twin);
    for (int i = 0; i < groups; i++)
        for (int j = 0; j < groups; j++) twin[i] |= j != i && !strcmp(g[i].label, g[j].label);
    for (int i = 0; i < groups; i++) {
        if (!twin[i]) continue;
        append(&g[i].label, g[i].run[0]->folder);
        append(&g[i].family, g[i].run[0]->folder);
    }
    free(twin);
}

Group *runs_grouped(const Runs *r, int *groups)
{
    static const char *const none[] = {NULL};
    Outcome *all = r->run;
    int count = r->count;
    Group *g = xcalloc((size_t)count, sizeof *g);
    *groups = 0;
    for (int i = 0; i < count; i++) {
        int at = 0;
        while (at < *groups && !runs_agree_but(g[at].run[0], &all[i], none)) at++;
        if (at == *groups)
            g[(*groups)++] = (Group){.run = xcalloc((size_t)count, sizeof(Outcome *)), .label = label_of(&all[i], all, count, NULL), .family = label_of(&all[i], all, count, "train.lr")};
        if (!has_seeds(&g[at], &all[i])) g[at].run[g[at].runs++] = &all[i];
        else notice("%s repeats the seeds of another run of its row; counted once", all[i].folder);
    }
    tell_apart(g, *groups);
    return g;
}

Summary group_summary(const Group *g, double (*value)(const Outcome *))
{
    double *x = xcalloc((size_t)g->runs, sizeof *x);
    for (int i = 0; i < g->runs; i++) x[i] = value(g->run[i]);
    Summary s = statistics_summary(x, g->runs);
    free(x);
    return s;
}

int group_failed(const Group *g)
{
    int failed = 0;
    for (int i = 0; i < g->runs; i++) failed += outcome_failed(g->run[i]);
    return failed;
}

double group_median(const Group *g, double (*value)(const Outcome *), bool at_end)
{
    double *x = xcalloc((size_t)g->runs, sizeof *x);
    for (int i = 0; i < g->runs; i++) x[i] = at_end && outcome_failed(g->run[i]) && !g->run[i]->stuck ? INFINITY : value(g->run[i]);
    double middle = statistics_median(x, g->runs);
    free(x);
    return middle;
}

double group_middle(const Group *g, double (*value)(const Outcome *), bool at_end)
{
    return group_failed(g) ? group_median(g, value, at_end) : group_summary(g, value).mean;
}

double group_end(const Group *g, bool robust)
{
    return robust ? group_median(g, outcome_final_val, true) : group_summary(g, outcome_final_val).mean;
}

double group_final(const Group *g)
{
    return group_end(g, group_failed(g) > 0);
}

bool group_below(const Group *g, const Group *other)
{
    double x = group_final(g), y = group_final(other);
    return x < y || (isnan(y) && !isnan(x));
}

bool group_ended(const Group *g)
{
    for (int i = 0; i < g->runs; i++)
        if (g->run[i]->status == RUN_RUNNING || g->run[i]->status == RUN_INTERRUPTED) return false;
    return true;
}

void groups_free(Group *g, int groups)
{
    for (int i = 0; i < groups; i++) {
        free(g[i].run);
        free(g[i].label);
        free(g[i].family);
    }
    free(g);
}
