/* Text from a model. */
#ifndef STEP0_GENERATE_H
#define STEP0_GENERATE_H

#include "../data/tokenizer.h"
#include "../model/gpt.h"

typedef struct {
    int64_t tokens;            /* to generate */
    double temperature;        /* 0: the most likely token each time */
    int64_t top_k;             /* draw among so many; 0: all */
    uint64_t seed;
} Sampling;

/* Continues `prompt`: prompt and tokens as bytes, released with free. Where the context is full, its older half is
 * forgotten. An empty prompt starts behind a line's end. Dies where the prompt has a character that the tokenizer lacks,
 * or the logits are not finite. Where a signal asks to stop (signals.h) the rest means nothing. */
char *generate(Gpt *g, const Tokenizer *t, const char *prompt, const Sampling *how, size_t *length);

/* To standard output: to a terminal with control characters and broken UTF-8 as \xNN, elsewhere as they are. */
void print_bytes(const char *bytes, size_t length);

#endif
