#include "out.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../model/file.h"

static void fail(Out *o, const char *what)
{
    if (!o->error) o->error = text_format("cannot %s %s: %s", what, o->path, strerror(errno));
}

static void open_file(Out *o, const char *path, int flags, mode_t mode)
{
    o->file = (int)TEMP_FAILURE_RETRY(open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, mode));
    struct stat info;
    if (o->file < 0) fail(o, "write");
    else if (fstat(o->file, &info) == 0) o->size = info.st_size;
}

/* Whether the file is still where it was opened and as long as it was written. A pipe or a device is not asked. */
static void check_place(Out *o)
{
    struct stat info;
    if (o->error || fstat(o->file, &info) || !S_ISREG(info.st_mode)) return;
    errno = 0;
    if (!file_leads(o->fresh ? o->fresh : o->path, o->file))
        o->error = text_format("%s is no longer the file that this program writes: %s", o->path, errno ? strerror(errno) : "another one is in its place");
    else if (info.st_size != o->size)
        o->error = text_format("%s was changed by another program while this one wrote it: it has %lld bytes, not %lld", o->path, (long long)info.st_size, (long long)o->size);
    o->lost = o->error;
}

Out out_open(const char *path, bool append)
{
    Out o = {.path = xstrdup(path)};
    open_file(&o, path, append ? O_APPEND : O_TRUNC, 0666);
    return o;
}

Out out_create(const char *path)
{
    struct stat info, link;
    char full[PATH_MAX];
    bool there = stat(path, &info) == 0, linked = there && lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
    if (there && !S_ISREG(info.st_mode)) return out_open(path, false);
    Out o = {.path = xstrdup(linked && realpath(path, full) ? full : path)};
    o.fresh = text_format("%s" OUT_FRESH, o.path);
    o.file = -1;
    if (lstat(o.fresh, &link) == 0) o.error = out_remove(o.fresh);        /* of a crash; or a pipe or a link, which are not to be followed */
    if (!o.error) open_file(&o, o.fresh, O_EXCL, there ? info.st_mode & 0777 : 0666);
    return o;
}

static void write_all(Out *o, const char *at, size_t n)
{
    while (n && !o->error) {
        errno = ENOSPC;        /* what a write of no byte means */
        ssize_t done = TEMP_FAILURE_RETRY(write(o->file, at, n));
        if (done <= 0) {
            fail(o, "write");
            return;
        }
        at += done;
        n -= (size_t)done;
        o->size += done;
    }
}

void out_flush(Out *o)
{
    check_place(o);
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
    char *line;
    va_list args;
    va_start(args, fmt);
    int length = vasprintf(&line, fmt, args);
    va_end(args);
    if (length < 0) die("out of memory");
    out_write(o, line, (size_t)length);
    free(line);
}

/* Not every file can be synced: a pipe, some folders of other systems. */
static bool synced(int file)
{
    return TEMP_FAILURE_RETRY(fsync(file)) == 0 || errno == EINVAL;
}

void out_sync(Out *o)
{
    out_flush(o);
    if (!o->error && !synced(o->file)) fail(o, "sync");
}

static void rename_fresh(Out *o)
{
    if (!o->error && rename(o->fresh, o->path)) fail(o, "write");
    if (o->error) unlink(o->fresh);
    else o->error = out_sync_parent(o->path);
}

char *out_close(Out *o, bool sync)
{
    if (o->file >= 0) {
        if (sync || o->fresh) out_sync(o);
        else out_flush(o);
        /* Interrupted, it is closed all the same (Linux). */
        if (close(o->file) && errno != EINTR) fail(o, "close");
        if (o->fresh) rename_fresh(o);
    }
    char *error = o->error;
    free(o->waiting.at);
    free(o->fresh);
    free(o->path);
    *o = (Out){.file = -1};
    return error;
}

char *out_replace(const char *path, const void *bytes, size_t n)
{
    Out o = out_create(path);
    out_write(&o, bytes, n);
    return out_close(&o, true);
}

char *out_sync_folder(const char *path)
{
    int folder = (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    /* One that may be written but not read cannot be synced. */
    bool done = folder < 0 ? errno == EACCES : synced(folder);
    char *error = done ? NULL : text_format("cannot sync the folder %s: %s", path, strerror(errno));
    if (folder >= 0) close(folder);
    return error;
}

char *out_sync_parent(const char *path)
{
    char *copy = xstrdup(path), *error = out_sync_folder(dirname(copy));
    free(copy);
    return error;
}

char *out_remove(const char *path)
{
    return unlink(path) == 0 || errno == ENOENT ? NULL : text_format("cannot remove %s: %s", path, strerror(errno));
}

char *out_link(const char *folder, const char *path, const char *target)
{
    char *fresh = text_format("%s" OUT_FRESH, path), *error = out_remove(fresh);
    if (!error && (symlink(target, fresh) || rename(fresh, path))) {
        error = text_format("cannot link %s to %s: %s", path, target, strerror(errno));
        unlink(fresh);
    }
    free(fresh);
    return error ? error : out_sync_folder(folder);
}

static char *make_folder(const char *path)
{
    struct stat info;
    if (mkdir(path, 0777) == 0) return out_sync_parent(path);
    int reason = errno;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return NULL;
    return text_format("cannot make the folder %s: %s", path, reason == EEXIST ? "there is a file of that name" : strerror(reason));
}

char *out_folder(const char *path)
{
    char *at = xstrdup(path), *error = NULL;
    for (char *p = at + 1; *p && !error; p++) {
        if (*p != '/') continue;
        *p = 0;
        error = make_folder(at);
        *p = '/';
    }
    if (!error) error = make_folder(at);
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
