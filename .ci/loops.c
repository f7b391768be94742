/* The part of OpenBLAS that step0 loads, as plain loops, for .ci/races. */
#include <cblas.h>

void openblas_set_num_threads(int n) { (void)n; }
int openblas_get_parallel(void) { return 1; }
char *openblas_get_corename(void) { return "Haswell"; }
char *openblas_get_config(void) { return "loops"; }

void cblas_sgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE ta, enum CBLAS_TRANSPOSE tb, blasint m, blasint n, blasint k, float alpha,
                 const float *a, blasint lda, const float *b, blasint ldb, float beta, float *c, blasint ldc)
{
    (void)order;
    for (blasint i = 0; i < m; i++)
        for (blasint j = 0; j < n; j++) {
            float sum = 0;
            for (blasint l = 0; l < k; l++) sum += a[ta == CblasTrans ? l * lda + i : i * lda + l] * b[tb == CblasTrans ? j * ldb + l : l * ldb + j];
            c[i * ldc + j] = alpha * sum + (beta == 0 ? 0 : beta * c[i * ldc + j]);
        }
}

void cblas_sgemv(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE trans, blasint m, blasint n, float alpha, const float *a, blasint lda,
                 const float *x, blasint incx, float beta, float *y, blasint incy)
{
    (void)order;
    blasint outputs = trans == CblasTrans ? n : m, inputs = trans == CblasTrans ? m : n;
    for (blasint i = 0; i < outputs; i++) {
        float sum = 0;
        for (blasint l = 0; l < inputs; l++) sum += a[trans == CblasTrans ? l * lda + i : i * lda + l] * x[l * incx];
        y[i * incy] = alpha * sum + (beta == 0 ? 0 : beta * y[i * incy]);
    }
}
