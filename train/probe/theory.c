#include "theory.h"

#include <math.h>

/* Of one coordinate: its mean square, and that of two positions multiplied. */
typedef struct { double variance, covariance; } Moments;

/* --- weights --- */

static const Part *part_of(const Gpt *g, int layer, Role role, int *at)
{
    for (*at = 0; *at < g->params.parts; (*at)++)
        if (g->params.part[*at].layer == layer && g->params.part[*at].role == role) return &g->params.part[*at];
    return NULL;
}

/* The mean square of a part's weights, by its rule where that says so; 0 where the model has no such part. */
static double mean_square(const Setup *s, int layer, Role role)
{
    int at;
    if (!part_of(s->model, layer, role, &at)) return 0;
    const PartReport *r = &s->report[at];
    double std = isnan(r->expected_std) ? r->measured_std : r->expected_std;
    double centre = r->rule.kind == RULE_CONSTANT && !r->loaded ? r->rule.scale : 0;
    return std * std + centre * centre;
}

/* --- the operations --- */

static Moments times(Moments m, double factor, double added)
{
    return (Moments){m.variance * factor + added, m.covariance * factor + added};
}

/* Through a matrix and its bias. output_std, where the scheme fits the output to a batch, decides. */
static Moments through(const Setup *s, Moments m, int layer, Role matrix, Role bias)
{
    int at;
    const Part *part = part_of(s->model, layer, matrix, &at);
    assert(part);
    Moments out = times(m, (double)part->fan_in * mean_square(s, layer, matrix), mean_square(s, layer, bias));
    double target = s->config.from ? NAN : scheme_output_std(&s->scheme, &s->model->shape, part);
    return isnan(target) || !(out.variance > 0) ? out : times(out, target * target / out.variance, 0);
}

static Moments normed(const Setup *s, const Norm *norm, Moments m, int layer, Role gain)
{
    if (!norm->gain) return m;
    bool modulated = s->model->condition && (gain == ROLE_LN_1_GAIN || gain == ROLE_LN_2_GAIN);
    double scale = (double)norm->scale * (double)norm->scale, square = modulated ? 1 : mean_square(s, layer, gain);
    double bias = modulated ? 0 : mean_square(s, layer, gain + 1);
    double variance = m.variance + NORM_EPS;
    return times((Moments){m.variance / variance, m.covariance / variance}, square * scale, bias * scale);
}

/* A uniform average over the positions so far: of t positions it keeps the covariance and 1/t of the rest; two averages
 * share the shorter one's positions. */
static Moments averaged(Moments m, int64_t length)
{
    double own = 0, shared = 0, rest = m.variance - m.covariance;
    for (int64_t t = 1; t <= length; t++) {
        own += 1 / (double)t;
        shared += (double)(t - 1) / (double)t;
    }
    double pairs = (double)length * (double)(length - 1) / 2;
    return (Moments){m.covariance + rest * own / (double)length, m.covariance + (pairs > 0 ? rest * shared / pairs : 0)};
}

static double activate(double x, Activation act)
{
    real in = (real)x, out;
    kernel_activation(&out, &in, 1, act);
    return (double)out;
}

/* E[act(a)²] and E[act(a)·act(b)] of normals a, b of these moments, by sums over a grid. */
static Moments activated(Moments m, Activation act)
{
    enum { HALF = 40 };
    const double step = 0.2;
    double own = 0, both = 0, std = sqrt(m.variance), rho = m.variance > 0 ? fmax(-1, fmin(1, m.covariance / m.variance)) : 0;
    for (int i = -HALF; i <= HALF; i++) {
        double z = i * step, weight = exp(-z * z / 2), first = activate(std * z, act), other = 0;
        for (int j = -HALF; j <= HALF; j++) {
            double w = j * step;
            other += exp(-w * w / 2) * activate(std * (rho * z + sqrt(1 - rho * rho) * w), act);
        }
        own += weight * first * first;
        both += weight * first * other;
    }
    double normal = step / 2.50662827463100050242;
    return (Moments){own * normal, both * normal * normal};
}

/* --- the network --- */

static Moments branch(const Setup *s, const Branch *b, Moments x)
{
    bool attn = b->kind == BRANCH_ATTENTION;
    int l = b->layer;
    Moments m = normed(s, &b->norm_in, x, l, attn ? ROLE_LN_1_GAIN : ROLE_LN_2_GAIN);
    m = attn ? averaged(through(s, m, l, ROLE_ATTN_V, ROLE_ATTN_V_BIAS), s->config.block_size)
             : activated(through(s, m, l, ROLE_MLP_FC, ROLE_MLP_FC_BIAS), s->model->shape.activation);
    m = normed(s, &b->norm_mid, m, l, attn ? ROLE_LN_1_MID_GAIN : ROLE_LN_2_MID_GAIN);
    m = attn ? through(s, m, l, ROLE_ATTN_PROJ, ROLE_ATTN_PROJ_BIAS) : through(s, m, l, ROLE_MLP_PROJ, ROLE_MLP_PROJ_BIAS);
    return normed(s, &b->norm_out, m, l, attn ? ROLE_LN_1_OUT_GAIN : ROLE_LN_2_OUT_GAIN);
}

/* The mean square of a factor's row, as the last forward spread it. */
static double factor_square(const Factor *f, int64_t C)
{
    return kernel_squares(f->row, C) / (double)C;
}

void theory_stream(double *stream, const Setup *s, double same_token)
{
    const Gpt *g = s->model;
    int64_t C = g->shape.n_embd;
    double scale = (double)g->embd_scale * (double)g->embd_scale, token = scale * mean_square(s, -1, ROLE_WTE);
    Moments x = {token + scale * mean_square(s, -1, ROLE_WPE), token * same_token};
    stream[0] = sqrt(x.variance);
    for (int i = 0; i < g->branches; i++) {
        const Branch *b = &g->branch[i];
        Moments added = branch(s, b, x);
        double skip = factor_square(&b->skip, C), gate = factor_square(&b->gate, C);
        x = (Moments){skip * x.variance + gate * added.variance, skip * x.covariance + gate * added.covariance};
        x = normed(s, &b->norm_post, x, b->layer, b->kind == BRANCH_ATTENTION ? ROLE_LN_1_GAIN : ROLE_LN_2_GAIN);
        if (b->kind == BRANCH_MLP) stream[b->layer + 1] = sqrt(x.variance);
    }
}
