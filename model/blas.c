#include "blas.h"

#include <cblas.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define VARIABLE "OPENBLAS_CORETYPE"

#ifdef REAL64
typedef typeof(cblas_dgemm) Gemm;
typedef typeof(cblas_dgemv) Gemv;
#define BLAS(name) "cblas_d" name
#else
typedef typeof(cblas_sgemm) Gemm;
typedef typeof(cblas_sgemv) Gemv;
#define BLAS(name) "cblas_s" name
#endif

/* Of LAPACK, which OpenBLAS contains: in Fortran's order, every argument a pointer. */
typedef void Svd(const char *job, const int *m, const int *n, double *a, const int *lda, double *s, double *u, const int *ldu, double *vt,
                 const int *ldvt, double *work, const int *lwork, int *iwork, int *info);

static Gemm *gemm;
static Gemv *gemv;
static Svd *svd;
static bool one_at_a_time;     /* whether only one thread may be in it */
static BlasInfo started;       /* what blas_start found, once gemm is there */

/* --- which kernels there are, and what the processor offers --- */

typedef enum { BASE, AVX2, AVX512 } Level;

static Level kernel_level(const char *name)
{
    static const struct { const char *name; Level level; } known[] = {
        {"Haswell", AVX2}, {"Zen", AVX2}, {"SkylakeX", AVX512}, {"Cooperlake", AVX512}, {"SapphireRapids", AVX512}};
    for (size_t i = 0; i < COUNT(known); i++)
        if (!strcasecmp(name, known[i].name)) return known[i].level;
    return BASE;
}

static Level cpu_level(void)
{
#ifdef __x86_64__
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return BASE;
    bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return wide ? AVX512 : AVX2;
#else
    return BASE;
#endif
}

/* --- room --- */

/* Address space that OpenBLAS maps: the library, and a buffer for each thread that is in a product at the time. Where it gets
 * none for a buffer it asks again for ever. Huge, but only what is touched takes memory. */
enum { LIBRARY = 64 << 20, BUFFER = 128 << 20 };

static void need_room(size_t bytes, const char *whose)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) die("%s need %zu MiB more of address space than this process may have (%s); raise `ulimit -v` and `ulimit -d`, or take fewer --threads", whose, bytes >> 20, strerror(errno));
    munmap(p, bytes);
}

void blas_need_room(int threads)
{
    size_t stack;
    pthread_attr_t usual;
    pthread_attr_init(&usual);
    pthread_attr_getstacksize(&usual, &stack);
    pthread_attr_destroy(&usual);
    if (threads > 1) need_room((size_t)(threads - 1) * (BUFFER + stack), "OpenBLAS's buffers and the stacks of the threads");
}

/* --- loading and checking --- */

static void *symbol(void *library, const char *name)
{
    void *s = dlsym(library, name);
    if (!s) die("libopenblas.so.0 has no %s; install libopenblas0", name);
    return s;
}

static BlasInfo load(void)
{
    static const char *const threading[] = {"serial", "pthread", "OpenMP"};
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) die("cannot load OpenBLAS: %s; install libopenblas0 (Debian, Ubuntu) or openblas", dlerror());
    *(void **)&gemm = symbol(library, BLAS("gemm"));
    *(void **)&gemv = symbol(library, BLAS("gemv"));
    *(void **)&svd = dlsym(library, "dgesdd_");
    typeof(openblas_set_num_threads) *set_threads;
    typeof(openblas_get_parallel) *get_parallel;
    typeof(openblas_get_corename) *get_corename;
    typeof(openblas_get_config) *get_config;
    *(void **)&set_threads = symbol(library, "openblas_set_num_threads");
    *(void **)&get_parallel = symbol(library, "openblas_get_parallel");
    *(void **)&get_corename = symbol(library, "openblas_get_corename");
    *(void **)&get_config = symbol(library, "openblas_get_config");
    set_threads(1);
    omp_set_num_threads(1);
    int kind = get_parallel();
    one_at_a_time = kind == OPENBLAS_SEQUENTIAL;
    BlasInfo info = {.threading = kind >= 0 && kind < (int)COUNT(threading) ? threading[kind] : "unknown"};
    snprintf(info.kernel, sizeof info.kernel, "%s", get_corename());
    snprintf(info.library, sizeof info.library, "%s", get_config());
    return info;
}

static real stored(Matrix x, int64_t row, int64_t col)
{
    return x.turned ? x.at[col * x.stride + row] : x.at[row * x.stride + col];
}

static bool product_is_right(int64_t m, int64_t n, int64_t k, bool turn_a, bool turn_b)
{
    real *a = xcalloc((size_t)(m * k), sizeof *a), *b = xcalloc((size_t)(k * n), sizeof *b), *c = xcalloc((size_t)(m * n), sizeof *c);
    for (int64_t i = 0; i < m * k; i++) a[i] = (real)((i * 7919 + 13) % 201 - 100) / 64;
    for (int64_t i = 0; i < k * n; i++) b[i] = (real)((i * 104729 + 57) % 199 - 99) / 64;
    Matrix left = {a, turn_a ? m : k, turn_a}, right = {b, turn_b ? k : n, turn_b};
    matmul_serial(c, n, left, right, m, n, k, 1, false);
    bool ok = true;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0, size = 0;
            for (int64_t l = 0; l < k; l++) {
                double term = (double)stored(left, i, l) * (double)stored(right, l, j);
                sum += term;
                size += fabs(term);
            }
            ok &= fabs((double)c[i * n + j] - sum) <= 1e-6 * size;
        }
    free(a);
    free(b);
    free(c);
    return ok;
}

/* A handful of odd sizes, each with both factors as they are and turned. */
static bool products_are_right(void)
{
    static const int size[][3] = {{1, 1, 1}, {1, 65, 33}, {3, 5, 7}, {17, 33, 65}, {61, 47, 129}, {130, 67, 31}};
    bool ok = true;
    for (size_t s = 0; s < COUNT(size); s++)
        for (int turned = 0; turned < 4; turned++)
            ok &= product_is_right(size[s][0], size[s][1], size[s][2], turned & 1, turned & 2);
    return ok;
}

/* --- choosing the kernel --- */

typedef struct { char kernel[32]; bool right; } Trial;

/* What a load would give, tried in a child, since OpenBLAS chooses once and a wrong choice may end in SIGILL. */
static Trial try_kernel(const char *name)
{
    Trial trial = {.kernel = "", .right = false};
    int channel[2];
    if (pipe(channel)) return trial;
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);      /* the parent meets the same error, and says it */
        if (name) setenv(VARIABLE, name, 1);
        BlasInfo info = load();
        memcpy(trial.kernel, info.kernel, sizeof trial.kernel);
        trial.right = !name || products_are_right();
        _exit(write(channel[1], &trial, sizeof trial) == sizeof trial ? 0 : 1);
    }
    close(channel[1]);
    int status = 1;
    Trial answer;
    bool read_whole = child > 0 && read(channel[0], &answer, sizeof answer) == sizeof answer;
    close(channel[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return read_whole && status == 0 ? answer : trial;
}

/* Sets the variable where OpenBLAS by itself would take a kernel below the processor and a better one computes right. */
static const char *mend_choice(void)
{
    static const char *const better[] = {"SkylakeX", "Haswell"};
    Trial own = try_kernel(NULL);
    Level offered = cpu_level();
    for (size_t i = 0; i < COUNT(better); i++) {
        Level level = kernel_level(better[i]);
        if (level > offered || level <= kernel_level(own.kernel)) continue;
        Trial trial = try_kernel(better[i]);
        if (!trial.right || strcasecmp(trial.kernel, better[i])) continue;
        setenv(VARIABLE, better[i], 1);
        return "step0";
    }
    return "OpenBLAS";
}

static const char *pin(const char *user)
{
    if (user && strcasecmp(user, "Haswell"))
        die("--cpu " CPU_LEVEL " pins OpenBLAS to its kernel Haswell, but " VARIABLE " is \"%s\"; unset it", user);
    if (cpu_level() < AVX2) die("--cpu " CPU_LEVEL " needs a processor with AVX2 and FMA, which this one lacks");
    setenv(VARIABLE, "Haswell", 1);
    return "--cpu";
}

static const char *respect(const char *user)
{
    if (kernel_level(user) > cpu_level()) die(VARIABLE " is \"%s\", a kernel whose instructions this processor lacks; unset it", user);
    return VARIABLE;
}

BlasInfo blas_start(const char *level)
{
    if (gemm) return started;
    const char *user = getenv(VARIABLE);
    if (user && !*user) user = NULL;
    need_room(LIBRARY + BUFFER, "OpenBLAS and its buffer");
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    const char *chosen_by = level ? pin(user) : user ? respect(user) : mend_choice();
    const char *asked = getenv(VARIABLE);
    BlasInfo info = load();
    info.chosen_by = chosen_by;
    if (asked && *asked && strcasecmp(asked, info.kernel))
        die("OpenBLAS runs its kernel %s, though " VARIABLE " is \"%s\"; unset it or name a kernel that this library has",
            info.kernel, asked);
    if (!products_are_right())
        die("OpenBLAS's kernel %s computes wrong products on this machine; set " VARIABLE " to another one (Haswell, for instance)",
            info.kernel);
    if (kernel_level(info.kernel) < cpu_level())
        notice("OpenBLAS's kernel %s, chosen by %s, is below this processor: slow", info.kernel, info.chosen_by);
    if (one_at_a_time) notice("this OpenBLAS is the serial flavour, which only one thread may use at a time: slow; install libopenblas0-pthread");
    return started = info;
}

/* --- products --- */

/* c += row·b: a product of matrices would pack all of b for it. */
static void call_gemv(real *c, const real *row, Matrix b, int64_t n, int64_t k, real scale)
{
    gemv(CblasRowMajor, b.turned ? CblasNoTrans : CblasTrans, (blasint)(b.turned ? n : k), (blasint)(b.turned ? k : n), scale, b.at, (blasint)b.stride,
         row, 1, 1, c, 1);
}

/* Always adds: memset clears what OpenBLAS's own beta = 0 clears several times more slowly. */
static void call_blas(real *c, int64_t stride, Matrix a, Matrix b, int64_t m, int64_t n, int64_t k, real scale, bool add)
{
    for (int64_t row = 0; !add && row < m; row++) memset(c + row * stride, 0, (size_t)n * sizeof *c);
    if (m == 1 && !a.turned) call_gemv(c, a.at, b, n, k, scale);
    else gemm(CblasRowMajor, a.turned ? CblasTrans : CblasNoTrans, b.turned ? CblasTrans : CblasNoTrans, (blasint)m, (blasint)n,
              (blasint)k, scale, a.at, (blasint)a.stride, b.at, (blasint)b.stride, 1, c, (blasint)stride);
}

/* The serial flavour hands its packing buffers out without a lock: two threads at once would share one. */
void matmul_serial(real *c, int64_t stride, Matrix a, Matrix b, int64_t m, int64_t n, int64_t k, real scale, bool add)
{
    if (one_at_a_time) {
#pragma omp critical(openblas)
        call_blas(c, stride, a, b, m, n, k, scale, add);
    } else call_blas(c, stride, a, b, m, n, k, scale, add);
}

/* Fortran sees the transpose, a' = v·s·u', so what it calls u is our vt. */
void svd_square(double *u, double *s, double *vt, double *a, int n)
{
    if (!svd) die("this OpenBLAS has no LAPACK (dgesdd), which rules such as mimetic need");
    int info, ask = -1, *integers = xcalloc(8 * (size_t)n, sizeof *integers);
    double best;
    svd("A", &n, &n, a, &n, s, vt, &n, u, &n, &best, &ask, integers, &info);
    int room = (int)best;
    double *work = xcalloc((size_t)room, sizeof *work);
    svd("A", &n, &n, a, &n, s, vt, &n, u, &n, work, &room, integers, &info);
    if (info) die("LAPACK's dgesdd failed on a matrix of %d x %d (info %d)", n, n, info);
    free(work);
    free(integers);
}
