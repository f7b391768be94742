/* The text of a run: bytes in memory, their split into train and validation, and facts about them. */
#ifndef STEP0_CORPUS_H
#define STEP0_CORPUS_H

#include "tokenizer.h"

#define BUILTIN_STORIES "builtin:stories"

typedef struct {
    unsigned char *byte;
    int64_t size;
    int64_t train;             /* the first `train` bytes train, the rest validates */
    uint64_t hash;             /* FNV-1a of all bytes */
} Corpus;

/* Joins files as they are, or makes the built-in text (path BUILTIN_STORIES: `chars` bytes, `text_seed`). Dies, naming
 * the absolute path, where one cannot be read or all are empty. train = floor(size·(1 - val_fraction)). */
Corpus corpus_load(const char *const *path, int paths, int64_t chars, uint64_t text_seed, double val_fraction);
void corpus_free(Corpus *c);

/* Cross-entropies of the validation text under the train text's frequencies, add-one: p(x) = (c(x)+1)/(n+V), and
 * p(x|y) = (c(yx)+1)/(c(y)+V). NAN without a validation text. */
typedef struct { double unigram, bigram; } Yardsticks;
Yardsticks corpus_yardsticks(const Corpus *c, const Tokenizer *t);

#endif
