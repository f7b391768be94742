/* The program, trained on each fixture of tests/parity, against what PyTorch computes in double precision: losses of all
 * rows within 2e-6, total gradient norms and each tensor's norm at step 0 within 1e-5, relatively. The program is
 * $STEP0, or step0 in the repository. */
#include "helpers.h"

#include <dirent.h>
#include <fcntl.h>

#include "../../model/file.h"
#include "../../model/json.h"
#include "../../train/compare/table.h"

#define LOSS_ALLOWED 2e-6
#define NORM_ALLOWED 1e-5

static double number(const Table *t, int row, const char *column)
{
    int at = table_column(t, column);
    if (at < 0) fail_msg("metrics.csv has no column %s", column);
    return table_cell(t, row, at);
}

/* --- a fixture --- */

/* The norm of a Hugging Face tensor, from the columns of its parts: c_attn is q, k and v. */
static double tensor_norm(const Table *t, const char *tensor)
{
    static const char *const part[] = {"q", "k", "v"};
    const char *name = strncmp(tensor, "transformer.", 12) ? tensor : tensor + 12, *at = strstr(name, "c_");
    if (!at) at = name + strlen(name);
    bool fused = !strncmp(at, "c_attn", 6);
    double square = 0;
    for (int i = 0; i < (fused ? 3 : 1); i++) {
        char *column = fused ? text_format("grad_norm.%.*s%s%s", (int)(at - name), name, part[i], at + 6)
                             : text_format("grad_norm.%.*s%s", (int)(at - name), name, *at ? at + 2 : at);
        double norm = number(t, 0, column);
        square += norm * norm;
        free(column);
    }
    return sqrt(square);
}

static void check_ratio(const char *fixture, const char *what, int row, double actual, double expected, double allowed, double *worst)
{
    double error = fabs(actual / expected - 1);
    if (!(error <= allowed)) fail_msg("%s: %s of row %d is %.9g, not %.9g: %.1e off", fixture, what, row, actual, expected, error);
    *worst = fmax(*worst, error);
}

static void check_series(const char *fixture, const Table *t, const char *column, const Json *expected, double allowed, double *worst)
{
    int row = 0;
    assert_true(expected && expected->kind == JSON_ARRAY);
    for (const Json *m = expected->child; m; m = m->next, row++) {
        assert_true(row < t->rows && number(t, row, "step") == row);
        check_ratio(fixture, column, row, number(t, row, column), m->number, allowed, worst);
    }
    assert_int_equal(row, t->rows);
}

static void train(const char *config, const char *out)
{
    char *own = repository_path("step0"), *program = getenv("STEP0") ? getenv("STEP0") : own;
    char *log = text_format("%s.log", out), *error;
    size_t length;
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int file = open(log, O_CREAT | O_WRONLY | O_TRUNC, 0600);
        dup2(file, STDOUT_FILENO);
        dup2(file, STDERR_FILENO);
        execl(program, program, "train", config, "--out", out, "--quiet", (char *)NULL);
        _exit(127);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    char *said = file_bytes(log, &length, &error);
    if (status) fail_msg("%s train %s: status %d, \"%s\"", program, config, WEXITSTATUS(status), said ? said : "");
    free(said);
    free(log);
    free(own);
}

static void check_fixture(const char *name)
{
    char *folder = scratch_new(), *out = text_format("%s/run", folder), *metrics = text_format("%s/metrics.csv", out);
    char *relative = text_format("tests/parity/%s", name), *fixture = repository_path(relative);
    char *config = text_format("%s/step0.json", fixture), *truth = text_format("%s/expected.json", fixture);
    train(config, out);
    Table t = table_read(metrics);
    Json *expected = json_read(truth);
    double loss = 0, norm = 0, by_tensor = 0, first = 0;
    check_series(name, &t, "loss", json_get(expected, "loss"), LOSS_ALLOWED, &loss);
    check_series(name, &t, "grad_norm", json_get(expected, "grad_norm_before_clip"), NORM_ALLOWED, &norm);
    const Json *tensors = json_get(expected, "grad_norm_step0_by_tensor");
    int columns = 0;
    for (const Json *m = tensors->child; m; m = m->next) {
        check_ratio(name, m->key, 0, tensor_norm(&t, m->key), m->number, NORM_ALLOWED, &by_tensor);
        columns += strstr(m->key, "c_attn") ? 3 : 1;
    }
    for (int i = 0; i < t.columns; i++) {
        if (strncmp(t.name[i], "grad_norm.", 10)) continue;
        first += pow(number(&t, 0, t.name[i]), 2);
        columns--;
    }
    assert_int_equal(columns, 0);                              /* each column belongs to a tensor of the file */
    check_ratio(name, "root of the columns' squares", 0, sqrt(first), number(&t, 0, "grad_norm"), 1e-7, &by_tensor);
    print_message("%-22s %d rows, worst: loss %.1e, norm %.1e, norm of a tensor %.1e\n", name, t.rows, loss, norm, by_tensor);
    json_free(expected);
    table_free(&t);
    free(truth), free(config), free(fixture), free(relative), free(metrics), free(out);
    scratch_remove(folder);
}

static void the_program_trains_as_pytorch_does(void **state)
{
    (void)state;
    char *path = repository_path("tests/parity");
    DIR *folder = opendir(path);
    int fixtures = 0;
    if (!folder) fail_msg("%s: %s", path, strerror(errno));
    for (struct dirent *entry; (entry = readdir(folder));) {
        char *config = text_format("%s/%s/step0.json", path, entry->d_name);
        if (access(config, F_OK) == 0) {
            check_fixture(entry->d_name);
            fixtures++;
        }
        free(config);
    }
    closedir(folder);
    free(path);
    assert_true(fixtures >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_program_trains_as_pytorch_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
