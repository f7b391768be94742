/* step0 probe: the network at step 0, over one batch and by depth, schemes side by side. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "grid.h"
#include "out.h"
#include "report_init.h"
#include "terminal.h"

typedef struct {
    char *label;
    int64_t layers;
    double *stream;            /* [L+1] root mean square of the residual stream that enters block l; the last leaves them */
    double *gradient;          /* [L] gradient norm of block l's parameters */
    double loss, ln_vocab;
} Probe;

static double root_mean_square(const real *x, int64_t n)
{
    return sqrt(kernel_squares(x, n) / (double)n);
}

static Probe measure(Setup *s, const char *label)
{
    Gpt *g = s->model;
    int64_t L = g->shape.n_layer, tokens = s->config.batch_size * s->config.block_size, n = tokens * g->shape.n_embd;
    Probe p = {.label = xstrdup(*label ? label : scheme_name(&s->scheme)), .layers = L, .stream = xcalloc((size_t)L + 1, sizeof(double)),
               .gradient = xcalloc((size_t)L, sizeof(double)), .ln_vocab = log(s->tokenizer.size)};
    double *square = xcalloc((size_t)g->params.parts, sizeof *square);
    Batch b = setup_batch(s, 0, 0);
    p.loss = gpt_loss_back(g, &b, 1 / (double)tokens) / (double)tokens;
    params_gradient_squares(&g->params, square, s->threads);
    for (int64_t l = 0; l <= L; l++) p.stream[l] = root_mean_square(l < L ? g->branch[BRANCHES * l].x : g->x, n);
    for (int i = 0; i < g->params.parts; i++)
        if (g->params.part[i].layer >= 0) p.gradient[g->params.part[i].layer] += square[i];
    for (int64_t l = 0; l < L; l++) p.gradient[l] = sqrt(p.gradient[l]);
    free(square);
    return p;
}

typedef struct { double low, high; } Range;

static void widen(Range *r, const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (!(x[i] > 0) || !isfinite(x[i])) continue;
        r->low = fmin(r->low, x[i]);
        r->high = fmax(r->high, x[i]);
    }
}

/* A bar on a logarithmic scale that starts a little below the least number. */
static void add_bar(Text *t, double x, Range r)
{
    enum { WIDTH = 28 };
    double low = log(r.low) - 0.05 * log(r.high / r.low) - 0.1;
    terminal_bar(t, x > 0 ? (log(x) - low) / (log(r.high) - low) : 0, WIDTH);
}

static void print_probe(const Probe *p, Range stream, Range gradient)
{
    int64_t most = 0;
    for (int64_t l = 1; l < p->layers; l++)
        if (p->gradient[l] > p->gradient[most]) most = l;
    printf("\n%s: loss %.4f (ln V %.4f); gradient largest in h.%lld (%.3g), ratio of the first block to the last ", p->label, p->loss, p->ln_vocab,
           (long long)most, p->gradient[most]);
    if (p->gradient[p->layers - 1] > 0) printf("%.3g\n", p->gradient[0] / p->gradient[p->layers - 1]);
    else printf("- (zero)\n");
    printf("  %-6s %-10s %-28s  %-10s\n", "block", "stream RMS", "", "gradient");
    for (int64_t l = 0; l <= p->layers; l++) {
        Text t = {0};
        if (l < p->layers) text_add(&t, "  h.%-4lld", (long long)l);
        else text_add(&t, "  %-6s", "ln_f");
        text_add(&t, " %-10.4g ", p->stream[l]);
        add_bar(&t, p->stream[l], stream);
        if (l < p->layers) {
            text_add(&t, "  %-10.4g ", p->gradient[l]);
            add_bar(&t, p->gradient[l], gradient);
        }
        printf("%s\n", t.at);
        free(t.at);
    }
}

/* A cell of CSV: quotes inside it doubled. */
static void write_quoted(Out *out, const char *text)
{
    out_print(out, "\"");
    for (; *text; text++) out_print(out, *text == '"' ? "\"\"" : "%c", *text);
    out_print(out, "\"");
}

static void write_csv(const char *path, const Probe *p, int count)
{
    Out out = out_open(path, false);
    out_print(&out, "config,layer,stream_rms,grad_norm\n");
    for (int i = 0; i < count; i++)
        for (int64_t l = 0; l <= p[i].layers; l++) {
            write_quoted(&out, p[i].label);
            out_print(&out, ",%lld,%.9g,", (long long)l, p[i].stream[l]);
            if (l < p[i].layers) out_print(&out, "%.9g", p[i].gradient[l]);
            out_print(&out, "\n");
        }
    char *error = out_close(&out, false);
    if (error) die("%s", error);
}

int command_probe(const Args *args)
{
    int cells;
    Cell *cell = grid_cells(args->override, args->overrides, &cells);
    Probe *probe = xcalloc((size_t)cells, sizeof *probe);
    Range stream = {INFINITY, 0}, gradient = {INFINITY, 0};
    for (int i = 0; i < cells; i++) {
        Args own = *args;
        own.override = cell[i].override;
        own.overrides = cell[i].overrides;
        Setup s = setup_new(&own, NULL);
        probe[i] = measure(&s, cell[i].label);
        widen(&stream, probe[i].stream, probe[i].layers + 1);
        widen(&gradient, probe[i].gradient, probe[i].layers);
        setup_free(&s);
    }
    for (int i = 0; i < cells; i++) print_probe(&probe[i], stream, gradient);
    printf("\nBars are logarithmic, on one scale for all.\n");
    if (args->csv) write_csv(args->csv, probe, cells);
    for (int i = 0; i < cells; i++) {
        free(probe[i].label);
        free(probe[i].stream);
        free(probe[i].gradient);
    }
    free(probe);
    grid_free(cell, cells);
    return EXIT_DONE;
}
