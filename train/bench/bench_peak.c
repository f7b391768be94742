#include "bench_peak.h"

#include <stdint.h>

#include "../run/progress.h"

/* So many sums at once hide the latency of one multiply-add. */
enum { SUMS = 12, REPEATS = 2000 };

/* One copy for each vector width; `fma` is what multiplies and adds. The result keeps the compiler from leaving it out. */
#define PEAK(name, vector, attribute, fma)                                          \
    attribute static float name(int64_t repeats)                                    \
    {                                                                               \
        vector sum[SUMS], a = (vector){0} + 0.999f, b = (vector){0} + 1e-3f;        \
        float total = 0;                                                            \
        for (int i = 0; i < SUMS; i++) sum[i] = (vector){0} + (float)i;             \
        for (int64_t r = 0; r < repeats; r++)                                       \
            for (int i = 0; i < SUMS; i++) sum[i] = fma(sum[i], a, b);              \
        for (int i = 0; i < SUMS; i++)                                              \
            for (unsigned k = 0; k < sizeof(vector) / sizeof(float); k++) total += sum[i][k]; \
        return total;                                                               \
    }

typedef float Vector4 __attribute__((vector_size(16)));
#define MULTIPLY_ADD(x, a, b) ((x) * (a) + (b))
PEAK(peak_128, Vector4, , MULTIPLY_ADD)

#ifdef __x86_64__
#include <immintrin.h>
typedef float Vector8 __attribute__((vector_size(32)));
typedef float Vector16 __attribute__((vector_size(64)));
PEAK(peak_256, Vector8, __attribute__((target("avx2,fma"))), _mm256_fmadd_ps)
PEAK(peak_512, Vector16, __attribute__((target("avx512f"))), _mm512_fmadd_ps)
#endif

int peak_vector_bits(void)
{
#ifdef __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) return 512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 256;
#endif
    return 128;
}

static float run(int bits, int64_t repeats)
{
#ifdef __x86_64__
    if (bits == 512) return peak_512(repeats);
    if (bits == 256) return peak_256(repeats);
#endif
    (void)bits;
    return peak_128(repeats);
}

double peak_gflops(int threads)
{
    const int bits = peak_vector_bits();
    const int64_t rounds = 100;
    float kept = 0;
    double start = progress_clock();
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : kept)
    for (int t = 0; t < threads; t++)
        for (int64_t i = 0; i < rounds; i++) kept += run(bits, REPEATS);
    double seconds = progress_clock() - start, operations = 2. * SUMS * REPEATS * (double)rounds * (bits / 32) * threads;
    return kept == 12345.678f ? 0 : operations / seconds * 1e-9;
}
