/* What every file may use: the number type, errors, memory.
 *
 * Errors of users end the program with one message (die). Errors of programmers are assertions, never compiled out. */
#ifndef STEP0_BASE_H
#define STEP0_BASE_H

#undef NDEBUG
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The type of weights and activations. The gradient check builds the same sources with REAL64. */
#ifdef REAL64
typedef double real;
#else
typedef float real;
#endif

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define NEVER_NULL __attribute__((returns_nonnull))

static inline int64_t min_i64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max_i64(int64_t a, int64_t b) { return a > b ? a : b; }

/* What an element of a pass costs beside one of an addition, about: what `work` below is counted in. */
enum { COST_ADD = 1, COST_NORM = 6, COST_EXP = 16 };

/* Threads worth waking for `work` additions' worth of work: one where waking takes longer (20 microseconds). Never changes
 * a result, since what a thread gets is fixed by the shapes. (A build that looks for races wakes them always: 0.) */
#ifndef WORTH_WAKING
#define WORTH_WAKING (1 << 17)
#endif
static inline int team(int threads, int64_t work) { return work < WORTH_WAKING ? 1 : threads; }

/* One message to stderr, then the program ends with status 1. Say what, where, the bad value, and what would be right.
 * Whatever is in it, it stays one short message: utf8_shown, lines after the first are indented,
 * words of more than 600 bytes and messages of more than 4000 lose their middle. */
_Noreturn void die(const char *fmt, ...) PRINTF(1, 2);

/* One line to stderr, and go on: something unusual that the user should know. */
void notice(const char *fmt, ...) PRINTF(1, 2);

/* Zeroed memory, or die. n * size is checked for overflow. Released with free. */
NEVER_NULL void *xcalloc(size_t n, size_t size);
NEVER_NULL void *xrealloc(void *old, size_t n, size_t size);
NEVER_NULL char *xstrdup(const char *text);

/* Bytes of this machine's memory. */
double machine_memory(void);

/* A formatted string, released with free. */
NEVER_NULL char *text_format(const char *fmt, ...) PRINTF(1, 2);

/* A word as a shell takes it: in quotes where it needs them. Released with free. */
char *shell_word(const char *word);

/* A growing string. text_add appends; `at` is always terminated; released with free(t.at). */
typedef struct { char *at; size_t length, room; } Text;
void text_add(Text *t, const char *fmt, ...) PRINTF(2, 3);
void text_add_bytes(Text *t, const char *bytes, size_t length);

/* Bytes of the UTF-8 sequence at p, which is before `end`; 0 where it is not valid (Unicode 15, table 3-7). */
size_t utf8_length(const unsigned char *p, const unsigned char *end);

bool utf8_is_valid(const char *text);

/* The character at p, which is before `end`, as a terminal may show it, with a NUL behind it: control characters (but newline
 * and tab) and bytes that are no UTF-8 become \xNN. Returns how many bytes at p it stands for. */
size_t utf8_shown(char out[5], const unsigned char *p, const unsigned char *end);

/* "a, b, c" of `count` names (the i-th is name(i, data)), released with free. */
char *names_listed(int count, const char *(*name)(int i, const void *data), const void *data);

/* Of such names, the one nearest to `word` by edit distance; NULL where none is near
 * (more than half of the word's letters off). */
const char *nearest_name(const char *word, int count, const char *(*name)(int i, const void *data), const void *data);

/* An arena whose layout runs twice: first with base NULL, to measure `used`, then with memory, to hand out pointers.
 * Each piece starts at a multiple of 64 bytes. */
typedef struct { char *base; size_t used; } Arena;
void *arena_take(Arena *a, size_t n, size_t size);
void arena_open(Arena *a);      /* between the two: memory of that size, zero, or die; what is never touched costs nothing */
void arena_close(Arena *a);     /* after the second */

#endif
