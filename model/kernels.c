#include "kernels.h"

#include <math.h>
#include <string.h>

#include "noise.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(NO_CLONES)
#define LEAF __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "arch=x86-64-v2", "default")))
#else
#define LEAF
#endif
#define INLINE static inline __attribute__((always_inline))

enum { LANES = 16 };

const char *const activation_name[ACTIVATIONS] = {"gelu", "gelu_exact", "relu"};

/* --- e^x --- */

#ifdef REAL64
INLINE real exp_of(real x) { return exp(x); }
INLINE real erf_of(real x) { return erf(x); }
#else
INLINE float erf_of(float x) { return erff(x); }

INLINE float power_of_two(int32_t n)
{
    float f;
    int32_t bits = (int32_t)((uint32_t)(n + 127) << 23);
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* x = n ln 2 + r with |r| <= ln 2 / 2; e^r = 1 + r + r² q(r), q fitted by weighted least squares (relative error of
 * e^r 3e-9); 2^n in two factors, so that the largest n overflows to inf and the smallest underflows to 0. */
INLINE float exp_of(float x)
{
    const float round = 0x1.8p23f;
    x = x > 89.0f ? 89.0f : x;
    x = x < -104.0f ? -104.0f : x;
    float shifted = x * 1.44269504f + round, n = shifted - round;
    int32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    int32_t whole = bits - 0x4b400000, half = whole >> 1;
    float r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
    float q = 0.001381454007849071f;
    q = q * r + 0.00836874521274548f;
    q = q * r + 0.041668390792965554f;
    q = q * r + 0.16666520398167917f;
    q = q * r + 0.49999993432066736f;
    return (q * (r * r) + r + 1.0f) * power_of_two(half) * power_of_two(whole - half);
}
#endif

LEAF void kernel_exp(real *y, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) y[i] = exp_of(x[i]);
}

/* --- sums in fixed lanes --- */

INLINE real lanes_sum(const real *lane)
{
    real half[LANES / 2], quarter[LANES / 4];
    for (int i = 0; i < LANES / 2; i++) half[i] = lane[i] + lane[i + LANES / 2];
    for (int i = 0; i < LANES / 4; i++) quarter[i] = half[i] + half[i + LANES / 4];
    return (quarter[0] + quarter[2]) + (quarter[1] + quarter[3]);
}

/* The sum over i of `term`, an expression in i; the last n % LANES terms go to the first lanes. */
#define SUM_OF(term)                                                      \
    real lane[LANES] = {0};                                               \
    int64_t whole = n - n % LANES;                                        \
    for (int64_t at = 0; at < whole; at += LANES)                         \
        for (int l = 0; l < LANES; l++) { int64_t i = at + l; lane[l] += (term); } \
    for (int64_t i = whole; i < n; i++) lane[i - whole] += (term);        \
    sum = lanes_sum(lane)

INLINE real sum_products(const real *a, const real *b, int64_t n)
{
    real sum;
    SUM_OF(a[i] * b[i]);
    return sum;
}

LEAF real kernel_dot(const real *a, const real *b, int64_t n)
{
    return sum_products(a, b, n);
}

/* The same in double precision. */
#define DOUBLE_SUM_OF(term)                                               \
    double lane[LANES] = {0}, sum = 0;                                    \
    int64_t whole = n - n % LANES;                                        \
    for (int64_t at = 0; at < whole; at += LANES)                         \
        for (int l = 0; l < LANES; l++) { int64_t i = at + l; lane[l] += (term); } \
    for (int64_t i = whole; i < n; i++) lane[i - whole] += (term);        \
    for (int l = 0; l < LANES; l++) sum += lane[l]

LEAF double kernel_squares(const real *x, int64_t n)
{
    DOUBLE_SUM_OF((double)x[i] * (double)x[i]);
    return sum;
}

LEAF double kernel_sum(const real *x, int64_t n)
{
    DOUBLE_SUM_OF((double)x[i]);
    return sum;
}

/* --- elementwise --- */

LEAF void kernel_add(real *y, const real *a, const real *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) y[i] = a[i] + b[i];
}

LEAF void kernel_accumulate(real *y, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) y[i] += x[i];
}

LEAF void kernel_multiply(real *y, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) y[i] *= x[i];
}

LEAF void kernel_scale(real *y, real factor, int64_t n)
{
    for (int64_t i = 0; i < n; i++) y[i] *= factor;
}

LEAF void kernel_shift(real *y, const real *x, real b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) y[i] = x[i] + b;
}

LEAF void kernel_product(real *y, const real *a, const real *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) y[i] = a[i] * b[i];
}

LEAF void kernel_product_add(real *y, const real *a, const real *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) y[i] += a[i] * b[i];
}

LEAF void kernel_mix(real *y, const real *a, const real *x, const real *b, const real *z, int64_t n)
{
    for (int64_t i = 0; i < n; i++) y[i] = a[i] * x[i] + b[i] * z[i];
}

#define GELU_SCALE ((real)0.79788456080286535588)     /* √(2/π) */
#define GELU_CUBE ((real)0.044715)
#define ROOT_HALF ((real)0.70710678118654752440)      /* √(1/2) */
#define NORMAL_PEAK ((real)0.39894228040143267794)    /* 1/√(2π) */

INLINE real gelu_sigmoid(real x)
{
    return 1 / (1 + exp_of(-2 * GELU_SCALE * (x + GELU_CUBE * x * x * x)));
}

/* s: gelu_sigmoid(x). Beyond ±30 the second term is 0; the bound keeps 0·inf from becoming NaN. */
INLINE real gelu_slope(real x, real s)
{
    real near = x > 30 ? 30 : x < -30 ? -30 : x;
    return s + near * s * (1 - s) * 2 * GELU_SCALE * (1 + 3 * GELU_CUBE * near * near);
}

/* normal: Φ(x). */
INLINE real gelu_exact_slope(real x, real normal)
{
    real near = x > 30 ? 30 : x < -30 ? -30 : x;
    return normal + near * NORMAL_PEAK * exp_of(-near * near / 2);
}

LEAF void kernel_activation(real *y, real *x, int64_t n, Activation act)
{
    switch (act) {
    case GELU:
        for (int64_t i = 0; i < n; i++) {
            real s = gelu_sigmoid(x[i]);
            y[i] = x[i] * s;
            x[i] = gelu_slope(x[i], s);
        }
        break;
    case GELU_EXACT:
        for (int64_t i = 0; i < n; i++) {
            real normal = (real)0.5 * (1 + erf_of(x[i] * ROOT_HALF));
            y[i] = x[i] * normal;
            x[i] = gelu_exact_slope(x[i], normal);
        }
        break;
    case RELU:
        for (int64_t i = 0; i < n; i++) {
            y[i] = x[i] < 0 ? 0 : x[i];
            x[i] = x[i] > 0 ? 1 : 0;
        }
        break;
    case ACTIVATIONS: assert(!"an activation");
    }
}

/* --- LayerNorm --- */

LEAF void kernel_norm(real *y, real *mean, real *rstd, const real *x, const real *gain, const real *bias, int64_t n)
{
    real sum, square, m;
    { SUM_OF(x[i]); }
    m = sum / (real)n;
    { SUM_OF((x[i] - m) * (x[i] - m)); square = sum; }
    real r = 1 / (real)sqrt((double)(square / (real)n + (real)NORM_EPS));
    if (!isfinite(square)) r = (real)NAN;      /* else an overflow would look like a row of zeros */
    if (bias)
        for (int64_t i = 0; i < n; i++) y[i] = (x[i] - m) * r * gain[i] + bias[i];
    else
        for (int64_t i = 0; i < n; i++) y[i] = (x[i] - m) * r * gain[i];
    *mean = m;
    *rstd = r;
}

/* With h = (x - mean)·rstd and e = d·gain: rstd·(e - mean(e) - h·mean(e·h)). */
LEAF void kernel_norm_back(real *d, const real *x, real mean, real rstd, const real *gain, int64_t n)
{
    real sum, plain, along;
    { SUM_OF(d[i] * gain[i]); plain = sum / (real)n; }
    { SUM_OF(d[i] * gain[i] * ((x[i] - mean) * rstd)); along = sum / (real)n; }
    for (int64_t i = 0; i < n; i++) d[i] = rstd * (d[i] * gain[i] - plain - (x[i] - mean) * rstd * along);
}

LEAF void kernel_norm_params(real *dgain, real *dbias, const real *dy, const real *x, real mean, real rstd, int64_t n)
{
    for (int64_t i = 0; i < n; i++) dgain[i] += dy[i] * ((x[i] - mean) * rstd);
    if (dbias)
        for (int64_t i = 0; i < n; i++) dbias[i] += dy[i];
}

/* --- softmax --- */

INLINE real largest(const real *x, int64_t n)
{
    real lane[LANES];
    for (int l = 0; l < LANES; l++) lane[l] = x[0];
    int64_t whole = n - n % LANES;
    for (int64_t at = 0; at < whole; at += LANES)
        for (int l = 0; l < LANES; l++) lane[l] = x[at + l] > lane[l] ? x[at + l] : lane[l];
    real most = lane[0];
    for (int64_t i = whole; i < n; i++) most = x[i] > most ? x[i] : most;
    for (int l = 1; l < LANES; l++) most = lane[l] > most ? lane[l] : most;
    return most;
}

LEAF Softmax kernel_softmax(real *x, int64_t n)
{
    real most = largest(x, n), sum;
    for (int64_t i = 0; i < n; i++) x[i] = exp_of(x[i] - most);
    SUM_OF(x[i]);
    real scale = 1 / sum;
    for (int64_t i = 0; i < n; i++) x[i] *= scale;
    return (Softmax){most, sum};
}

LEAF void kernel_softmax_again(real *x, Softmax kept, int64_t n)
{
    real scale = 1 / kept.sum;
    for (int64_t i = 0; i < n; i++) x[i] = exp_of(x[i] - kept.most) * scale;
}

LEAF void kernel_softmax_back(real *dp, const real *p, real delta, real scale, int64_t n)
{
    for (int64_t i = 0; i < n; i++) dp[i] = p[i] * (dp[i] - delta) * scale;
}

/* --- the optimizer --- */

INLINE real root_of(real x)
{
#ifdef REAL64
    return sqrt(x);
#else
    return sqrtf(x);
#endif
}

LEAF void kernel_adamw(real *w, const real *g, real *m, real *v, int64_t n, const AdamW *a)
{
    const AdamW c = *a;
    for (int64_t i = 0; i < n; i++) {
        real d = g[i] * c.clip;
        m[i] += (d - m[i]) * c.rest1;
        v[i] = v[i] * c.beta2 + d * d * c.rest2;
        w[i] = w[i] * c.decay - c.step * (m[i] / (root_of(v[i]) / c.root + c.eps));
    }
}

/* --- dropout --- */

void kernel_dropout_mask(real *mask, int64_t n, double p, uint64_t seed, uint32_t step, uint32_t row, uint32_t site,
                         int64_t first)
{
    uint32_t threshold = (uint32_t)(p * 0x1p32);
    real kept = (real)(1 / (1 - p));
    Noise noise = {0};
    for (int64_t i = 0; i < n; i++) {
        int64_t at = first + i;
        if (i == 0 || at % 4 == 0) noise = noise_at(seed, NOISE_DROPOUT, step, row, site, (uint32_t)(at / 4));
        mask[i] = noise.word[at % 4] < threshold ? 0 : kept;
    }
}
