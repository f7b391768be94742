/* Outputs of a command that must not replace what is there. */
#ifndef STEP0_SPARE_H
#define STEP0_SPARE_H

#include "../args.h"
#include "../config/config.h"

/* Dies where an output (the flag that names it, its path) would replace one of a run's own files, or of a checkpoint's. */
void spare_own(const char *flag, const char *path);

/* Dies where it would replace a file that the command reads: its config, scheme or text. */
void spare_inputs(const char *flag, const char *path, const Args *args, const Config *c);

#endif
