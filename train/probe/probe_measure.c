#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../model/noise.h"
#include "probe.h"
#include "theory.h"

double probe_gradient(Setup *s, int64_t step)
{
    Batch b = setup_batch(s, step, 0);
    double scale = 1 / (double)(b.rows * b.length);
    params_zero_gradients(&s->model->params, s->threads);
    return gpt_loss_back(s->model, &b, scale) * scale;
}

/* The probability that two tokens of the batch are the same. */
static double same_token(const Setup *s, int64_t n)
{
    double *count = xcalloc((size_t)s->tokenizer.size, sizeof *count), same = 0;
    for (int64_t i = 0; i < n; i++) count[s->token[i]]++;
    for (int v = 0; v < s->tokenizer.size; v++) same += count[v] / (double)n * (count[v] / (double)n);
    free(count);
    return same;
}

/* After a forward over batch b. */
static double jacobian(Setup *s, const Batch *b)
{
    enum { DRAWS = 4 };
    Gpt *g = s->model;
    int64_t n = b->rows * b->length * g->shape.n_embd;
    double sum = 0;
    for (uint32_t draw = 0; draw < DRAWS; draw++) {
        for (int64_t i = 0; i < n; i++)
            g->dx[i] = (real)normal_quantile(noise_unit(noise_at((uint64_t)s->config.init_seed, NOISE_SAMPLES, 1, draw, (uint32_t)(i >> 32), (uint32_t)i)));
        gpt_blocks_back(g, b);
        sum += kernel_squares(g->dx, n) / (double)n;
    }
    return sum / DRAWS;
}

static void take_norms(Probe *p, const Setup *s)
{
    const Params *params = &s->model->params;
    double *square = xcalloc((size_t)params->parts, sizeof *square);
    params_gradient_squares(params, square, s->threads);
    p->part = xcalloc((size_t)params->parts, sizeof *p->part);
    p->part_norm = xcalloc((size_t)params->parts, sizeof *p->part_norm);
    for (int i = 0; i < params->parts; i++) {
        const Part *part = &params->part[i];
        if (part->layer >= 0) p->gradient[part->layer] += square[i];
        if (gpt_role_is_still(&s->model->shape, part->role)) continue;
        p->part[p->parts] = xstrdup(part->name);
        p->part_norm[p->parts++] = sqrt(square[i]);
    }
    for (int64_t l = 0; l < p->layers; l++) p->gradient[l] = sqrt(p->gradient[l]);
    free(square);
}

static double *numbers(int64_t n)
{
    return xcalloc((size_t)n, sizeof(double));
}

Probe probe_measure(Setup *s, const char *label, int batches)
{
    Gpt *g = s->model;
    int64_t L = g->shape.n_layer, tokens = s->config.batch_size * s->config.block_size;
    Probe p = {.label = xstrdup(*label ? label : scheme_name(&s->scheme)), .layers = L, .length = s->config.block_size, .ln_vocab = log(s->tokenizer.size), .lr = s->config.lr, .beta1 = s->config.beta1,
               .block = xcalloc((size_t)L, sizeof *p.block), .predicted = numbers(L + 1), .gradient = numbers(L), .mean = numbers(L),
               .deviation = numbers(L), .sharpness = NAN};
    View *view = observe_start(g);
    p.loss = probe_gradient(s, 0);
    observe_batch(view, tokens);
    observe_end(view);
    memcpy(p.block, view->block, (size_t)L * sizeof *p.block);
    p.embedding = view->embedding;
    p.logit_std = view->logit_std;
    p.log_z = view->log_z;
    observe_stop(view);
    take_norms(&p, s);
    theory_stream(p.predicted, s, same_token(s, tokens));
    Batch b = setup_batch(s, 0, 0);
    p.jacobian = jacobian(s, &b);
    if (batches > 0) probe_batches(&p, s, batches);
    return p;
}

void probe_free(Probe *p)
{
    for (int i = 0; i < p->parts; i++) free(p->part[i]);
    free(p->part);
    free(p->part_norm);
    free(p->label);
    free(p->block);
    free(p->predicted);
    free(p->gradient);
    free(p->mean);
    free(p->deviation);
}
