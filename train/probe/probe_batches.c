/* Over several batches at step 0: mean and variance of the gradient, and the sharpness that Adam sees. */
#include <math.h>
#include <stdlib.h>

#include "../../model/noise.h"
#include "probe.h"

/* All weights in a row, in the order of tensors. */
static int64_t tensor_size(const Tensor *t)
{
    return t->rows * t->cols;
}

static void gather(double *to, const Params *p, bool gradients)
{
    for (int t = 0; t < p->tensors; t++)
        for (int64_t i = 0; i < tensor_size(&p->tensor[t]); i++) *to++ = (double)(gradients ? p->tensor[t].g : p->tensor[t].w)[i];
}

/* weights = from + step·direction */
static void place(Params *p, const double *from, const double *direction, double step)
{
    for (int t = 0; t < p->tensors; t++)
        for (int64_t i = 0; i < tensor_size(&p->tensor[t]); i++) p->tensor[t].w[i] = (real)(*from++ + step * *direction++);
}

static double length(const double *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* --- mean and variance --- */

/* Sums over the batches of each weight's gradient and of its square. */
static void gradient_sums(Setup *s, double *sum, double *square, double *own, int batches)
{
    const Params *p = &s->model->params;
    for (int k = 0; k < batches; k++) {
        probe_gradient(s, k);
        gather(own, p, true);
        for (int64_t i = 0; i < p->size; i++) {
            sum[i] += own[i];
            square[i] += own[i] * own[i];
        }
    }
}

static void by_block(Probe *p, const Params *params, const double *sum, const double *square, int batches)
{
    for (int t = 0, K = batches; t < params->tensors; t++) {
        int layer = params->part[params->tensor[t].first_part].layer;
        for (int64_t i = 0; i < tensor_size(&params->tensor[t]); i++, sum++, square++) {
            double mean = *sum / K;
            if (layer < 0) continue;
            p->mean[layer] += mean * mean;
            p->deviation[layer] += fmax(0, (*square - K * mean * mean) / (K - 1));
        }
    }
    for (int64_t l = 0; l < p->layers; l++) {
        p->mean[l] = sqrt(p->mean[l]);
        p->deviation[l] = sqrt(p->deviation[l]);
    }
}

/* --- sharpness --- */

/* y = D^-½ H D^-½ x, by the difference of the first batch's gradient at two points. inverse: D^-½, 0 where a weight is left out. */
static void preconditioned_product(Setup *s, double *y, const double *x, const double *inverse, const double *start, double *direction, double *other)
{
    Params *p = &s->model->params;
    int64_t n = p->size;
    for (int64_t i = 0; i < n; i++) direction[i] = inverse[i] * x[i];
    double step = 1e-3 * length(start, n) / length(direction, n);
    place(p, start, direction, step);
    probe_gradient(s, 0);
    gather(y, p, true);
    place(p, start, direction, -step);
    probe_gradient(s, 0);
    gather(other, p, true);
    place(p, start, direction, 0);
    for (int64_t i = 0; i < n; i++) y[i] = inverse[i] * (y[i] - other[i]) / (2 * step);
}

/* Power iteration on the product plus shift·x: the eigenvalue of largest size without a shift, the largest one with that of
 * a negative one as the shift. */
static double largest_eigenvalue(Setup *s, const double *inverse, double shift)
{
    enum { ITERATIONS = 20 };
    int64_t n = s->model->params.size;
    double *x = xcalloc((size_t)n * 5, sizeof *x), *y = x + n, *start = y + n, *direction = start + n, *other = direction + n, value = NAN;
    gather(start, &s->model->params, false);
    for (int64_t i = 0; i < n; i++)
        x[i] = inverse[i] > 0 ? normal_quantile(noise_unit(noise_at((uint64_t)s->config.init_seed, NOISE_SAMPLES, 2, 0, (uint32_t)(i >> 32), (uint32_t)i))) : 0;
    for (int k = 0; k < ITERATIONS; k++) {
        double size = length(x, n), along = 0;
        for (int64_t i = 0; i < n; i++) x[i] /= size;
        preconditioned_product(s, y, x, inverse, start, direction, other);
        for (int64_t i = 0; i < n; i++) {
            along += x[i] * y[i];
            x[i] = y[i] + shift * x[i];
        }
        value = along;
    }
    free(x);
    return value;
}

static double sharpness(Probe *p, Setup *s, double *square, int batches)
{
    const Params *params = &s->model->params;
    double *inverse = square, total = 0;
    for (int64_t i = 0; i < params->size; i++) total += square[i];
    if (!isfinite(total)) return NAN;
    double least = 1e-10 * sqrt(total / ((double)params->size * batches));
    for (int64_t i = 0; i < params->size; i++) {
        double size = sqrt(square[i] / batches);
        p->still += !(size > least);
        inverse[i] = size > least ? 1 / sqrt(size + s->config.eps) : 0;
    }
    if (p->still == params->size) return NAN;
    double value = largest_eigenvalue(s, inverse, 0);
    if (value < 0) value = largest_eigenvalue(s, inverse, -value);
    return value > 0 ? value : NAN;      /* the eigenvalue of largest size is below 0 */
}

void probe_batches(Probe *p, Setup *s, int batches)
{
    const Params *params = &s->model->params;
    double *sum = xcalloc((size_t)params->size * 3, sizeof *sum), *square = sum + params->size, *own = square + params->size;
    p->batches = batches;
    gradient_sums(s, sum, square, own, batches);
    by_block(p, params, sum, square, batches);
    int64_t at = 0;
    for (int t = 0; t < params->tensors; t++) {
        const Tensor *tensor = &params->tensor[t];
        for (int64_t i = 0; i < tensor_size(tensor); i++, at++) {
            const Part *part = &params->part[tensor->first_part + (int)(i % tensor->cols / (tensor->cols / tensor->parts))];
            if (gpt_role_is_still(&s->model->shape, part->role)) square[at] = 0;
        }
    }
    p->sharpness = sharpness(p, s, square, batches);
    free(sum);
}
