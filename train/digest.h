/* Checksums of files. Not against forgery: against disks, memory and half-made copies. */
#ifndef STEP0_DIGEST_H
#define STEP0_DIGEST_H

#include "../model/base.h"

/* Of bytes in the order that they come, in pieces of any size: words of 8 bytes, each folded in by a step that can be
 * turned back. So two texts of one length that differ within one word never have the same value; others with
 * probability 2^-64. Zero-initialized. */
typedef struct { uint64_t hash, word, length; } Digest;
void digest_add(Digest *d, const void *bytes, size_t n);
uint64_t digest_value(const Digest *d);

/* The digest of a whole file, read in pieces. Returns an error, released with free, or NULL. */
char *digest_file(const char *path, uint64_t *value);

#endif
