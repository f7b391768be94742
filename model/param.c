#include "param.h"

#include <stdlib.h>
#include <string.h>

#include "kernels.h"

#define MATRIX(name, group) {name, name ".weight", group, true, true}
#define VECTOR(name, part, group) {name, part, group, false, false}
#define BIAS(name) {name, name, "bias", false, false}
#define NORM(role, name)                                                  \
    [ROLE_##role##_GAIN] = VECTOR(name ".gain", name ".weight", "norm.gain"), \
    [ROLE_##role##_BIAS] = VECTOR(name ".bias", name ".bias", "norm.bias")

const RoleInfo role_info[ROLES] = {
    [ROLE_WTE] = MATRIX("wte", NULL),
    [ROLE_WPE] = MATRIX("wpe", NULL),
    [ROLE_CONDITION] = VECTOR("condition", "condition", NULL),
    NORM(LN_1, "ln_1"),
    NORM(LN_1_MID, "ln_1_mid"),
    NORM(LN_1_OUT, "ln_1_out"),
    [ROLE_ATTN_ADA] = {"attn.ada", "attn.ada.weight", "ada", true, false},
    [ROLE_ATTN_ADA_BIAS] = VECTOR("attn.ada.bias", "attn.ada.bias", "ada"),
    [ROLE_ATTN_SHIFT_IN] = VECTOR("attn.shift_in", "attn.shift_in", "shift"),
    [ROLE_ATTN_Q] = MATRIX("attn.q", "attn"),
    [ROLE_ATTN_K] = MATRIX("attn.k", "attn"),
    [ROLE_ATTN_V] = MATRIX("attn.v", "attn"),
    [ROLE_ATTN_Q_BIAS] = BIAS("attn.q.bias"),
    [ROLE_ATTN_K_BIAS] = BIAS("attn.k.bias"),
    [ROLE_ATTN_V_BIAS] = BIAS("attn.v.bias"),
    [ROLE_ATTN_Q_NORM_GAIN] = VECTOR("attn.q_norm.gain", "attn.q_norm.weight", "norm.gain"),
    [ROLE_ATTN_K_NORM_GAIN] = VECTOR("attn.k_norm.gain", "attn.k_norm.weight", "norm.gain"),
    [ROLE_ATTN_PROJ] = MATRIX("attn.proj", "attn"),
    [ROLE_ATTN_PROJ_BIAS] = BIAS("attn.proj.bias"),
    [ROLE_ATTN_SKIP] = VECTOR("attn.skip", "attn.skip", "skip"),
    [ROLE_ATTN_GATE] = VECTOR("attn.gate", "attn.gate", "gate"),
    NORM(LN_2, "ln_2"),
    NORM(LN_2_MID, "ln_2_mid"),
    NORM(LN_2_OUT, "ln_2_out"),
    [ROLE_MLP_ADA] = {"mlp.ada", "mlp.ada.weight", "ada", true, false},
    [ROLE_MLP_ADA_BIAS] = VECTOR("mlp.ada.bias", "mlp.ada.bias", "ada"),
    [ROLE_MLP_SHIFT_IN] = VECTOR("mlp.shift_in", "mlp.shift_in", "shift"),
    [ROLE_MLP_SHIFT_HIDDEN] = VECTOR("mlp.shift_hidden", "mlp.shift_hidden", "shift"),
    [ROLE_MLP_SHIFT_MIXED] = VECTOR("mlp.shift_mixed", "mlp.shift_mixed", "shift"),
    [ROLE_MLP_FC] = MATRIX("mlp.fc", "mlp"),
    [ROLE_MLP_FC_BIAS] = BIAS("mlp.fc.bias"),
    [ROLE_MLP_PROJ] = MATRIX("mlp.proj", "mlp"),
    [ROLE_MLP_PROJ_BIAS] = BIAS("mlp.proj.bias"),
    [ROLE_MLP_SKIP] = VECTOR("mlp.skip", "mlp.skip", "skip"),
    [ROLE_MLP_GATE] = VECTOR("mlp.gate", "mlp.gate", "gate"),
    [ROLE_LAYER_SKIP] = VECTOR("layer.skip", "skip", "skip"),
    [ROLE_LAYER_GATE] = VECTOR("layer.gate", "gate", "gate"),
    NORM(LN_F, "ln_f"),
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
    p->part = xrealloc(p->part, (size_t)p->parts + (size_t)parts, sizeof *p->part);
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
    lay_out(p, &p->memory);
    arena_open(&p->memory);
    lay_out(p, &p->memory);
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
    arena_close(&p->memory);
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
