/* From a config to a model at step 0: what train, probe and --dry-run begin with. */
#ifndef STEP0_SETUP_H
#define STEP0_SETUP_H

#include "../../data/corpus.h"
#include "../../model/blas.h"
#include "../../model/init.h"
#include "../args.h"
#include "../config/plan.h"

typedef struct {
    Config config;
    Scheme scheme;
    Corpus corpus;
    Tokenizer tokenizer;
    Yardsticks yardsticks;
    double floor;              /* of the built-in text's validation part; NAN elsewhere */
    int threads;
    BlasInfo blas;
    Gpt *model;
    PartReport *report;        /* a row a part */
    Factors *factors;          /* of the optimizer; one a part */
    int32_t *token, *target;   /* a micro-batch */
    int lock;                  /* of the run's folder; -1: not locked */
} Setup;

/* Reads and checks everything, makes the model, fills its weights (where a run with init.from is resumed, shape and
 * tokenizer come from its checkpoint). `claim` (or NULL) sees the config before anything slow, so that a folder that may not be
 * used ends the program first; what it returns is kept in `lock`. */
Setup setup_new(const Args *args, int (*claim)(const Config *, const Args *));
void setup_free(Setup *s);

/* Without a text, for what only costs are asked of: a vocabulary of `vocab`, and random tokens in s->token and s->target. Weights
 * are drawn, but neither fitted to a batch nor checked; report is NULL, corpus, tokenizer and yardsticks are empty. Dies where
 * the config has init.from. */
Setup setup_without_text(const Args *args, int64_t vocab);

/* The text that a config names. */
Corpus setup_corpus(const Config *c);

/* Micro-batch k (0 to grad_accum-1) of a step, in s->token and s->target. */
Batch setup_batch(Setup *s, int64_t step, int64_t k);

/* Tokens of a whole step. */
int64_t setup_step_tokens(const Setup *s);

/* The loss of step 0: what row 0 of metrics.csv will hold. */
double setup_first_loss(Setup *s);

/* The mean loss over the validation windows (eval.batches), without dropout. NAN where there is no validation text.
 * Where a signal asks to stop (signals.h) it returns early, and what it returns means nothing. */
double setup_validate(Setup *s);
int64_t setup_validation_tokens(const Setup *s);       /* that it is a mean of */

#endif
