/* Reading files. */
#ifndef STEP0_FILE_H
#define STEP0_FILE_H

#include "base.h"

/* The whole file as bytes with a NUL behind, released with free. Where it cannot be read: NULL and a message. */
char *file_bytes(const char *path, size_t *length, char **error);

#endif
