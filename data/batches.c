#include "batches.h"

#include "../model/noise.h"

const char *const order_name[ORDERS] = {"random", "sequential"};

int64_t batch_start(Order order, uint64_t seed, int64_t step, int64_t rows, int64_t row, int64_t n, int64_t T)
{
    assert(n > T);
    if (order == ORDER_SEQUENTIAL) return (step * rows + row) % ((n - 1) / T) * T;
    double u = noise_unit(noise_at(seed, NOISE_BATCHES, (uint32_t)step, (uint32_t)row, 0, 0));
    return min_i64((int64_t)(u * (double)(n - T)), n - T - 1);
}

void batch_fill(int32_t *token, int32_t *target, const Corpus *c, const Tokenizer *t, int64_t start, int64_t length)
{
    const unsigned char *byte = c->byte + start;
    for (int64_t i = 0; i < length; i++) {
        token[i] = t->id[byte[i]];
        target[i] = t->id[byte[i + 1]];
    }
}

int64_t window_start(int64_t i, int64_t count, int64_t n, int64_t T)
{
    return count == 1 ? 0 : i * (n - T - 1) / (count - 1);
}
