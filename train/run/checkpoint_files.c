/* Each writer returns the error or NULL. */
#include "checkpoint_files.h"

#include <stdlib.h>
#include <string.h>

#include "safetensors.h"

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
    if (s->bias || !shape_is_gpt2(s) || !end || !strncmp(t->name, "wte", 3) || !strncmp(t->name, "wpe", 3) || !strncmp(t->name, "lm_head", 7)) return;
    Tensor bias = {.rows = 1, .cols = t->cols};
    list_add(l, text_format("transformer.%.*s.bias", (int)(end - t->name), t->name), &bias, l->zero);
}

static char *write_list(List *l, const char *path, uint64_t *digest)
{
    static_assert(sizeof(real) == sizeof(float), "files hold floats");
    Out out = out_open(path, false);
    safetensors_write(&out, l->tensor, l->tensors);
    for (int i = 0; i < l->tensors; i++) free(l->tensor[i].name);
    free(l->tensor);
    free(l->zero);
    *digest = digest_value(&out.digest);
    return out_close(&out, true);
}

static List new_list(const Gpt *g)
{
    int64_t widest = 0;
    for (int i = 0; i < g->params.tensors; i++) widest = max_i64(widest, g->params.tensor[i].cols);
    return (List){.tensor = xcalloc(2 * (size_t)g->params.tensors, sizeof(StoredTensor)), .zero = xcalloc((size_t)widest, sizeof(real))};
}

static char *write_model(const Setup *s, const char *path, uint64_t *digest)
{
    const Gpt *g = s->model;
    List l = new_list(g);
    for (int i = 0; i < g->params.tensors; i++) {
        const Tensor *t = &g->params.tensor[i];
        list_add(&l, hugging_face_name(t->name), t, t->w);
        list_add_zero_bias(&l, &g->shape, t);
    }
    return write_list(&l, path, digest);
}

static char *write_optimizer(const Setup *s, const char *path, uint64_t *digest)
{
    const Gpt *g = s->model;
    List l = new_list(g);
    for (int i = 0; i < g->params.tensors; i++) {
        const Tensor *t = &g->params.tensor[i];
        list_add(&l, text_format("exp_avg.%s", t->name), t, t->m);
        list_add(&l, text_format("exp_avg_sq.%s", t->name), t, t->v);
    }
    return write_list(&l, path, digest);
}

static char *write_json(Json *j, const char *path, uint64_t *digest)
{
    char *text = json_print(j, true);
    Out out = out_open(path, false);
    out_write(&out, text, strlen(text));
    out_write(&out, "\n", 1);
    free(text);
    json_free(j);
    *digest = digest_value(&out.digest);
    return out_close(&out, true);
}

static char *write_config(const Setup *s, const char *path, uint64_t *digest)
{
    static const char *const activation[ACTIVATIONS] = {[GELU] = "gelu_new", [GELU_EXACT] = "gelu", [RELU] = "relu"};
    static const char *const rate[] = {"resid_pdrop", "embd_pdrop", "attn_pdrop"};
    const Shape *m = &s->model->shape;
    Json *j = json_new(JSON_OBJECT);
    bool gpt2 = shape_is_gpt2(m);
    json_put_string(json_put(j, "architectures", json_new(JSON_ARRAY)), NULL, gpt2 ? "GPT2LMHeadModel" : "Step0");
    json_put_string(j, "model_type", gpt2 ? "gpt2" : "step0");
    json_put_number(j, "vocab_size", (double)m->vocab_size);
    json_put_number(j, "n_positions", (double)m->block_size);
    json_put_number(j, "n_ctx", (double)m->block_size);
    json_put_number(j, "n_embd", (double)m->n_embd);
    json_put_number(j, "n_layer", (double)m->n_layer);
    json_put_number(j, "n_head", (double)m->n_head);
    json_put_number(j, "n_inner", (double)m->n_inner);
    json_put_string(j, "activation_function", activation[m->activation]);
    json_put_number(j, "layer_norm_epsilon", NORM_EPS);
    for (size_t i = 0; i < COUNT(rate); i++) json_put_number(j, rate[i], s->config.dropout);
    json_put_bool(j, "tie_word_embeddings", m->tied);
    json_put(j, "bos_token_id", json_new(JSON_NULL));
    json_put(j, "eos_token_id", json_new(JSON_NULL));
    json_put_string(j, "torch_dtype", "float32");
    return write_json(j, path, digest);
}

static char *write_tokenizer(const Setup *s, const char *path, uint64_t *digest)
{
    return write_json(tokenizer_json(&s->tokenizer), path, digest);
}

static char *write_state(const Setup *s, const State *state, const char *path, const FileDigest *digest, int files)
{
    char *text = state_text(state, s->corpus.hash, s->blas.kernel, digest, files);
    Out out = out_create(path);
    out_write(&out, text, strlen(text));
    free(text);
    return out_close(&out, true);
}

typedef char *Writer(const Setup *, const char *, uint64_t *);
static const struct { const char *name; Writer *write; bool optimizer; } file[] = {
    {"model.safetensors", write_model, false}, {"config.json", write_config, false}, {"tokenizer.json", write_tokenizer, false},
    {"optimizer.safetensors", write_optimizer, true}};
static const char state_name[] = "state.json";

bool checkpoint_names(const char *name)
{
    for (size_t i = 0; i < COUNT(file); i++)
        if (!strcmp(name, file[i].name)) return true;
    return !strcmp(name, state_name);
}

/* Each file, and last its state, which appears whole, so that a folder that has it is whole. */
char *checkpoint_write(const Setup *s, const char *folder, const State *state, bool with_optimizer)
{
    FileDigest written[COUNT(file)];
    int files = 0;
    char *error = out_folder(folder);
    for (size_t i = 0; i < COUNT(file) && !error; i++) {
        if (file[i].optimizer && !with_optimizer) continue;
        char *path = text_format("%s/%s", folder, file[i].name);
        written[files].name = file[i].name;
        error = file[i].write(s, path, &written[files++].digest);
        free(path);
    }
    char *path = text_format("%s/%s", folder, state_name);
    if (!error) error = write_state(s, state, path, written, files);
    free(path);
    return error ? error : out_sync_folder(folder);
}
