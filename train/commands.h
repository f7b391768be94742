/* The commands. Each returns the program's exit status. */
#ifndef STEP0_COMMANDS_H
#define STEP0_COMMANDS_H

#include <stdio.h>

#include "args.h"

enum { EXIT_DONE = 0, EXIT_ERROR = 1, EXIT_USAGE = 2, EXIT_DIVERGED = 3 };

int command_train(const Args *args);
int command_sweep(const Args *args);
int command_compare(const Args *args);
int command_probe(const Args *args);
int command_sample(const Args *args);
int command_eval(const Args *args);
int command_schemes(const Args *args);
int command_bench(const Args *args);
int command_info(const Args *args);
int command_help(const Args *args);
int command_version(const Args *args);

void scheme_help(FILE *out);           /* step0 help schemes */

#endif
