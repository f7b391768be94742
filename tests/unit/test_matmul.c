/* Products in tiles against plain loops, at sizes on both sides of every border between tilings. */
#include "helpers.h"

#include "../../model/matmul.h"

typedef struct { int64_t m, n, k; } Size;

static const Size size[] = {{1, 1, 1}, {1, 400, 9}, {1, 1040, 3}, {3, 65, 17}, {15, 769, 2}, {64, 64, 64}, {97, 130, 8}, {192, 64, 5}, {257, 33, 4},
                            {512, 192, 8}, {700, 100, 3}, {2050, 17, 2}, {40, 1600, 3}};

/* Small whole numbers, whose products are exact: any order of adding gives the same bits. */
static real *whole_numbers(int64_t n, int64_t salt)
{
    real *x = xcalloc((size_t)n, sizeof *x);
    for (int64_t i = 0; i < n; i++) x[i] = (real)((i * 7919 + salt) % 17 - 8);
    return x;
}

static real at(Matrix x, int64_t row, int64_t col)
{
    return x.turned ? x.at[col * x.stride + row] : x.at[row * x.stride + col];
}

static void check_product(const Product *p, const real *before)
{
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++) {
            real sum = p->add ? before[i * p->n + j] : p->bias ? p->bias[j] : 0;
            for (int64_t l = 0; l < p->k; l++) sum += at(p->a, i, l) * at(p->b, l, j);
            if (p->c[i * p->n + j] != sum)
                fail_msg("%lld x %lld, depth %lld: element %lld, %lld is %g, not %g", (long long)p->m, (long long)p->n, (long long)p->k, (long long)i, (long long)j,
                         (double)p->c[i * p->n + j], (double)sum);
        }
}

static void check_sums(const Product *p)
{
    real *sum = whole_numbers(p->n, 4);
    for (int64_t j = 0; p->sums && j < p->n; j++) {
        for (int64_t l = 0; l < p->k; l++) sum[j] += at(p->b, l, j);
        if (p->sums[j] != sum[j]) fail_msg("%lld columns: the sum of column %lld is %g, not %g", (long long)p->n, (long long)j, (double)p->sums[j], (double)sum[j]);
    }
    free(sum);
}

/* Both factors as they are and turned; alone, added and with a bias; columns of those that are not turned summed. */
static Product product_of(const Size *s, int kind)
{
    bool turn_a = kind & 1, turn_b = kind & 2;
    Product p = {.c = whole_numbers(s->m * s->n, 5), .stride = s->n, .m = s->m, .n = s->n, .k = s->k, .add = kind & 4};
    p.a = (Matrix){whole_numbers(s->m * s->k, 1), turn_a ? s->m : s->k, turn_a};
    p.b = (Matrix){whole_numbers(s->k * s->n, 2), turn_b ? s->k : s->n, turn_b};
    p.bias = kind & 8 && !p.add ? whole_numbers(s->n, 3) : NULL;
    p.sums = turn_b ? NULL : whole_numbers(s->n, 4);
    return p;
}

static void product_free(Product *p)
{
    free(p->c);
    free((real *)p->a.at);
    free((real *)p->b.at);
    free((real *)p->bias);
    free(p->sums);
}

static void every_element_is_made_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(size); i++)
        for (int kind = 0; kind < 12; kind++)
            for (int threads = 1; threads <= 3; threads += 2) {
                /* Beside a second product, which shares its tiles. */
                Product p[PRODUCTS_MOST] = {product_of(&size[i], kind), product_of(&size[(i + 5) % COUNT(size)], kind ^ 5)};
                real *before = whole_numbers(p[0].m * p[0].n, 5), *before_second = whole_numbers(p[1].m * p[1].n, 5);
                matmul_all(p, 1 + threads / 2, threads);
                check_product(&p[0], before);
                check_sums(&p[0]);
                if (threads > 1) {
                    check_product(&p[1], before_second);
                    check_sums(&p[1]);
                }
                free(before);
                free(before_second);
                for (int q = 0; q < PRODUCTS_MOST; q++) product_free(&p[q]);
            }
}

int main(void)
{
    blas_start(NULL);
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_element_is_made_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
