/* What several tests need: cmocka, numbers that are near, models away from symmetric points, batches, children that may
 * die, folders that go away again. */
#ifndef STEP0_TESTS_HELPERS_H
#define STEP0_TESTS_HELPERS_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../model/init.h"
#include "../../model/noise.h"

/* --- numbers --- */

#define assert_near(actual, expected, allowed) check_near(actual, expected, allowed, #actual, __FILE__, __LINE__)

static inline void check_near(double actual, double expected, double allowed, const char *what, const char *file, int line)
{
    if (fabs(actual - expected) <= allowed) return;
    print_error("%s is %.17g, not %.17g within %g\n", what, actual, expected, allowed);
    _fail(file, line);
}

/* Uniform and normal numbers of a test's own stream. */
static inline double test_unit(uint64_t seed, int64_t i)
{
    return noise_unit(noise_at(seed, NOISE_SAMPLES, (uint32_t)i, 0, 0, 0));
}

static inline double test_normal(uint64_t seed, int64_t i)
{
    return normal_quantile(test_unit(seed, i));
}

/* --- models and batches --- */

/* A GPT-2 of so many layers, heads, width, MLP width, context and symbols. */
#define SHAPE(L, H, C, F, T, V, has_bias, is_tied, act)                                                                        \
    {.n_layer = L, .n_head = H, .n_embd = C, .n_inner = F, .block_size = T, .vocab_size = V, .bias = has_bias, .tied = is_tied, \
     .activation = act}

/* Large random weights, gains, skips and gates around 1, biases around 0: attention is far from uniform and no gradient vanishes. */
static inline void scatter_weights(Gpt *g, uint64_t seed)
{
    Params *p = &g->params;
    int64_t at = 0;
    for (int i = 0; i < p->parts; i++) {
        const Part *part = &p->part[i];
        const RoleInfo *info = &role_info[part->role];
        bool gain = info->group && strstr("norm.gain skip gate", info->group);
        bool table = info->matrix && !info->group;
        double scale = !info->matrix ? 0.3 : table ? 0.7 : part->role <= ROLE_ATTN_K ? 1.8 / sqrt((double)part->rows) : 1.2 / sqrt((double)part->rows);
        for (int64_t row = 0; row < part->rows; row++)
            for (int64_t col = 0; col < part->cols; col++)
                part_row(p, part, p->tensor[part->tensor].w, row)[col] = (real)(gain + scale * test_normal(seed, at++));
    }
}

static inline Scheme scheme_of(const char *text)
{
    char *error;
    Json *j = json_parse(text, strlen(text), "test", &error);
    assert_non_null(j);
    Scheme s = scheme_load(j, ".", NULL, NULL);
    json_free(j);
    return s;
}

/* A model whose weights a scheme fills: a name of the catalogue or, from a brace on, a scheme's text. */
static inline Gpt *model_filled(const Shape *shape, const char *name, uint64_t seed, int threads)
{
    Gpt *g = gpt_new(shape, 1, threads);
    Scheme s = *name == '{' ? scheme_of(name) : scheme_named(name);
    init_weights(g, &s, seed);
    scheme_free(&s);
    return g;
}

static inline const real *weights_of(const Gpt *g, const Part *part, int64_t row)
{
    return part_row(&g->params, part, g->params.tensor[part->tensor].w, row);
}

static inline Batch batch_random(const Shape *s, int64_t rows, int64_t length, uint64_t seed)
{
    int64_t n = rows * length;
    int32_t *token = xcalloc((size_t)n, sizeof *token), *target = xcalloc((size_t)n, sizeof *target);
    for (int64_t i = 0; i < n; i++) {
        token[i] = (int32_t)(test_unit(seed, 2 * i) * (double)s->vocab_size);
        target[i] = (int32_t)(test_unit(seed, 2 * i + 1) * (double)s->vocab_size);
    }
    return (Batch){.token = token, .target = target, .rows = rows, .length = length};
}

static inline void batch_free(Batch *b)
{
    free((void *)(uintptr_t)b->token);
    free((void *)(uintptr_t)b->target);
}

static inline const Part *part_named(const Params *p, const char *name)
{
    for (int i = 0; i < p->parts; i++)
        if (!strcmp(p->part[i].name, name)) return &p->part[i];
    return NULL;
}

/* --- what ends the program --- */

/* In a child: leaves at once with the status, past the exit handlers of the parent's libraries. */
static inline void leave(int status, void *unused)
{
    (void)unused;
    _exit(status);
}

/* Runs f(data) in a child and returns what it wrote to stderr (released with free). *status: its exit status; 0 where f
 * returned; -N where signal N ended it. */
static inline char *run_in_child(void (*f)(void *), void *data, int *status)
{
    static const int bad[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    int channel[2], raw = 0;
    if (pipe(channel)) fail_msg("pipe: %s", strerror(errno));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        on_exit(leave, NULL);
        for (size_t i = 0; i < COUNT(bad); i++) signal(bad[i], SIG_DFL);      /* cmocka catches them */
        dup2(channel[1], STDERR_FILENO);
        close(channel[0]);
        close(channel[1]);
        f(data);
        _exit(0);
    }
    close(channel[1]);
    Text said = {0};
    text_add(&said, "%s", "");
    char piece[512];
    for (ssize_t n; (n = read(channel[0], piece, sizeof piece)) != 0;)
        if (n > 0) text_add(&said, "%.*s", (int)n, piece);
        else if (errno != EINTR) break;
    close(channel[0]);
    while (waitpid(child, &raw, 0) < 0 && errno == EINTR) continue;
    *status = WIFEXITED(raw) ? WEXITSTATUS(raw) : -WTERMSIG(raw);
    return said.at;
}

/* f(data) ends with status 1 and a message that contains `fragment`. */
static inline void check_dies(void (*f)(void *), void *data, const char *fragment, const char *what)
{
    int status;
    char *said = run_in_child(f, data, &status);
    if (status != 1 || !strstr(said, fragment))
        fail_msg("%s: status %d, said \"%s\", not 1 and \"%s\"", what, status, said, fragment);
    free(said);
}

/* --- files --- */

static inline int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

/* A new folder; scratch_remove takes it away with all that is in it and releases its name. */
static inline char *scratch_new(void)
{
    const char *where = getenv("TMPDIR");
    char *folder = text_format("%s/step0-test-XXXXXX", where && *where ? where : "/tmp");
    if (!mkdtemp(folder)) fail_msg("mkdtemp: %s", strerror(errno));
    return folder;
}

static inline void scratch_remove(char *folder)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(folder);
}

static inline void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f)) fail_msg("%s: %s", path, strerror(errno));
}

/* A file of the repository, whose tests are compiled from its root. Released with free. */
static inline char *repository_path(const char *path)
{
    const char *end = strstr(__FILE__, "tests/unit/");
    return text_format("%.*s%s", (int)(end - __FILE__), __FILE__, path);
}

#endif
