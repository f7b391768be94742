#include "spare.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "checkpoint_files.h"
#include "pretrained.h"
#include "record.h"

/* Whether a folder's file of that name is one of a run, or of a checkpoint, this program's or another's. */
static bool is_own(const char *folder, const char *name)
{
    return (record_names(name) && record_read_status(folder) >= 0) || (checkpoint_names(name) && pretrained_exists(folder));
}

void spare_own(const char *flag, const char *path)
{
    char full[PATH_MAX];
    const char *own = realpath(path, full) ? full : path, *slash = strrchr(own, '/'), *name = slash ? slash + 1 : own;
    char *folder = slash ? text_format("%.*s", (int)(name - own), own) : xstrdup(".");
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
    const char **text = config_texts(c);
    for (int i = 0; text[i]; i++) spare_input(flag, path, text[i]);
    free(text);
}
