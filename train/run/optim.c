#include "optim.h"

#include <math.h>

double optim_lr(const Config *c, int64_t s)
{
    int64_t N = c->steps, w = c->warmup_steps, D = c->decay_steps;
    if (s < w) return c->lr * (double)(s + 1) / (double)w;
    double p = (double)(s - w) / (double)max_i64(1, N - 1 - w), drop = c->min_lr - c->lr;
    switch (c->schedule) {
    case SCHEDULE_COSINE: return c->min_lr - drop * (1 + cos(3.14159265358979323846 * p)) / 2;
    case SCHEDULE_LINEAR: return c->lr + drop * p;
    case SCHEDULE_WSD: return s < N - D ? c->lr : c->lr + drop * (double)(s - (N - D) + 1) / (double)D;
    default: return c->lr;
    }
}

double optim_clip(const Config *c, double norm)
{
    double factor = c->grad_clip / (norm + 1e-6);
    return c->grad_clip > 0 && factor < 1 ? factor : 1;
}

/* One piece of a part, in a stretch where its rows lie one behind the other. */
static void step_slab(Params *p, const Slab *slab, const AdamW *a)
{
    const Part *part = &p->part[slab->part];
    Tensor *t = &p->tensor[part->tensor];
    bool dense = part->cols == t->cols;
    int64_t rows = dense ? 1 : slab->rows, cols = dense ? slab->rows * part->cols : part->cols;
    for (int64_t i = 0; i < rows; i++) {
        int64_t at = (slab->row + i) * t->cols + part->column;
        kernel_adamw(t->w + at, t->g + at, t->m + at, t->v + at, cols, a);
    }
}

void optim_step(Params *p, const Config *c, const Factors *factors, int64_t s, double lr, double clip, int threads)
{
    double t = (double)(s + 1), correction = 1 - pow(c->beta1, t);
    const AdamW common = {.clip = (real)clip, .rest1 = (real)(1 - c->beta1), .beta2 = (real)c->beta2, .rest2 = (real)(1 - c->beta2),
                          .root = (real)sqrt(1 - pow(c->beta2, t))};
#pragma omp parallel for num_threads(team(threads, p->size * COST_NORM)) schedule(static)
    for (int i = 0; i < p->slabs; i++) {
        const double *factor = factors[p->slab[i].part].value;
        bool decays = p->tensor[p->part[p->slab[i].part].tensor].matrix;
        double own = lr * factor[FACTOR_LR];
        AdamW a = common;
        a.eps = (real)(c->eps * factor[FACTOR_EPS]);
        a.step = (real)(own / correction);
        a.decay = (real)(1 - own * (decays ? c->weight_decay * factor[FACTOR_WEIGHT_DECAY] : 0));
        step_slab(p, &p->slab[i], &a);
    }
}
