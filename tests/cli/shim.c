/* Preloaded: counts the calls that change files, and at the k-th one either ends the program there (SHIM_KILL=k), as
 * kill -9 would, or lets the call fail (SHIM_FAIL=k, with SHIM_ERRNO). SHIM_COUNT=FILE: writes the number of calls. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static long calls;

static long number(const char *variable)
{
    const char *text = getenv(variable);
    return text ? strtol(text, NULL, 10) : -1;
}

/* Whether this call fails. */
static int fails(void)
{
    calls++;
    if (calls == number("SHIM_KILL")) _exit(137);
    if (calls != number("SHIM_FAIL")) return 0;
    errno = (int)number("SHIM_ERRNO");
    return 1;
}

#define REAL(name) __typeof__(name) *real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

ssize_t write(int file, const void *bytes, size_t n)
{
    REAL(write);
    return file > 2 && fails() ? -1 : real(file, bytes, n);
}

int fsync(int file)
{
    REAL(fsync);
    return fails() ? -1 : real(file);
}

int rename(const char *from, const char *to)
{
    REAL(rename);
    return fails() ? -1 : real(from, to);
}

int unlink(const char *path)
{
    REAL(unlink);
    return fails() ? -1 : real(path);
}

int rmdir(const char *path)
{
    REAL(rmdir);
    return fails() ? -1 : real(path);
}

int symlink(const char *target, const char *path)
{
    REAL(symlink);
    return fails() ? -1 : real(target, path);
}

int truncate(const char *path, off_t length)
{
    REAL(truncate);
    return fails() ? -1 : real(path, length);
}

__attribute__((destructor)) static void report(void)
{
    const char *path = getenv("SHIM_COUNT");
    FILE *f = path ? fopen(path, "we") : NULL;
    if (f) fprintf(f, "%ld\n", calls);
    if (f) fclose(f);
}
