#include "matmul.h"

#include <string.h>

#include "kernels.h"

/* Cuts n into equal pieces of at most `most`, rounded up to a multiple of 16. */
static int64_t piece(int64_t n, int64_t most)
{
    int64_t pieces = (n + most - 1) / most;
    return ((n + pieces - 1) / pieces + 15) / 16 * 16;
}

typedef struct { int64_t rows, cols, across, count; } Tiles;

/* Of at most `wide` columns, and of the first number of rows that gives eight tiles or more. */
static Tiles tiling(int64_t m, int64_t n, int64_t wide)
{
    static const int64_t most[] = {256, 192, 128, 96};
    Tiles t = {.cols = piece(n, wide)};
    t.across = (n + t.cols - 1) / t.cols;
    for (size_t i = 0; i < COUNT(most) && t.count < 8; i++) {
        t.rows = piece(m, most[i]);
        t.count = (m + t.rows - 1) / t.rows * t.across;
    }
    return t;
}

static int64_t size(const Tiles *t, const Product *p)
{
    return min_i64(t->rows, p->m) * min_i64(t->cols, p->n) * p->k;
}

/* Tiles are as wide as their product up to WIDE columns: OpenBLAS packs them faster than narrow ones. Those that are more than a
 * SHARE-th of all the work are cut across, but none narrower than NARROW. Evidence: train/PERFORMANCE.md. */
static Tiles cut(const Product *p, int64_t work)
{
    enum { WIDE = 768, NARROW = 64, SHARE = 5 };
    Tiles t = tiling(p->m, p->n, WIDE);
    while (SHARE * size(&t, p) > work && t.cols > NARROW) t = tiling(p->m, p->n, t.cols - 16);
    return t;
}

static void one_tile(const Product *p, const Tiles *t, int64_t tile)
{
    int64_t i = tile / t->across * t->rows, j = tile % t->across * t->cols;
    int64_t height = min_i64(t->rows, p->m - i), width = min_i64(t->cols, p->n - j);
    Matrix left = {p->a.at + (p->a.turned ? i : i * p->a.stride), p->a.stride, p->a.turned};
    Matrix right = {p->b.at + (p->b.turned ? j * p->b.stride : j), p->b.stride, p->b.turned};
    real *out = p->c + i * p->stride + j;
    for (int64_t row = 0; p->bias && row < height; row++) memcpy(out + row * p->stride, p->bias + j, (size_t)width * sizeof(real));
    matmul_serial(out, p->stride, left, right, height, width, p->k, 1, p->add || p->bias);
    for (int64_t row = 0; p->sums && i == 0 && row < p->k; row++) kernel_accumulate(p->sums + j, right.at + row * right.stride, width);
}

void matmul_all(const Product *p, int products, int threads)
{
    Tiles t[PRODUCTS_MOST];
    int64_t count = 0, work = 0;
    assert(products <= PRODUCTS_MOST);
    for (int i = 0; i < products; i++) work += p[i].m * p[i].n * p[i].k;
    for (int i = 0; i < products; i++) {
        t[i] = cut(&p[i], work);
        count += t[i].count;
    }
#pragma omp parallel for num_threads(team((int)min_i64(threads, count), work / 8)) schedule(dynamic)
    for (int64_t at = 0; at < count; at++) {
        int64_t tile = at;
        int i = 0;
        for (; tile >= t[i].count; i++) tile -= t[i].count;
        one_tile(&p[i], &t[i], tile);
    }
}

void matmul(real *c, int64_t stride, Matrix a, Matrix b, int64_t m, int64_t n, int64_t k, const real *bias, bool add, int threads)
{
    matmul_all(&(Product){c, stride, a, b, m, n, k, bias, add, NULL}, 1, threads);
}
