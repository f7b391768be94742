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

static const char *kind_of(mode_t mode)
{
    if (S_ISDIR(mode)) return "a folder";
    if (S_ISFIFO(mode)) return "a pipe";
    return S_ISSOCK(mode) ? "a socket" : "a device";
}

/* Opens a regular file of at most `most` bytes, without waiting for the other end of a pipe. -1, and a message. */
static int open_regular(const char *path, const char *full, size_t most, struct stat *info, char **error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), why = errno;
    double memory = machine_memory();
    bool found = (file < 0 ? stat(path, info) : fstat(file, info)) == 0;
    if (found && !S_ISREG(info->st_mode)) *error = text_format("%s is not a regular file but %s", full, kind_of(info->st_mode));
    else if (!found || file < 0) *error = text_format("cannot open %s: %s", full, strerror(why));
    else if ((size_t)info->st_size > most) *error = text_format("%s has %lld bytes; at most %zu are read", full, (long long)info->st_size, most);
    else if ((double)info->st_size > memory)
        *error = text_format("%s has %lld bytes (%.1f GiB), more than this machine's memory of %.1f GiB", full, (long long)info->st_size,
                             (double)info->st_size / 1073741824, memory / 1073741824);
    if (!*error || file < 0) return file;
    close(file);
    return -1;
}

bool file_is_there(const char *path)
{
    return access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

bool file_leads(const char *path, int open)
{
    struct stat now, mine;
    return stat(path, &now) == 0 && fstat(open, &mine) == 0 && now.st_ino == mine.st_ino && now.st_dev == mine.st_dev;
}

char *file_pieces(const char *path, void (*see)(void *data, const void *bytes, size_t n), void *data)
{
    enum { PIECE = 1 << 20 };
    char *full = full_path(path), *piece = xcalloc(PIECE, 1), *error = NULL;
    struct stat info;
    int file = open_regular(path, full, SIZE_MAX, &info, &error);
    for (ssize_t n = 1; file >= 0 && n > 0;) {
        n = TEMP_FAILURE_RETRY(read(file, piece, PIECE));
        if (n > 0) see(data, piece, (size_t)n);
        if (n < 0) error = text_format("cannot read %s: %s", full, strerror(errno));
    }
    if (file >= 0) close(file);
    free(piece);
    free(full);
    return error;
}

char *file_bytes_within(const char *path, size_t most, size_t *length, char **error)
{
    char *full = full_path(path);
    struct stat info;
    *error = NULL;
    int file = open_regular(path, full, most, &info, error);
    char *text = file < 0 ? NULL : malloc((size_t)info.st_size + 1);
    if (file >= 0 && !text) *error = text_format("%s: no memory for its %lld bytes", full, (long long)info.st_size);
    size_t got = 0;
    while (text && got < (size_t)info.st_size && !*error) {
        ssize_t n = read(file, text + got, (size_t)info.st_size - got);
        if (n > 0) got += (size_t)n;
        else if (n == 0) *error = text_format("%s ended after %zu of its %lld bytes: it changed while it was read", full, got, (long long)info.st_size);
        else if (errno != EINTR) *error = text_format("cannot read %s: %s", full, strerror(errno));
    }
    if (file >= 0) close(file);
    free(full);
    if (*error || !text) {
        free(text);
        return NULL;
    }
    text[got] = 0;
    *length = got;
    return text;
}

char *file_bytes(const char *path, size_t *length, char **error)
{
    return file_bytes_within(path, SIZE_MAX, length, error);
}
