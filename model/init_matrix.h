/* Rules that make a matrix as a whole, and the noise that all rules start from. */
#ifndef STEP0_INIT_MATRIX_H
#define STEP0_INIT_MATRIX_H

#include "gpt.h"
#include "rule.h"

/* The uniform number of the weight at (row, col) of the part whose name hashes to `name`. */
double weight_noise(uint64_t seed, uint64_t name, int64_t row, int64_t col);

/* The part's normals, as vectors along its longer side, orthonormalized; times gain. Columns are orthonormal where the
 * part is tall, rows where it is wide (PyTorch's orthogonal_). */
void fill_orthogonal(const Params *p, const Part *part, double gain, uint64_t seed);

/* Every part whose rule (an array, one a part) is mimetic. They come in pairs, attn.q with attn.k and attn.v with attn.proj,
 * whose products mimic those of trained models (Trockman & Kolter 2023): with M = noise·Z + scale·I, Z normal of variance
 * 1/n_embd, and M = U·S·Vᵀ,
 *     q·kᵀ of each head   q = U√S, k = V√S, the head_dim largest singular values of an M of its own
 *     v·proj              v = U√S, proj = √S·Vᵀ */
void fill_mimetic(Gpt *g, const Rule *rule, uint64_t seed);

#endif
