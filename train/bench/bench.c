/* step0 bench: what a training step costs, beside what the machine can do and what its matrix products alone cost, in turns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_parts.h"
#include "bench_peak.h"
#include "../commands.h"
#include "../compare/statistics.h"
#include "../cpu.h"
#include "../run/metrics.h"
#include "../run/optim.h"
#include "../run/progress.h"

/* Seconds of one thing, once a round. */
typedef struct { double *second; int rounds; } Times;

static double quantile(const Times *t, double share)
{
    return statistics_quantile(t->second, t->rounds, share);
}

static double median(const Times *t)
{
    return quantile(t, 0.5);
}

typedef struct {
    Setup setup;
    int rounds;
    Times step, products, peak, *part;     /* peak: billions of operations a second */
    Out out;                               /* a metrics.csv that goes nowhere */
    double *square;
} Bench;

static void note(Times *t, double value)
{
    t->second[t->rounds++] = value;
}

/* A training step as `train` makes it: gradients, norms of every layer, clipping, AdamW, the row. */
static void one_step(Bench *b, const Batch *batch, int64_t step)
{
    Setup *s = &b->setup;
    const Config *c = &s->config;
    double scale = 1 / (double)setup_step_tokens(s), sum = 0;
    params_zero_gradients(&s->model->params, s->threads);
    for (int64_t k = 0; k < c->grad_accum; k++) sum += gpt_loss_back(s->model, batch, scale);
    MetricsRow row = {.step = step, .tokens = step * setup_step_tokens(s), .loss = sum * scale, .val_loss = NAN, .update = true, .lr = c->lr};
    row.norm = sqrt(params_gradient_squares(&s->model->params, b->square, s->threads));
    optim_step(&s->model->params, c, s->factors, step, c->lr, optim_clip(c, row.norm), s->threads);
    metrics_row(&b->out, s->model, c, &row, b->square);
}

static void measure(Bench *b)
{
    Setup *s = &b->setup;
    Batch batch = {.token = s->token, .target = s->target, .rows = s->config.batch_size, .length = s->config.block_size,
                   .dropout = {.rate = s->config.dropout, .seed = (uint64_t)s->config.data_seed}};
    for (int round = -1; round < b->rounds; round++) {
        double peak = peak_gflops(s->threads), start = progress_clock(), products = 0;
        one_step(b, &batch, round + 1);
        double seconds = progress_clock() - start;
        for (int i = 0; i < bench_parts; i++) {
            start = progress_clock();
            bench_part[i].run(s, &batch);
            double own = (progress_clock() - start) * (double)(bench_part[i].kind == PART_ONCE ? 1 : s->config.grad_accum);
            products += bench_part[i].kind == PART_PRODUCTS ? own : 0;
            if (round >= 0) note(&b->part[i], own);
        }
        if (round < 0) continue;       /* to warm up */
        note(&b->peak, peak);
        note(&b->step, seconds);
        note(&b->products, products);
    }
}

/* --- what is said --- */

static void print_table(const Bench *b)
{
    const Setup *s = &b->setup;
    double step = median(&b->step), peak = median(&b->peak), operations = bench_operations(s);
    printf("model        n_layer %lld, n_head %lld, n_embd %lld, n_inner %lld, vocabulary %lld; batch %lld x %lld x %lld tokens\n", (long long)s->config.n_layer,
           (long long)s->config.n_head, (long long)s->config.n_embd, (long long)s->config.n_inner, (long long)s->model->shape.vocab_size,
           (long long)s->config.grad_accum, (long long)s->config.batch_size, (long long)s->config.block_size);
    printf("OpenBLAS     kernel %s (chosen by %s), %d threads\n", s->blas.kernel, s->blas.chosen_by, s->threads);
    printf("step         %.3f ms, quartiles %.3f and %.3f; %.0f tokens a second\n", step * 1e3, quantile(&b->step, 0.25) * 1e3, quantile(&b->step, 0.75) * 1e3,
           (double)setup_step_tokens(s) / step);
    printf("products     %.3f ms alone; a step takes %.2f times as long\n", median(&b->products) * 1e3, step / median(&b->products));
    printf("peak         %.1f billion operations a second (%d-bit multiply-adds); the step's products are %.3f billion: %.0f %% of the peak\n", peak,
           peak_vector_bits(), operations * 1e-9, 100 * operations / step / peak * 1e-9);
    printf("memory       %.1f MiB at most\n\n%-28s %12s %8s\n", (double)cpu_peak_memory() / 1048576, "alone", "ms", "of step");
    for (int i = 0; i < bench_parts; i++) printf("%-28s %12.3f %7.1f%%\n", bench_part[i].name, median(&b->part[i]) * 1e3, 100 * median(&b->part[i]) / step);
    printf("\nMedians of %d rounds, each of the peak, a step and every part in turn. \"Whole\" includes the products; a part alone finds its data in the cache more often.\n", b->rounds);
}

static void print_json(const Bench *b)
{
    const Setup *s = &b->setup;
    double step = median(&b->step);
    Json *j = json_new(JSON_OBJECT);
    json_put_number(j, "step_ms", step * 1e3);
    json_put_number(j, "step_ms_low_quartile", quantile(&b->step, 0.25) * 1e3);
    json_put_number(j, "step_ms_high_quartile", quantile(&b->step, 0.75) * 1e3);
    json_put_number(j, "tokens_per_s", (double)setup_step_tokens(s) / step);
    json_put_number(j, "peak_gflops", median(&b->peak));
    json_put_number(j, "peak_share", bench_operations(s) / step / median(&b->peak) * 1e-9);
    json_put_number(j, "products_ms", median(&b->products) * 1e3);
    json_put_number(j, "step_over_products", step / median(&b->products));
    json_put_number(j, "peak_rss_mib", (double)cpu_peak_memory() / 1048576);
    json_put_number(j, "threads", s->threads);
    json_put_number(j, "rounds", b->rounds);
    json_put_string(j, "kernel", s->blas.kernel);
    Json *parts = json_put(j, "parts_ms", json_new(JSON_OBJECT));
    for (int i = 0; i < bench_parts; i++) json_put_number(parts, bench_part[i].name, median(&b->part[i]) * 1e3);
    char *text = json_print(j, true);
    puts(text);
    free(text);
    json_free(j);
}

static Times times_new(int rounds)
{
    return (Times){.second = xcalloc((size_t)rounds, sizeof(double))};
}

int command_bench(const Args *args)
{
    enum { VOCAB = 65, ROUNDS = 20 };
    Bench b = {.rounds = (int)number_flag("--steps", args->steps, ROUNDS, 1, 100000, true)};
    b.setup = setup_without_text(args, (int64_t)number_flag("--vocab", args->vocab, VOCAB, 1, INT32_MAX, true));
    b.out = out_open("/dev/null", false);
    b.square = xcalloc((size_t)b.setup.model->params.parts, sizeof *b.square);
    b.part = xcalloc((size_t)bench_parts, sizeof *b.part);
    for (int i = 0; i < bench_parts; i++) b.part[i] = times_new(b.rounds);
    b.step = times_new(b.rounds), b.products = times_new(b.rounds), b.peak = times_new(b.rounds);
    measure(&b);
    if (args->json) print_json(&b);
    else print_table(&b);
    for (int i = 0; i < bench_parts; i++) free(b.part[i].second);
    free(b.part);
    free(b.step.second);
    free(b.products.second);
    free(b.peak.second);
    free(b.square);
    free(out_close(&b.out, false));
    setup_free(&b.setup);
    return EXIT_DONE;
}
