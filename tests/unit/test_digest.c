/* Checksums: the same for any pieces, another for every flipped bit and for two that could cancel out. */
#include "helpers.h"

#include "../../train/digest.h"

enum { BYTES = 67 };      /* no multiple of a word */

static uint64_t digest_of(const unsigned char *bytes, size_t n)
{
    Digest d = {0};
    digest_add(&d, bytes, n);
    return digest_value(&d);
}

static void fill(unsigned char *bytes)
{
    for (int i = 0; i < BYTES; i++) bytes[i] = (unsigned char)(i * 37);
}

static void pieces_do_not_matter(void **state)
{
    (void)state;
    unsigned char bytes[BYTES];
    fill(bytes);
    for (size_t piece = 1; piece <= BYTES; piece++)
        for (size_t first = 0; first <= 9; first++) {
            Digest d = {0};
            digest_add(&d, bytes, first);
            for (size_t at = first; at < BYTES; at += piece) digest_add(&d, bytes + at, piece < BYTES - at ? piece : BYTES - at);
            assert_int_equal(digest_value(&d), digest_of(bytes, BYTES));
        }
}

static void lengths_matter(void **state)
{
    (void)state;
    static const unsigned char zeros[BYTES];
    for (size_t n = 0; n < BYTES; n++) assert_int_not_equal(digest_of(zeros, n), digest_of(zeros, n + 1));
}

/* Two flips of the same bit in two words: without a step that brings high bits down, those of the sign bits cancel. */
static void flips_matter(void **state)
{
    (void)state;
    unsigned char bytes[BYTES];
    fill(bytes);
    uint64_t right = digest_of(bytes, BYTES);
    for (int bit = 0; bit < 8 * BYTES; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_int_not_equal(digest_of(bytes, BYTES), right);
        for (int second = bit + 64; second < 8 * BYTES; second += 64) {
            bytes[second / 8] ^= (unsigned char)(1 << second % 8);
            assert_int_not_equal(digest_of(bytes, BYTES), right);
            bytes[second / 8] ^= (unsigned char)(1 << second % 8);
        }
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

static void files_have_the_digest_of_their_bytes(void **state)
{
    (void)state;
    unsigned char bytes[BYTES];
    fill(bytes);
    char *folder = scratch_new(), *path = text_format("%s/x", folder), *missing = text_format("%s/y", folder);
    write_file(path, bytes, BYTES);
    uint64_t value;
    assert_null(digest_file(path, &value));
    assert_int_equal(value, digest_of(bytes, BYTES));
    char *errors[] = {digest_file(missing, &value), digest_file(folder, &value)};
    assert_true(errors[0] && strstr(errors[0], missing) && errors[1] && strstr(errors[1], folder));
    free(errors[0]);
    free(errors[1]);
    free(missing);
    free(path);
    scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_do_not_matter),
        cmocka_unit_test(lengths_matter),
        cmocka_unit_test(flips_matter),
        cmocka_unit_test(files_have_the_digest_of_their_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
