/* The proof that the initialization was applied: init.csv, and the tables of --dry-run. */
#ifndef STEP0_REPORT_INIT_H
#define STEP0_REPORT_INIT_H

#include <stdio.h>

#include "setup.h"

/* The text of init.csv, released with free. */
char *init_csv(const Setup *s);

/* A warning, with its probable cause, where the loss of step 0 is above 1.2 ln V. */
void warn_first_loss(const Setup *s, double loss);

/* One line: how many parts were measured against their rules, and the largest |z|. */
void print_applied(FILE *out, const Setup *s);

/* Everything --dry-run prints, to stdout. */
void print_dry_run(Setup *s);

#endif
