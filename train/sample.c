/* step0 sample and step0 eval: what a trained model writes, and how well it predicts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/blas.h"
#include "commands.h"
#include "config/config_read.h"
#include "generate.h"
#include "run/pretrained.h"
#include "run/setup.h"
#include "threads.h"

int command_sample(const Args *args)
{
    if (!args->words) die("sample needs the folder of a run, or of a checkpoint");
    Sampling how = {.tokens = (int64_t)number_flag("--tokens", args->tokens, 500, 1, 1e7, true),
                    .temperature = number_flag("--temperature", args->temperature, 0.8, 0, 1000, false),
                    .top_k = (int64_t)number_flag("--top-k", args->top_k, 0, 0, 1e7, true),
                    .seed = (uint64_t)number_flag("--seed", args->seed, 1, 0, 9007199254740991.0, true)};
    bool *given = xcalloc((size_t)config_keys, sizeof *given);
    Config c = config_load(NULL, NULL, 0, given);
    c.from = absolute_path(".", args->word[0]);
    if (!pretrained_exists(c.from)) die("%s holds no checkpoint; name a run's folder, or one such as RUN/best", c.from);
    Pretrained from = pretrained_open(&c, given, c.from);
    if (!from.has_tokenizer) die("%s has no tokenizer.json", from.folder);
    config_finish(&c, given);
    blas_start(args->cpu);
    Shape shape = config_shape(&c, from.vocab_size);
    Gpt *g = gpt_new(&shape, 1, threads_chosen(args->threads));
    pretrained_load(&from, g);
    size_t length;
    char *text = generate(g, &from.tokenizer, args->prompt ? args->prompt : "", &how, &length);
    print_bytes(text, length);
    putchar('\n');
    free(text);
    gpt_free(g);
    pretrained_free(&from);
    config_free(&c);
    free(given);
    return EXIT_DONE;
}

/* What eval adds to the run's own config: its weights, which no scheme draws, and all of the validation text; of another text
 * all counts. */
static const char *const asked[] = {"init.params={}", "init.rules={}", "eval.batches=0"};

/* How the keys begin that a user may set, as whatever else would be idle; the model's are checked against the weights. */
static const char *const counts[] = {"data.", "model.", "eval.batches=", "train.batch_size="};

static bool eval_takes(const char *override)
{
    for (size_t i = 0; i < COUNT(counts); i++)
        if (!strncmp(override, counts[i], strlen(counts[i]))) return true;
    return false;
}

static void check_eval_key(const char *override)
{
    if (eval_takes(override)) return;
    Text taken = {0};
    for (size_t i = 0; i < COUNT(counts); i++) text_add(&taken, "%s%s", i ? ", " : "", counts[i]);
    die("%s has no effect on eval, which takes keys that begin with %s", override, taken.at);
}

/* The config (none: of a folder that belongs to no run), the weights, and the words of the user; override is released with free. */
static Args eval_args(const Args *args, char **config, char *from)
{
    char *const *given = args->override;
    int n = args->overrides;
    if (config_gives(given, n, "init.from")) die("eval speaks of the run %s itself; leave init.from out", args->word[0]);
    bool other_text = config_gives(given, n, "data.text") || config_gives(given, n, "data.text_seed");
    if (!*config && !other_text) die("%s belongs to no run, and so to no text; name one with data.text=PATH", args->word[0]);
    for (int i = 0; i < n; i++) check_eval_key(given[i]);
    Args own = *args;
    own.evaluates = true;
    own.own_text = !other_text && !config_gives(given, n, "data.chars");
    own.word = config;
    own.words = *config != NULL;
    own.overrides = 0;
    own.override = xcalloc(COUNT(asked) + 2 + (size_t)n, sizeof *own.override);
    own.override[own.overrides++] = from;
    for (size_t i = 0; i < COUNT(asked); i++) own.override[own.overrides++] = (char *)asked[i];
    if (other_text) own.override[own.overrides++] = "data.val_fraction=1";
    for (int i = 0; i < n; i++) own.override[own.overrides++] = given[i];
    return own;
}

int command_eval(const Args *args)
{
    if (!args->words) die("eval needs the folder of a run");
    if (!pretrained_exists(args->word[0])) die("%s holds no checkpoint; name a run's folder, or one such as RUN/best", args->word[0]);
    char *run = pretrained_run(args->word[0]), *config = run ? text_format("%s/resolved.json", run) : NULL, *from = text_format("init.from=%s", args->word[0]);
    Args own = eval_args(args, &config, from);
    Setup s = setup_new(&own, NULL);
    if (s.corpus.train == s.corpus.size) die("%s has no validation text (data.val_fraction 0); name a text with data.text=PATH", args->word[0]);
    double loss = setup_validate(&s);
    printf("loss %.6f nats a token, %.6f bits, perplexity %.4f; over %lld of %lld tokens", loss, loss / log(2), exp(loss),
           (long long)setup_validation_tokens(&s), (long long)(s.corpus.size - s.corpus.train));
    if (!isnan(s.floor)) printf("; floor %.6f", s.floor);
    printf("\n");
    setup_free(&s);
    free(own.override);
    free(config);
    free(run);
    free(from);
    return EXIT_DONE;
}
