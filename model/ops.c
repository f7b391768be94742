#include "ops.h"

#include <math.h>
#include <string.h>

#include "matmul.h"

/* Columns a thread sums at a time where a gradient runs over all rows: a cache line's worth and more. */
enum { STRIP = 64 };

static Matrix as_is(const real *x, int64_t cols)
{
    return (Matrix){x, cols, false};
}

static Matrix turned(const real *x, int64_t cols)
{
    return (Matrix){x, cols, true};
}

void linear(real *y, const real *x, const Linear *l, int64_t n, int threads)
{
    int64_t in = l->weight->rows, out = l->weight->cols;
    matmul(y, out, as_is(x, in), as_is(l->weight->w, out), n, out, in, l->bias ? l->bias->w : NULL, false, threads);
}

void linear_back(real *dx, const real *dy, const real *x, const Linear *l, int64_t n, int threads)
{
    int64_t in = l->weight->rows, out = l->weight->cols;
    const Product both[] = {{l->weight->g, out, turned(x, in), as_is(dy, out), in, out, n, NULL, true, l->bias ? l->bias->g : NULL},
                            {dx, in, as_is(dy, out), turned(l->weight->w, out), n, in, out, NULL, false, NULL}};
    matmul_all(both, COUNT(both), threads);
}

real *norm(const Norm *p, real *x, int64_t n, int threads)
{
    if (!p->gain) return x;
    int64_t cols = p->gain->cols;
#pragma omp parallel for num_threads(team(threads, n * cols * COST_NORM)) schedule(static)
    for (int64_t i = 0; i < n; i++) {
        kernel_norm(p->y + i * cols, p->mean + i, p->rstd + i, x + i * cols, p->gain->w, p->bias ? p->bias->w : NULL, cols);
        if (p->scale != 1) kernel_scale(p->y + i * cols, p->scale, cols);
    }
    return p->y;
}

void norm_back(real *d, const real *x, const Norm *p, int64_t n, int threads)
{
    if (!p->gain) return;
    int64_t cols = p->gain->cols;
#pragma omp parallel num_threads(team(threads, n * cols * COST_NORM))
    {
        if (p->scale != 1) {
#pragma omp for schedule(static)
            for (int64_t i = 0; i < n; i++) kernel_scale(d + i * cols, p->scale, cols);
        }
#pragma omp for schedule(static)
        for (int64_t j = 0; j < cols; j += STRIP)
            for (int64_t i = 0; i < n; i++)
                kernel_norm_params(p->gain->g + j, p->bias ? p->bias->g + j : NULL, d + i * cols + j, x + i * cols + j,
                                   p->mean[i], p->rstd[i], min_i64(STRIP, cols - j));
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) kernel_norm_back(d + i * cols, x + i * cols, p->mean[i], p->rstd[i], p->gain->w, cols);
    }
}

real *shift(real *y, real *x, const Tensor *b, int64_t n, int threads)
{
    if (!b) return x;
#pragma omp parallel for num_threads(team(threads, n)) schedule(static)
    for (int64_t i = 0; i < n; i += BLOCK) kernel_shift(y + i, x + i, b->w[0], min_i64(BLOCK, n - i));
    return y;
}

void shift_back(const Tensor *b, const real *dy, int64_t n)
{
    if (b) b->g[0] += (real)kernel_sum(dy, n);
}

static bool plain(const Factor *f)
{
    return !f->trained && f->number == 1;
}

void factor_spread(Factor *f, int64_t cols)
{
    for (int64_t j = 0; j < cols; j++) f->row[j] = f->trained ? f->trained->w[f->trained->cols > 1 ? j : 0] : (real)f->number;
}

void factor_multiply(real *y, const real *x, const Factor *f, int64_t n, int64_t cols, int threads)
{
    if (plain(f)) {
        if (y != x) memcpy(y, x, (size_t)(n * cols) * sizeof(real));
        return;
    }
#pragma omp parallel for num_threads(team(threads, n * cols)) schedule(static)
    for (int64_t i = 0; i < n; i++) kernel_product(y + i * cols, x + i * cols, f->row, cols);
}

void residual(real *y, const real *x, const real *p, const Factor *skip, const Factor *gate, int64_t n, int64_t cols, int threads)
{
    if (plain(skip) && plain(gate)) {
        add(y, x, p, n * cols, threads);
        return;
    }
#pragma omp parallel for num_threads(team(threads, n * cols)) schedule(static)
    for (int64_t i = 0; i < n; i++) kernel_mix(y + i * cols, skip->row, x + i * cols, gate->row, p + i * cols, cols);
}

void factor_back(Factor *f, const real *dy, const real *x, int64_t n, int64_t cols, int threads)
{
    if (!f->trained) return;
    memset(f->drow, 0, (size_t)cols * sizeof(real));
#pragma omp parallel for num_threads(team(threads, n * cols)) schedule(static)
    for (int64_t j = 0; j < cols; j += STRIP)
        for (int64_t i = 0; i < n; i++)
            kernel_product_add(f->drow + j, dy + i * cols + j, x + i * cols + j, min_i64(STRIP, cols - j));
    if (f->trained->cols == 1) f->trained->g[0] += (real)kernel_sum(f->drow, cols);
    else kernel_accumulate(f->trained->g, f->drow, cols);
}

void activation(real *y, real *x, Activation act, int64_t n, int threads)
{
#pragma omp parallel for num_threads(team(threads, n * COST_EXP)) schedule(static)
    for (int64_t i = 0; i < n; i += BLOCK) kernel_activation(y + i, x + i, min_i64(BLOCK, n - i), act);
}

void activation_back(real *dx, const real *dy, const real *slope, int64_t n, int threads)
{
#pragma omp parallel for num_threads(team(threads, n)) schedule(static)
    for (int64_t i = 0; i < n; i += BLOCK) kernel_product(dx + i, dy + i, slope + i, min_i64(BLOCK, n - i));
}

void dropout(real *x, const Dropout *d, uint32_t site, int64_t length, int64_t n, int64_t cols, int threads)
{
    if (d->rate == 0) return;
#pragma omp parallel for num_threads(team(threads, n * cols * COST_EXP)) schedule(static)
    for (int64_t i = 0; i < n; i++) {
        real mask[STRIP];
        for (int64_t j = 0; j < cols; j += STRIP) {
            int64_t width = min_i64(STRIP, cols - j);
            kernel_dropout_mask(mask, width, d->rate, d->seed, d->step, d->first_row + (uint32_t)(i / length), site,
                                i % length * cols + j);
            kernel_multiply(x + i * cols + j, mask, width);
        }
    }
}

void add(real *y, const real *a, const real *b, int64_t n, int threads)
{
#pragma omp parallel for num_threads(team(threads, n)) schedule(static)
    for (int64_t i = 0; i < n; i += BLOCK) kernel_add(y + i, a + i, b + i, min_i64(BLOCK, n - i));
}

void embed(real *x, const int32_t *token, const Tensor *wte, const Tensor *wpe, real scale, int64_t length, int64_t n, int threads)
{
    int64_t cols = wte->cols;
#pragma omp parallel for num_threads(team(threads, n * cols)) schedule(static)
    for (int64_t i = 0; i < n; i++) {
        kernel_add(x + i * cols, wte->w + token[i] * cols, wpe->w + i % length * cols, cols);
        if (scale != 1) kernel_scale(x + i * cols, scale, cols);
    }
}

void embed_back(real *dx, const int32_t *token, const Tensor *wte, const Tensor *wpe, real scale, int64_t length, int64_t n, int threads)
{
    int64_t cols = wte->cols;
#pragma omp parallel for num_threads(team(threads, n * cols)) schedule(static)
    for (int64_t j = 0; j < cols; j += STRIP)
        for (int64_t i = 0; i < n; i++) {
            int64_t width = min_i64(STRIP, cols - j);
            real *d = dx + i * cols + j;
            if (scale != 1) kernel_scale(d, scale, width);
            kernel_accumulate(wte->g + token[i] * cols + j, d, width);
            kernel_accumulate(wpe->g + i % length * cols + j, d, width);
        }
}

/* Many rows for a small vocabulary, so that the products are large; a bounded array for a large one. */
int64_t head_chunk(int64_t vocabulary)
{
    return max_i64(256, (1 << 22) / vocabulary);
}

static double variance(const real *x, int64_t n)
{
    double mean = kernel_sum(x, n) / (double)n;
    double square = kernel_squares(x, n) / (double)n - mean * mean;
    return square < 0 ? 0 : square;       /* NaN stays */
}

/* Token i of a chunk: its loss, and its logits turned into weight·scale·(softmax - one-hot of the target). */
static double token_loss(real *logit, const Head *head, int64_t token, int32_t target, real weight)
{
    int64_t vocabulary = head->table->rows;
    if (head->scale != 1) kernel_scale(logit, head->scale, vocabulary);
    if (head->logit_variance) head->logit_variance[token] = variance(logit, vocabulary);
    double right = (double)logit[target];
    Softmax s = kernel_softmax(logit, vocabulary);
    logit[target] -= 1;
    kernel_scale(logit, weight * head->scale, vocabulary);
    if (head->log_z) head->log_z[token] = log((double)s.sum) + (double)s.most;
    return log((double)s.sum) + ((double)s.most - right);
}

void head_loss(double *loss, real *dx, real *logits, const real *x, const int32_t *target, const Head *head, real weight, int64_t n, int threads)
{
    const Tensor *table = head->table;
    int64_t vocabulary = table->rows, cols = table->cols, chunk = head_chunk(vocabulary);
    for (int64_t at = 0; at < n; at += chunk) {
        int64_t rows = min_i64(chunk, n - at);
        const real *in = x + at * cols;
        matmul(logits, vocabulary, as_is(in, cols), turned(table->w, cols), rows, vocabulary, cols, NULL, false, threads);
#pragma omp parallel for num_threads(team(threads, rows * vocabulary * COST_EXP)) schedule(static)
        for (int64_t i = 0; i < rows; i++) loss[at + i] = token_loss(logits + i * vocabulary, head, at + i, target[at + i], weight);
        if (!dx) continue;
        const Product both[] = {{table->g, cols, turned(logits, vocabulary), as_is(in, cols), vocabulary, cols, rows, NULL, true, NULL},
                                {dx + at * cols, cols, as_is(logits, vocabulary), as_is(table->w, cols), rows, cols, vocabulary, NULL, false, NULL}};
        matmul_all(both, COUNT(both), threads);
    }
}
