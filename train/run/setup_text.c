#include "setup_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../data/stories.h"
#include "memory.h"
#include "state.h"

Corpus setup_corpus(const Config *c)
{
    const char **path = config_texts(c);
    int count = 0;
    while (path[count]) count++;
    Corpus corpus = corpus_load(path, count, c->chars, (uint64_t)c->text_seed, c->val_fraction);
    free(path);
    return corpus;
}

/* Bytes of the text, before it is read; what is no regular file counts as none. */
static double text_bytes(const Config *c)
{
    const char **path = config_texts(c);
    double sum = 0;
    for (int i = 0; path[i]; i++) {
        struct stat info;
        if (!strcmp(path[i], BUILTIN_STORIES)) sum += (double)c->chars;
        else if (stat(path[i], &info) == 0 && S_ISREG(info.st_mode)) sum += (double)info.st_size;
    }
    free(path);
    return sum;
}

/* What cannot fit is told before a long text is read: with the smallest vocabulary that it may have. */
static void check_memory_early(const Setup *s, const Pretrained *from)
{
    Shape shape = config_shape(&s->config, s->config.from ? from->vocab_size : 1);
    memory_check(&s->config, &shape, s->threads, text_bytes(&s->config));
}

static void check_train_part(const Config *c, const Corpus *text)
{
    long long T = c->block_size, train = text->train;
    if (train >= T + 1) return;
    Text right = {0};
    text_add(&right, "add text");
    if (train > 1) text_add(&right, " or lower block_size to %lld", train - 1);
    if (train < text->size) text_add(&right, ", or lower data.val_fraction");
    die("data.text: %lld tokens to train on, model.block_size %lld needs at least %lld; %s", train, T, T + 1, right.at);
}

/* The advice is a fraction that leaves enough to train on, where there is one. */
static void check_validation_part(const Config *c, const Corpus *text, bool evaluates)
{
    long long T = c->block_size, val = text->size - text->train;
    if (c->val_fraction == 0 || val >= T + 1) return;
    double enough = ceil((double)(T + 2) / (double)text->size * 1000) / 1000;
    bool splits = evaluates ? enough <= 1 : (1 - enough) * (double)text->size >= (double)(T + 1);
    Text right = {0};
    if (splits) text_add(&right, "raise data.val_fraction to %.3g", enough);
    else text_add(&right, "add text");
    if (!evaluates) text_add(&right, " or set %s to 0 (no validation)", splits ? "it" : "data.val_fraction");
    die("data.text: %lld tokens to validate on, model.block_size %lld needs at least %lld; %s", val, T, T + 1, right.at);
}

static Tokenizer choose_tokenizer(const Config *c, const Corpus *text, const Pretrained *from, const bool *given)
{
    Tokenizer own = tokenizer_make((TokenizerKind)c->tokenizer, text->byte, text->size);
    if (!from) return own;
    if (!from->has_tokenizer) {
        if (own.size != from->vocab_size)
            die("init.from: the model has a vocabulary of %lld and no tokenizer.json; the text's %s tokenizer has %d", (long long)from->vocab_size,
                tokenizer_name[c->tokenizer], own.size);
        return own;
    }
    if (given[config_index(config_find("data.tokenizer"))] && c->tokenizer == TOKENIZER_BYTE && from->tokenizer.size != 256)
        die("data.tokenizer is byte, but %s has a tokenizer of %d tokens; leave the key out", c->from, from->tokenizer.size);
    int64_t at = tokenizer_first_unknown(&from->tokenizer, text->byte, text->size);
    if (at >= 0) die("data.text: byte 0x%02x at offset %lld is not in the vocabulary of %s (%d symbols); take text of those alone", text->byte[at], (long long)at, c->from, from->tokenizer.size);
    return from->tokenizer;
}

static void notice_changed_text(const Pretrained *from, uint64_t hash)
{
    char now[17];
    if (*from->text_hash && strcmp(from->text_hash, hash_text(now, hash)))
        notice("data.text has changed since %s was made from it (hash %s, now %s); what follows is about the text of now", from->folder, from->text_hash, now);
}

void setup_read_text(Setup *s, const Args *args, const bool *given, const Pretrained *from)
{
    const Config *c = &s->config;
    check_memory_early(s, from);
    s->corpus = setup_corpus(c);
    if (args->own_text) notice_changed_text(from, s->corpus.hash);
    if (!args->evaluates) check_train_part(c, &s->corpus);
    check_validation_part(c, &s->corpus, args->evaluates);
    s->tokenizer = choose_tokenizer(c, &s->corpus, c->from ? from : NULL, given);
    s->yardsticks = corpus_yardsticks(&s->corpus, &s->tokenizer);
    if (c->text->kind == JSON_STRING && !strcmp(c->text->string, BUILTIN_STORIES) && s->corpus.train < s->corpus.size)
        s->floor = stories_floor((const char *)s->corpus.byte, (size_t)s->corpus.size, (uint64_t)c->text_seed, (size_t)s->corpus.train);
}
