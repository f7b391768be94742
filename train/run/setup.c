#include "setup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../model/alive.h"
#include "../../model/file.h"
#include "../../model/lsuv.h"
#include "../../model/noise.h"
#include "memory.h"
#include "pretrained.h"
#include "record.h"
#include "setup_text.h"
#include "../signals.h"
#include "../threads.h"

/* A measured standard deviation far from the rule's own means that the rule was not applied. */
static void check_report(const Setup *s)
{
    for (int i = 0; i < s->model->params.parts; i++) {
        const PartReport *r = &s->report[i];
        const char *name = s->model->params.part[i].name;
        if (!init_is_exact(r)) die("%s: measured standard deviation %g, expected exactly %g: the rule was not applied", name, r->measured_std, r->expected_std);
        if (!(fabs(r->z) > 5)) continue;
        if (fabs(r->z) > 8) die("%s: measured standard deviation %g, expected %g (%.1f standard errors off): the rule was not applied", name, r->measured_std, r->expected_std, r->z);
        notice("%s: measured standard deviation %g, expected %g (%.1f standard errors off)", name, r->measured_std, r->expected_std, r->z);
    }
}

/* What of the scheme needs a batch: the first one, without dropout. */
static void fit_to_batch(Setup *s)
{
    if (!scheme_needs_batch(&s->scheme)) return;
    Batch b = setup_batch(s, 0, 0);
    b.dropout.rate = 0;
    init_output_std(s->model, &s->scheme, &b);
}

/* A rule of the user's own that means nothing in this model is worth a word; a scheme's may be for other models. */
static void notice_idle_rules(const Setup *s)
{
    const Params *p = &s->model->params;
    for (const Json *r = s->scheme.rules ? s->scheme.rules->child : NULL; r; r = r->next) {
        bool used = false;
        for (int i = 0; i < p->parts && !used; i++) used = selector_find(s->scheme.rules, p->part[i].role) == r;
        if (!used) notice("init.rules.%s has no effect: this model has no such part, or a rule that is more exact stands beside it", r->key);
    }
}

static Factors *factors_of(const Setup *s)
{
    const Params *p = &s->model->params;
    Factors *f = xcalloc((size_t)p->parts, sizeof *f);
    for (int i = 0; i < p->parts; i++) f[i] = scheme_factors(&s->scheme, &s->model->shape, &p->part[i]);
    return f;
}

/* The weights and, unless the config names another, the scheme are those of init.from; what the config says of drawing
 * weights has no effect. */
static void continue_from(Setup *s, bool *given)
{
    static const char *const idle[] = {"init.params", "init.rules"};
    Config *c = &s->config;
    for (size_t i = 0; i < COUNT(idle); i++)
        if (!config_has_fallback(c, config_find(idle[i]))) notice("%s has no effect: the weights come from init.from", idle[i]);
    scheme_free(&s->scheme);
    s->scheme = scheme_load(c->scheme, ".", c->params, c->rules);
    config_finish(c, given);
}

/* The config that the words and overrides give, with the scheme's keys put in. A run that is resumed names its own. */
static void read_config(Setup *s, const Args *args, bool *given)
{
    char *own = args->resume && args->out ? text_format("%s/resolved.json", args->out) : NULL;
    if (own && !args->words && !args->overrides) {
        if (record_read_status(args->out) < 0) die("%s holds no run that --resume could continue; name a config to start one there", args->out);
        if (record_lacks_config(args->out)) die("%s lacks resolved.json, the config to go on with; name the run's config, and --overwrite to start it anew", args->out);
    }
    const char *path = args->words ? args->word[0] : own && file_is_there(own) ? own : NULL;
    Plan plan = plan_read(path, args->override, args->overrides, given);
    free(own);
    s->config = plan.config;
    s->scheme = plan.scheme;
    s->threads = threads_chosen(args->threads);
}

/* Puts init.from's keys into the config; of a run that is resumed its own checkpoint stands for it, whose links are mended only
 * by who holds the folder. */
static void read_source(Setup *s, const Args *args, bool *given, Pretrained *from)
{
    Config *c = &s->config;
    if (!c->from) return;
    char *folder = args->resume ? record_folder(c, args) : NULL, run[17];
    if (folder) record_read_run(folder, run);
    bool resumes = folder && (s->lock >= 0 ? checkpoint_find(folder, run) : pretrained_exists(folder));
    if (!resumes && !args->evaluates && given[config_index(config_find("init.scheme"))])
        notice("init.scheme: the weights come from init.from; only the switches of the model and the factors of the optimizer are the scheme's");
    *from = pretrained_open(c, given, resumes ? folder : c->from);
    free(folder);
    continue_from(s, given);
}

static void make_model(Setup *s, int64_t vocab, const Args *args)
{
    const Config *c = &s->config;
    Shape shape = config_shape(c, vocab);
    memory_check(c, &shape, s->threads, (double)s->corpus.size);
    s->blas = blas_start(args->cpu);
    if (!c->from) scheme_check_alive(&s->scheme, &shape);
    s->model = gpt_new(&shape, c->batch_size, s->threads);
    s->token = xcalloc((size_t)(c->batch_size * c->block_size), sizeof *s->token);
    s->target = xcalloc((size_t)(c->batch_size * c->block_size), sizeof *s->target);
    s->factors = factors_of(s);
}

Setup setup_new(const Args *args, int (*claim)(const Config *, const Args *))
{
    Setup s = {.floor = NAN, .lock = -1};
    bool *given = xcalloc((size_t)config_keys, sizeof *given);
    Pretrained from = {0};
    const Config *c = &s.config;
    read_config(&s, args, given);
    if (claim) s.lock = claim(c, args);
    read_source(&s, args, given, &from);
    setup_read_text(&s, args, given, &from);
    make_model(&s, s.tokenizer.size, args);
    if (c->from) pretrained_load(&from, s.model);
    else {
        notice_idle_rules(&s);
        init_weights(s.model, &s.scheme, (uint64_t)c->init_seed);
        fit_to_batch(&s);
    }
    s.report = init_report(s.model, &s.scheme, c->from != NULL);
    check_report(&s);
    if (c->from) pretrained_free(&from);
    free(given);
    return s;
}

Setup setup_without_text(const Args *args, int64_t vocab)
{
    Setup s = {.floor = NAN, .lock = -1};
    bool *given = xcalloc((size_t)config_keys, sizeof *given);
    read_config(&s, args, given);
    if (s.config.from) die("init.from is %s; without a text a model starts from its scheme", s.config.from);
    make_model(&s, vocab, args);
    init_weights(s.model, &s.scheme, (uint64_t)s.config.init_seed);
    for (int64_t i = 0; i < s.config.batch_size * s.config.block_size; i++) {
        Noise n = noise_at((uint64_t)s.config.data_seed, NOISE_BATCHES, 0, 0, 0, (uint32_t)i);
        s.token[i] = (int32_t)(n.word[0] % (uint64_t)vocab);
        s.target[i] = (int32_t)(n.word[1] % (uint64_t)vocab);
    }
    free(given);
    return s;
}

void setup_free(Setup *s)
{
    gpt_free(s->model);
    scheme_free(&s->scheme);
    corpus_free(&s->corpus);
    config_free(&s->config);
    free(s->report);
    free(s->factors);
    free(s->token);
    free(s->target);
}

int64_t setup_step_tokens(const Setup *s)
{
    return s->config.grad_accum * s->config.batch_size * s->config.block_size;
}

Batch setup_batch(Setup *s, int64_t step, int64_t k)
{
    const Config *c = &s->config;
    int64_t B = c->batch_size, T = c->block_size;
    for (int64_t b = 0; b < B; b++) {
        int64_t start = batch_start((Order)c->order, (uint64_t)c->data_seed, step, c->grad_accum * B, k * B + b, s->corpus.train, T);
        batch_fill(s->token + b * T, s->target + b * T, &s->corpus, &s->tokenizer, start, T);
    }
    return (Batch){.token = s->token, .target = s->target, .rows = B, .length = T,
                   .dropout = {.rate = c->dropout, .seed = (uint64_t)c->data_seed, .step = (uint32_t)step, .first_row = (uint32_t)(k * B)}};
}

double setup_first_loss(Setup *s)
{
    double sum = 0;
    for (int64_t k = 0; k < s->config.grad_accum; k++) {
        Batch b = setup_batch(s, 0, k);
        sum += gpt_loss(s->model, &b);
    }
    return sum / (double)setup_step_tokens(s);
}

/* Σ loss over `count` windows of block_size tokens: side by side from the start (all), or evenly spaced. */
static double windows_loss(Setup *s, int64_t count, bool all)
{
    int64_t n = s->corpus.size - s->corpus.train, T = s->config.block_size, B = s->config.batch_size;
    double sum = 0;
    for (int64_t at = 0; at < count && !signals_caught(); at += B) {
        int64_t rows = min_i64(B, count - at);
        for (int64_t b = 0; b < rows; b++) {
            int64_t start = all ? (at + b) * T : window_start(at + b, count, n, T);
            batch_fill(s->token + b * T, s->target + b * T, &s->corpus, &s->tokenizer, s->corpus.train + start, T);
        }
        Batch batch = {.token = s->token, .target = s->target, .rows = rows, .length = T};
        sum += gpt_loss(s->model, &batch);
    }
    return sum;
}

int64_t setup_validation_tokens(const Setup *s)
{
    const Config *c = &s->config;
    return c->eval_batches > 0 ? c->eval_batches * c->batch_size * c->block_size : s->corpus.size - s->corpus.train - 1;
}

double setup_validate(Setup *s)
{
    int64_t n = s->corpus.size - s->corpus.train, T = s->config.block_size, B = s->config.batch_size;
    if (n == 0) return NAN;
    if (s->config.eval_batches > 0) {
        int64_t count = s->config.eval_batches * B;
        return windows_loss(s, count, false) / (double)(count * T);
    }
    int64_t whole = (n - 1) / T, rest = (n - 1) % T;
    double sum = windows_loss(s, whole, true);
    if (rest) {
        batch_fill(s->token, s->target, &s->corpus, &s->tokenizer, s->corpus.train + whole * T, rest);
        Batch batch = {.token = s->token, .target = s->target, .rows = 1, .length = rest};
        sum += gpt_loss(s->model, &batch);
    }
    return sum / (double)(n - 1);
}
