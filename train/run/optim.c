#include "optim.h"

#include <math.h>
#include <string.h>

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

/* Update s of a part. */
static AdamW update_of(const Params *p, const Config *c, const Factors *factors, int part, int64_t s, double lr, double clip)
{
    const double *factor = factors[part].value, t = (double)(s + 1), own = lr * factor[FACTOR_LR];
    bool decays = p->tensor[p->part[part].tensor].matrix;
    return (AdamW){.clip = (real)clip, .rest1 = (real)(1 - c->beta1), .beta2 = (real)c->beta2, .rest2 = (real)(1 - c->beta2),
                   .root = (real)sqrt(1 - pow(c->beta2, t)), .eps = (real)(c->eps * factor[FACTOR_EPS]), .step = (real)(own / (1 - pow(c->beta1, t))),
                   .decay = (real)(1 - own * (decays ? c->weight_decay * factor[FACTOR_WEIGHT_DECAY] : 0))};
}

/* Makes the update, or only tries it: whether the weights would be finite. */
typedef bool Update(real *w, real *g, real *m, real *v, int64_t n, const AdamW *a);

static bool make(real *w, real *g, real *m, real *v, int64_t n, const AdamW *a)
{
    kernel_adamw(w, g, m, v, n, a);
    return true;
}

static bool try(real *w, real *g, real *m, real *v, int64_t n, const AdamW *a)
{
    enum { FEW = 256 };
    real copy[3][FEW];
    for (int64_t at = 0; at < n; at += FEW) {
        int64_t few = min_i64(FEW, n - at);
        memcpy(copy[0], w + at, (size_t)few * sizeof *w);
        memcpy(copy[1], m + at, (size_t)few * sizeof *m);
        memcpy(copy[2], v + at, (size_t)few * sizeof *v);
        kernel_adamw(copy[0], g + at, copy[1], copy[2], few, a);
        if (!isfinite(kernel_squares(copy[0], few))) return false;
    }
    return true;
}

/* One piece of a part, in a stretch where its rows lie one behind the other. */
static bool update_slab(Params *p, const Slab *slab, const AdamW *a, Update *update)
{
    const Part *part = &p->part[slab->part];
    Tensor *t = &p->tensor[part->tensor];
    bool dense = part->cols == t->cols, finite = true;
    int64_t rows = dense ? 1 : slab->rows, cols = dense ? slab->rows * part->cols : part->cols;
    for (int64_t i = 0; i < rows; i++) {
        int64_t at = (slab->row + i) * t->cols + part->column;
        finite &= update(t->w + at, t->g + at, t->m + at, t->v + at, cols, a);
    }
    return finite;
}

void optim_step(Params *p, const Config *c, const Factors *factors, int64_t s, double lr, double clip, int threads)
{
#pragma omp parallel for num_threads(team(threads, p->size * COST_NORM)) schedule(static)
    for (int i = 0; i < p->slabs; i++) {
        AdamW a = update_of(p, c, factors, p->slab[i].part, s, lr, clip);
        update_slab(p, &p->slab[i], &a, make);
    }
}

/* Where it is not, no weight can leave the range of numbers: it changes by |m|/eps at most, and m is below 1e18 where v is
 * not infinite. */
static bool is_wild(const AdamW *a)
{
    return !(a->step <= 1 && fabs((double)a->decay) <= 1 && (double)a->eps >= 1e-20);
}

int optim_overflow(Params *p, const Config *c, const Factors *factors, int64_t s, double lr, double clip)
{
    for (int i = p->slabs - 1; i >= 0; i--) {
        AdamW a = update_of(p, c, factors, p->slab[i].part, s, lr, clip);
        if (is_wild(&a) && !update_slab(p, &p->slab[i], &a, try)) return p->slab[i].part;
    }
    return -1;
}
