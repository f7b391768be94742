/* tokenizer.json: what is accepted numbers its bytes from 0 without holes, and reads back as the same. */
#include "harness.h"

#include "../../data/tokenizer.h"

static Tokenizer read(const char *text, size_t length)
{
    fuzz_file("fuzzed.json", text, length);
    return tokenizer_read("fuzzed.json");
}

void fuzz_one(const char *text, size_t length)
{
    Tokenizer t = read(text, length);
    int known = 0;
    for (int b = 0; b < 256; b++) known += t.id[b] >= 0;
    assert(t.size >= 1 && t.size == known);
    for (int i = 0; i < t.size; i++) assert(t.id[t.byte[i]] == i);
    Json *j = tokenizer_json(&t);
    char *again = json_print(j, true);
    Tokenizer u = read(again, strlen(again));
    assert(u.size == t.size && !memcmp(u.id, t.id, sizeof t.id) && !memcmp(u.byte, t.byte, (size_t)t.size));
    free(again);
    json_free(j);
}
