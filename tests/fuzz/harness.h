/* What the targets of libFuzzer share. A target defines fuzz_one, which hands its input to a reader. Where the reader ends
 * the program with a message, the next input follows; what it had allocated is released. A signal, an assertion, a report
 * of a sanitizer, or another exit status than 1 is a finding. */
#ifndef STEP0_FUZZ_HARNESS_H
#define STEP0_FUZZ_HARNESS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../model/base.h"

/* text[length] is NUL. */
void fuzz_one(const char *text, size_t length);

/* From now on, whoever reads a file whose path ends in `name` gets these bytes, copied. There are no others. */
void fuzz_file(const char *name, const void *bytes, size_t length);

#endif
