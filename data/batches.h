/* Which windows of the text a step and an evaluation see. A window of T tokens needs T+1: its targets are shifted by one.
 *
 * Row r of step s (r counts over the whole step, accumulation included) depends on (data.seed, s, r) alone. */
#ifndef STEP0_BATCHES_H
#define STEP0_BATCHES_H

#include "corpus.h"

typedef enum { ORDER_RANDOM, ORDER_SEQUENTIAL, ORDERS } Order;
extern const char *const order_name[ORDERS];

/* Where row `row` of step `step` starts in the n train tokens. random: any of the n - T windows, equally likely;
 * sequential: ((step·rows + row) mod ⌊(n-1)/T⌋)·T. */
int64_t batch_start(Order order, uint64_t seed, int64_t step, int64_t rows, int64_t row, int64_t n, int64_t T);

/* Copies `length` tokens from `start`, and the ones that follow each, as ids. */
void batch_fill(int32_t *token, int32_t *target, const Corpus *c, const Tokenizer *t, int64_t start, int64_t length);

/* The i-th of `count` windows evenly spaced over n validation tokens, always the same. */
int64_t window_start(int64_t i, int64_t count, int64_t n, int64_t T);

#endif
