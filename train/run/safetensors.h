/* The safetensors format: a header of JSON (name: dtype, shape, offsets), then the numbers, row-major, little-endian.
 * F32 only, which is what GPT-2 folders and step0 hold. */
#ifndef STEP0_SAFETENSORS_H
#define STEP0_SAFETENSORS_H

#include "../out.h"

typedef struct {
    char *name;
    int dims;
    int64_t shape[4];
    const float *at;           /* shape's product of numbers, within the file's bytes */
} StoredTensor;

typedef struct {
    char *path;
    StoredTensor *tensor;      /* by name */
    int tensors;
    char *bytes;
} Safetensors;

/* Reads and checks a file: sizes, dtypes, shapes, offsets that tile the data without gap or overlap. Dies, naming the
 * file and what is wrong, before any memory is taken on the header's word. */
Safetensors safetensors_read(const char *path);
void safetensors_free(Safetensors *s);

/* Writes tensors as one file; errors stick in `out`. */
void safetensors_write(Out *out, const StoredTensor *tensor, int tensors);

const StoredTensor *safetensors_find(const Safetensors *s, const char *name);

#endif
