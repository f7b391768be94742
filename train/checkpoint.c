#include "checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../model/file.h"
#include "out.h"
#include "pretrained.h"
#include "safetensors.h"

#define FORMAT 1

/* --- the files of a checkpoint; each writer returns the error or NULL --- */

typedef struct { StoredTensor *tensor; int tensors; real *zero; } List;

static void list_add(List *l, char *name, const Tensor *t, const real *numbers)
{
    StoredTensor *s = &l->tensor[l->tensors++];
    *s = (StoredTensor){.name = name, .dims = t->matrix ? 2 : 1, .at = (const float *)(const void *)numbers};
    s->shape[0] = t->matrix ? t->rows : t->cols;
    s->shape[1] = t->cols;
}

/* transformers puts everything but the head under "transformer.". */
static char *hugging_face_name(const char *name)
{
    return strncmp(name, "lm_head.", 8) ? text_format("transformer.%s", name) : xstrdup(name);
}

/* The bias beside a weight, of zeros: GPT-2 has one everywhere but in the tables. */
static void list_add_zero_bias(List *l, const Shape *s, const Tensor *t)
{
    const char *end = strstr(t->name, ".weight");
    if (s->bias || !end || !strncmp(t->name, "wte", 3) || !strncmp(t->name, "wpe", 3) || !strncmp(t->name, "lm_head", 7)) return;
    Tensor bias = {.rows = 1, .cols = t->cols};
    list_add(l, text_format("transformer.%.*s.bias", (int)(end - t->name), t->name), &bias, l->zero);
}

static char *write_list(List *l, const char *path)
{
    assert(sizeof(real) == sizeof(float));
    Out out = out_open(path, false);
    safetensors_write(&out, l->tensor, l->tensors);
    for (int i = 0; i < l->tensors; i++) free(l->tensor[i].name);
    free(l->tensor);
    free(l->zero);
    return out_close(&out, true);
}

static List new_list(const Gpt *g)
{
    int64_t widest = 0;
    for (int i = 0; i < g->params.tensors; i++) widest = max_i64(widest, g->params.tensor[i].cols);
    return (List){.tensor = xcalloc(2 * (size_t)g->params.tensors, sizeof(StoredTensor)), .zero = xcalloc((size_t)widest, sizeof(real))};
}

static char *write_model(const Setup *s, const char *path)
{
    const Gpt *g = s->model;
    List l = new_list(g);
    for (int i = 0; i < g->params.tensors; i++) {
        const Tensor *t = &g->params.tensor[i];
        list_add(&l, hugging_face_name(t->name), t, t->w);
        list_add_zero_bias(&l, &g->shape, t);
    }
    return write_list(&l, path);
}

static char *write_optimizer(const Setup *s, const char *path)
{
    const Gpt *g = s->model;
    List l = new_list(g);
    for (int i = 0; i < g->params.tensors; i++) {
        const Tensor *t = &g->params.tensor[i];
        list_add(&l, text_format("exp_avg.%s", t->name), t, t->m);
        list_add(&l, text_format("exp_avg_sq.%s", t->name), t, t->v);
    }
    return write_list(&l, path);
}

static char *write_json(Json *j, const char *path)
{
    char *text = json_print(j, true);
    Out out = out_open(path, false);
    out_write(&out, text, strlen(text));
    out_write(&out, "\n", 1);
    free(text);
    json_free(j);
    return out_close(&out, true);
}

static char *write_config(const Setup *s, const char *path)
{
    static const char *const activation[ACTIVATIONS] = {[GELU] = "gelu_new", [GELU_EXACT] = "gelu", [RELU] = "relu"};
    static const char *const rate[] = {"resid_pdrop", "embd_pdrop", "attn_pdrop"};
    const Shape *m = &s->model->shape;
    Json *j = json_new(JSON_OBJECT);
    json_put_string(json_put(j, "architectures", json_new(JSON_ARRAY)), NULL, "GPT2LMHeadModel");
    json_put_string(j, "model_type", "gpt2");
    json_put_number(j, "vocab_size", (double)m->vocab_size);
    json_put_number(j, "n_positions", (double)m->block_size);
    json_put_number(j, "n_ctx", (double)m->block_size);
    json_put_number(j, "n_embd", (double)m->n_embd);
    json_put_number(j, "n_layer", (double)m->n_layer);
    json_put_number(j, "n_head", (double)m->n_head);
    json_put_number(j, "n_inner", (double)m->n_inner);
    json_put_string(j, "activation_function", activation[m->activation]);
    json_put_number(j, "layer_norm_epsilon", 1e-5);
    for (size_t i = 0; i < COUNT(rate); i++) json_put_number(j, rate[i], s->config.dropout);
    json_put_bool(j, "tie_word_embeddings", m->tied);
    json_put(j, "bos_token_id", json_new(JSON_NULL));
    json_put(j, "eos_token_id", json_new(JSON_NULL));
    json_put_string(j, "torch_dtype", "float32");
    return write_json(j, path);
}

static char *write_tokenizer(const Setup *s, const char *path)
{
    return write_json(tokenizer_json(&s->tokenizer), path);
}

static char *write_state(const Setup *s, const State *state, const char *path)
{
    char hash[32];
    snprintf(hash, sizeof hash, "%016" PRIx64, s->corpus.hash);
    Json *j = json_new(JSON_OBJECT);
    json_put_number(j, "format", FORMAT);
    json_put_number(j, "step", (double)state->step);
    json_put_number(j, "seconds", state->seconds);
    json_put_number(j, "val_loss", state->val_loss);
    json_put_number(j, "best_step", (double)state->best_step);
    json_put_number(j, "best_loss", state->best_loss);
    json_put_string(j, "text_hash", hash);
    json_put_string(j, "kernel", s->blas.kernel);
    return write_json(j, path);
}

/* --- sweeping --- */

static void remove_folder(const char *path)
{
    DIR *d = opendir(path);
    for (const struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        char *file = text_format("%s/%s", path, e->d_name);
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) unlink(file);
        free(file);
    }
    if (d) closedir(d);
    rmdir(path);
}

/* "checkpoint-12" is of kind "checkpoint" and step 12; anything else is -1. */
static int64_t step_of(const char *name, const char *kind)
{
    size_t length = strlen(kind);
    if (strncmp(name, kind, length) || name[length] != '-') return -1;
    char *end;
    long long step = strtoll(name + length + 1, &end, 10);
    return end > name + length + 1 && !*end ? step : -1;
}

/* Removes the folders of a kind but those of two steps (-1: none), and links that a crash left half made. */
static void sweep(const char *folder, const char *kind, int64_t keep, int64_t keep_too)
{
    char *fresh = text_format("%s.new", kind);
    DIR *d = opendir(folder);
    for (const struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        int64_t step = step_of(e->d_name, kind);
        bool half_made = !strcmp(e->d_name, fresh);
        if (!half_made && (step < 0 || step == keep || step == keep_too)) continue;
        char *path = text_format("%s/%s", folder, e->d_name);
        if (half_made) unlink(path);
        else remove_folder(path);
        free(path);
    }
    if (d) closedir(d);
    free(fresh);
}

void checkpoint_remove_all(const char *folder)
{
    static const char *const kind[] = {"checkpoint", "best"};
    for (size_t i = 0; i < COUNT(kind); i++) {
        char *link = text_format("%s/%s", folder, kind[i]);
        if (unlink(link)) remove_folder(link);
        free(link);
        sweep(folder, kind[i], -1, -1);
    }
}

/* --- saving --- */

static char *step_folder(const char *folder, const char *kind, int64_t step)
{
    return text_format("%s/%s-%lld", folder, kind, (long long)step);
}

/* Writes the files of a checkpoint of a kind into its own folder and swaps the link. */
static char *save(const Setup *s, const char *folder, const char *kind, const State *state, bool with_optimizer)
{
    typedef char *Writer(const Setup *, const char *);
    static const struct { const char *name; Writer *write; bool optimizer; } file[] = {
        {"model.safetensors", write_model, false}, {"config.json", write_config, false}, {"tokenizer.json", write_tokenizer, false},
        {"optimizer.safetensors", write_optimizer, true}};
    char *target = step_folder(folder, kind, state->step), *link = text_format("%s/%s", folder, kind), *error = out_folder(target);
    for (size_t i = 0; i < COUNT(file) && !error; i++) {
        if (file[i].optimizer && !with_optimizer) continue;
        char *path = text_format("%s/%s", target, file[i].name);
        error = file[i].write(s, path);
        free(path);
    }
    char *path = text_format("%s/state.json", target);
    if (!error) error = write_state(s, state, path);
    if (!error) error = out_sync_folder(target);
    if (!error) error = out_link(folder, link, strrchr(target, '/') + 1);
    free(path);
    free(link);
    free(target);
    return error;
}

char *checkpoint_save_best(const Setup *s, const char *folder, const State *state, int64_t committed_best)
{
    char *error = save(s, folder, "best", state, false);
    if (!error) sweep(folder, "best", state->step, committed_best);
    return error;
}

char *checkpoint_save(const Setup *s, const char *folder, const State *state)
{
    char *error = save(s, folder, "checkpoint", state, true);
    if (error) return error;
    sweep(folder, "checkpoint", state->step, -1);
    sweep(folder, "best", state->best_step, -1);
    return NULL;
}

/* --- loading --- */

static void take_moments(const Safetensors *file, const char *kind, const Tensor *t, real *to)
{
    char *name = text_format("%s.%s", kind, t->name);
    const StoredTensor *from = safetensors_find(file, name);
    int64_t n = t->rows * t->cols;
    bool fits = from && from->dims == (t->matrix ? 2 : 1) && from->shape[0] == (t->matrix ? t->rows : t->cols) && (!t->matrix || from->shape[1] == t->cols);
    if (!fits) die("%s: damaged: \"%s\" is missing or has another shape", file->path, name);
    for (int64_t i = 0; i < n; i++) to[i] = (real)from->at[i];
    free(name);
}

static double number_of(const Json *root, const char *key, const char *path)
{
    const Json *j = json_get(root, key);
    if (!j || (j->kind != JSON_NUMBER && j->kind != JSON_NULL)) die("%s: damaged: lacks \"%s\"", path, key);
    return j->kind == JSON_NUMBER ? j->number : NAN;
}

static const char *string_of(const Json *root, const char *key, const char *path)
{
    const Json *j = json_get(root, key);
    if (!j || j->kind != JSON_STRING) die("%s: damaged: lacks \"%s\"", path, key);
    return j->string;
}

static void load_state(const Setup *s, const char *path, State *state)
{
    Json *root = json_read(path);
    char hash[32];
    snprintf(hash, sizeof hash, "%016" PRIx64, s->corpus.hash);
    if (number_of(root, "format", path) != FORMAT) die("%s: of another format than this version's (%d)", path, FORMAT);
    double step = number_of(root, "step", path), best = number_of(root, "best_step", path);
    if (!(step >= 0 && step < 4e9 && best >= -1 && best <= step && number_of(root, "seconds", path) >= 0)) die("%s: damaged: step %g, best step %g", path, step, best);
    *state = (State){.step = (int64_t)step, .seconds = number_of(root, "seconds", path), .val_loss = number_of(root, "val_loss", path),
                     .best_step = (int64_t)best, .best_loss = number_of(root, "best_loss", path)};
    if (strcmp(string_of(root, "text_hash", path), hash)) die("%s: data.text has changed since (hash %s, now %s)", path, string_of(root, "text_hash", path), hash);
    if (strcmp(string_of(root, "kernel", path), s->blas.kernel))
        notice("this run was computed by OpenBLAS's kernel %s and goes on with %s: its last digits may differ from an uninterrupted run", string_of(root, "kernel", path),
               s->blas.kernel);
    json_free(root);
}

/* Sets `best` back to what the state knows; a later one belongs to steps that will be made again. */
static void restore_best(const char *folder, const State *state)
{
    char *link = text_format("%s/best", folder), *target = text_format("best-%lld", (long long)state->best_step), *error = NULL;
    unlink(link);
    if (state->best_step >= 0) error = out_link(folder, link, target);
    if (error) die("%s", error);
    free(target);
    free(link);
    sweep(folder, "checkpoint", state->step, -1);
    sweep(folder, "best", state->best_step, -1);
}

/* The step that a checkpoint's state.json speaks of; -1 where there is none or it is torn. */
static int64_t state_step(const char *folder, const char *name)
{
    size_t length;
    char *path = text_format("%s/%s/state.json", folder, name), *error = NULL, *text = file_bytes(path, &length, &error);
    Json *root = text ? json_parse(text, length, path, &error) : NULL;
    const Json *step = json_get(root, "step");
    int64_t found = step && step->kind == JSON_NUMBER && step->number >= 0 && step->number < 4e9 ? (int64_t)step->number : -1;
    json_free(root);
    free(error);
    free(text);
    free(path);
    return found;
}

/* Where a copy of the run has a folder in the link's place: gives it its own name back, and links to it. */
static void adopt(const char *folder, const char *kind)
{
    struct stat info;
    char *link = text_format("%s/%s", folder, kind);
    int64_t step = lstat(link, &info) == 0 && S_ISDIR(info.st_mode) ? state_step(folder, kind) : -1;
    if (step >= 0) {
        char *own = step_folder(folder, kind, step), *error;
        remove_folder(own);
        if (rename(link, own)) die("%s is a folder, not a link, and cannot be renamed to %s: %s", link, own, strerror(errno));
        error = out_link(folder, link, strrchr(own, '/') + 1);
        if (error) die("%s", error);
        free(own);
    }
    free(link);
}

/* The newest folder of the kind that is whole; -1: none. */
static int64_t newest(const char *folder, const char *kind)
{
    int64_t best = -1;
    DIR *d = opendir(folder);
    for (const struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        int64_t step = step_of(e->d_name, kind);
        if (step > best && state_step(folder, e->d_name) == step) best = step;
    }
    if (d) closedir(d);
    return best;
}

bool checkpoint_find(const char *folder)
{
    char *link = text_format("%s/checkpoint", folder);
    adopt(folder, "checkpoint");
    adopt(folder, "best");
    bool there = access(link, F_OK) == 0;
    int64_t step = there ? -1 : newest(folder, "checkpoint");
    if (step >= 0) {
        char *target = text_format("checkpoint-%lld", (long long)step), *error = out_link(folder, link, target);
        if (error) die("%s", error);
        notice("%s was gone; linked to %s again", link, target);
        free(target);
        there = true;
    }
    free(link);
    return there;
}

static void load_weights(const Setup *s, const char *folder)
{
    char *path = text_format("%s/checkpoint/model.safetensors", folder);
    Pretrained weights = {.file = safetensors_read(path)};
    pretrained_load(&weights, s->model);
    pretrained_free(&weights);
    free(path);
}

static void load_moments(const Setup *s, const char *folder)
{
    char *path = text_format("%s/checkpoint/optimizer.safetensors", folder);
    Safetensors file = safetensors_read(path);
    for (int i = 0; i < s->model->params.tensors; i++) {
        const Tensor *t = &s->model->params.tensor[i];
        take_moments(&file, "exp_avg", t, t->m);
        take_moments(&file, "exp_avg_sq", t, t->v);
    }
    safetensors_free(&file);
    free(path);
}

void checkpoint_load(Setup *s, const char *folder, State *state)
{
    char *path = text_format("%s/checkpoint/state.json", folder);
    load_state(s, path, state);
    load_weights(s, folder);
    load_moments(s, folder);
    restore_best(folder, state);
    free(path);
}
