#include "base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LONGEST_MESSAGE = 4000, LONGEST_WORD = 600 };

/* Takes the middle out of the `length` bytes at text, where they are more than `most`; how many are left. */
static size_t shorten(char *text, size_t length, size_t most)
{
    size_t head = 2 * most / 3, tail = length - most / 3;
    if (length <= most) return length;
    while (((unsigned char)text[head] & 0xc0) == 0x80) head--;
    while (tail < length && ((unsigned char)text[tail] & 0xc0) == 0x80) tail++;
    memmove(text + head, "...", 3);
    memmove(text + head + 3, text + tail, length - tail);
    return head + 3 + length - tail;
}

/* Nothing of a user's text moves the cursor or looks like another message: utf8_shown, and a line after the first is
 * indented. `out` has room for 5 bytes each, and one more. Returns how many it holds. */
static size_t spell_out(char *out, const char *message)
{
    const unsigned char *p = (const unsigned char *)message, *end = p + strlen(message);
    char *to = out;
    while (p < end) {
        p += utf8_shown(to, p, end);
        to += strlen(to);
        if (to[-1] == '\n' && *p != ' ') to = (char *)memset(to, ' ', 4) + 4;
    }
    return (size_t)(to - out);
}

/* Long words lose their middle, then a long message. */
static size_t shorten_all(char *text, size_t length)
{
    size_t done = 0;
    for (size_t at = 0, word; at < length; at += word + (at + word < length)) {
        for (word = 0; at + word < length && text[at + word] != ' ' && text[at + word] != '\n'; word++) continue;
        char *to = memmove(text + done, text + at, word + (at + word < length));
        size_t kept = shorten(to, word, LONGEST_WORD);
        if (at + word < length) to[kept++] = text[at + word];
        done += kept;
    }
    return shorten(text, done, LONGEST_MESSAGE);
}

static void say(const char *kind, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, fmt, args);
    char *message = malloc((size_t)length + 1), *shown = malloc(5 * (size_t)length + 1);
    fflush(stdout);
    fprintf(stderr, "step0: %s", kind);
    if (message && shown) {
        vsnprintf(message, (size_t)length + 1, fmt, again);
        fwrite(shown, 1, shorten_all(shown, spell_out(shown, message)), stderr);
    } else {
        vfprintf(stderr, fmt, again);
    }
    fputc('\n', stderr);
    va_end(again);
    free(message);
    free(shown);
}

void die(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say("", fmt, args);
    va_end(args);
    _exit(1);      /* what is still allocated is no leak, and no file waits to be written */
}

void notice(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say("warning: ", fmt, args);
    va_end(args);
}

double machine_memory(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

void *xcalloc(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size ? size : 1);
    if (!p) die("out of memory: %zu x %zu bytes", n, size);
    return p;
}

void *xrealloc(void *old, size_t n, size_t size)
{
    size_t bytes;
    void *p = __builtin_mul_overflow(n, size, &bytes) ? NULL : realloc(old, bytes ? bytes : 1);
    if (!p) die("out of memory: %zu x %zu bytes", n, size);
    return p;
}

char *xstrdup(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(xcalloc(size, 1), text, size);
}

static void make_room(Text *t, size_t more)
{
    if (t->length + more + 1 <= t->room) return;
    t->room = 2 * (t->length + more + 1);
    t->at = xrealloc(t->at, t->room, 1);
}

void text_add_bytes(Text *t, const char *bytes, size_t length)
{
    make_room(t, length);
    memcpy(t->at + t->length, bytes, length);
    t->length += length;
    t->at[t->length] = 0;
}

static void append(Text *t, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, fmt, args);
    assert(length >= 0);
    make_room(t, (size_t)length);
    vsnprintf(t->at + t->length, (size_t)length + 1, fmt, again);
    t->length += (size_t)length;
    va_end(again);
}

void text_add(Text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    append(t, fmt, args);
    va_end(args);
}

char *text_format(const char *fmt, ...)
{
    Text t = {0};
    va_list args;
    va_start(args, fmt);
    append(&t, fmt, args);
    va_end(args);
    return t.at;
}

size_t utf8_length(const unsigned char *p, const unsigned char *end)
{
    static const struct { unsigned char low, high, second_low, second_high, length; } row[] = {
        {0x00, 0x7f, 0, 0, 1},          {0xc2, 0xdf, 0x80, 0xbf, 2},    {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3},    {0xed, 0xed, 0x80, 0x9f, 3},    {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4},    {0xf1, 0xf3, 0x80, 0xbf, 4},    {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t r = 0; r < COUNT(row); r++) {
        if (*p < row[r].low || *p > row[r].high) continue;
        size_t n = row[r].length;
        if ((size_t)(end - p) < n) return 0;
        if (n > 1 && (p[1] < row[r].second_low || p[1] > row[r].second_high)) return 0;
        for (size_t i = 2; i < n; i++)
            if (p[i] < 0x80 || p[i] > 0xbf) return 0;
        return n;
    }
    return 0;
}

size_t utf8_shown(char out[5], const unsigned char *p, const unsigned char *end)
{
    size_t n = utf8_length(p, end);
    bool control = n == 1 && (*p < 0x20 || *p == 0x7f) && *p != '\n' && *p != '\t', c1 = n == 2 && p[0] == 0xc2 && p[1] < 0xa0;
    if (n == 0 || control || c1) {
        snprintf(out, 5, "\\x%02x", *p);
        return 1;
    }
    memcpy(out, p, n);
    out[n] = 0;
    return n;
}

bool utf8_is_valid(const char *text)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + strlen(text);
    size_t n = 1;
    for (; p < end && n; p += n) n = utf8_length(p, end);
    return n != 0;
}

char *shell_word(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:+-";
    Text t = {0};
    if (*word && strspn(word, plain) == strlen(word)) return xstrdup(word);
    text_add(&t, "'");
    for (const char *p = word; *p; p++) text_add(&t, *p == '\'' ? "'\\''" : "%c", *p);
    text_add(&t, "'");
    return t.at;
}

enum { FAR = 128 };

/* Levenshtein's distance, one row at a time; words longer than the row are FAR from all others. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), row[FAR + 1];
    if (n > FAR || m > FAR) return FAR;
    for (size_t j = 0; j <= m; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[m];
}

char *names_listed(int count, const char *(*name)(int i, const void *data), const void *data)
{
    Text t = {0};
    for (int i = 0; i < count; i++) text_add(&t, "%s%s", i ? ", " : "", name(i, data));
    return t.at;
}

const char *nearest_name(const char *word, int count, const char *(*name)(int i, const void *data), const void *data)
{
    const char *best = NULL;
    size_t best_distance = (size_t)min_i64((int64_t)strlen(word) / 2 + 1, FAR);
    for (int i = 0; i < count; i++) {
        size_t distance = edit_distance(word, name(i, data));
        if (distance < best_distance) {
            best_distance = distance;
            best = name(i, data);
        }
    }
    return best;
}

enum { ALIGN = 64 };

static size_t rounded_up(size_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

void *arena_take(Arena *a, size_t n, size_t size)
{
    size_t bytes, total;
    if (__builtin_mul_overflow(n, size, &bytes) || __builtin_add_overflow(bytes, ALIGN, &total) || __builtin_add_overflow(total, a->used, &total))
        die("this model needs more memory than can be addressed");
    void *p = a->base ? a->base + a->used : NULL;
    a->used += rounded_up(bytes);
    return p;
}

/* Pages of the kernel's own, so that the threads that first use one clear it, not one thread all. Huge pages spare the
 * processor look-ups of addresses, and the start page faults; where there are none nothing is lost. */
void arena_open(Arena *a)
{
    void *p = mmap(NULL, a->used, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) die("out of memory: %zu bytes", a->used);
    madvise(p, a->used, MADV_HUGEPAGE);
    *a = (Arena){.base = p};
}

void arena_close(Arena *a)
{
    if (a->base) munmap(a->base, a->used);
    *a = (Arena){0};
}
