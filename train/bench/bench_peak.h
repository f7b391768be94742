/* What the processor's arithmetic units can do, to measure a step against. */
#ifndef STEP0_BENCH_PEAK_H
#define STEP0_BENCH_PEAK_H

/* Billions of floating-point operations a second of `threads` threads that do nothing but multiply and add, in registers,
 * with the widest vectors that the processor has; a multiply-add counts as two. Takes about 10 ms. */
double peak_gflops(int threads);

/* Those vectors' width in bits. */
int peak_vector_bits(void);

#endif
