/* Tokens are bytes, numbered. char: the distinct bytes of the text, sorted; byte: all 256. */
#ifndef STEP0_TOKENIZER_H
#define STEP0_TOKENIZER_H

#include "../model/json.h"

typedef enum { TOKENIZER_CHAR, TOKENIZER_BYTE, TOKENIZERS } TokenizerKind;
extern const char *const tokenizer_name[TOKENIZERS];

typedef struct {
    int size;
    int32_t id[256];           /* -1: not in the vocabulary */
    unsigned char byte[256];   /* of each id */
} Tokenizer;

Tokenizer tokenizer_make(TokenizerKind kind, const unsigned char *text, int64_t size);

/* The position of the first byte of a text that the tokenizer lacks; -1: none. */
int64_t tokenizer_first_unknown(const Tokenizer *t, const unsigned char *text, int64_t size);

/* From Hugging Face's tokenizer.json. Dies where it is of another kind than bytes (with merges, for instance). */
Tokenizer tokenizer_read(const char *path);

/* tokenizer.json: a byte-level BPE without merges, owned by the caller. */
Json *tokenizer_json(const Tokenizer *t);

#endif
