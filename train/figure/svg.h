/* The panels of the report as vector figures for papers and slides, a file each. */
#ifndef STEP0_SVG_H
#define STEP0_SVG_H

#include "../compare/study.h"

/* Makes the folder and writes the panels that have something to show into it: `step0 compare --svg`. Returns a
 * line that says which, released with free; a notice names files of panels that an earlier call left and that have nothing to
 * show now. Dies where it cannot write. */
char *svg_write(const char *folder, const Study *s);

#endif
