#include "spare.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "pretrained.h"
#include "record.h"

/* Whether a folder's file of that name is one of a run, or of a checkpoint, this program's or another's. */
static bool is_own(const char *folder, const char *name)
{
    static const char *const run[] = {"run.json", "resolved.json", "metrics.csv", "init.csv", "samples.txt"};
    static const char *const weights[] = {"model.safetensors", "optimizer.safetensors", "config.json", "tokenizer.json", "state.json"};
    for (size_t i = 0; i < COUNT(run); i++)
        if (!strcmp(name, run[i])) return record_read_status(folder) >= 0;
    for (size_t i = 0; i < COUNT(weights); i++)
        if (!strcmp(name, weights[i])) return pretrained_exists(folder);
    return false;
}

void spare_own(const char *flag, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *folder = slash ? text_format("%.*s", (int)(name - path), path) : xstrdup(".");
    if (is_own(folder, name)) die("%s: %s is a run's own file; name another one", flag, path);
    free(folder);
}

static void spare_input(const char *flag, const char *path, const char *input)
{
    struct stat out, in;
    if (stat(path, &out) == 0 && stat(input, &in) == 0 && S_ISREG(in.st_mode) && out.st_dev == in.st_dev && out.st_ino == in.st_ino)
        die("%s: %s is %s, which is read; name another file", flag, path, input);
}

void spare_inputs(const char *flag, const char *path, const Args *args, const Config *c)
{
    if (args->words) spare_input(flag, path, args->word[0]);
    if (c->scheme->kind == JSON_STRING) spare_input(flag, path, c->scheme->string);
    if (c->text->kind == JSON_STRING) spare_input(flag, path, c->text->string);
    else for (const Json *m = c->text->child; m; m = m->next) spare_input(flag, path, m->string);
}
