/* configs/schemes/README.md: the catalogue with what was measured of each scheme. */
#ifndef STEP0_CATALOGUE_TABLE_H
#define STEP0_CATALOGUE_TABLE_H

/* Prints it; returns the exit status. */
int catalogue_markdown(void);

#endif
