#include "report_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../compare/compare.h"
#include "../compare/verdict.h"
#include "../figure/figure_style.h"
#include "../compare/curve.h"
#include "../compare/init_parts.h"

/* --- JSON, a member at a time; a comma stands before each but the first --- */

static void key(Text *t, const char *name)
{
    char last = t->length ? t->at[t->length - 1] : '{';
    text_add(t, "%s", strchr("{[", last) ? "" : ",");
    if (name) text_add(t, "\"%s\":", name);
}

static void number(Text *t, const char *name, double x, int digits)
{
    key(t, name);
    if (isfinite(x)) text_add(t, "%.*g", digits, x);
    else text_add(t, "null");
}

static void numbers(Text *t, const char *name, const double *x, int n, int digits)
{
    key(t, name);
    text_add(t, "[");
    for (int i = 0; i < n; i++) number(t, NULL, x[i], digits);
    text_add(t, "]");
}

static void string(Text *t, const char *name, const char *text)
{
    Json *j = json_new(JSON_STRING);
    j->string = xstrdup(text);
    char *quoted = json_print(j, false);
    key(t, name);
    text_add(t, "%s", quoted);
    free(quoted);
    json_free(j);
}

static void begin(Text *t, const char *name, const char *bracket)
{
    key(t, name);
    text_add(t, "%s", bracket);
}

static void end(Text *t, const char *bracket)
{
    text_add(t, "%s", bracket);
}

/* --- columns of the table: those of compare --- */

static void add_columns(Text *t)
{
    begin(t, "columns", "[");
    for (int c = 0; c < run_columns; c++) string(t, NULL, run_column[c].title);
    end(t, "]");
}

static void add_values(Text *t, const Group *g)
{
    double *mean = xcalloc((size_t)run_columns, sizeof *mean), *deviation = xcalloc((size_t)run_columns, sizeof *deviation);
    for (int c = 0; c < run_columns; c++) {
        Summary s = run_column_summary(&run_column[c], g);
        mean[c] = s.mean;
        deviation[c] = s.deviation;
    }
    numbers(t, "mean", mean, run_columns, 6);
    numbers(t, "deviation", deviation, run_columns, 3);
    free(mean);
    free(deviation);
}

/* --- curves and heat maps --- */

static void add_points(Text *t, const char *name, const Curve *c, bool band)
{
    begin(t, name, "{");
    numbers(t, "step", c->step, c->n, 9);
    numbers(t, "mean", c->mean, c->n, 5);
    if (band) {
        numbers(t, "low", c->low, c->n, 4);
        numbers(t, "high", c->high, c->n, 4);
    }
}

/* The means of the pieces of a curve that is thinned stand within it. */
static void add_curve(Text *t, const Group *g, const char *name)
{
    Curve whole = curve_whole(g, name), thin = curve_thinned(&whole), means = curve_means(&whole, CURVE_PIECES);
    add_points(t, name, &thin, true);
    if (thin.n < whole.n) {
        add_points(t, "pieces", &means, g->runs > 1);
        end(t, "}");
    }
    end(t, "}");
    curve_free(&whole);
    curve_free(&thin);
    curve_free(&means);
}

static void add_heat(Text *t, const Group *g, const char *name, const char *prefix)
{
    Heat h = heat_of(g, prefix);
    begin(t, name, "{");
    begin(t, "places", "[");
    for (int p = 0; p < h.places; p++) string(t, NULL, h.place[p]);
    end(t, "]");
    number(t, "steps", h.steps, 9);
    begin(t, "cells", "[");
    for (int p = 0; p < h.places; p++) numbers(t, NULL, h.cell + p * h.columns, h.columns, 3);
    end(t, "]");
    numbers(t, "first", h.first, h.places, 5);
    double *clipped = clipped_of(g, &h);
    numbers(t, "clipped", clipped, h.columns, 2);
    end(t, "}");
    free(clipped);
    heat_free(&h);
}

/* --- the network at step 0, in the first run --- */

static void add_init(Text *t, const Outcome *o)
{
    int parts;
    InitPart *part = init_parts(o, &parts);
    begin(t, "init", "[");
    for (int i = 0; i < parts; i++) {
        begin(t, NULL, "{");
        string(t, "role", part[i].role);
        number(t, "layer", part[i].layer, 9);
        number(t, "expected", part[i].expected, 5);
        number(t, "measured", part[i].measured, 5);
        end(t, "}");
    }
    end(t, "]");
    init_parts_free(part, parts);
}

/* --- a group --- */

enum { SAMPLE_BYTES = 3000 };

static void add_sample(Text *t, const Outcome *o)
{
    char *text = outcome_file(o, "samples.txt");
    if (text && strlen(text) > SAMPLE_BYTES) text[SAMPLE_BYTES] = 0;
    string(t, "sample", text ? text : "");
    free(text);
}

static void add_statuses(Text *t, const Group *g)
{
    begin(t, "status", "[");
    for (int r = 0; r < g->runs; r++) string(t, NULL, outcome_status(g->run[r]));
    end(t, "]");
}

/* The keys that differ, but for the scheme, which the label names. */
static void add_config(Text *t, const Group *g, const Study *s)
{
    int *differing = xcalloc((size_t)config_keys, sizeof *differing), keys = study_differing_keys(differing, s);
    begin(t, "config", "{");
    for (int i = 0; i < keys; i++) {
        const Key *k = &config_key[differing[i]];
        if (k->type == KEY_SCHEME) continue;
        Json *value = config_value(&g->run[0]->config, k);
        char *text = json_brief(value);
        string(t, k->path, text);
        free(text);
        json_free(value);
    }
    end(t, "}");
    free(differing);
}

static void add_style(Text *t, const Style *style)
{
    number(t, "hue", style->hue, 9);
    key(t, "dash");
    text_add(t, "[%s]", style->dash);
    key(t, "shown");
    text_add(t, style->shown ? "true" : "false");
}

static void add_contrast(Text *t, const Contrast *c)
{
    key(t, "against");
    if (!c) {
        text_add(t, "null");
        return;
    }
    text_add(t, "{");
    number(t, "difference", c->difference, 5);
    number(t, "half", c->paired.half, 3);
    number(t, "p", c->holm, 3);
    end(t, "}");
}

static void add_group(Text *t, const Group *g, const Study *s, const Style *style)
{
    char *sentence = verdict_sentence(s, g);
    begin(t, NULL, "{");
    string(t, "label", g->label);
    string(t, "scheme", outcome_scheme(g->run[0]));
    add_style(t, style);
    string(t, "folder", g->run[0]->folder);
    string(t, "verdict", sentence);
    number(t, "seeds", g->runs, 9);
    number(t, "lr", g->run[0]->config.lr, 9);
    number(t, "clip", g->run[0]->config.grad_clip, 9);
    add_statuses(t, g);
    add_values(t, g);
    add_contrast(t, study_contrast(s, g));
    add_config(t, g, s);
    begin(t, "curves", "{");
    add_curve(t, g, "loss");
    add_curve(t, g, "val_loss");
    add_curve(t, g, "grad_norm");
    end(t, "}");
    add_heat(t, g, "gradient", "grad_norm.");
    add_heat(t, g, "branch", "branch_ratio.");
    add_init(t, g->run[0]);
    add_sample(t, g->run[0]);
    end(t, "}");
    free(sentence);
}

/* Colours of groups on light paper and on dark, and those of heat maps. */
static void add_colours(Text *t)
{
    begin(t, "palette", "{");
    begin(t, "light", "[");
    for (int i = 0; i < style_hues; i++) string(t, NULL, style_hue[i].light);
    end(t, "]");
    begin(t, "dark", "[");
    for (int i = 0; i < style_hues; i++) string(t, NULL, style_hue[i].dark);
    end(t, "]}");
    begin(t, "ramp", "[");
    for (int i = 0; i < style_ramp_stops; i++)
        numbers(t, NULL, (double[]){style_ramp[i][0], style_ramp[i][1], style_ramp[i][2]}, 3, 9);
    end(t, "]");
    string(t, "clipColour", STYLE_CLIPPED);
}

static void add_yardsticks(Text *t, const Outcome *o)
{
    begin(t, "yardsticks", "[");
    for (Yard y = 0; y < YARDS; y++) {
        begin(t, NULL, "{");
        string(t, "key", yard_row[y].key);
        string(t, "name", yard_row[y].name);
        number(t, "value", outcome_yardstick(o, y), 6);
        end(t, "}");
    }
    end(t, "]");
}

char *report_data(const Study *s)
{
    Text t = {0};
    text_add(&t, "{");
    string(&t, "version", STEP0_VERSION);
    number(&t, "reference", (double)(s->reference - s->group), 9);
    number(&t, "comparisons", s->contrasts ? s->contrast[0].comparisons : 0, 9);
    add_yardsticks(&t, s->group[0].run[0]);
    add_columns(&t);
    add_colours(&t);
    Style *style = styles_of(s);
    begin(&t, "groups", "[");
    for (int i = 0; i < s->groups; i++) add_group(&t, &s->group[i], s, &style[i]);
    end(&t, "]}");
    free(style);
    return t.at;
}
