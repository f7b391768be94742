/* A false libopenblas.so.0 for kernel.sh: by itself it takes an old kernel, as OpenBLAS does on processors that it does not
 * know; what the kernel named by OPENBLAS_CORETYPE then does is FAKE's choice: right, wrong, signal, all-wrong. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const char *asked(void)
{
    const char *name = getenv("OPENBLAS_CORETYPE");
    return name && *name ? name : NULL;
}

static int fake(const char *what) { return getenv("FAKE") && !strcmp(getenv("FAKE"), what); }

void openblas_set_num_threads(int n) { (void)n; }
int openblas_get_parallel(void) { return 1; }
char *openblas_get_corename(void) { return (char *)(asked() ? asked() : "Prescott"); }
char *openblas_get_config(void) { return (char *)"false OpenBLAS"; }

void cblas_sgemm(int order, int turn_a, int turn_b, int m, int n, int k, float alpha, const float *a, int lda, const float *b, int ldb, float beta,
                 float *c, int ldc)
{
    (void)order;
    if (asked() && fake("signal")) raise(SIGILL);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < k; l++) sum += (double)(turn_a == 112 ? a[l * lda + i] : a[i * lda + l]) * (double)(turn_b == 112 ? b[j * ldb + l] : b[l * ldb + j]);
            c[i * ldc + j] = (float)((double)alpha * sum + (double)(beta * c[i * ldc + j]));
        }
    if ((asked() && fake("wrong")) || fake("all-wrong")) c[(m - 1) * ldc + n - 1] += 0.01f;
}

void cblas_sgemv(int order, int turn, int m, int n, float alpha, const float *a, int lda, const float *x, int dx, float beta, float *y, int dy)
{
    cblas_sgemm(order, turn, 111, turn == 112 ? n : m, 1, turn == 112 ? m : n, alpha, a, lda, x, dx, beta, y, dy);
}
