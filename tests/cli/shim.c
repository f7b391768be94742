/* Preloaded: counts the calls that change files or make them last (not those on pipes and standard streams), and spoils some:
 *
 *     SHIM_LOG=FILE    appends the name of each call, a line each
 *     SHIM_KILL=k      ends the program before the k-th, as kill -9 would; with SHIM_TORN, a write has then written its first half
 *     SHIM_FAIL=k      the k-th fails with SHIM_ERRNO; with SHIM_STAYS, so does each one behind it that takes room
 *     SHIM_STDOUT=k    the k-th write to standard output fails with SHIM_ERRNO, and no other
 *     SHIM_SHORT=1     each write writes half of its bytes
 *     SHIM_EINTR=1     each second write, open, fsync and truncate is interrupted
 *
 * fsync does nothing: no test cuts the power, and disks take their time. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROOM = 1, INTERRUPTS = 2, FILES = 1024 };

static long calls, interruptible, printed;
static char watched[FILES];            /* descriptors of files that may be written */

static long number(const char *variable)
{
    const char *text = getenv(variable);
    return text ? strtol(text, NULL, 10) : -1;
}

static void note(const char *name)
{
    const char *path = getenv("SHIM_LOG");
    int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    if (file < 0) return;
    syscall(SYS_write, file, name, strlen(name));
    syscall(SYS_write, file, "\n", 1);
    syscall(SYS_close, file);
}

static int is_watched(int file)
{
    return file >= 0 && file < FILES && watched[file];
}

static int is_last(void)
{
    return calls == number("SHIM_KILL");
}

/* Counts the call; whether it fails. A torn write ends by itself. */
static int fails(const char *name, int kind)
{
    long k = number("SHIM_FAIL");
    if (kind & INTERRUPTS && number("SHIM_EINTR") > 0 && ++interruptible % 2) {
        errno = EINTR;
        return 1;
    }
    calls++;
    note(name);
    if (is_last() && (strcmp(name, "write") || !getenv("SHIM_TORN"))) _exit(137);
    if (k < 0 || (calls != k && !(calls > k && kind & ROOM && getenv("SHIM_STAYS")))) return 0;
    errno = (int)number("SHIM_ERRNO");
    return 1;
}

#define REAL(name) __typeof__(name) *real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

ssize_t write(int file, const void *bytes, size_t n)
{
    REAL(write);
    if (file == STDOUT_FILENO && ++printed == number("SHIM_STDOUT")) {
        errno = (int)number("SHIM_ERRNO");
        return -1;
    }
    if (!is_watched(file)) return real(file, bytes, n);
    if (fails("write", ROOM | INTERRUPTS)) return -1;
    ssize_t done = real(file, bytes, number("SHIM_SHORT") > 0 || is_last() ? (n + 1) / 2 : n);
    if (is_last()) _exit(137);
    return done;
}

int open(const char *path, int flags, ...)
{
    REAL(open);
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    int counts = (flags & (O_ACCMODE | O_CREAT | O_TRUNC | O_DIRECTORY)) != 0 && strncmp(path, "/dev/", 5);
    if (counts && fails("open", flags & O_DIRECTORY ? INTERRUPTS : ROOM | INTERRUPTS)) return -1;
    int file = real(path, flags, mode);
    if (file >= 0 && file < FILES) watched[file] = (char)(counts && !(flags & O_DIRECTORY));
    return file;
}

int close(int file)
{
    REAL(close);
    int failed = is_watched(file) && fails("close", 0), reason = errno;
    if (is_watched(file)) watched[file] = 0;
    int status = real(file);
    if (!failed) return status;
    errno = reason;
    return -1;
}

#define ONE(name, kind, arguments, ...) \
    int name arguments \
    { \
        REAL(name); \
        return fails(#name, kind) ? -1 : real(__VA_ARGS__); \
    }

int fsync(int file)
{
    (void)file;
    return fails("fsync", ROOM | INTERRUPTS) ? -1 : 0;
}

ONE(rename, 0, (const char *from, const char *to), from, to)
ONE(unlink, 0, (const char *path), path)
ONE(rmdir, 0, (const char *path), path)
ONE(mkdir, ROOM, (const char *path, mode_t mode), path, mode)
ONE(symlink, ROOM, (const char *target, const char *path), target, path)
ONE(truncate, INTERRUPTS, (const char *path, off_t length), path, length)
