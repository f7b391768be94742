#include "param.h"

#include <stdlib.h>
#include <string.h>

#include "kernels.h"

#define MATRIX(name, group) {name, name ".weight", group, true}
#define VECTOR(name, part, group) {name, part, group, false}

const RoleInfo role_info[ROLES] = {
    [ROLE_WTE] = MATRIX("wte", NULL),
    [ROLE_WPE] = MATRIX("wpe", NULL),
    [ROLE_LN_1_GAIN] = VECTOR("ln_1.gain", "ln_1.weight", "norm.gain"),
    [ROLE_LN_1_BIAS] = VECTOR("ln_1.bias", "ln_1.bias", "norm.bias"),
    [ROLE_ATTN_Q] = MATRIX("attn.q", "attn"),
    [ROLE_ATTN_K] = MATRIX("attn.k", "attn"),
    [ROLE_ATTN_V] = MATRIX("attn.v", "attn"),
    [ROLE_ATTN_Q_BIAS] = VECTOR("attn.q.bias", "attn.q.bias", "bias"),
    [ROLE_ATTN_K_BIAS] = VECTOR("attn.k.bias", "attn.k.bias", "bias"),
    [ROLE_ATTN_V_BIAS] = VECTOR("attn.v.bias", "attn.v.bias", "bias"),
    [ROLE_ATTN_PROJ] = MATRIX("attn.proj", "attn"),
    [ROLE_ATTN_PROJ_BIAS] = VECTOR("attn.proj.bias", "attn.proj.bias", "bias"),
    [ROLE_LN_2_GAIN] = VECTOR("ln_2.gain", "ln_2.weight", "norm.gain"),
    [ROLE_LN_2_BIAS] = VECTOR("ln_2.bias", "ln_2.bias", "norm.bias"),
    [ROLE_MLP_FC] = MATRIX("mlp.fc", "mlp"),
    [ROLE_MLP_FC_BIAS] = VECTOR("mlp.fc.bias", "mlp.fc.bias", "bias"),
    [ROLE_MLP_PROJ] = MATRIX("mlp.proj", "mlp"),
    [ROLE_MLP_PROJ_BIAS] = VECTOR("mlp.proj.bias", "mlp.proj.bias", "bias"),
    [ROLE_LN_F_GAIN] = VECTOR("ln_f.gain", "ln_f.weight", "norm.gain"),
    [ROLE_LN_F_BIAS] = VECTOR("ln_f.bias", "ln_f.bias", "norm.bias"),
    [ROLE_LM_HEAD] = MATRIX("lm_head", NULL),
};

static char *layer_name(int layer, const char *name)
{
    return layer < 0 ? xstrdup(name) : text_format("h.%d.%s", layer, name);
}

void params_reserve(Params *p, int tensors)
{
    assert(!p->tensor);
    p->tensor = xcalloc((size_t)tensors, sizeof *p->tensor);
    p->room = tensors;
}

Tensor *params_add(Params *p, const char *hf_name, int layer, int64_t rows, int64_t cols, int parts, const Role *role,
                   int64_t fan_in, int64_t fan_out)
{
    assert(rows > 0 && cols > 0 && cols % parts == 0 && p->tensors < p->room);
    p->tensor[p->tensors] = (Tensor){.name = layer_name(layer, hf_name), .rows = rows, .cols = cols,
                                     .matrix = role_info[role[0]].matrix, .first_part = p->parts, .parts = parts};
    p->part = xrealloc(p->part, (size_t)(p->parts + parts), sizeof *p->part);
    for (int i = 0; i < parts; i++)
        p->part[p->parts++] = (Part){.name = layer_name(layer, role_info[role[i]].part), .role = role[i], .layer = layer,
                                     .tensor = p->tensors, .rows = rows, .cols = cols / parts, .column = i * (cols / parts),
                                     .fan_in = fan_in, .fan_out = fan_out};
    int64_t size;
    if (__builtin_mul_overflow(rows, cols, &size) || __builtin_add_overflow(p->size, size, &p->size) || p->size > INT64_MAX / 64)
        die("this model is too large: %s alone has %lld x %lld weights", hf_name, (long long)rows, (long long)cols);
    return &p->tensor[p->tensors++];
}

/* About so many weights a slab: large against the cost of handing it out, small against a layer. */
enum { SLAB = 16384 };

static void cut_into_slabs(Params *p)
{
    for (int i = 0; i < p->parts; i++) {
        const Part *part = &p->part[i];
        int64_t step = max_i64(1, SLAB / part->cols);
        int64_t pieces = (part->rows + step - 1) / step;
        p->slab = xrealloc(p->slab, (size_t)(p->slabs + pieces), sizeof *p->slab);
        for (int64_t row = 0; row < part->rows; row += step)
            p->slab[p->slabs++] = (Slab){i, row, min_i64(step, part->rows - row)};
    }
}

static void lay_out(Params *p, Arena *a)
{
    for (int kind = 0; kind < 4; kind++)
        for (int i = 0; i < p->tensors; i++) {
            Tensor *t = &p->tensor[i];
            real **array[] = {&t->w, &t->g, &t->m, &t->v};
            *array[kind] = arena_take(a, (size_t)(t->rows * t->cols), sizeof(real));
        }
}

void params_alloc(Params *p)
{
    Arena arena = {0};
    lay_out(p, &arena);
    p->memory = arena_memory(arena.used);
    arena = (Arena){.base = p->memory};
    lay_out(p, &arena);
    cut_into_slabs(p);
    p->piece = xcalloc((size_t)p->slabs, sizeof *p->piece);
}

void params_free(Params *p)
{
    for (int i = 0; i < p->tensors; i++) free(p->tensor[i].name);
    for (int i = 0; i < p->parts; i++) free(p->part[i].name);
    free(p->tensor);
    free(p->part);
    free(p->slab);
    free(p->piece);
    free(p->memory);
    *p = (Params){0};
}

void params_zero_gradients(Params *p, int threads)
{
#pragma omp parallel for num_threads(team(threads, p->size)) schedule(dynamic)
    for (int i = 0; i < p->tensors; i++)
        memset(p->tensor[i].g, 0, (size_t)(p->tensor[i].rows * p->tensor[i].cols) * sizeof(real));
}

real *part_row(const Params *p, const Part *part, real *array, int64_t row)
{
    return array + row * p->tensor[part->tensor].cols + part->column;
}

static double slab_squares(const Params *p, const Slab *slab)
{
    const Part *part = &p->part[slab->part];
    real *g = p->tensor[part->tensor].g;
    double sum = 0;
    for (int64_t row = slab->row; row < slab->row + slab->rows; row++)
        sum += kernel_squares(part_row(p, part, g, row), part->cols);
    return sum;
}

double params_gradient_squares(const Params *p, double *square, int threads)
{
#pragma omp parallel for num_threads(team(threads, p->size)) schedule(static)
    for (int i = 0; i < p->slabs; i++) p->piece[i] = slab_squares(p, &p->slab[i]);
    for (int i = 0; i < p->parts; i++) square[i] = 0;
    for (int i = 0; i < p->slabs; i++) square[p->slab[i].part] += p->piece[i];
    double sum = 0;
    for (int i = 0; i < p->parts; i++) sum += square[i];
    return sum;
}
