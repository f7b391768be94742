#include "tokenizer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const tokenizer_name[TOKENIZERS] = {"char", "byte"};

Tokenizer tokenizer_make(TokenizerKind kind, const unsigned char *text, int64_t size)
{
    bool seen[256] = {false};
    for (int64_t i = 0; i < size; i++) seen[text[i]] = true;
    Tokenizer t = {0};
    for (int b = 0; b < 256; b++) {
        t.id[b] = -1;
        if (kind == TOKENIZER_CHAR && !seen[b]) continue;
        t.id[b] = t.size;
        t.byte[t.size++] = (unsigned char)b;
    }
    return t;
}

int64_t tokenizer_first_unknown(const Tokenizer *t, const unsigned char *text, int64_t size)
{
    for (int64_t i = 0; i < size; i++)
        if (t->id[text[i]] < 0) return i;
    return -1;
}

/* --- tokenizer.json: bytes as the characters that GPT-2's encoder.py gives them --- */

static bool printable(int b)
{
    return (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || (b >= 174 && b <= 255);
}

/* The UTF-8 of a byte's character: itself where printable, else 256 and up in the order of the bytes. */
static void spell(char out[3], int b)
{
    int rank = 0;
    for (int i = 0; i < b; i++) rank += !printable(i);
    int code = printable(b) ? b : 256 + rank;
    if (code < 128) out[0] = (char)code, out[1] = 0;
    else out[0] = (char)(0xc0 | code >> 6), out[1] = (char)(0x80 | (code & 63)), out[2] = 0;
}

/* Absent, null or an empty array. */
static bool is_nothing(const Json *j)
{
    return !j || j->kind == JSON_NULL || (j->kind == JSON_ARRAY && !j->child);
}

/* What would make other tokens of a text than its bytes. */
static void refuse_steps(const Json *root, const char *path)
{
    static const char *const unknown[] = {"added_tokens", "normalizer"}, *const bytes[] = {"pre_tokenizer", "decoder"};
    for (size_t i = 0; i < COUNT(unknown); i++)
        if (!is_nothing(json_get(root, unknown[i]))) die("%s: its \"%s\" is not empty; step0 reads tokenizers whose tokens are the bytes of the text", path, unknown[i]);
    for (size_t i = 0; i < COUNT(bytes); i++) {
        const Json *j = json_get(root, bytes[i]), *type = json_get(j, "type"), *space = json_get(j, "add_prefix_space");
        bool byte_level = type && type->kind == JSON_STRING && !strcmp(type->string, "ByteLevel");
        if (!is_nothing(j) && !byte_level) die("%s: its \"%s\" is not ByteLevel, the only one that step0 reads", path, bytes[i]);
        if (i == 0 && space && !(space->kind == JSON_BOOL && space->number == 0)) die("%s: add_prefix_space puts a blank before the text; step0 reads only tokenizers without", path);
    }
}

Tokenizer tokenizer_read(const char *path)
{
    Json *root = json_read(path);
    refuse_steps(root, path);
    const Json *model = json_get(root, "model"), *type = json_get(model, "type");
    const Json *vocab = json_get(model, "vocab"), *merges = json_get(model, "merges");
    if (!type || type->kind != JSON_STRING || strcmp(type->string, "BPE") || !vocab || vocab->kind != JSON_OBJECT)
        die("%s: not a byte-level BPE tokenizer, the kind that step0 reads (its own, without merges)", path);
    if (!is_nothing(merges)) die("%s: this tokenizer merges bytes into longer tokens; step0 reads only those whose tokens are single bytes", path);
    Tokenizer t = {0};
    memset(t.id, -1, sizeof t.id);
    bool taken[256] = {false};
    for (int b = 0; b < 256; b++) {
        char name[3];
        spell(name, b);
        const Json *id = json_get(vocab, name);
        if (!id) continue;
        if (id->kind != JSON_NUMBER || id->number != floor(id->number) || id->number < 0 || id->number > 255 || taken[(int)id->number])
            die("%s: the ids of its vocabulary are not 0, 1, 2, … once each", path);
        taken[(int)id->number] = true;
        t.id[b] = (int32_t)id->number;
        t.byte[t.id[b]] = (unsigned char)b;
        t.size++;
    }
    int entries = 0, last = -1;
    for (const Json *m = vocab->child; m; m = m->next) entries++;
    for (int i = 0; i < 256; i++)
        if (taken[i]) last = i;
    if (entries != t.size || last + 1 != t.size || !t.size)
        die("%s: its vocabulary has %d entries, of which %d are single bytes; step0 reads vocabularies of single bytes", path, entries, t.size);
    json_free(root);
    return t;
}

static Json *byte_level(Json *parent, const char *key)
{
    Json *j = json_put(parent, key, json_new(JSON_OBJECT));
    json_put_string(j, "type", "ByteLevel");
    json_put_bool(j, "add_prefix_space", false);
    json_put_bool(j, "trim_offsets", true);
    json_put_bool(j, "use_regex", false);
    return j;
}

Json *tokenizer_json(const Tokenizer *t)
{
    Json *root = json_new(JSON_OBJECT);
    json_put_string(root, "version", "1.0");
    json_put(root, "truncation", json_new(JSON_NULL));
    json_put(root, "padding", json_new(JSON_NULL));
    json_put(root, "added_tokens", json_new(JSON_ARRAY));
    json_put(root, "normalizer", json_new(JSON_NULL));
    byte_level(root, "pre_tokenizer");
    json_put(root, "post_processor", json_new(JSON_NULL));
    byte_level(root, "decoder");
    Json *model = json_put(root, "model", json_new(JSON_OBJECT));
    json_put_string(model, "type", "BPE");
    static const char *const unset[] = {"dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix"};
    for (size_t i = 0; i < COUNT(unset); i++) json_put(model, unset[i], json_new(JSON_NULL));
    json_put_bool(model, "fuse_unk", false);
    json_put_bool(model, "byte_fallback", false);
    json_put_bool(model, "ignore_merges", false);
    Json *vocab = json_put(model, "vocab", json_new(JSON_OBJECT));
    for (int i = 0; i < t->size; i++) {
        char name[3];
        spell(name, t->byte[i]);
        json_put_number(vocab, name, i);
    }
    json_put(model, "merges", json_new(JSON_ARRAY));
    return root;
}
