#include "attention.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"

int64_t attention_scratch(int64_t length)
{
    return 3 * QUERIES * length;
}

/* One head of one sequence: its columns of qkv, of mixed, and what was kept of its softmaxes. */
typedef struct {
    const Attention *a;
    const Dropout *d;
    int64_t row, head, dim;
    int64_t wide, narrow;      /* strides of qkv and of mixed */
    int64_t at, beside;        /* offsets into them */
} Lane;

static Lane head_of(const Attention *a, const Dropout *d, int64_t task)
{
    Lane h = {.a = a, .d = d, .row = task / a->n_head, .head = task % a->n_head, .dim = a->n_embd / a->n_head,
              .wide = 3 * a->n_embd, .narrow = a->n_embd};
    h.at = h.row * a->length * h.wide + h.head * h.dim;
    h.beside = h.row * a->length * h.narrow + h.head * h.dim;
    return h;
}

static Matrix block(const real *x, int64_t row, int64_t stride, bool turned)
{
    return (Matrix){x + row * stride, stride, turned};
}

/* score[count, keys] = q·kᵀ·scale for the queries from `first` on. */
static void scores(real *score, const Lane *h, const real *qkv, int64_t first, int64_t count)
{
    const real *q = qkv + h->at, *k = q + h->a->n_embd;
    int64_t keys = first + count;
    matmul_serial(score, keys, block(q, first, h->wide, false), block(k, 0, h->wide, true), count, keys, h->dim, h->a->scale, false);
}

static void clear_future(real *row, int64_t query, int64_t keys)
{
    memset(row + query + 1, 0, (size_t)(keys - query - 1) * sizeof(real));
}

/* The dropout mask of one query's weights. */
static void query_mask(real *mask, const Lane *h, int64_t query)
{
    kernel_dropout_mask(mask, query + 1, h->d->rate, h->d->seed, h->d->step, h->d->first_row + (uint32_t)h->row, h->a->site,
                        (h->head * h->a->length + query) * h->a->length);
}

static void head_forward(real *mixed, Softmax *kept, const real *qkv, const Lane *h, real *scratch)
{
    real *score = scratch, *mask = scratch + QUERIES * h->a->length;
    for (int64_t first = 0; first < h->a->length; first += QUERIES) {
        int64_t count = min_i64(QUERIES, h->a->length - first), keys = first + count;
        scores(score, h, qkv, first, count);
        for (int64_t i = 0; i < count; i++) {
            real *row = score + i * keys;
            kept[first + i] = kernel_softmax(row, first + i + 1);
            clear_future(row, first + i, keys);
            if (h->d->rate == 0) continue;
            query_mask(mask, h, first + i);
            kernel_multiply(row, mask, first + i + 1);
        }
        matmul_serial(mixed + h->beside + first * h->narrow, h->narrow, (Matrix){score, keys, false},
                      block(qkv + h->at + 2 * h->a->n_embd, 0, h->wide, false), count, h->dim, keys, 1, false);
    }
}

void attention(real *mixed, Softmax *kept, const real *qkv, const Attention *a, const Dropout *d, real *scratch, int threads)
{
#pragma omp parallel for num_threads(team(threads, a->rows * a->length * a->length * a->n_embd)) schedule(dynamic)
    for (int64_t task = 0; task < a->rows * a->n_head; task++) {
        Lane h = head_of(a, d, task);
        head_forward(mixed, kept + task * a->length, qkv, &h, scratch + omp_get_thread_num() * attention_scratch(a->length));
    }
}

/* With w the weights after dropout m∘p and delta = Σ w·dw = dmixed·mixed: dscore = p∘(m∘dw - delta)·scale. */
static void query_back(real *weight, real *dweight, real *mask, Softmax kept, real delta, const Lane *h, int64_t query, int64_t keys)
{
    kernel_softmax_again(weight, kept, query + 1);
    clear_future(weight, query, keys);
    clear_future(dweight, query, keys);
    if (h->d->rate > 0) {
        query_mask(mask, h, query);
        kernel_multiply(dweight, mask, query + 1);
    }
    kernel_softmax_back(dweight, weight, delta, h->a->scale, query + 1);
    if (h->d->rate > 0) kernel_multiply(weight, mask, query + 1);
}

/* Blocks from the last to the first: the last one sees every key and writes dk and dv, the others add. */
static void head_back(real *dqkv, const real *dmixed, const real *qkv, const real *mixed, const Softmax *kept, const Lane *h, real *scratch)
{
    int64_t length = h->a->length, dim = h->dim, last = (length - 1) / QUERIES * QUERIES;
    real *weight = scratch, *dweight = weight + QUERIES * length, *mask = dweight + QUERIES * length;
    const real *q = qkv + h->at, *k = q + h->a->n_embd, *v = k + h->a->n_embd;
    real *dq = dqkv + h->at, *dk = dq + h->a->n_embd, *dv = dk + h->a->n_embd;
    for (int64_t first = last; first >= 0; first -= QUERIES) {
        int64_t count = min_i64(QUERIES, length - first), keys = first + count;
        Matrix dout = block(dmixed + h->beside, first, h->narrow, false);
        scores(weight, h, qkv, first, count);
        matmul_serial(dweight, keys, dout, block(v, 0, h->wide, true), count, keys, dim, 1, false);
        for (int64_t i = 0; i < count; i++) {
            int64_t at = h->beside + (first + i) * h->narrow;
            real delta = kernel_dot(dmixed + at, mixed + at, dim);
            query_back(weight + i * keys, dweight + i * keys, mask, kept[first + i], delta, h, first + i, keys);
        }
        matmul_serial(dv, h->wide, (Matrix){weight, keys, true}, dout, keys, dim, count, 1, first != last);
        matmul_serial(dk, h->wide, (Matrix){dweight, keys, true}, block(q, first, h->wide, false), keys, dim, count, 1, first != last);
        matmul_serial(dq + first * h->wide, h->wide, (Matrix){dweight, keys, false}, block(k, 0, h->wide, false), count, dim, keys, 1, false);
    }
}

void attention_back(real *dqkv, const real *dmixed, const real *qkv, const real *mixed, const Softmax *kept, const Attention *a,
                    const Dropout *d, real *scratch, int threads)
{
#pragma omp parallel for num_threads(team(threads, a->rows * a->length * a->length * a->n_embd)) schedule(dynamic)
    for (int64_t task = 0; task < a->rows * a->n_head; task++) {
        Lane h = head_of(a, d, task);
        head_back(dqkv, dmixed, qkv, mixed, kept + task * a->length, &h, scratch + omp_get_thread_num() * attention_scratch(a->length));
    }
}

/* --- what it looks like --- */

/* -Σ p ln p = ln Σ exp(s - most) + most - Σ p s */
static AttentionStats head_stats(const real *qkv, const Softmax *kept, const Lane *h, real *scratch)
{
    AttentionStats stats = {0, -INFINITY};
    real *score = scratch, *weight = scratch + QUERIES * h->a->length;
    for (int64_t first = 0; first < h->a->length; first += QUERIES) {
        int64_t count = min_i64(QUERIES, h->a->length - first), keys = first + count;
        scores(score, h, qkv, first, count);
        for (int64_t i = 0; i < count; i++) {
            const Softmax *s = &kept[first + i];
            memcpy(weight, score + i * keys, (size_t)(first + i + 1) * sizeof(real));
            kernel_softmax_again(weight, *s, first + i + 1);
            double mean = (double)kernel_dot(weight, score + i * keys, first + i + 1);
            double entropy = log((double)s->sum) + ((double)s->most - mean);
            stats.entropy += entropy < 0 ? 0 : entropy;      /* NaN stays */
            stats.largest = fmax(stats.largest, (double)s->most);
        }
    }
    return stats;
}

AttentionStats attention_stats(const real *qkv, const Softmax *kept, const Attention *a, real *scratch, int threads)
{
    int64_t tasks = a->rows * a->n_head;
    const Dropout none = {0};
    AttentionStats all = {0, -INFINITY}, *own = xcalloc((size_t)tasks, sizeof *own);
#pragma omp parallel for num_threads(team(threads, a->rows * a->length * a->length * a->n_embd)) schedule(dynamic)
    for (int64_t task = 0; task < tasks; task++) {
        Lane h = head_of(a, &none, task);
        own[task] = head_stats(qkv, kept + task * a->length, &h, scratch + omp_get_thread_num() * attention_scratch(a->length));
    }
    for (int64_t task = 0; task < tasks; task++) {
        all.entropy += own[task].entropy;
        all.largest = fmax(all.largest, own[task].largest);
    }
    free(own);
    return all;
}

/* --- QK-norm --- */

void head_norms(real *qkv, const real *raw, const Norm *q_norm, const Norm *k_norm, int64_t n_head, int64_t n, int threads)
{
    if (!q_norm->gain) return;
    int64_t dim = q_norm->gain->cols, C = n_head * dim;
    const Norm *norm[] = {q_norm, k_norm};
#pragma omp parallel for num_threads(team(threads, n * 3 * C * COST_NORM)) schedule(static)
    for (int64_t i = 0; i < n; i++) {
        for (int64_t h = 0; h < 2 * n_head; h++) {
            const Norm *p = norm[h / n_head];
            int64_t at = i * 3 * C + h * dim, kept = i * n_head + h % n_head;
            kernel_norm(qkv + at, p->mean + kept, p->rstd + kept, raw + at, p->gain->w, NULL, dim);
        }
        memcpy(qkv + i * 3 * C + 2 * C, raw + i * 3 * C + 2 * C, (size_t)C * sizeof(real));
    }
}

/* The gain's gradient, over tokens and heads in order; one thread for q, one for k. */
static void head_gain_back(const Norm *p, const real *d, const real *raw, int64_t n_head, int64_t n)
{
    int64_t dim = p->gain->cols, wide = 3 * n_head * dim;
    for (int64_t i = 0; i < n; i++)
        for (int64_t h = 0; h < n_head; h++)
            kernel_norm_params(p->gain->g, NULL, d + i * wide + h * dim, raw + i * wide + h * dim, p->mean[i * n_head + h], p->rstd[i * n_head + h], dim);
}

void head_norms_back(real *d, const real *raw, const Norm *q_norm, const Norm *k_norm, int64_t n_head, int64_t n, int threads)
{
    if (!q_norm->gain) return;
    int64_t dim = q_norm->gain->cols, C = n_head * dim;
    const Norm *norm[] = {q_norm, k_norm};
#pragma omp parallel num_threads(team(threads, n * 3 * C * COST_NORM))
    {
#pragma omp for schedule(static)
        for (int which = 0; which < 2; which++) head_gain_back(norm[which], d + which * C, raw + which * C, n_head, n);
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++)
            for (int64_t h = 0; h < 2 * n_head; h++) {
                const Norm *p = norm[h / n_head];
                int64_t at = i * 3 * C + h * dim, kept = i * n_head + h % n_head;
                kernel_norm_back(d + at, raw + at, p->mean[kept], p->rstd[kept], p->gain->w, dim);
            }
    }
}
