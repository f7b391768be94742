/* Keeps a checkpoint where it is while it is read: a reader holds a shared lock of its folder, and a training removes what it
 * needs no more only where nobody does. Where a file system has no locks nobody is kept from anything. */
#ifndef STEP0_HOLD_H
#define STEP0_HOLD_H

#include <stdbool.h>

/* The folder that a path means, released with free: itself, or what it links to at this moment. *held: ended by hold_end. A
 * folder that goes meanwhile is not held: the link is followed again. One that is not there is returned as it is. */
char *hold_to_read(const char *path, int *held);

/* False where somebody reads the folder, which then must stay. */
bool hold_to_remove(const char *folder, int *held);

void hold_end(int held);

#endif
