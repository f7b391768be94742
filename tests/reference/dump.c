/* What the reference tests need to see and no command prints.
 *     dump text CHARS SEED        the built-in text
 *     dump logits FOLDER ID…      a checkpoint's logits at every position, a line each, 9 digits */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../data/stories.h"
#include "../../model/blas.h"
#include "../../model/decode.h"
#include "../../train/run/pretrained.h"

static void dump_text(size_t chars, uint64_t seed)
{
    char *text = stories_text(chars, seed);
    fwrite(text, 1, chars, stdout);
    free(text);
}

static void dump_logits(const char *folder, char *const *id, int ids)
{
    bool *given = xcalloc((size_t)config_keys, sizeof *given);
    Config c = config_load(NULL, NULL, 0, given);
    c.from = absolute_path(".", folder);
    Pretrained from = pretrained_open(&c, given, c.from);
    blas_start(NULL);
    Shape shape = config_shape(&c, from.vocab_size);
    Gpt *g = gpt_new(&shape, 1, 1);
    pretrained_load(&from, g);
    Decoder d = decoder_new(g);
    for (int i = 0; i < ids; i++) {
        const real *logit = decoder_feed(&d, atoi(id[i]));
        for (int64_t v = 0; v < shape.vocab_size; v++) printf("%s%.9g", v ? " " : "", (double)logit[v]);
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "text")) dump_text(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
    else if (argc > 3 && !strcmp(argv[1], "logits")) dump_logits(argv[2], argv + 3, argc - 3);
    else die("dump text CHARS SEED | dump logits FOLDER ID...");
    return 0;
}
