/* Damaged safetensors files: each ends with a message that names the file, never with a signal. */
#include "catch.h"

#include "../../model/file.h"
#include "../../model/json.h"
#include "../../train/run/safetensors.h"

typedef struct { char *path; int tensors, found; } File;      /* found: as read_it read it */

static void read_it(void *data)
{
    File *f = data;
    Safetensors s = safetensors_read(f->path);
    volatile float sum = 0;
    for (int i = 0; i < s.tensors; i++) {
        int64_t n = 1;
        for (int d = 0; d < s.tensor[i].dims; d++) n *= s.tensor[i].shape[d];
        for (int64_t k = 0; k < n; k++) sum += s.tensor[i].at[k];
    }
    f->found = s.tensors;
    safetensors_free(&s);
}

/* says NULL: the file is good and holds f->tensors. */
static void check(File *f, const void *bytes, size_t n, const char *says, const char *what)
{
    write_file(f->path, bytes, n);
    char *said = caught(read_it, f);
    bool as_told = says ? said && strstr(said, says) && strstr(said, f->path) : !said && f->found == f->tensors;
    if (!as_told) fail_msg("%.200s: said \"%s\"; expected \"%s\"", what, said ? said : "nothing", says ? says : "no complaint");
    free(said);
}

/* A file of a header, `data` bytes of zeros behind it. Released with free. */
static char *file_of(const char *header, size_t data, size_t *n)
{
    uint64_t length = strlen(header);
    *n = 8 + length + data;
    char *bytes = xcalloc(*n, 1);
    memcpy(bytes, &length, 8);
    memcpy(bytes + 8, header, length);
    return bytes;
}

static void check_header(File *f, const char *header, size_t data, const char *says)
{
    size_t n;
    char *bytes = file_of(header, data, &n);
    check(f, bytes, n, says, header);
    free(bytes);
}

static File new_file(char **folder)
{
    *folder = scratch_new();
    return (File){.path = text_format("%s/x.safetensors", *folder)};
}

static void done(File *f, char *folder)
{
    free(f->path);
    scratch_remove(folder);
}

#define ONE(dtype, shape, offsets) "{\"a\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}}"
#define TWO(first, second) "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":" first "},\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":" second "}}"

static void good_files_are_read(void **state)
{
    (void)state;
    char *folder;
    File f = new_file(&folder);
    f.tensors = 1;
    check_header(&f, ONE("F32", "[2,3]", "[0,24]"), 24, NULL);
    check_header(&f, ONE("F32", "[]", "[0,4]"), 4, NULL);
    check_header(&f, ONE("F32", "[1,1,1,2]", "[0,8]") "      ", 8, NULL);
    check_header(&f, "{\"__metadata__\":{\"format\":\"pt\"},\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8, NULL);
    f.tensors = 2;
    check_header(&f, TWO("[0,8]", "[8,16]"), 16, NULL);
    check_header(&f, TWO("[8,16]", "[0,8]"), 16, NULL);
    done(&f, folder);
}

static void damaged_headers_are_refused(void **state)
{
    (void)state;
    static const struct { const char *header; size_t data; const char *says; } row[] = {
        {TWO("[0,8]", "[4,12]"), 12, "gap or overlap at byte 8"}, {TWO("[0,8]", "[0,8]"), 8, "gap or overlap at byte 8"}, {TWO("[0,8]", "[12,20]"), 20, "gap or overlap at byte 8"},
        {TWO("[4,12]", "[12,20]"), 20, "gap or overlap at byte 0"}, {TWO("[0,8]", "[8,16]"), 17, "end at byte 16 of 17"}, {TWO("[0,8]", "[8,16]"), 15, "offsets 8 to 16"},
        {ONE("F32", "[2]", "[0,8]"), 12, "end at byte 8 of 12"}, {ONE("F32", "[2]", "[0,8]"), 0, "offsets 0 to 8"}, {ONE("F32", "[3]", "[0,8]"), 8, "3 numbers"},
        {ONE("F32", "[1]", "[0,8]"), 8, "1 numbers"}, {ONE("F32", "[2]", "[8,0]"), 8, "offsets 8 to 0"}, {ONE("F32", "[2]", "[2,10]"), 10, "damaged"},
        {ONE("F32", "[2,4611686018427387905]", "[0,8]"), 8, "whole number"}, {ONE("F32", "[4294967296,4294967296,4294967296]", "[0,8]"), 8, "overflows"},
        {ONE("F32", "[4294967296,1073741824]", "[0,8]"), 8, "offsets 0 to 8"}, {ONE("F32", "[9007199254740991]", "[0,8]"), 8, "damaged"},
        {ONE("F32", "[2.5]", "[0,8]"), 8, "whole number"}, {ONE("F32", "[-2]", "[0,8]"), 8, "whole number"}, {ONE("F32", "[\"2\"]", "[0,8]"), 8, "whole number"},
        {ONE("F32", "[1e300]", "[0,8]"), 8, "whole number"}, {ONE("F32", "[2]", "[0.5,8]"), 8, "whole number"}, {ONE("F32", "[2]", "[0,8.5]"), 8, "whole number"},
        {ONE("F32", "[2]", "[-8,0]"), 8, "whole number"}, {ONE("F32", "[2]", "[0]"), 8, "two data_offsets"}, {ONE("F32", "[2]", "[0,8,16]"), 8, "two data_offsets"},
        {ONE("F32", "[2]", "[]"), 8, "lacks dtype or two data_offsets"}, {ONE("F32", "[2]", "8"), 8, "lacks dtype or two data_offsets"}, {ONE("F32", "[2]", "[0,null]"), 8, "whole number"},
        {ONE("F32", "2", "[0,8]"), 8, "no shape"}, {ONE("F32", "[1,1,1,1,2]", "[0,8]"), 8, "more than 4 dimensions"},
        {ONE("F16", "[4]", "[0,8]"), 8, "is F16"}, {ONE("F64", "[1]", "[0,8]"), 8, "is F64"}, {ONE("f32", "[2]", "[0,8]"), 8, "is f32"}, {ONE("", "[2]", "[0,8]"), 8, "reads F32"},
        {"{\"a\":{\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "lacks dtype"}, {"{\"a\":{\"dtype\":3,\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "lacks dtype"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}", 8, "data_offsets"}, {"{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,8]}}", 8, "no shape"},
        {"{\"a\":3}", 8, "lacks dtype"}, {"{\"a\":[]}", 8, "lacks dtype"}, {"{\"a\":null}", 8, "lacks dtype"}, {"{}", 8, "end at byte 0 of 8"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}", 8, "stands twice"},
        {"[]", 8, "no JSON object"}, {"x", 8, "no JSON object"}, {"{", 8, "damaged header"}, {"{\"a\":}", 8, "damaged header"}, {"{} {}", 8, "damaged header"},
        {"{\"\xff\":1}", 8, "UTF-8"}, {"{\"__metadata__\":3}", 0, "__metadata__"}, {"{\"__metadata__\":[\"a\"]}", 0, "__metadata__"},
        {"{\"__metadata__\":{\"a\":1}}", 0, "__metadata__"}, {"{\"__metadata__\":null}", 0, "__metadata__"}};
    char *folder;
    File f = new_file(&folder);
    for (size_t i = 0; i < COUNT(row); i++) check_header(&f, row[i].header, row[i].data, row[i].says);
    done(&f, folder);
}

static void wrong_header_lengths_are_refused(void **state)
{
    (void)state;
    static const uint64_t length[] = {0, 1, 5, 70, 1000, 99999999, 100000001, 1ull << 31, 1ull << 32, 1ull << 62, 1ull << 63, UINT64_MAX - 8, UINT64_MAX - 7, UINT64_MAX};
    char *folder;
    File f = new_file(&folder);
    size_t n;
    char *bytes = file_of(ONE("F32", "[2]", "[0,8]"), 8, &n);
    for (size_t i = 0; i < COUNT(length); i++) {
        memcpy(bytes, &length[i], 8);
        check(&f, bytes, n, "", "a wrong header length");
    }
    for (uint64_t off = n - 16 - 3; off <= n; off++) {
        memcpy(bytes, &off, 8);
        f.tensors = 1;
        check(&f, bytes, n, off == n - 16 ? NULL : "", "a header length that is a little off");
    }
    free(bytes);
    done(&f, folder);
}

/* At every byte of a small file, and here and there in a model's. */
static void truncated_files_are_refused(void **state)
{
    (void)state;
    char *folder, *error, *path = repository_path("tests/parity/odd_sizes/model.safetensors");
    File f = new_file(&folder);
    size_t n;
    char *bytes = file_of(TWO("[0,8]", "[8,16]"), 16, &n);
    f.tensors = 2;
    check(&f, bytes, n, NULL, "the whole file");
    for (size_t cut = 0; cut < n; cut++) check(&f, bytes, cut, "", "a truncated file");
    free(bytes);
    bytes = file_bytes(path, &n, &error);
    assert_non_null(bytes);
    f.tensors = 28;
    check(&f, bytes, n, NULL, "the whole model");
    for (size_t cut = 0; cut < n; cut += cut < 64 ? 1 : 97) check(&f, bytes, cut, "", "a truncated model");
    free(bytes);
    free(path);
    done(&f, folder);
}

/* One bit of the header changed, anywhere: refused, or still a file of two tensors (another name, a blank). */
static void flipped_bits_never_crash(void **state)
{
    (void)state;
    char *folder;
    File f = new_file(&folder);
    size_t n;
    char *bytes = file_of(TWO("[0,8]", "[8,16]"), 16, &n);
    for (size_t at = 0; at < n - 16; at++)
        for (int bit = 0; bit < 8; bit++) {
            bytes[at] ^= (char)(1 << bit);
            write_file(f.path, bytes, n);
            char *said = caught(read_it, &f);
            if (said ? !strstr(said, f.path) : f.found != 2) fail_msg("byte %d, bit %d: %d tensors, \"%s\"", (int)at, bit, f.found, said ? said : "");
            free(said);
            bytes[at] ^= (char)(1 << bit);
        }
    free(bytes);
    done(&f, folder);
}

/* A header that is as long as it says, of values that would take a hundred times its size. */
static void a_header_of_too_many_values_is_refused(void **state)
{
    (void)state;
    enum { BYTES = 9000000 };
    char *folder, *header = xcalloc(BYTES + 3, 1);
    File f = new_file(&folder);
    strcpy(header, "{\"a\":[0");
    for (size_t at = strlen(header); at < BYTES; at += 2) memcpy(header + at, ",0", 2);
    check_header(&f, header, 0, "at most 4000000 are read");
    free(header);
    done(&f, folder);
}

static void numbers_come_back(void **state)
{
    (void)state;
    char *folder;
    File f = new_file(&folder);
    static const float a[] = {1, -2.5f, 3e38f, 1e-45f, -0.0f, 7}, b[] = {42};
    const StoredTensor written[] = {{(char *)(uintptr_t)"h.0.a", 2, {2, 3}, a}, {(char *)(uintptr_t)"b", 1, {1}, b}};
    Out out = out_open(f.path, false);
    safetensors_write(&out, written, 2);
    assert_null(out_close(&out, false));
    Safetensors s = safetensors_read(f.path);
    const StoredTensor *x = safetensors_find(&s, "h.0.a"), *y = safetensors_find(&s, "b");
    assert_true(x && y && s.tensors == 2 && x->dims == 2 && x->shape[0] == 2 && x->shape[1] == 3 && y->dims == 1 && y->shape[0] == 1);
    assert_memory_equal(x->at, a, sizeof a);
    assert_memory_equal(y->at, b, sizeof b);
    assert_null(safetensors_find(&s, "a"));
    safetensors_free(&s);
    done(&f, folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_files_are_read),
        cmocka_unit_test(damaged_headers_are_refused),
        cmocka_unit_test(wrong_header_lengths_are_refused),
        cmocka_unit_test(truncated_files_are_refused),
        cmocka_unit_test(flipped_bits_never_crash),
        cmocka_unit_test(a_header_of_too_many_values_is_refused),
        cmocka_unit_test(numbers_come_back),
    };
    caught_all(cmocka_run_group_tests(tests, NULL, NULL));
}
