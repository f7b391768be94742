/* Prints a number for what each leaf function computes from the same odd-sized numbers: processors whose clones agree to
 * the bit print the same lines. Built by make, run by kernel.sh on several emulated processors. */
#include <stdio.h>
#include <string.h>

#include "../../model/kernels.h"
#include "../../model/noise.h"

enum { N = 1237, HALF = N / 2 };

static real a[N], b[N], c[N], d[N], gain[N], bias[N], out[N];

static void fill(real *x, uint32_t stream, double scale)
{
    for (int i = 0; i < N; i++) x[i] = (real)(scale * (noise_unit(noise_at(7, NOISE_WEIGHTS, stream, 0, 0, (uint32_t)i)) - 0.5));
}

static void fresh(void)
{
    fill(a, 1, 8), fill(b, 2, 3), fill(c, 3, 1), fill(d, 4, 2), fill(gain, 5, 2), fill(bias, 6, 1), fill(out, 7, 4);
    for (int i = 0; i < N; i++) d[i] = d[i] < 0 ? -d[i] : d[i];
}

static void say(const char *name, const void *bytes, size_t size)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    printf("%s %016llx\n", name, (unsigned long long)hash);
}

#define LEAF(call)                      \
    do {                                \
        fresh();                        \
        call;                           \
        say(#call, out, sizeof out);    \
    } while (0)

/* A sum of HALF and one of N terms, so that both ends of the lanes are met. */
#define SUM(type, call)                 \
    do {                                \
        type two[2];                    \
        int n = HALF;                   \
        fresh();                        \
        two[0] = call;                  \
        n = N;                          \
        two[1] = call;                  \
        say(#call, two, sizeof two);    \
    } while (0)

static void norms(void)
{
    real two[2];
    LEAF(kernel_norm(out, &two[0], &two[1], a, gain, bias, N));
    say("mean, rstd", two, sizeof two);
    LEAF(kernel_norm(out, &two[0], &two[1], a, gain, NULL, N));
    LEAF(kernel_norm_back(out, a, (real)0.1, (real)1.7, gain, N));
    LEAF(kernel_norm_params(out, bias, b, a, (real)0.1, (real)1.7, N));
    say("dbias", bias, sizeof bias);
}

static void softmaxes(void)
{
    const Softmax kept = {2, 31};
    LEAF(kernel_softmax(out, N));
    LEAF(kernel_softmax_again(out, kept, N));
    LEAF(kernel_softmax_back(out, c, (real)0.3, (real)0.2, N));
}

int main(void)
{
    const AdamW adamw = {(real)0.9, (real)0.9999, (real)0.1, (real)0.99, (real)0.01, (real)1e-3, (real)0.3, (real)1e-8};
    LEAF(kernel_exp(out, a, N));
    LEAF(kernel_add(out, a, b, N));
    LEAF(kernel_accumulate(out, a, N));
    LEAF(kernel_multiply(out, a, N));
    LEAF(kernel_scale(out, (real)0.7, N));
    LEAF(kernel_shift(out, a, (real)0.7, N));
    LEAF(kernel_product(out, a, b, N));
    LEAF(kernel_product_add(out, a, b, N));
    LEAF(kernel_mix(out, a, b, c, d, N));
    SUM(double, kernel_sum(a, n));
    SUM(double, kernel_squares(a, n));
    SUM(real, kernel_dot(a, b, n));
    for (Activation act = GELU; act < ACTIVATIONS; act++) {
        LEAF(kernel_activation(out, a, N, act));
        say("slope", a, sizeof a);
    }
    norms();
    softmaxes();
    LEAF(kernel_adamw(out, a, c, d, N, &adamw));
    say("m", c, sizeof c);
    say("v", d, sizeof d);
    return 0;
}
