#include "memory.h"

#include <string.h>

#include "../../model/gpt.h"
#include "../cpu.h"
#include "watch.h"

/* What an estimate is of. */
typedef struct { const Config *config; Shape shape; int64_t rows; int threads; double text; } Load;

static MemoryEstimate estimate(const Load *l)
{
    /* Of the program, its libraries and each thread's packing buffers, as measured. */
    static const double program = 8 * 1048576.0, thread = 1.5 * 1048576;
    GptSize size = gpt_size(&l->shape, l->rows, l->threads);
    MemoryEstimate m = {.weights = size.weights * sizeof(real), .activations = size.activations, .rest = l->text + program + thread * l->threads};
    if (l->config->signals) m.activations += watch_bytes(size.block_weights, (double)l->rows * (double)l->shape.block_size);
    m.peak = 4 * m.weights + m.activations + m.rest;
    return m;
}

static Load load_of(const Config *c, const Shape *shape, int threads, double text_bytes)
{
    return (Load){c, *shape, c->batch_size, threads, text_bytes};
}

MemoryEstimate memory_estimate(const Config *c, const Shape *shape, int threads, double text_bytes)
{
    Load l = load_of(c, shape, threads, text_bytes);
    return estimate(&l);
}

/* The keys that may be lowered, in the order of what that costs the user. Beside init.from the model's are fixed. */
static const struct { const char *key; size_t at; bool model; } lowered[] = {
    {"train.batch_size", offsetof(Load, rows), false},
    {"model.block_size", offsetof(Load, shape.block_size), true},
    {"model.n_layer", offsetof(Load, shape.n_layer), true},
    {"model.n_inner", offsetof(Load, shape.n_inner), true},
    {"model.n_embd", offsetof(Load, shape.n_embd), true},
};

/* Halves a number until the load fits; the number, or 0 where no half does. n_inner goes with n_embd where it is 4 times that. */
static int64_t halved(Load l, size_t at, double limit)
{
    int64_t *number = (int64_t *)(void *)((char *)&l + at), heads = l.shape.n_head;
    bool follows = number == &l.shape.n_embd && l.shape.n_inner == 4 * l.shape.n_embd;
    while (*number > 1) {
        *number /= 2;
        if (number == &l.shape.n_embd) *number -= *number % heads;
        if (*number < 1) return 0;
        if (follows) l.shape.n_inner = 4 * *number;
        if (estimate(&l).peak <= limit) return *number;
    }
    return 0;
}

static char *advice(const Load *l, double limit)
{
    Text t = {0};
    for (size_t i = 0; i < COUNT(lowered); i++) {
        int64_t n = lowered[i].model && l->config->from ? 0 : halved(*l, lowered[i].at, limit);
        if (!n) continue;
        text_add(&t, "%s%s=%lld", t.at ? ", or " : "take ", lowered[i].key, (long long)n);
        if (lowered[i].model || l->rows % n) continue;
        text_add(&t, " (with train.grad_accum=%lld the same steps)", (long long)l->config->grad_accum * (l->rows / n));
    }
    if (!t.at) text_add(&t, "no one key is enough: %slower model.n_embd, model.n_layer and train.batch_size", l->text > limit / 2 ? "take a shorter text, or " : "");
    return t.at;
}

void memory_check(const Config *c, const Shape *shape, int threads, double text_bytes)
{
    const double GiB = 1073741824;
    const char *whose;
    double limit = cpu_memory(&whose);
    Load l = load_of(c, shape, threads, text_bytes);
    MemoryEstimate m = estimate(&l);
    if (m.peak <= limit) return;
    die("this run needs about %.3g GiB (weights, gradients and moments %.3g, activations %.3g, text and program %.3g), and %s %.3g GiB; %s", m.peak / GiB,
        4 * m.weights / GiB, m.activations / GiB, m.rest / GiB, whose, limit / GiB, advice(&l, limit));
}
