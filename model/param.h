/* The table of parameters: the model declares it, everything else loops over it.
 *
 * A tensor owns storage and bears Hugging Face's name; checkpoints, AdamW and the memory estimate loop over tensors.
 * A part is what an initialization rule, a gradient norm or a log column speaks of: the whole tensor, or one of q, k, v
 * of the fused attention tensor (a block of its columns). */
#ifndef STEP0_PARAM_H
#define STEP0_PARAM_H

#include "base.h"

typedef enum {
    ROLE_WTE, ROLE_WPE, ROLE_CONDITION,
    ROLE_LN_1_GAIN, ROLE_LN_1_BIAS, ROLE_LN_1_MID_GAIN, ROLE_LN_1_MID_BIAS, ROLE_LN_1_OUT_GAIN, ROLE_LN_1_OUT_BIAS,
    ROLE_ATTN_ADA, ROLE_ATTN_ADA_BIAS, ROLE_ATTN_SHIFT_IN,
    ROLE_ATTN_Q, ROLE_ATTN_K, ROLE_ATTN_V, ROLE_ATTN_Q_BIAS, ROLE_ATTN_K_BIAS, ROLE_ATTN_V_BIAS,
    ROLE_ATTN_Q_NORM_GAIN, ROLE_ATTN_K_NORM_GAIN,
    ROLE_ATTN_PROJ, ROLE_ATTN_PROJ_BIAS, ROLE_ATTN_SKIP, ROLE_ATTN_GATE,
    ROLE_LN_2_GAIN, ROLE_LN_2_BIAS, ROLE_LN_2_MID_GAIN, ROLE_LN_2_MID_BIAS, ROLE_LN_2_OUT_GAIN, ROLE_LN_2_OUT_BIAS,
    ROLE_MLP_ADA, ROLE_MLP_ADA_BIAS, ROLE_MLP_SHIFT_IN, ROLE_MLP_SHIFT_HIDDEN, ROLE_MLP_SHIFT_MIXED,
    ROLE_MLP_FC, ROLE_MLP_FC_BIAS, ROLE_MLP_PROJ, ROLE_MLP_PROJ_BIAS, ROLE_MLP_SKIP, ROLE_MLP_GATE,
    ROLE_LAYER_SKIP, ROLE_LAYER_GATE,
    ROLE_LN_F_GAIN, ROLE_LN_F_BIAS,
    ROLE_LM_HEAD,
    ROLES
} Role;

typedef struct {
    const char *name;      /* as selectors write it: attn.q, ln_1.gain, mlp.fc.bias */
    const char *part;      /* the part's name behind "h.3.": attn.q.weight, ln_1.weight, mlp.fc.bias */
    const char *group;     /* the selector between the role and "*": attn, mlp, bias, norm.gain …; NULL: none */
    bool matrix;           /* two-dimensional: AdamW decays it */
    bool star;             /* whether "*" means it: the matrices but those of ada, which start at 0 */
} RoleInfo;

extern const RoleInfo role_info[ROLES];

typedef struct {
    char *name;            /* h.0.attn.c_attn.weight */
    int64_t rows, cols;    /* [in, out] of a linear layer; [1, n] of a vector */
    bool matrix;           /* as its role's */
    int first_part, parts;
    real *w, *g, *m, *v;   /* weight, gradient, Adam's moments; rows*cols each */
} Tensor;

typedef struct {
    char *name;            /* h.0.attn.q.weight */
    Role role;
    int layer;             /* 0 to n_layer-1; -1 outside the blocks */
    int tensor;            /* index into Params.tensor */
    int64_t rows, cols, column;  /* its block of the tensor: all rows, cols columns from `column` */
    int64_t fan_in, fan_out;
} Part;

/* A piece of a part, small enough to share out among threads and fixed by the shapes alone. */
typedef struct { int part; int64_t row, rows; } Slab;

typedef struct {
    Tensor *tensor; int tensors, room;
    Part *part; int parts;
    Slab *slab; int slabs;
    double *piece;         /* scratch, one number a slab */
    int64_t size;          /* weights in all */
    Arena memory;
} Params;

/* Room for so many tensors, before the first params_add: their addresses stay. */
void params_reserve(Params *p, int tensors);

/* Appends a tensor of rows x cols, split into `parts` equal blocks of columns whose roles stand in `role`. Names: "h.<layer>." (nothing where layer is -1) before hf_name and the roles' part names. */
Tensor *params_add(Params *p, const char *hf_name, int layer, int64_t rows, int64_t cols, int parts, const Role *role,
               int64_t fan_in, int64_t fan_out);

/* After the last params_add: memory for w, g, m and v, all zero. */
void params_alloc(Params *p);
void params_free(Params *p);

void params_zero_gradients(Params *p, int threads);

/* The first element of row `row` of a part in one of its tensor's four arrays. The next row is tensor.cols further. */
real *part_row(const Params *p, const Part *part, real *array, int64_t row);

/* The sum of squares of each part's gradient, in double precision, over slabs in a fixed order: the same bits for any
 * number of threads. `square` holds p->parts numbers. Returns their sum (the square of the global norm). */
double params_gradient_squares(const Params *p, double *square, int threads);

#endif
