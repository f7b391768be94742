/* Reading files. */
#ifndef STEP0_FILE_H
#define STEP0_FILE_H

#include "base.h"

/* The whole file as bytes with a NUL behind, released with free; what happens to the file afterwards does not matter.
 * NULL and a message where it cannot be read, is no regular file, has more bytes than `most` or than the machine has
 * memory, or shrinks meanwhile. */
char *file_bytes_within(const char *path, size_t most, size_t *length, char **error);
char *file_bytes(const char *path, size_t *length, char **error);      /* of any size */

/* Hands a regular file to `see`, piece by piece. Returns the error, released with free, or NULL. */
char *file_pieces(const char *path, void (*see)(void *data, const void *bytes, size_t n), void *data);

/* Whether something is there, or may be: a path that cannot be looked at is there, so that who opens it says why it cannot. */
bool file_is_there(const char *path);

/* Whether the path leads to the open file or folder, and not to another one by now. */
bool file_leads(const char *path, int open);

#endif
