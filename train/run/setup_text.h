/* The text's part of setup_new. */
#ifndef STEP0_SETUP_TEXT_H
#define STEP0_SETUP_TEXT_H

#include "pretrained.h"
#include "setup.h"

/* Reads the text, and checks that model and text fit each other: corpus, tokenizer, yardsticks and floor. from: what init.from
 * names, or zeroes. What cannot fit into memory is refused before. */
void setup_read_text(Setup *s, const Args *args, const bool *given, const Pretrained *from);

#endif
