#include "noise.h"

#include <Random123/philox.h>
#include <math.h>

Noise noise_at(uint64_t seed, NoiseUse use, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    /* Seeds have 53 bits; the use stands above them. */
    uint64_t key = seed | (uint64_t)use << 53;
    philox4x32_ctr_t position = {{a, b, c, d}};
    philox4x32_key_t words = {{(uint32_t)key, (uint32_t)(key >> 32)}};
    philox4x32_ctr_t out = philox4x32(position, words);
    return (Noise){{out.v[0], out.v[1], out.v[2], out.v[3]}};
}

double noise_unit(Noise n)
{
    uint64_t bits = (uint64_t)n.word[0] << 32 | n.word[1];
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

uint64_t noise_hash(const void *bytes, size_t length)
{
    const unsigned char *byte = bytes;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ byte[i]) * 0x100000001b3u;
    return hash;
}

static double polynomial(const double *c, int degree, double x)
{
    double sum = c[degree];
    for (int i = degree - 1; i >= 0; i--) sum = sum * x + c[i];
    return sum;
}

double normal_quantile(double u)
{
    static const double central[2][8] = {
        {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
         4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3},
        {1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3, 2.1213794301586595867e+4,
         3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3}};
    static const double middle[2][8] = {
        {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
         1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
        {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1,
         1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9}};
    static const double tail[2][8] = {
        {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
         2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
        {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
         7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15}};

    double q = u - 0.5;
    if (fabs(q) <= 0.425) {
        double r = 0.180625 - q * q;
        return q * polynomial(central[0], 7, r) / polynomial(central[1], 7, r);
    }
    double r = sqrt(-log(q < 0 ? u : 1 - u));
    const double(*c)[8] = r <= 5 ? middle : tail;
    r -= r <= 5 ? 1.6 : 5.0;
    double z = polynomial(c[0], 7, r) / polynomial(c[1], 7, r);
    return q < 0 ? -z : z;
}

double normal_density(double x)
{
    return exp(-x * x / 2) / 2.50662827463100050242;       /* √(2π) */
}

double normal_within(double cut)
{
    return erf(cut / 1.41421356237309504880);              /* √2 */
}
