#include "coord.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../commands.h"
#include "fit.h"
#include "../run/optim.h"
#include "../out.h"
#include "probe.h"

typedef enum { KIND_EMBEDDING, KIND_ATTENTION, KIND_MLP, KIND_STREAM, KIND_LOGITS, KINDS } Kind;
static const char *const kind_name[KINDS] = {"embedding", "attention", "mlp", "last stream", "logits"};

enum { STEPS = 3 };            /* updates */

typedef struct {
    char *group;               /* what varies beside the size */
    int64_t size;              /* n_embd or n_layer */
    double value[STEPS + 1][KINDS];      /* mean |y| at step 0, mean |y - y of step 0| behind */
} Coord;

/* --- one model --- */

/* The outputs of step 0, and sums over what passes now. */
typedef struct { Setup *s; real *first[KINDS]; double sum[KINDS]; int64_t count[KINDS], at[KINDS]; bool start; } Watch;

static void see(Watch *w, Kind kind, const real *y, int64_t n)
{
    real *first = w->first[kind] + w->at[kind];
    for (int64_t i = 0; i < n; i++) {
        if (w->start) first[i] = y[i];
        w->sum[kind] += fabs((double)(w->start ? y[i] : y[i] - first[i]));
    }
    w->count[kind] += n;
    w->at[kind] += n;
}

static void see_branch(void *data, const Branch *b, const Batch *batch)
{
    Watch *w = data;
    int64_t n = batch->rows * batch->length * w->s->model->shape.n_embd;
    if (b == w->s->model->branch) see(w, KIND_EMBEDDING, b->x, n);
    see(w, b->kind == BRANCH_ATTENTION ? KIND_ATTENTION : KIND_MLP, b->added, n);
}

/* A forward and backward over the one batch, and the mean of each kind. */
static void measure(Watch *w, double *value, real *logits, const Batch *b)
{
    Gpt *g = w->s->model;
    int64_t n = b->rows * b->length;
    for (int k = 0; k < KINDS; k++) w->sum[k] = 0, w->count[k] = w->at[k] = 0;
    params_zero_gradients(&g->params, w->s->threads);
    gpt_loss_back(g, b, 1 / (double)n);
    see(w, KIND_STREAM, g->x, n * g->shape.n_embd);
    gpt_logits(g, logits, n);
    see(w, KIND_LOGITS, logits, n * g->shape.vocab_size);
    for (int k = 0; k < KINDS; k++) value[k] = w->sum[k] / (double)w->count[k];
}

static void train(Setup *s, Coord *c)
{
    Gpt *g = s->model;
    Config plain = s->config;
    Batch b = setup_batch(s, 0, 0);
    int64_t n = b.rows * b.length, wide = n * g->shape.n_embd;
    const int64_t size[KINDS] = {wide, wide * g->shape.n_layer, wide * g->shape.n_layer, wide, n * g->shape.vocab_size};
    real *logits = xcalloc((size_t)size[KIND_LOGITS], sizeof *logits);
    Watch w = {.s = s, .start = true};
    for (int k = 0; k < KINDS; k++) w.first[k] = xcalloc((size_t)size[k], sizeof(real));
    plain.weight_decay = 0;
    b.dropout.rate = 0;
    g->observer = (Observer){.forward = see_branch, .data = &w};
    for (int t = 0; t <= STEPS; t++) {
        measure(&w, c->value[t], logits, &b);
        w.start = false;
        if (t < STEPS) optim_step(&g->params, &plain, s->factors, t, plain.lr, 1, s->threads);
    }
    for (int k = 0; k < KINDS; k++) free(w.first[k]);
    free(logits);
}

/* --- over sizes --- */

/* The label without its word of the size, "n_embd=64"; an empty one is the scheme's name. */
static char *group_of(const char *label, const char *axis, const Setup *s)
{
    Text t = {0};
    text_add(&t, "%s", "");
    for (const char *p = label; *p;) {
        size_t length = strcspn(p, " ");
        if (strncmp(p, axis, strlen(axis))) text_add(&t, "%s%.*s", t.length ? " " : "", (int)length, p);
        p += length + (p[length] == ' ');
    }
    if (!t.length) text_add(&t, "%s", scheme_name(&s->scheme));
    return t.at;
}

static Fit slope_of(const Coord *c, int count, const char *group, int t, Kind kind)
{
    double *x = xcalloc(2 * (size_t)count, sizeof *x), *y = x + count;
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (strcmp(c[i].group, group)) continue;
        x[n] = (double)c[i].size;
        y[n++] = c[i].value[t][kind];
    }
    Fit f = fit_power(x, y, n);
    free(x);
    return f;
}

/* The check fails where the mean exponent of the changes is above GROWS or below VANISHES. Measured at widths 64 to 512, lr 1e-3:
 * mup and completep -0.25 to 0.1 (logits start from width^-0.5 and come up slowly), lecun 0.4 to 0.6, gpt2 0.7 to 1.4. */
#define GROWS 0.25
#define VANISHES (-0.45)

static bool print_kind(const Coord *c, int count, const char *group, Kind kind)
{
    double sum = 0, changes = 0;
    bool finite = true;
    printf("  %-12s", kind_name[kind]);
    for (int t = 0; t <= STEPS; t++) {
        double slope = slope_of(c, count, group, t, kind).slope;
        bool changed = t > 0 && !isnan(slope);
        sum += changed ? slope : 0;
        changes += changed;
        if (isnan(slope)) printf(" %8s", "-");
        else printf(" %8.2f", slope);
        for (int i = 0; i < count; i++) finite &= strcmp(c[i].group, group) || isfinite(c[i].value[t][kind]);
    }
    double mean = sum / changes;
    const char *wrong = !finite ? "fail: not finite" : mean > GROWS ? "fail: grows" : mean < VANISHES ? "fail: vanishes" : changes == 0 ? "fail: no change" : NULL;
    printf("   %s\n", wrong ? wrong : "pass");
    return !wrong;
}

static void print_group(const Coord *c, int count, const char *group, const char *axis)
{
    bool good = true;
    printf("\n%s: exponent of %.*s\n  %-12s %8s %8s %8s %8s\n", group, (int)strcspn(axis, "="), axis, "output", "step 0", "change 1", "change 2", "change 3");
    for (int k = 0; k < KINDS; k++) good &= print_kind(c, count, group, (Kind)k);
    printf("  %s\n", good ? "pass: no output's change grows or vanishes with size" : "fail: the changes of the outputs named above go with size");
}

static void write_csv(const char *path, const Coord *c, int count)
{
    Out out = out_create(path);
    out_print(&out, "config,size,step,output,value\n");
    for (int i = 0; i < count; i++)
        for (int t = 0; t <= STEPS; t++)
            for (int k = 0; k < KINDS; k++)
{
                out_quoted(&out, c[i].group);
                out_print(&out, ",%lld,%d,%s,%.9g\n", (long long)c[i].size, t, kind_name[k], c[i].value[t][k]);
            }
    char *error = out_close(&out, false);
    if (error) die("%s", error);
}

int coord_cells(const Args *args, const Cell *cell, int cells)
{
    const char *axis = strstr(cell[0].label, "n_embd=") ? "n_embd=" : strstr(cell[0].label, "n_layer=") ? "n_layer=" : NULL;
    if (!axis) die("--coord needs several sizes, for instance model.n_embd=64,128,256 (or model.n_layer=2,4,8)");
    Coord *c = xcalloc((size_t)cells, sizeof *c);
    for (int i = 0; i < cells; i++) {
        Args own = *args;
        own.override = cell[i].override;
        own.overrides = cell[i].overrides;
        Setup s = setup_new(&own, NULL);
        c[i] = (Coord){.group = group_of(cell[i].label, axis, &s), .size = strcmp(axis, "n_embd=") ? s.config.n_layer : s.config.n_embd};
        train(&s, &c[i]);
        setup_free(&s);
    }
    for (int i = 1; i <= cells; i++) {
        if (i == cells) die("--coord needs at least two different sizes; here all have %s%lld", axis, (long long)c[0].size);
        if (c[i].size != c[0].size) break;
    }
    for (int i = 0; i < cells; i++) {
        bool seen = false;
        for (int j = 0; j < i; j++) seen |= !strcmp(c[j].group, c[i].group);
        if (!seen) print_group(c, cells, c[i].group, axis);
    }
    printf("\nMean |activation| at step 0, and mean |change since step 0| behind updates 1 to 3 on one batch (lr as in the config, no decay, no clipping),\n"
           "as size^exponent. An output passes where its changes' exponents have a mean from %.2f to %.2f. %s\n", VANISHES, GROWS,
           strcmp(axis, "n_embd=") ? "" : " At step 0 muP's logits fall with width^-0.5, which is right.");
    if (args->csv) write_csv(args->csv, c, cells);
    for (int i = 0; i < cells; i++) free(c[i].group);
    free(c);
    return EXIT_DONE;
}
