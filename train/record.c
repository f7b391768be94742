#include "record.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cpu.h"
#include "out.h"
#include "report_init.h"

const char *const run_status_name[RUN_STATUSES] = {"running", "finished", "diverged", "interrupted", "failed"};

/* What step0 writes into a run's folder. */
static const char *const own_file[] = {"resolved.json", "run.json", "metrics.csv", "init.csv", "samples.txt"};

char *record_folder(const Config *c, const Args *args)
{
    if (args->out) return xstrdup(args->out);
    return text_format("runs/%s%s", c->name, c->changes);
}

static bool is_empty(const char *folder)
{
    DIR *d = opendir(folder);
    if (!d) return true;
    bool empty = true;
    for (const struct dirent *e = readdir(d); e; e = readdir(d)) empty &= !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
    closedir(d);
    return empty;
}

int record_read_status(const char *folder)
{
    char *path = text_format("%s/run.json", folder);
    int status = -1;
    if (access(path, F_OK) == 0) {
        Json *j = json_read(path);
        const Json *word = json_get(j, "status");
        for (int i = 0; word && word->kind == JSON_STRING && i < RUN_STATUSES; i++)
            if (!strcmp(word->string, run_status_name[i])) status = i;
        json_free(j);
    }
    free(path);
    return status;
}

void record_check(const Config *c, const Args *args)
{
    char *folder = record_folder(c, args), *full = absolute_path(".", folder);
    struct stat info;
    if (stat(folder, &info) == 0) {
        if (!S_ISDIR(info.st_mode)) die("%s is a file; --out names a folder", full);
        int status = record_read_status(folder);
        if (status < 0 && !is_empty(folder)) die("%s is not empty and holds no run; name another folder with --out", full);
        if (status >= 0 && !args->overwrite && !args->resume)
            die("%s holds a run (%s); --overwrite starts it anew, --resume continues it, --out names another folder", full, run_status_name[status]);
    }
    free(full);
    free(folder);
}

void record_begin(const char *folder)
{
    char *error = out_folder(folder);
    if (error) die("%s", error);
    for (size_t i = 0; i < COUNT(own_file); i++) {
        char *path = text_format("%s/%s", folder, own_file[i]);
        unlink(path);
        free(path);
    }
}

void record_file(const char *folder, const char *file, const char *bytes, size_t n)
{
    char *path = text_format("%s/%s", folder, file), *error = out_replace(path, bytes, n);
    if (error) die("%s", error);
    free(path);
}

static void record_json(const char *folder, const char *file, Json *j)
{
    char *body = json_print(j, true), *text = text_format("%s\n", body);
    record_file(folder, file, text, strlen(text));
    free(text);
    free(body);
    json_free(j);
}

void record_start(const Setup *s, const char *folder)
{
    record_json(folder, "resolved.json", config_resolved(&s->config, s->scheme.json));
    char *csv = init_csv(s);
    record_file(folder, "init.csv", csv, strlen(csv));
    free(csv);
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
    char hash[32];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)s->corpus.hash);
    Json *text = json_put(root, "text", json_new(JSON_OBJECT));
    json_put_string(text, "hash", hash);
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

void record_status(const Setup *s, const char *folder, RunStatus status, int64_t step, double seconds, double val_loss)
{
    Json *root = json_new(JSON_OBJECT);
    json_put_string(root, "status", run_status_name[status]);
    json_put_number(root, "last_step", (double)step);
    json_put_string(root, "name", s->config.name);
    json_put_string(root, "scheme", s->config.from ? "init.from" : scheme_name(&s->scheme));
    json_put_number(root, "parameters", (double)s->model->params.size);
    put_machine(root, s);
    put_data(root, s);
    json_put_number(root, "seconds", seconds);
    json_put_number(root, "val_loss", val_loss);
    put_time(root, "written");
    record_json(folder, "run.json", root);
}
