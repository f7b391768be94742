#include "corpus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../model/file.h"
#include "../model/noise.h"
#include "stories.h"

static void append(Corpus *c, const char *bytes, size_t length)
{
    c->byte = xrealloc(c->byte, (size_t)c->size + length + 1, 1);
    memcpy(c->byte + c->size, bytes, length);
    c->size += (int64_t)length;
}

static char *read_path(const char *path, size_t *length, int64_t chars, uint64_t text_seed)
{
    if (!strcmp(path, BUILTIN_STORIES)) {
        *length = (size_t)chars;
        return stories_text((size_t)chars, text_seed);
    }
    char *error, *bytes = file_bytes(path, length, &error);
    if (!bytes) die("data.text: %s", error);
    return bytes;
}

Corpus corpus_load(const char *const *path, int paths, int64_t chars, uint64_t text_seed, double val_fraction)
{
    Corpus c = {0};
    for (int i = 0; i < paths; i++) {
        size_t length;
        char *bytes = read_path(path[i], &length, chars, text_seed);
        if (paths == 1) {
            c.byte = (unsigned char *)bytes;
            c.size = (int64_t)length;
            break;
        }
        append(&c, bytes, length);
        free(bytes);
    }
    if (c.size == 0) die("data.text: %s is empty (0 bytes)", path[0]);
    c.train = (int64_t)floor((double)c.size * (1 - val_fraction));
    c.hash = noise_hash(c.byte, (size_t)c.size);
    return c;
}

void corpus_free(Corpus *c)
{
    free(c->byte);
    *c = (Corpus){0};
}

typedef struct { int64_t one[256], two[256][256]; } Counts;

Yardsticks corpus_yardsticks(const Corpus *c, const Tokenizer *t)
{
    if (c->train >= c->size || c->train == 0) return (Yardsticks){NAN, NAN};
    Counts *n = xcalloc(1, sizeof *n);
    for (int64_t i = 0; i < c->train; i++) n->one[c->byte[i]]++;
    for (int64_t i = 1; i < c->train; i++) n->two[c->byte[i - 1]][c->byte[i]]++;
    double unigram = 0, bigram = 0, V = t->size, count = (double)(c->size - c->train);
    int64_t tail[256] = {0}, (*pair)[256] = xcalloc(256, sizeof *pair);
    for (int64_t i = c->train; i < c->size; i++) {
        tail[c->byte[i]]++;
        pair[c->byte[i - 1]][c->byte[i]]++;
    }
    const unsigned char last = c->byte[c->train - 1];      /* which no pair begins with */
    for (int y = 0; y < 256; y++) {
        if (tail[y]) unigram -= (double)tail[y] * log(((double)n->one[y] + 1) / ((double)c->train + V));
        for (int x = 0; x < 256; x++)
            if (pair[y][x]) bigram -= (double)pair[y][x] * log(((double)n->two[y][x] + 1) / ((double)(n->one[y] - (y == last)) + V));
    }
    free(pair);
    free(n);
    return (Yardsticks){unigram / count, bigram / count};
}
