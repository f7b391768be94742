/* The pieces of a training step, each to be run alone on a model's own memory, with the shapes and tiles of the step. */
#ifndef STEP0_BENCH_PARTS_H
#define STEP0_BENCH_PARTS_H

#include "../run/setup.h"

typedef struct {
    const char *name;
    void (*run)(Setup *s, const Batch *b);
    bool product;              /* consists of matrix products alone */
} BenchPart;

extern const BenchPart bench_part[];
extern const int bench_parts;

/* Floating-point operations of a step's matrix products, a multiply-add as two. Attention's count the keys that a query sees;
 * what the backward computes again is not counted. */
double bench_operations(const Setup *s);

#endif
