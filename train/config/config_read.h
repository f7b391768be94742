/* Where a config's keys come from: a file, and the command line. */
#ifndef STEP0_CONFIG_READ_H
#define STEP0_CONFIG_READ_H

#include "config.h"

/* Sets the keys that a config file gives and marks them in `given`. folder: where its relative paths start. */
void config_read_file(Config *c, const Json *root, const char *folder, bool *given);

/* The key of an override, or the object that it is a member of: init.params of "init.params.std", *member is then "std",
 * else NULL. NULL where there is none. */
const Key *config_key_of(const char *path, const char **member);

/* Ends the program: there is no such key, and which was probably meant. */
_Noreturn void config_unknown_key(const char *where, const char *path);

/* A config's "sweep": {"train.lr": [1e-3, 3e-3]}, each value checked. Returns {"train.lr": {"0.001": "0.001", …}}: for each
 * key its values, as config_shown writes them, and as an override of the command line, paths absolute. */
Json *config_read_sweep(const Json *sweep, const char *folder);

/* Whether one of the overrides gives a key. */
bool config_gives(char *const *override, int overrides, const char *key);

/* A value as names and tables show it: numbers in the fewest digits, strings without quotes. Released with free. */
char *config_shown(const Json *value);

/* Sets the keys of key=value words, the last one of a key winning, and c->changes. */
void config_read_overrides(Config *c, char *const *text, int count, bool *given);

#endif
