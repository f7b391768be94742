/* A checkpoint in which one bit is another, or the end is missing, anywhere: a message that names the file, never other
 * weights. And hostile files whose checksums are right. */
#include "catch.h"

#include <fcntl.h>

#include "../../model/file.h"
#include "../../train/run/checkpoint.h"
#include "../../train/run/pretrained.h"

static const char *const file_name[] = {"state.json", "model.safetensors", "optimizer.safetensors", "config.json", "tokenizer.json"};
enum { STATE_JSON, MODEL, OPTIMIZER, CONFIG_JSON, TOKENIZER_JSON, CHECKPOINT_FILES };

#define RUN_NAME "2f6c01d94ab3e875"

typedef struct {
    Setup setup;
    State state, loaded;
    char *folder, *inside;                 /* inside: the checkpoint's own */
    char *path[CHECKPOINT_FILES], *bytes[CHECKPOINT_FILES];
    size_t size[CHECKPOINT_FILES];
    real *weights;                         /* as saved */
} Run;

static Gpt *small_model(void)
{
    const Shape shape = SHAPE(1, 1, 2, 2, 2, 3, false, true, GELU);
    return gpt_new(&shape, 1, 1);
}

static size_t weight_bytes(const Gpt *g)
{
    return (size_t)g->params.size * sizeof(real);
}

/* Weights, gradients and moments of all tensors stand in one piece; so do the weights. */
static void save(Run *r)
{
    char *error = checkpoint_save(&r->setup, r->folder, &r->state);
    assert_null(error);
    for (int i = 0; i < CHECKPOINT_FILES; i++) {
        free(r->bytes[i]);
        r->bytes[i] = file_bytes(r->path[i], &r->size[i], &error);
        assert_non_null(r->bytes[i]);
    }
    memcpy(r->weights, r->setup.model->params.tensor[0].w, weight_bytes(r->setup.model));
}

static Run *new_run(void)
{
    Run *r = xcalloc(1, sizeof *r);
    r->setup.model = small_model();
    scatter_weights(r->setup.model, 3);
    for (int i = 0; i < r->setup.model->params.tensors; i++) {
        const Tensor *t = &r->setup.model->params.tensor[i];
        for (int64_t k = 0; k < t->rows * t->cols; k++) t->m[k] = (real)test_normal(i, k), t->v[k] = (real)test_unit(i, k);
    }
    r->setup.tokenizer = tokenizer_make(TOKENIZER_CHAR, (const unsigned char *)"abc", 3);
    r->setup.corpus.hash = 0x0123456789abcdef;
    strcpy(r->setup.blas.kernel, "Haswell");
    r->state = (State){.run = RUN_NAME, .step = 3, .seconds = 1.5, .val_loss = NAN, .best_step = -1, .best_loss = NAN, .rows = 2};
    r->folder = scratch_new();
    r->inside = text_format("%s/checkpoint", r->folder);
    for (int i = 0; i < CHECKPOINT_FILES; i++) r->path[i] = text_format("%s/%s", r->inside, file_name[i]);
    r->weights = xcalloc(weight_bytes(r->setup.model), 1);
    save(r);
    return r;
}

static void free_run(Run *r)
{
    gpt_free(r->setup.model);
    scratch_remove(r->folder);
    free(r->inside);
    free(r->weights);
    for (int i = 0; i < CHECKPOINT_FILES; i++) free(r->path[i]), free(r->bytes[i]);
    free(r);
}

static void restore(Run *r, int which)
{
    write_file(r->path[which], r->bytes[which], r->size[which]);
}

/* In place: a file that is emptied and written anew waits for the disk. */
static void flip(Run *r, int which, size_t at, int bit)
{
    int file = open(r->path[which], O_WRONLY);
    char byte = (char)(r->bytes[which][at] ^ (1 << bit));
    if (file < 0 || pwrite(file, &byte, 1, (off_t)at) != 1 || close(file)) fail_msg("%s: %s", r->path[which], strerror(errno));
}

static void flip_back(Run *r, int which, size_t at)
{
    r->bytes[which][at] ^= 1;
    flip(r, which, at, 0);
    r->bytes[which][at] ^= 1;
}

static void cut(Run *r, int which, size_t length)
{
    if (truncate(r->path[which], (off_t)length)) fail_msg("%s: %s", r->path[which], strerror(errno));
}

/* As train --resume does. */
static void resume(void *run)
{
    Run *r = run;
    memset(r->setup.model->params.tensor[0].w, 0, weight_bytes(r->setup.model));
    r->loaded = (State){.run = RUN_NAME};
    checkpoint_load(&r->setup, r->folder, &r->loaded);
}

/* As init.from and sample do. */
static void open_folder(void *run)
{
    Run *r = run;
    bool *given = xcalloc((size_t)config_keys, sizeof *given);
    Config c = config_load(NULL, NULL, 0, given);
    c.from = xstrdup(r->inside);
    Pretrained p = pretrained_open(&c, given, c.from);
    memset(r->setup.model->params.tensor[0].w, 0, weight_bytes(r->setup.model));
    pretrained_load(&p, r->setup.model);
    r->loaded = r->state;
    pretrained_free(&p);
    config_free(&c);
    free(given);
}

static bool is_whole(const Run *r)
{
    const State *a = &r->state, *b = &r->loaded;
    return !memcmp(r->weights, r->setup.model->params.tensor[0].w, weight_bytes(r->setup.model)) && a->step == b->step && a->seconds == b->seconds &&
           a->best_step == b->best_step && a->rows == b->rows && isnan(b->val_loss) && isnan(b->best_loss);
}

/* Refused with a message that names the folder, or (where `may_load`) loaded as it was saved. */
static void check_damage(Run *r, void (*load)(void *), bool may_load, const char *what, size_t at)
{
    char *said = caught(load, r);
    if (said ? !strstr(said, r->folder) || strncmp(said, "step0: ", 7) : !may_load || !is_whole(r)) fail_msg("%s at byte %zu: said \"%s\"", what, at, said ? said : "nothing");
    free(said);
}

static void check_loads(Run *r, void (*load)(void *))
{
    char *said = caught(load, r);
    if (said || !is_whole(r)) fail_msg("said \"%s\"", said ? said : "nothing, and loads something else");
}

static void a_whole_one_is_loaded(void **state)
{
    (void)state;
    Run *r = new_run();
    check_loads(r, resume);
    check_loads(r, open_folder);
    free_run(r);
}

/* Every bit of state.json, one bit of every byte of the others; with STEP0_HEAVY every bit. */
static void no_flipped_bit_goes_unnoticed(void **state)
{
    (void)state;
    Run *r = new_run();
    for (int which = 0; which < CHECKPOINT_FILES; which++) {
        bool all = which == STATE_JSON || getenv("STEP0_HEAVY");
        for (size_t at = 0; at < r->size[which]; at++)
            for (int bit = all ? 0 : (int)(at % 8); bit < (all ? 8 : (int)(at % 8) + 1); bit++) {
                flip(r, which, at, bit);
                check_damage(r, resume, which == STATE_JSON, file_name[which], at);
                if (at % 4 == 0) check_damage(r, open_folder, which == STATE_JSON || which == OPTIMIZER, file_name[which], at);
                flip_back(r, which, at);
            }
    }
    check_loads(r, resume);
    free_run(r);
}

static void no_missing_end_goes_unnoticed(void **state)
{
    (void)state;
    Run *r = new_run();
    for (int which = 0; which < CHECKPOINT_FILES; which++) {
        for (size_t n = r->size[which]; n-- > 0;) {
            cut(r, which, n);
            check_damage(r, resume, which == STATE_JSON && n == r->size[which] - 1, file_name[which], n);
        }
        remove(r->path[which]);
        check_damage(r, resume, false, file_name[which], 0);
        check_damage(r, open_folder, which == STATE_JSON || which == OPTIMIZER, file_name[which], 0);
        restore(r, which);
    }
    free_run(r);
}

/* Without state.json, as a Hugging Face folder has it, there are no checksums: refused, or numbers and names that are whole. */
static void a_folder_without_state_never_crashes(void **state)
{
    (void)state;
    static const int damaged[] = {MODEL, TOKENIZER_JSON, CONFIG_JSON};
    Run *r = new_run();
    remove(r->path[STATE_JSON]);
    for (size_t i = 0; i < COUNT(damaged); i++) {
        int which = damaged[i];
        uint64_t end = r->size[which];
        if (which == MODEL) memcpy(&end, r->bytes[MODEL], 8), end += 8;
        for (size_t at = 0; at < end; at++) {
            flip(r, which, at, (int)(at % 8));
            check_damage(r, open_folder, true, file_name[which], at);
            flip_back(r, which, at);
        }
        for (size_t n = r->size[which]; n-- > 0;) {
            cut(r, which, n);
            check_damage(r, open_folder, which != MODEL && n == r->size[which] - 1, file_name[which], n);
        }
        restore(r, which);
    }
    free_run(r);
}

static void check_refused(Run *r, void (*load)(void *), const char *says)
{
    char *said = caught(load, r);
    if (!said || !strstr(said, says) || !strstr(said, r->folder)) fail_msg("said \"%s\", not \"%s\"", said ? said : "nothing", says);
    free(said);
}

/* Saved with the right checksums, and yet no numbers of a training. */
static void numbers_that_cannot_be_are_refused(void **state)
{
    (void)state;
    Run *r = new_run();
    const Tensor *t = &r->setup.model->params.tensor[1];
    real *const at[] = {t->w, t->w, t->m, t->v, t->v}, bad[] = {NAN, INFINITY, NAN, NAN, -1};
    static const char *const says[] = {"nan at index 1", "inf at index 1", "nan at index 1", "nan at index 1", "-1 at index 1"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        real good = at[i][1];
        at[i][1] = bad[i];
        save(r);
        check_refused(r, resume, says[i]);
        if (at[i] == t->w) check_refused(r, open_folder, says[i]);
        scatter_weights(r->setup.model, 3);
        at[i][1] = good;
        r->state.step++;
    }
    t->v[1] = INFINITY;        /* the square of a gradient above 1e19: possible, and harmless */
    save(r);
    check_loads(r, resume);
    free_run(r);
}

static void write_state(Run *r, const char *text)
{
    char *error;
    Json *j = json_parse(text, strlen(text), "test", &error);
    assert_non_null(j);
    char *sealed = state_sealed(j);
    write_file(r->path[STATE_JSON], sealed, strlen(sealed));
    free(sealed);
}

#define STATE_OF(run, step, seconds, best, hash, kernel, files)                                                                            \
    "{\"format\":3,\"run\":" run ",\"step\":" step ",\"seconds\":" seconds ",\"val_loss\":null,\"best_step\":" best ",\"best_loss\":null,\"text_hash\":" \
    hash ",\"kernel\":" kernel ",\"files\":" files "}"
#define STATE(step, seconds, best, hash, kernel, files) STATE_OF("\"" RUN_NAME "\"", step, seconds, best, hash, kernel, files)
#define HASH "\"0123456789abcdef\""
#define KERNEL "\"Haswell\""

static void states_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const struct { const char *text, *says; } row[] = {
        {STATE("-1", "1", "-1", HASH, KERNEL, "{}"), "step -1"}, {STATE("1.5", "1", "-1", HASH, KERNEL, "{}"), "step 1.5"}, {STATE("1e18", "1", "-1", HASH, KERNEL, "{}"), "step 1e+18"},
        {STATE("3", "-1", "-1", HASH, KERNEL, "{}"), "-1 seconds"}, {STATE("3", "null", "-1", HASH, KERNEL, "{}"), "nan seconds"}, {STATE("3", "1", "4", HASH, KERNEL, "{}"), "best step 4"},
        {STATE("3", "1", "-2", HASH, KERNEL, "{}"), "best step -2"}, {STATE("\"3\"", "1", "-1", HASH, KERNEL, "{}"), "lacks \"step\""}, {STATE("3", "1", "-1", "7", KERNEL, "{}"), "lacks \"text_hash\""},
        {STATE("3", "1", "-1", HASH, "null", "{}"), "lacks \"kernel\""}, {STATE("3", "1", "-1", HASH, KERNEL, "[]"), "lacks \"files\""},
        {STATE("3", "1", "-1", HASH, KERNEL, "{\"model.safetensors\":\"0\"}"), "model.safetensors: damaged or changed"}, {STATE("3", "1", "-1", HASH, KERNEL, "{\"model.safetensors\":7}"), "model.safetensors: damaged or changed"},
        {STATE("3", "1", "-1", HASH, KERNEL, "{\"gone\":\"0\"}"), "gone"}, {STATE("3", "1", "-1", HASH, KERNEL, "{\".\":\"0\"}"), "not a regular file"},
        {STATE_OF("null", "3", "1", "-1", HASH, KERNEL, "{}"), "lacks \"run\""}, {STATE_OF("\"fedcba9876543210\"", "3", "1", "-1", HASH, KERNEL, "{}"), "of another run"},
        {STATE("3", "1", "-1", "\"fedcba9876543210\"", KERNEL, "{}"), "data.text has changed"}, {"{\"format\":1}", "of format 1"}, {"{}", "lacks \"format\""}};
    Run *r = new_run();
    for (size_t i = 0; i < COUNT(row); i++) {
        write_state(r, row[i].text);
        check_refused(r, resume, row[i].says);
    }
    static const char *const raw[] = {"[]", "3", "null", "", "{", "{\"format\":3}", "{\"format\":3,\"checksum\":5}"};
    for (size_t i = 0; i < COUNT(raw); i++) {
        write_file(r->path[STATE_JSON], raw[i], strlen(raw[i]));
        check_refused(r, resume, "state.json");
    }
    free_run(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_one_is_loaded),
        cmocka_unit_test(no_flipped_bit_goes_unnoticed),
        cmocka_unit_test(no_missing_end_goes_unnoticed),
        cmocka_unit_test(a_folder_without_state_never_crashes),
        cmocka_unit_test(numbers_that_cannot_be_are_refused),
        cmocka_unit_test(states_that_cannot_be_are_refused),
    };
    caught_all(cmocka_run_group_tests(tests, NULL, NULL));
}
