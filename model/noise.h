/* Counter-based noise (Philox 4x32-10 of Random123, Salmon et al. 2011): a number is a pure function of a seed, a use
 * and a position, so nothing depends on the order or the number of threads in which numbers are drawn. */
#ifndef STEP0_NOISE_H
#define STEP0_NOISE_H

#include "base.h"

/* Streams of one seed that never meet. */
typedef enum { NOISE_WEIGHTS, NOISE_BATCHES, NOISE_DROPOUT, NOISE_TEXT, NOISE_SAMPLES } NoiseUse;

typedef struct { uint32_t word[4]; } Noise;

/* 128 random bits at position (a, b, c, d) of the stream. seed: 0 to 2^53-1. */
Noise noise_at(uint64_t seed, NoiseUse use, uint32_t a, uint32_t b, uint32_t c, uint32_t d);

/* Words 0 and 1 as a number in the open interval (0, 1), a multiple of 2^-52 plus 2^-53. */
double noise_unit(Noise n);

/* A name as 64 bits (FNV-1a), the position of a stream that a name owns. */
uint64_t noise_hash(const void *bytes, size_t length);

/* The number below which a standard normal falls with probability u, 0 < u < 1 (Wichura 1988, AS 241, PPND16:
 * relative error about 1e-16). */
double normal_quantile(double u);

/* The density of a standard normal at x, and the probability that one lies within ±cut. */
double normal_density(double x);
double normal_within(double cut);

#endif
