/* Safetensors: a whole file or, where it starts with a brace, a header to which its length and 64 bytes of data are added.
 * What is accepted is read to the last number and offered to a model. */
#include "harness.h"

#include "../../train/run/pretrained.h"

static void offer(Safetensors *s)
{
    const Shape shape = {.n_layer = 1, .n_head = 1, .n_embd = 1, .n_inner = 1, .block_size = 1, .vocab_size = 1, .tied = true, .norm = NORM_NONE};
    Pretrained p = {.file = *s};
    Gpt *g = gpt_new(&shape, 1, 1);
    pretrained_load(&p, g);
    for (int64_t i = 0; i < g->params.size; i++) assert(isfinite((double)g->params.tensor[0].w[i]));
    gpt_free(g);
}

void fuzz_one(const char *text, size_t length)
{
    enum { DATA = 64 };
    uint64_t header = length;
    char *bytes = xcalloc(8 + length + DATA, 1);
    memcpy(bytes, &header, 8);
    memcpy(bytes + 8, text, length);
    bool whole = *text != '{';
    fuzz_file("fuzzed", whole ? text : bytes, whole ? length : 8 + length + DATA);
    Safetensors s = safetensors_read("fuzzed");
    if (whole) memcpy(&header, text, 8);
    uint64_t numbers = 0, data = whole ? length - 8 - header : DATA;
    volatile float sum = 0;
    for (int i = 0; i < s.tensors; i++) {
        int64_t n = 1;
        for (int d = 0; d < s.tensor[i].dims; d++) n *= s.tensor[i].shape[d];
        for (int64_t k = 0; k < n; k++) sum += s.tensor[i].at[k];
        numbers += (uint64_t)n;
        assert(safetensors_find(&s, s.tensor[i].name) == &s.tensor[i]);
    }
    assert(4 * numbers == data);
    offer(&s);
}
