#include "pretrained.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../model/file.h"
#include "hold.h"
#include "pretrained_shape.h"
#include "state.h"

static bool exists(const char *folder, const char *file)
{
    char *path = text_format("%s/%s", folder, file);
    bool there = file_is_there(path);
    free(path);
    return there;
}

/* A checkpoint names the checksums of its files; a Hugging Face folder has none. */
static void check_files(Pretrained *p)
{
    if (!exists(p->folder, "state.json")) return;
    char *path = text_format("%s/state.json", p->folder);
    StateFile f = state_read(path);
    state_check_files(&f, p->folder, "optimizer.safetensors");
    snprintf(p->text_hash, sizeof p->text_hash, "%s", f.text_hash);
    state_free(&f);
    free(path);
}

static bool has_weights(const char *path)
{
    int held;
    char *folder = hold_to_read(path, &held);
    bool has = exists(folder, "model.safetensors");
    hold_end(held);
    free(folder);
    return has;
}

bool pretrained_exists(const char *folder)
{
    char *checkpoint = text_format("%s/checkpoint", folder);
    bool has = has_weights(folder) || has_weights(checkpoint);
    free(checkpoint);
    return has;
}

char *pretrained_run(const char *folder)
{
    if (exists(folder, "resolved.json")) return xstrdup(folder);
    int held;
    char *inside = hold_to_read(folder, &held), *above = text_format("%s/..", inside);
    char *run = exists(above, "resolved.json") && exists(inside, "state.json") ? realpath(above, NULL) : NULL;
    hold_end(held);
    free(above);
    free(inside);
    return run;
}

/* The file's tensor for one of the model's. */
static const StoredTensor *fitting(const Pretrained *p, const Tensor *to)
{
    const StoredTensor *from = pretrained_stored(p, to->name);
    if (!from) die("%s: has no tensor \"%s\" of %lld x %lld numbers", p->file.path, to->name, (long long)to->rows, (long long)to->cols);
    bool fits = to->matrix ? from->dims == 2 && from->shape[0] == to->rows && from->shape[1] == to->cols : from->dims == 1 && from->shape[0] == to->cols;
    if (!fits) die("%s: tensor \"%s\" has shape %lld x %lld; this model needs %lld x %lld", p->file.path, from->name, (long long)from->shape[0],
                   from->dims > 1 ? (long long)from->shape[1] : 1LL, (long long)to->rows, (long long)to->cols);
    return from;
}

/* A folder may claim any size: its tensors tell, before there is memory for a model. */
static void check_tensors(const Pretrained *p, const Config *c)
{
    if (c->n_layer > p->file.tensors) die("%s: has %d tensors, too few for the %lld layers of its config", p->file.path, p->file.tensors, (long long)c->n_layer);
    if (c->n_embd % c->n_head) die("%s: its n_head %lld does not divide its n_embd %lld", p->folder, (long long)c->n_head, (long long)c->n_embd);
    Shape shape = config_shape(c, p->vocab_size);
    Gpt *g = gpt_declared(&shape);
    for (int i = 0; i < g->params.tensors; i++) fitting(p, &g->params.tensor[i]);
    gpt_free(g);
}

/* Why there are no weights in a folder, which `whole` says is a run's. */
static char *lacking(const char *path, bool whole)
{
    if (!whole && !file_is_there(path)) return text_format("there is no folder %s", path);
    if (!whole && exists(path, "checkpoint/model.safetensors")) return text_format("%s lacks resolved.json; %s/checkpoint would do", path, path);
    return text_format("%s has no model.safetensors%s", path, whole ? "; this run has no checkpoint" : "");
}

/* All files are read from one checkpoint, though a training beside us may make the next one meanwhile. */
Pretrained pretrained_open(Config *c, bool *given, const char *source)
{
    int held;
    bool whole = exists(source, "resolved.json");
    char *path = whole ? text_format("%s/checkpoint", source) : xstrdup(source);
    Pretrained p = {.folder = hold_to_read(path, &held)};
    if (!exists(p.folder, "model.safetensors"))
        die("init.from: %s", lacking(path, whole));
    char *run = whole ? xstrdup(source) : pretrained_run(p.folder);
    check_files(&p);
    char *file = text_format("%s/model.safetensors", p.folder), *tokenizer = text_format("%s/tokenizer.json", p.folder);
    p.file = safetensors_read(file);
    if (run) pretrained_take_run(&p, c, given, run);
    else pretrained_take_gpt2(&p, c, given);
    p.has_tokenizer = file_is_there(tokenizer);
    if (p.has_tokenizer) p.tokenizer = tokenizer_read(tokenizer);
    if (p.vocab_size < 1 || p.vocab_size > INT32_MAX) die("%s: a vocabulary of %lld", p.folder, (long long)p.vocab_size);
    if (p.has_tokenizer && p.tokenizer.size != p.vocab_size)
        die("%s: tokenizer.json has %d tokens, the model a vocabulary of %lld", p.folder, p.tokenizer.size, (long long)p.vocab_size);
    check_tensors(&p, c);
    hold_end(held);
    free(path);
    free(run);
    free(file);
    free(tokenizer);
    return p;
}

void pretrained_free(Pretrained *p)
{
    safetensors_free(&p->file);
    free(p->folder);
    *p = (Pretrained){0};
}

/* --- weights --- */

static void copy(const Pretrained *p, Tensor *to, bool *used)
{
    const StoredTensor *from = fitting(p, to);
    for (int64_t i = 0; i < to->rows * to->cols; i++) {
        if (!isfinite(from->at[i])) die("%s: tensor \"%s\" has %g at index %lld; weights are finite numbers", p->file.path, from->name, (double)from->at[i], (long long)i);
        to->w[i] = (real)from->at[i];
    }
    used[from - p->file.tensor] = true;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

/* Buffers that old files carry, a tied head written twice, and the zero biases of a bias-free model. */
static bool harmless(const StoredTensor *t, const Shape *s)
{
    if (ends_with(t->name, ".attn.bias") || ends_with(t->name, ".attn.masked_bias")) return true;
    if (s->tied && !strcmp(t->name, "lm_head.weight")) return true;
    if (s->bias || !ends_with(t->name, ".bias") || t->dims != 1) return false;
    for (int64_t i = 0; i < t->shape[0]; i++)
        if (t->at[i] != 0) return false;
    return true;
}

void pretrained_load(const Pretrained *p, Gpt *g)
{
    bool *used = xcalloc((size_t)p->file.tensors, sizeof *used);
    for (int i = 0; i < g->params.tensors; i++) copy(p, &g->params.tensor[i], used);
    for (int i = 0; i < p->file.tensors; i++)
        if (!used[i] && !harmless(&p->file.tensor[i], &g->shape))
            die("%s: tensor \"%s\" has no place in this model", p->file.path, p->file.tensor[i].name);
    free(used);
}
