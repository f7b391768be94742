/* Matrix products and the singular value decomposition: the one place that calls OpenBLAS, always single-threaded.
 *
 * The library is loaded at run time, so that a kernel below the processor can be mended before it is chosen (OpenBLAS
 * up to 0.3.24 takes an SSE kernel on Intel processors that it does not know). */
#ifndef STEP0_BLAS_H
#define STEP0_BLAS_H

#include "base.h"

typedef struct {
    char library[128];        /* openblas_get_config(): version and build */
    char kernel[32];          /* openblas_get_corename(): Haswell, SkylakeX, Zen, … */
    const char *threading;    /* serial, pthread or OpenMP */
    const char *chosen_by;    /* OpenBLAS, step0, OPENBLAS_CORETYPE or --cpu */
} BlasInfo;

/* The only level that --cpu takes: pins the kernel Haswell, and with it the bits on every x86 processor with AVX2. */
#define CPU_LEVEL "x86-64-v3"

/* Loads OpenBLAS, chooses its kernel and checks its products against plain loops; dies where it computes wrongly or the
 * kernel asked for cannot be had. The first call comes before the first OpenMP region; later ones return what it
 * found. level: CPU_LEVEL or NULL. */
BlasInfo blas_start(const char *level);

/* After blas_start: dies where this process cannot map what the products of so many threads at a time will need (ulimit -v). */
void blas_need_room(int threads);

/* A factor of a product, `stride` elements from row to row as stored; turned: its transpose is meant. */
typedef struct { const real *at; int64_t stride; bool turned; } Matrix;

/* c[m,n] = scale·a·b, or added to c, by the calling thread. */
void matmul_serial(real *c, int64_t stride, Matrix a, Matrix b, int64_t m, int64_t n, int64_t k, real scale, bool add);

/* Singular value decomposition (LAPACK's dgesdd) of a[n,n], which is destroyed: a = u·diag(s)·vt, s falling, rows one after
 * the other. By the calling thread, one at a time. */
void svd_square(double *u, double *s, double *vt, double *a, int n);

#endif
