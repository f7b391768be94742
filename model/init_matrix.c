#include "init_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "noise.h"

double weight_noise(uint64_t seed, uint64_t name, int64_t row, int64_t col)
{
    return noise_unit(noise_at(seed, NOISE_WEIGHTS, (uint32_t)name, (uint32_t)(name >> 32), (uint32_t)row, (uint32_t)col));
}

/* --- orthogonal --- */

static void subtract_projection(double *v, const double *unit, int64_t n)
{
    double along = 0;
    for (int64_t i = 0; i < n; i++) along += v[i] * unit[i];
    for (int64_t i = 0; i < n; i++) v[i] -= along * unit[i];
}

/* Orthonormalizes `count` vectors of n numbers (count <= n) by Gram-Schmidt, each twice: Q of the QR decomposition whose
 * R has a positive diagonal. */
static void orthonormalize(double *v, int64_t count, int64_t n)
{
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = 0; j < 2 * i; j++) subtract_projection(v + i * n, v + j % i * n, n);
        double square = 0;
        for (int64_t k = 0; k < n; k++) square += v[i * n + k] * v[i * n + k];
        for (int64_t k = 0; k < n; k++) v[i * n + k] /= sqrt(square);
    }
}

void fill_orthogonal(const Params *p, const Part *part, double gain, uint64_t seed)
{
    uint64_t name = noise_hash(part->name, strlen(part->name));
    bool tall = part->rows >= part->cols;
    int64_t count = tall ? part->cols : part->rows, n = tall ? part->rows : part->cols;
    double *v = xcalloc((size_t)(count * n), sizeof *v);
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < n; k++)
            v[i * n + k] = normal_quantile(weight_noise(seed, name, tall ? k : i, tall ? i : k));
    orthonormalize(v, count, n);
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < n; k++)
            part_row(p, part, p->tensor[part->tensor].w, tall ? k : i)[tall ? i : k] = (real)(gain * v[i * n + k]);
    free(v);
}

/* --- mimetic --- */

typedef struct { double *m, *u, *s, *vt; int n; } Decomposition;

static Decomposition decomposition_new(int n)
{
    size_t square = (size_t)n * (size_t)n;
    return (Decomposition){xcalloc(square, sizeof(double)), xcalloc(square, sizeof(double)), xcalloc((size_t)n, sizeof(double)),
                           xcalloc(square, sizeof(double)), n};
}

static void decomposition_free(Decomposition *d)
{
    free(d->m);
    free(d->u);
    free(d->s);
    free(d->vt);
}

/* noise·Z + scale·I, of the part's normals from column `first` on, decomposed; s becomes its square root. */
static void decompose(Decomposition *d, const Rule *rule, const Part *part, int64_t first, uint64_t seed)
{
    uint64_t name = noise_hash(part->name, strlen(part->name));
    for (int64_t i = 0; i < d->n; i++)
        for (int64_t j = 0; j < d->n; j++) {
            double z = normal_quantile(weight_noise(seed, name, i, first + j)) / sqrt(d->n);
            d->m[i * d->n + j] = rule->second * z + (i == j ? rule->scale : 0);
        }
    svd_square(d->u, d->s, d->vt, d->m, d->n);
    for (int i = 0; i < d->n; i++) d->s[i] = sqrt(d->s[i]);
}

static void fill_query_key(const Gpt *g, const Part *q, const Part *k, Decomposition *d, const Rule *rule, uint64_t seed)
{
    const Params *p = &g->params;
    int64_t dim = g->shape.n_embd / g->shape.n_head;
    for (int64_t head = 0; head < g->shape.n_head; head++) {
        decompose(d, rule, q, head * d->n, seed);
        for (int64_t row = 0; row < d->n; row++)
            for (int64_t i = 0; i < dim; i++) {
                part_row(p, q, p->tensor[q->tensor].w, row)[head * dim + i] = (real)(d->u[row * d->n + i] * d->s[i]);
                part_row(p, k, p->tensor[k->tensor].w, row)[head * dim + i] = (real)(d->vt[i * d->n + row] * d->s[i]);
            }
    }
}

static void fill_value_proj(const Gpt *g, const Part *v, const Part *proj, Decomposition *d, const Rule *rule, uint64_t seed)
{
    const Params *p = &g->params;
    decompose(d, rule, v, 0, seed);
    for (int64_t row = 0; row < d->n; row++)
        for (int64_t i = 0; i < d->n; i++) {
            part_row(p, v, p->tensor[v->tensor].w, row)[i] = (real)(d->u[row * d->n + i] * d->s[i]);
            part_row(p, proj, p->tensor[proj->tensor].w, row)[i] = (real)(d->s[row] * d->vt[row * d->n + i]);
        }
}

static int partner_of(const Gpt *g, int part, Role role)
{
    for (int i = 0; i < g->params.parts; i++)
        if (g->params.part[i].layer == g->params.part[part].layer && g->params.part[i].role == role) return i;
    return -1;
}

void fill_mimetic(Gpt *g, const Rule *rule, uint64_t seed)
{
    static const struct { Role first, second; } pair[] = {{ROLE_ATTN_Q, ROLE_ATTN_K}, {ROLE_ATTN_V, ROLE_ATTN_PROJ}};
    for (int i = 0; i < g->params.parts; i++) {
        const Part *part = &g->params.part[i];
        if (rule[i].kind != RULE_MIMETIC) continue;
        int other = -1, first = -1;
        for (size_t k = 0; k < COUNT(pair); k++) {
            if (part->role == pair[k].first) other = partner_of(g, i, pair[k].second), first = i;
            if (part->role == pair[k].second) other = first = partner_of(g, i, pair[k].first);
        }
        if (other < 0 || rule[other].kind != RULE_MIMETIC || rule[other].scale != rule[i].scale || rule[other].second != rule[i].second)
            die("scheme: mimetic is for the pairs attn.q, attn.k and attn.v, attn.proj, with equal formulas; %s has no such partner", part->name);
        if (first != i) continue;
        Decomposition d = decomposition_new((int)g->shape.n_embd);
        if (part->role == ROLE_ATTN_Q) fill_query_key(g, part, &g->params.part[other], &d, &rule[i], seed);
        else fill_value_proj(g, part, &g->params.part[other], &d, &rule[i], seed);
        decomposition_free(&d);
    }
}
