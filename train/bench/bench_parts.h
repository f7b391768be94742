/* The pieces of a training step, each to be run alone on a model's own memory, with the shapes and tiles of the step. */
#ifndef STEP0_BENCH_PARTS_H
#define STEP0_BENCH_PARTS_H

#include "../run/setup.h"

/* PART_PRODUCTS: of matrix products alone; PART_ONCE: a step has it once, others once a micro-batch. */
typedef enum { PART_PRODUCTS, PART_OTHER, PART_ONCE } PartKind;

typedef struct {
    const char *name;
    void (*run)(Setup *s, const Batch *b);
    PartKind kind;
} BenchPart;

extern const BenchPart bench_part[];
extern const int bench_parts;

/* Floating-point operations of a step's matrix products, a multiply-add as two. Attention's count the keys that a query sees;
 * what the backward computes again is not counted. */
double bench_operations(const Setup *s);

#endif
