/* Matrix products by several threads: cut into tiles by their shapes alone, so that no bit depends on the number of threads. */
#ifndef STEP0_MATMUL_H
#define STEP0_MATMUL_H

#include "blas.h"

/* c[m,n] = a[m,k]·b[k,n], plus `bias`[n] to every row (or NULL), or added to what c holds (add). In tiles, by `threads`. */
void matmul(real *c, int64_t stride, Matrix a, Matrix b, int64_t m, int64_t n, int64_t k, const real *bias, bool add, int threads);

/* Products that do not depend on one another, with the same words: their tiles are shared out together, in this order (the one with
 * the largest tiles first). sums, where not NULL: the columns of b, which is not turned, are added to it. */
typedef struct { real *c; int64_t stride; Matrix a, b; int64_t m, n, k; const real *bias; bool add; real *sums; } Product;
enum { PRODUCTS_MOST = 2 };
void matmul_all(const Product *p, int products, int threads);

#endif
