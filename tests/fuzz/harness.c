/* Linked with --wrap for each __wrap_ below: the program's calls of these come here. */
#include "harness.h"

#include <search.h>
#include <setjmp.h>
#include <unistd.h>

#include "../../model/file.h"

static jmp_buf next_input;
static bool running;

_Noreturn void __wrap__exit(int status);
void __wrap__exit(int status)
{
    if (!running || status != 1) abort();
    longjmp(next_input, 1);
}

/* --- memory: what is allocated while an input runs, and not yet released --- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *p);

static void *allocated;

static int by_address(const void *a, const void *b)
{
    return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

static void *noted(void *p)
{
    if (running && p) tsearch(p, &allocated, by_address);
    return p;
}

static void forgotten(void *p)
{
    if (running && p) tdelete(p, &allocated, by_address);
}

void *__wrap_malloc(size_t size) { return noted(__real_malloc(size)); }
void *__wrap_calloc(size_t n, size_t size) { return noted(__real_calloc(n, size)); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) { return noted(__real_aligned_alloc(alignment, size)); }

void *__wrap_realloc(void *old, size_t size)
{
    forgotten(old);
    return noted(__real_realloc(old, size));
}

void __wrap_free(void *p)
{
    forgotten(p);
    __real_free(p);
}

/* --- files --- */

enum { FILES = 8 };
static struct { const char *name; const char *bytes; size_t length; } file[FILES];
static int files;

void fuzz_file(const char *name, const void *bytes, size_t length)
{
    int i = 0;
    while (i < files && strcmp(file[i].name, name)) i++;
    assert(i < FILES);
    if (i == files) files++;
    char *copy = xcalloc(length + 1, 1);
    memcpy(copy, bytes, length);
    file[i].name = name;
    file[i].bytes = copy;
    file[i].length = length;
}

static int file_at(const char *path)
{
    for (int i = 0; i < files; i++) {
        size_t n = strlen(path), m = strlen(file[i].name);
        if (n >= m && !strcmp(path + n - m, file[i].name)) return i;
    }
    return -1;
}

char *__wrap_file_bytes_within(const char *path, size_t most, size_t *length, char **error)
{
    int i = file_at(path);
    *error = i < 0 || file[i].length > most ? text_format("cannot read %s", path) : NULL;
    if (*error) return NULL;
    char *copy = xcalloc(file[i].length + 1, 1);
    memcpy(copy, file[i].bytes, *length = file[i].length);
    return copy;
}

char *__wrap_file_bytes(const char *path, size_t *length, char **error)
{
    return __wrap_file_bytes_within(path, SIZE_MAX, length, error);
}

int __wrap_access(const char *path, int mode)
{
    (void)mode;
    return file_at(path) < 0 ? -1 : 0;
}

/* --- libFuzzer's side --- */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    files = 0;
    running = true;
    if (!setjmp(next_input)) {
        char *text = xcalloc(length + 1, 1);
        if (length) memcpy(text, bytes, length);
        fuzz_one(text, length);
    }
    running = false;
    tdestroy(allocated, __real_free);
    allocated = NULL;
    return 0;
}
