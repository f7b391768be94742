/* Where a config's keys come from: a file, and the command line. */
#ifndef STEP0_CONFIG_READ_H
#define STEP0_CONFIG_READ_H

#include "config.h"

/* Sets the keys that a config file gives and marks them in `given`. folder: where its relative paths start. */
void config_read_file(Config *c, const Json *root, const char *folder, bool *given);

/* Sets the keys of key=value words, the last one of a key winning, and c->changes. */
void config_read_overrides(Config *c, char *const *text, int count, bool *given);

#endif
