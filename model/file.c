#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *full_path(const char *path)
{
    char full[PATH_MAX];
    if (realpath(path, full)) return xstrdup(full);
    return path[0] != '/' && getcwd(full, sizeof full) ? text_format("%s/%s", full, path) : xstrdup(path);
}

char *file_bytes(const char *path, size_t *length, char **error)
{
    char *full = full_path(path);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    char *text = NULL;
    *error = NULL;
    if (file < 0 || fstat(file, &info)) *error = text_format("cannot open %s: %s", full, strerror(errno));
    else if (!S_ISREG(info.st_mode)) *error = text_format("%s is not a regular file", full);
    else {
        text = malloc((size_t)info.st_size + 1);
        if (!text) *error = text_format("%s: no memory for its %lld bytes", full, (long long)info.st_size);
    }
    size_t got = 0;
    while (text && got < (size_t)info.st_size) {
        ssize_t n = read(file, text + got, (size_t)info.st_size - got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) *error = text_format("cannot read %s: %s", full, strerror(errno));
        if (n <= 0) break;
        got += (size_t)n;
    }
    if (file >= 0) close(file);
    free(full);
    if (*error) {
        free(text);
        return NULL;
    }
    text[got] = 0;
    *length = got;
    return text;
}
