/* init.from: weights, shape and, where it has one, tokenizer of a Hugging Face GPT-2 folder or of a run.
 *
 * Refused with the reason: what this program cannot honour (another architecture, layer_norm_epsilon, activation or kind
 * of tokenizer), tensors that are missing, too many or of another shape, numbers that are not finite, files that are not those
 * whose checksums state.json names (the optimizer's is not read, and not checked). */
#ifndef STEP0_PRETRAINED_H
#define STEP0_PRETRAINED_H

#include "../config/config.h"
#include "safetensors.h"

typedef struct {
    char *folder;              /* that holds model.safetensors */
    char text_hash[17];        /* of the text that it was trained on; "": unknown */
    Safetensors file;
    int64_t vocab_size;
    bool has_tokenizer;
    Tokenizer tokenizer;
} Pretrained;

/* Whether a folder is a run with a checkpoint, or a checkpoint itself. */
bool pretrained_exists(const char *folder);

/* The run that a folder is, or lies in (RUN/best): its folder, released with free; NULL where there is none. */
char *pretrained_run(const char *folder);

/* Reads the folder `source` (c->from, as a rule) and sets the keys of `model` that it determines; one given with another
 * value is an error. No model is made of a folder whose tensors are not those of its config. */
Pretrained pretrained_open(Config *c, bool *given, const char *source);
void pretrained_free(Pretrained *p);

/* Copies the file's tensors into the model's. */
void pretrained_load(const Pretrained *p, Gpt *g);

#endif
