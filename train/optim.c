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

void optim_step(Params *p, const Config *c, int64_t s, double lr, double clip, int threads)
{
    double t = (double)(s + 1);
    AdamW a = {.clip = (real)clip, .rest1 = (real)(1 - c->beta1), .beta2 = (real)c->beta2, .rest2 = (real)(1 - c->beta2), .eps = (real)c->eps,
               .step = (real)(lr / (1 - pow(c->beta1, t))), .root = (real)sqrt(1 - pow(c->beta2, t))};
#pragma omp parallel num_threads(team(threads, p->size))
    for (int i = 0; i < p->tensors; i++) {
        const Tensor *x = &p->tensor[i];
        AdamW own = a;
        own.decay = (real)(1 - lr * (x->matrix ? c->weight_decay : 0));
        int64_t n = x->rows * x->cols;
#pragma omp for schedule(static) nowait
        for (int64_t at = 0; at < n; at += BLOCK)
            kernel_adamw(x->w + at, x->g + at, x->m + at, x->v + at, min_i64(BLOCK, n - at), &own);
    }
}
