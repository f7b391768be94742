#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "../out.h"
#include "verdict.h"

static Json *put_object(Json *parent, const char *key)
{
    return json_put(parent, key, json_new(JSON_OBJECT));
}

static Json *put_array(Json *parent, const char *key)
{
    return json_put(parent, key, json_new(JSON_ARRAY));
}

static void put_run(Json *runs, const Outcome *o)
{
    Json *j = put_object(runs, NULL);
    json_put_string(j, "folder", o->folder);
    json_put_string(j, "status", outcome_status(o));
    json_put_number(j, "init_seed", (double)o->config.init_seed);
    json_put_number(j, "data_seed", (double)o->config.data_seed);
    json_put_number(j, "lr", o->config.lr);
    for (int c = 0; c < run_columns; c++) json_put_number(j, run_column[c].name, run_column[c].value(o));
}

static void put_summaries(Json *row, const Group *g)
{
    Json *all = put_object(row, "summary");
    for (int c = 0; c < run_columns; c++) {
        Summary s = group_summary(g, run_column[c].value);
        Json *j = put_object(all, run_column[c].name);
        json_put_number(j, "mean", s.mean);
        json_put_number(j, "sd", s.n > 1 ? s.deviation : NAN);
        json_put_number(j, "median", group_median(g, run_column[c].value, run_column[c].at_end));
        json_put_number(j, "n", s.n);
    }
}

static void put_verdicts(Json *row, const Study *s, const Group *g)
{
    Json *all = put_object(row, "verdicts");
    for (int v = 0; v < verdict_rows; v++) {
        Finding f = verdict_row[v].of(s, g);
        if (!f.text) continue;
        Json *j = put_object(all, verdict_row[v].name);
        json_put_number(j, "number", f.number);
        json_put_string(j, "text", f.text);
        free(f.text);
    }
}

static void put_row(Json *rows, const Study *s, const Group *g)
{
    Json *row = put_object(rows, NULL);
    char *sentence = verdict_sentence(s, g), *status = verdict_status(g);
    json_put_string(row, "label", g->label);
    json_put_string(row, "scheme", outcome_scheme(g->run[0]));
    json_put_bool(row, "reference", g == s->reference);
    json_put_bool(row, "best_lr", study_family(s, g)->best == g);
    json_put_string(row, "status", status);
    json_put_string(row, "sentence", sentence);
    json_put_number(row, "failed", group_failed(g));
    json_put_number(row, "end", group_final(g));
    put_summaries(row, g);
    put_verdicts(row, s, g);
    Json *runs = put_array(row, "runs");
    for (int i = 0; i < g->runs; i++) put_run(runs, g->run[i]);
    free(sentence);
    free(status);
}

static void put_contrast(Json *contrasts, const Contrast *c)
{
    Json *j = put_object(contrasts, NULL);
    const Paired *p = &c->paired;
    char *limits = contrast_limits(c);
    json_put_string(j, "label", c->group->label);
    json_put_number(j, "pairs", p->n);
    json_put_bool(j, "medians", c->robust);
    json_put_number(j, "difference", c->difference);
    json_put_number(j, "sd", p->deviation);
    json_put_number(j, "low", c->difference - p->half);
    json_put_number(j, "high", c->difference + p->half);
    json_put_number(j, "p", p->p);
    json_put_number(j, "holm_p", c->holm);
    json_put_number(j, "correlation", p->correlation);
    json_put_number(j, "tells_apart", p->half);
    int needed = isnan(p->half) ? 0 : statistics_pairs_needed(c->difference, p->deviation);
    json_put_number(j, "seeds_needed", needed ? (double)needed : (double)NAN);
    json_put_bool(j, "stands", contrast_stands(c));
    json_put_string(j, "limits", limits);
    free(limits);
}

/* A key's value; of a scheme its name. */
static Json *plain_value(const Outcome *o, const Key *k)
{
    if (k->type != KEY_SCHEME) return config_value(&o->config, k);
    Json *holder = json_new(JSON_OBJECT), *name = json_copy(json_put_string(holder, "scheme", outcome_scheme(o)));
    json_free(holder);
    return name;
}

static void put_differences(Json *root, const Study *s)
{
    Json *differs = put_object(root, "differs");
    int *key = xcalloc((size_t)config_keys, sizeof *key), keys = study_differing_keys(key, s);
    for (int i = 0; i < keys; i++) {
        Json *values = put_array(differs, config_key[key[i]].path);
        for (int r = 0; r < s->runs.count; r++) {
            Json *value = plain_value(&s->runs.run[r], &config_key[key[i]]);
            bool fresh = true;
            for (const Json *v = values->child; v; v = v->next) fresh &= !json_equal(v, value);
            if (fresh) json_put(values, NULL, value);
            else json_free(value);
        }
    }
    free(key);
}

void compare_write_json(const char *path, const Study *s)
{
    Json *root = json_new(JSON_OBJECT);
    json_put_string(root, "reference", s->reference->label);
    json_put_bool(root, "at_best_lr", s->lr_varied);
    const Json *yardsticks = json_get(s->reference->run[0]->facts, "yardsticks");
    if (yardsticks) json_put(root, "yardsticks", json_copy(yardsticks));
    put_differences(root, s);
    Json *rates = put_array(root, "learning_rates");
    for (int i = 0; i < s->points; i++) json_put_number(rates, NULL, s->grid[i]);
    Json *rows = put_array(root, "rows"), *contrasts = put_array(root, "contrasts");
    for (int i = 0; i < s->groups; i++) put_row(rows, s, &s->group[i]);
    for (int i = 0; i < s->contrasts; i++) put_contrast(contrasts, &s->contrast[i]);
    char *text = json_print(root, true);
    char *line = text_format("%s\n", text), *error = out_replace(path, line, strlen(line));
    free(line);
    if (error) die("%s", error);
    free(text);
    json_free(root);
}
