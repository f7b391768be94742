#include "record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../model/file.h"
#include "../cpu.h"
#include "../out.h"
#include "report_init.h"

const char *const run_status_name[RUN_STATUSES] = {"running", "finished", "diverged", "interrupted", "failed"};

/* run.json first, which stays where a folder is emptied; then resolved.json: a resume must not take the earlier run's config
 * for this one's. */
static const char *const run_file[] = {"run.json", "resolved.json", "metrics.csv", "init.csv", "samples.txt"};

bool record_names(const char *file)
{
    for (size_t i = 0; i < COUNT(run_file); i++)
        if (!strcmp(file, run_file[i])) return true;
    return false;
}

char *record_folder(const Config *c, const Args *args)
{
    if (args->out) return xstrdup(args->out);
    return text_format("runs/%s%s", c->name, c->changes);
}

/* But for a file that was never renamed to its name: a crash in the first moment of a run. */
static bool is_empty(const char *folder)
{
    DIR *d = opendir(folder);
    bool empty = true;
    for (const struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        empty &= !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || !strcmp(e->d_name, "run.json" OUT_FRESH);
    if (d) closedir(d);
    return empty;
}

/* A word of the folder's run.json, released with free; NULL where it has none. */
static char *read_word(const char *folder, const char *key)
{
    char *path = text_format("%s/run.json", folder), *word = NULL;
    if (file_is_there(path)) {
        Json *j = json_read(path);
        const Json *found = json_get(j, key);
        if (found && found->kind == JSON_STRING) word = text_format("%s", found->string);
        json_free(j);
    }
    free(path);
    return word;
}

int record_read_status(const char *folder)
{
    char *word = read_word(folder, "status");
    int status = -1;
    for (int i = 0; word && i < RUN_STATUSES; i++)
        if (!strcmp(word, run_status_name[i])) status = i;
    free(word);
    return status;
}

void record_draw_run(char run[17])
{
    uint64_t bits;
    if (getentropy(&bits, sizeof bits)) die("cannot draw a random name for the run: %s", strerror(errno));
    hash_text(run, bits);
}

void record_read_run(const char *folder, char run[17])
{
    char *word = read_word(folder, "run");
    snprintf(run, 17, "%s", word ? word : "");
    free(word);
}

void record_check_text(const char *folder, uint64_t hash)
{
    char *path = text_format("%s/run.json", folder), now[17];
    Json *facts = json_read(path);
    const Json *text = json_get(facts, "text"), *was = text ? json_get(text, "hash") : NULL;
    hash_text(now, hash);
    if (was && was->kind == JSON_STRING && strcmp(was->string, now))
        die("%s was trained on another text: data.text has changed since (hash %s, now %s); name another folder with --out, or remove this one", folder,
            was->string, now);
    json_free(facts);
    free(path);
}

/* A pipe among the files that a run writes would have it wait for a reader. */
static void refuse_pipe(const char *folder, const char *name)
{
    struct stat info;
    char *path = text_format("%s/%s", folder, name);
    if (stat(path, &info) == 0 && S_ISFIFO(info.st_mode)) die("%s is not a regular file but a pipe; remove it", path);
    free(path);
}

/* --overwrite empties the folder of what the run would read from it. */
static void refuse_inside(const char *key, const char *path, const char *folder)
{
    size_t length = strlen(folder);
    char *full = absolute_path(".", path);
    if (!strncmp(full, folder, length) && (full[length] == '/' || !full[length]))
        die("%s is %s, which --overwrite would empty; name another folder with --out", key, full);
    free(full);
}

static void refuse_own_inputs(const Config *c, const char *folder)
{
    const char **text = config_texts(c);
    if (c->from) refuse_inside("init.from", c->from, folder);
    if (c->scheme->kind == JSON_STRING && strchr(c->scheme->string, '/')) refuse_inside("init.scheme", c->scheme->string, folder);
    for (int i = 0; text[i]; i++)
        if (strcmp(text[i], BUILTIN_STORIES)) refuse_inside("data.text", text[i], folder);
    free(text);
}

void record_check(const Config *c, const Args *args)
{
    char *folder = record_folder(c, args), *full = absolute_path(".", folder);
    struct stat info;
    if (args->overwrite) refuse_own_inputs(c, full);
    if (stat(folder, &info) == 0) {
        if (!S_ISDIR(info.st_mode)) die("%s is a file; --out names a folder", full);
        for (size_t i = 0; args->resume && i < COUNT(run_file); i++) refuse_pipe(folder, run_file[i]);
        refuse_pipe(folder, REPORT_FILE);
        int status = record_read_status(folder);
        if (status < 0 && !is_empty(folder)) die("%s is not empty and holds no run (no run.json that says its status); name another folder with --out", full);
        if (status >= 0 && !args->overwrite && !args->resume)
            die("%s holds a run (%s); --overwrite starts it anew, --resume continues it, --out names another folder", full, run_status_name[status]);
    }
    free(full);
    free(folder);
}

static bool same_value(const Key *k, const Json *was, const Json *is, const Json *scheme)
{
    return k->type == KEY_SCHEME ? scheme_same(was, scheme) : json_equal(was, is);
}

/* Calls with each key whose value in the folder's resolved.json is another one. */
static void each_difference(const Config *c, const Scheme *scheme, const char *folder, void (*see)(const Key *, const char *was, const char *is, void *data), void *data)
{
    char *path = text_format("%s/resolved.json", folder);
    Config old = config_load(path, NULL, 0, NULL);
    for (int i = 0; i < config_keys; i++) {
        const Key *k = &config_key[i];
        Json *was = config_value(&old, k), *is = config_value(c, k);
        if (!same_value(k, was, is, scheme->json)) {
            char *before = json_brief(was), *after = json_brief(is);
            see(k, before, after, data);
            free(before);
            free(after);
        }
        json_free(was);
        json_free(is);
    }
    config_free(&old);
    free(path);
}

static void see_outcome(const Key *k, const char *was, const char *is, void *data)
{
    if (!(k->flags & SAME_OUTCOME) && k->type != KEY_PATHS) text_add(data, "\n    %s: %s -> %s", k->path, was, is);
}

char *record_differences(const Config *c, const Scheme *scheme, const char *folder)
{
    Text all = {0};
    each_difference(c, scheme, folder, see_outcome, &all);
    return all.at;
}

typedef struct { Text allowed, refused; } Changes;

static void see_resume(const Key *k, const char *was, const char *is, void *data)
{
    Changes *c = data;
    if (k->flags & MAY_CHANGE_ON_RESUME) text_add(&c->allowed, "%s: %s -> %s\n", k->path, was, is);
    else text_add(&c->refused, "\n    %s: %s -> %s", k->path, was, is);
}

bool record_lacks_config(const char *folder)
{
    char *path = text_format("%s/resolved.json", folder);
    bool lacks = record_read_status(folder) >= 0 && !file_is_there(path);
    free(path);
    return lacks;
}

char *record_compare(const Setup *s, const char *folder)
{
    Changes changes = {0};
    if (record_lacks_config(folder)) die("%s lacks resolved.json, so its checkpoint may be another run's; --overwrite starts anew", folder);
    each_difference(&s->config, &s->scheme, folder, see_resume, &changes);
    if (changes.refused.at)
        die("%s cannot be resumed with another config; these differ:%s\nTake `step0 train --out %s --resume`, or --overwrite.", folder, changes.refused.at,
            shell_word(folder));
    return changes.allowed.at;
}

char *record_file(const char *folder, const char *file, const char *bytes, size_t n)
{
    char *path = text_format("%s/%s", folder, file), *error = out_replace(path, bytes, n);
    free(path);
    return error;
}

static char *record_json(const char *folder, const char *file, Json *j)
{
    char *body = json_print(j, true), *text = text_format("%s\n", body), *error = record_file(folder, file, text, strlen(text));
    free(text);
    free(body);
    json_free(j);
    return error;
}

char *record_resolved(const Setup *s, const char *folder)
{
    return record_json(folder, "resolved.json", config_resolved(&s->config, s->scheme.json));
}

char *record_start(const Setup *s, const char *folder)
{
    char *csv = init_csv(s), *error = record_resolved(s, folder);
    if (!error) error = record_file(folder, "init.csv", csv, strlen(csv));
    free(csv);
    return error;
}

int record_lock(const char *folder)
{
    char *error = out_folder(folder);
    if (error) die("%s", error);
    int lock = (int)TEMP_FAILURE_RETRY(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno == EWOULDBLOCK) die("%s is being written by another step0", folder);
    die("cannot %s the folder %s: %s", lock < 0 ? "open" : "lock", folder, strerror(errno));
}

int record_claim(const Config *c, const Args *args)
{
    record_check(c, args);
    char *folder = record_folder(c, args);
    int lock = args->resume && access(folder, F_OK) == 0 ? record_lock(folder) : -1;
    free(folder);
    return lock;
}

static void put_time(Json *j, const char *key)
{
    char text[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    json_put_string(j, key, text);
}

static void put_machine(Json *root, const Setup *s)
{
    char cpu[128];
    json_put_string(root, "version", STEP0_VERSION);
    json_put_number(root, "threads", s->threads);
    json_put_string(root, "cpu", cpu_name(cpu));
    Json *blas = json_put(root, "blas", json_new(JSON_OBJECT));
    json_put_string(blas, "library", s->blas.library);
    json_put_string(blas, "kernel", s->blas.kernel);
    json_put_string(blas, "chosen_by", s->blas.chosen_by);
    json_put_string(blas, "threading", s->blas.threading);
}

static void put_data(Json *root, const Setup *s)
{
    char hash[17];
    Json *text = json_put(root, "text", json_new(JSON_OBJECT));
    json_put_string(text, "hash", hash_text(hash, s->corpus.hash));
    json_put_number(text, "tokens", (double)s->corpus.size);
    json_put_number(text, "train_tokens", (double)s->corpus.train);
    json_put_number(text, "val_tokens", (double)(s->corpus.size - s->corpus.train));
    json_put_number(text, "vocab_size", s->tokenizer.size);
    Json *yard = json_put(root, "yardsticks", json_new(JSON_OBJECT));
    json_put_number(yard, "ln_vocab", log(s->tokenizer.size));
    json_put_number(yard, "unigram", s->yardsticks.unigram);
    json_put_number(yard, "bigram", s->yardsticks.bigram);
    json_put_number(yard, "floor", s->floor);
}

char *record_status(const Setup *s, const char *folder, RunStatus status, const State *state)
{
    Json *root = json_new(JSON_OBJECT);
    json_put_string(root, "status", run_status_name[status]);
    json_put_string(root, "run", state->run);
    json_put_number(root, "last_step", (double)state->step);
    json_put_number(root, "rows", (double)state->rows);
    json_put_string(root, "name", s->config.name);
    json_put_string(root, "scheme", s->config.from ? "init.from" : scheme_name(&s->scheme));
    json_put_number(root, "parameters", (double)s->model->params.size);
    put_machine(root, s);
    put_data(root, s);
    json_put_number(root, "seconds", state->seconds);
    json_put_number(root, "peak_rss_mib", (double)cpu_peak_memory() / 1048576);
    json_put_number(root, "val_loss", state->val_loss);
    json_put_number(root, "best_step", (double)state->best_step);
    json_put_number(root, "best_val_loss", state->best_loss);
    put_time(root, "written");
    return record_json(folder, "run.json", root);
}

char *record_clear(const char *folder)
{
    char *error = NULL;
    for (size_t i = 1; i < COUNT(run_file) && !error; i++) {
        char *path = text_format("%s/%s", folder, run_file[i]);
        error = out_remove(path);
        free(path);
    }
    return error ? error : checkpoint_remove_all(folder);
}
