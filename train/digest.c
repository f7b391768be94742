#include "digest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

char *digest_file(const char *path, uint64_t *value)
{
    enum { PIECE = 1 << 20 };
    Digest d = {0};
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *piece = xcalloc(PIECE, 1), *error = NULL;
    if (file < 0 || fstat(file, &info)) error = text_format("cannot open %s: %s", path, strerror(errno));
    else if (!S_ISREG(info.st_mode)) error = text_format("%s is not a regular file", path);
    while (!error) {
        ssize_t n = read(file, piece, PIECE);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) error = text_format("cannot read %s: %s", path, strerror(errno));
        if (n <= 0) break;
        digest_add(&d, piece, (size_t)n);
    }
    if (file >= 0) close(file);
    free(piece);
    *value = digest_value(&d);
    return error;
}
