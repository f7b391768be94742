/* The files of one checkpoint's folder. */
#ifndef STEP0_CHECKPOINT_FILES_H
#define STEP0_CHECKPOINT_FILES_H

#include "checkpoint.h"

/* Makes the folder and writes and syncs its files. Returns the error, released with free, or NULL. */
char *checkpoint_write(const Setup *s, const char *folder, const State *state, bool with_optimizer);

/* Whether one of them has that name. */
bool checkpoint_names(const char *file);

#endif
