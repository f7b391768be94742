#include "safetensors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../model/file.h"
#include "../../model/json.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the numbers of a file are taken as they lie in memory");

/* Of the format; and so many values that their tree takes half a gigabyte: those of the moments of 20,000 layers. */
enum { HEADER_MAX = 100000000, VALUES_MAX = 4000000 };

typedef struct { int64_t begin, end; } Extent;

static int64_t whole_number(const Json *j, const char *path, const char *name)
{
    if (!j || j->kind != JSON_NUMBER || j->number < 0 || j->number > 9e15 || j->number != floor(j->number))
        die("%s: damaged: tensor \"%s\" has a size or an offset that is no whole number", path, name);
    return (int64_t)j->number;
}

static int64_t read_shape(StoredTensor *t, const Json *shape, const char *path)
{
    int64_t count = 1;
    if (!shape || shape->kind != JSON_ARRAY) die("%s: damaged: tensor \"%s\" has no shape", path, t->name);
    for (const Json *m = shape->child; m; m = m->next) {
        if (t->dims == (int)COUNT(t->shape)) die("%s: tensor \"%s\" has more than 4 dimensions", path, t->name);
        t->shape[t->dims] = whole_number(m, path, t->name);
        if (__builtin_mul_overflow(count, t->shape[t->dims++], &count)) die("%s: damaged: the shape of \"%s\" overflows", path, t->name);
    }
    return count;
}

static Extent read_tensor(StoredTensor *t, const Json *j, const char *path, int64_t data)
{
    t->name = xstrdup(j->key);
    const Json *dtype = json_get(j, "dtype"), *offsets = json_get(j, "data_offsets");
    if (!dtype || dtype->kind != JSON_STRING || !offsets || offsets->kind != JSON_ARRAY || !offsets->child ||
        !offsets->child->next || offsets->child->next->next)
        die("%s: damaged: tensor \"%s\" lacks dtype or two data_offsets", path, t->name);
    if (strcmp(dtype->string, "F32")) die("%s: tensor \"%s\" is %s; step0 reads F32", path, t->name, dtype->string);
    int64_t count = read_shape(t, json_get(j, "shape"), path);
    Extent e = {whole_number(offsets->child, path, t->name), whole_number(offsets->child->next, path, t->name)};
    if (e.begin > e.end || e.end > data || count > data / 4 || e.end - e.begin != 4 * count)
        die("%s: damaged: tensor \"%s\" has offsets %lld to %lld, but %lld numbers, in %lld bytes of data", path, t->name,
            (long long)e.begin, (long long)e.end, (long long)count, (long long)data);
    if (e.begin % 4) die("%s: damaged: tensor \"%s\" starts at byte %lld, not a multiple of 4", path, t->name, (long long)e.begin);
    return e;
}

static int by_begin(const void *a, const void *b)
{
    const Extent *x = a, *y = b;
    return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin) : (x->end > y->end) - (x->end < y->end);
}

static void check_tiling(Extent *e, int count, int64_t data, const char *path)
{
    int64_t at = 0;
    qsort(e, (size_t)count, sizeof *e, by_begin);
    for (int i = 0; i < count; i++) {
        if (e[i].begin != at) die("%s: damaged: its tensors leave a gap or overlap at byte %lld of the data", path, (long long)at);
        at = e[i].end;
    }
    if (at != data) die("%s: damaged: its tensors end at byte %lld of %lld bytes of data", path, (long long)at, (long long)data);
}

static void check_values(const char *header, size_t length, const char *path)
{
    size_t values = 1;
    for (size_t i = 0; i < length; i++) values += header[i] == ',';
    if (values > VALUES_MAX) die("%s: its header has %zu values, at most %d are read", path, values, VALUES_MAX);
}

static void check_metadata(const Json *j, const char *path)
{
    bool fits = j->kind == JSON_OBJECT;
    for (const Json *m = j->child; m; m = m->next) fits &= m->kind == JSON_STRING;
    if (!fits) die("%s: damaged: its __metadata__ is no object of strings", path);
}

/* The header's length, known to lie within the file. */
static uint64_t header_length(const char *bytes, size_t length, const char *path)
{
    uint64_t header = 0;
    if (length < 8) die("%s: not a safetensors file: it has %zu bytes", path, length);
    memcpy(&header, bytes, 8);
    if (header > HEADER_MAX || header > length - 8)
        die("%s: truncated or not a safetensors file: its header would have %llu bytes, the file has %zu", path, (unsigned long long)header, length);
    if (header == 0 || bytes[8] != '{') die("%s: not a safetensors file: its header is no JSON object", path);
    return header;
}

static Json *header_json(char *header, size_t length, const char *path)
{
    char behind = header[length], *error;
    check_values(header, length, path);
    header[length] = 0;
    Json *root = json_parse(header, length, path, &error);
    if (!root) die("damaged header: %s", error);
    header[length] = behind;
    return root;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const StoredTensor *)a)->name, ((const StoredTensor *)b)->name);
}

Safetensors safetensors_read(const char *path)
{
    char *error;
    size_t length;
    Safetensors s = {.path = xstrdup(path), .bytes = file_bytes(path, &length, &error)};
    if (!s.bytes) die("%s", error);
    uint64_t header = header_length(s.bytes, length, path);
    Json *root = header_json(s.bytes + 8, header, path);
    int64_t data = (int64_t)(length - 8 - header);
    int count = 0;
    for (const Json *m = root->child; m; m = m->next) count++;
    s.tensor = xcalloc((size_t)count, sizeof *s.tensor);
    Extent *extent = xcalloc((size_t)count, sizeof *extent);
    /* The numbers are moved to an aligned place: the header's length need not be a multiple of 4. */
    memmove(s.bytes, s.bytes + 8 + header, (size_t)data);
    for (const Json *m = root->child; m; m = m->next) {
        if (!strcmp(m->key, "__metadata__")) {
            check_metadata(m, path);
            continue;
        }
        extent[s.tensors] = read_tensor(&s.tensor[s.tensors], m, path, data);
        s.tensor[s.tensors].at = (const float *)(const void *)(s.bytes + extent[s.tensors].begin);
        s.tensors++;
    }
    check_tiling(extent, s.tensors, data, path);
    qsort(s.tensor, (size_t)s.tensors, sizeof *s.tensor, by_name);
    free(extent);
    json_free(root);
    return s;
}

void safetensors_free(Safetensors *s)
{
    for (int i = 0; i < s->tensors; i++) free(s->tensor[i].name);
    free(s->tensor);
    free(s->bytes);
    free(s->path);
    *s = (Safetensors){0};
}

const StoredTensor *safetensors_find(const Safetensors *s, const char *name)
{
    const StoredTensor wanted = {.name = (char *)name};
    return bsearch(&wanted, s->tensor, (size_t)s->tensors, sizeof *s->tensor, by_name);
}

static int64_t count_of(const StoredTensor *t)
{
    int64_t count = 1;
    for (int d = 0; d < t->dims; d++) count *= t->shape[d];
    return count;
}

void safetensors_write(Out *out, const StoredTensor *tensor, int tensors)
{
    Json *root = json_new(JSON_OBJECT);
    json_put_string(json_put(root, "__metadata__", json_new(JSON_OBJECT)), "format", "pt");
    int64_t at = 0;
    for (int i = 0; i < tensors; i++) {
        Json *j = json_put(root, tensor[i].name, json_new(JSON_OBJECT));
        json_put_string(j, "dtype", "F32");
        Json *shape = json_put(j, "shape", json_new(JSON_ARRAY)), *offsets = json_put(j, "data_offsets", json_new(JSON_ARRAY));
        for (int d = 0; d < tensor[i].dims; d++) json_put_number(shape, NULL, (double)tensor[i].shape[d]);
        json_put_number(offsets, NULL, (double)at);
        json_put_number(offsets, NULL, (double)(at += 4 * count_of(&tensor[i])));
    }
    char *header = json_print(root, false);
    uint64_t length = strlen(header), padded = (length + 7) / 8 * 8;
    out_write(out, &padded, 8);
    out_write(out, header, length);
    out_write(out, "       ", padded - length);
    for (int i = 0; i < tensors; i++) out_write(out, tensor[i].at, 4 * (size_t)count_of(&tensor[i]));
    free(header);
    json_free(root);
}
