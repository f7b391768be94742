/* What init.from's folder says of the model. */
#ifndef STEP0_PRETRAINED_SHAPE_H
#define STEP0_PRETRAINED_SHAPE_H

#include "pretrained.h"

/* Both set p->vocab_size and the keys of `model`; one given with another value is an error. From config.json of a GPT-2 folder: */
void pretrained_take_gpt2(Pretrained *p, Config *c, bool *given);

/* From the resolved.json of a run, which knows its own shape better than the checkpoint's config.json: that one, for GPT-2's
 * sake, has biases of zero. */
void pretrained_take_run(Pretrained *p, Config *c, bool *given, const char *run);

/* The file's tensor of that name, with or without "transformer." in front; NULL: none. */
const StoredTensor *pretrained_stored(const Pretrained *p, const char *name);

#endif
