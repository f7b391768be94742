#include "out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void fail(Out *o, const char *what)
{
    if (!o->error) o->error = text_format("cannot %s %s: %s", what, o->path, strerror(errno));
}

Out out_open(const char *path, bool append)
{
    Out o = {.path = xstrdup(path)};
    o.file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0666);
    if (o.file < 0) fail(&o, "write");
    return o;
}

static void write_all(Out *o, const char *at, size_t n)
{
    while (n && !o->error) {
        ssize_t done = write(o->file, at, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) {
            fail(o, "write");
            return;
        }
        at += done;
        n -= (size_t)done;
    }
}

void out_flush(Out *o)
{
    write_all(o, o->waiting.at, o->waiting.length);
    o->waiting.length = 0;
}

/* Small pieces are gathered, large ones go out as they are. */
void out_write(Out *o, const void *bytes, size_t n)
{
    enum { MANY = 1 << 16 };
    if (o->error) return;
    digest_add(&o->digest, bytes, n);
    if (o->waiting.length + n > MANY) out_flush(o);
    if (n > MANY) write_all(o, bytes, n);
    else text_add_bytes(&o->waiting, bytes, n);
}

void out_print(Out *o, const char *fmt, ...)
{
    char line[4096];
    va_list args;
    va_start(args, fmt);
    int length = vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    assert(length >= 0 && (size_t)length < sizeof line);
    out_write(o, line, (size_t)length);
}

void out_sync(Out *o)
{
    out_flush(o);
    if (!o->error && fsync(o->file)) fail(o, "sync");
}

char *out_close(Out *o, bool sync)
{
    if (o->file >= 0) {
        if (sync) out_sync(o);
        else out_flush(o);
        if (close(o->file)) fail(o, "close");
    }
    char *error = o->error;
    free(o->waiting.at);
    free(o->path);
    *o = (Out){.file = -1};
    return error;
}

char *out_replace(const char *path, const void *bytes, size_t n)
{
    struct stat info;
    bool special = stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
    char *fresh = text_format(special ? "%s" : "%s.new", path);
    Out o = out_open(fresh, false);
    out_write(&o, bytes, n);
    char *error = out_close(&o, !special);
    if (!error && !special && rename(fresh, path)) error = text_format("cannot rename %s to %s: %s", fresh, path, strerror(errno));
    if (error && !special) unlink(fresh);
    free(fresh);
    return error;
}

char *out_sync_folder(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char *error = NULL;
    if (folder < 0 || fsync(folder)) error = text_format("cannot sync the folder %s: %s", path, strerror(errno));
    if (folder >= 0) close(folder);
    return error;
}

char *out_link(const char *folder, const char *path, const char *target)
{
    char *fresh = text_format("%s.new", path), *error = NULL;
    unlink(fresh);
    if (symlink(target, fresh) || rename(fresh, path)) error = text_format("cannot link %s to %s: %s", path, target, strerror(errno));
    free(fresh);
    return error ? error : out_sync_folder(folder);
}

char *out_folder(const char *path)
{
    char *at = xstrdup(path);
    for (char *p = at + 1; *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        mkdir(at, 0777);
        *p = '/';
    }
    struct stat info;
    bool made = !mkdir(at, 0777) || (errno == EEXIST && !stat(at, &info) && S_ISDIR(info.st_mode));
    char *error = made ? NULL : text_format("cannot make the folder %s: %s", path, errno == EEXIST ? "there is a file of that name" : strerror(errno));
    free(at);
    return error;
}

char *csv_quoted(const char *text)
{
    Text t = {0};
    text_add(&t, "\"");
    for (; *text; text++) text_add(&t, *text == '"' ? "\"\"" : "%c", *text);
    text_add(&t, "\"");
    return t.at;
}

void out_quoted(Out *o, const char *text)
{
    char *quoted = csv_quoted(text);
    out_write(o, quoted, strlen(quoted));
    free(quoted);
}
