#include "digest.h"

#include <string.h>

#include "../model/file.h"

static uint64_t fold(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

void digest_add(Digest *d, const void *bytes, size_t n)
{
    const unsigned char *p = bytes, *end = p + n;
    while (p < end) {
        unsigned filled = d->length % 8;
        if (!filled && end - p >= 8) {
            uint64_t word;
            memcpy(&word, p, 8);
            d->hash = fold(d->hash, word);
            d->length += 8;
            p += 8;
            continue;
        }
        d->word |= (uint64_t)*p++ << 8 * filled;
        d->length++;
        if (filled < 7) continue;
        d->hash = fold(d->hash, d->word);
        d->word = 0;
    }
}

uint64_t digest_value(const Digest *d)
{
    return fold(fold(d->hash, d->word), d->length);
}

static void add_piece(void *digest, const void *bytes, size_t n)
{
    digest_add(digest, bytes, n);
}

char *digest_file(const char *path, uint64_t *value)
{
    Digest d = {0};
    char *error = file_pieces(path, add_piece, &d);
    *value = digest_value(&d);
    return error;
}
