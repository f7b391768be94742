#include "generate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../model/decode.h"
#include "../model/noise.h"
#include "signals.h"

static int32_t known_id(const Tokenizer *t, const char *prompt, size_t at)
{
    const unsigned char *p = (const unsigned char *)prompt + at;
    int32_t id = t->id[*p];
    if (id >= 0) return id;
    size_t n = utf8_length(p, p + strlen((const char *)p));
    die("the prompt's character '%.*s' (byte 0x%02x at offset %zu) is not in the model's vocabulary", n ? (int)n : 1, n ? (const char *)p : "?", *p, at);
}

static int by_size(const void *a, const void *b)
{
    real x = *(const real *)a, y = *(const real *)b;
    return (x < y) - (x > y);
}

/* The k-th largest logit: those below it are not drawn. */
static real threshold(const real *logit, int64_t n, int64_t k)
{
    if (k <= 0 || k >= n) return -(real)INFINITY;
    real *sorted = xcalloc((size_t)n, sizeof *sorted);
    memcpy(sorted, logit, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    real least = sorted[k - 1];
    free(sorted);
    return least;
}

static int32_t largest(const real *logit, int64_t n)
{
    int32_t best = 0;
    for (int32_t i = 1; i < n; i++)
        if (logit[i] > logit[best]) best = i;
    return best;
}

static int32_t draw(const real *logit, int64_t n, const Sampling *how, int64_t index)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(logit[i])) die("the model's logits are not finite; it cannot be sampled from");
    int32_t best = largest(logit, n);
    if (how->temperature == 0) return best;
    real least = threshold(logit, n, how->top_k);
    double sum = 0, most = (double)logit[best];
    for (int64_t i = 0; i < n; i++)
        if (logit[i] >= least) sum += exp(((double)logit[i] - most) / how->temperature);
    double left = sum * noise_unit(noise_at(how->seed, NOISE_SAMPLES, (uint32_t)index, 0, 0, 0));
    for (int32_t i = 0; i < n; i++) {
        if (logit[i] < least) continue;
        left -= exp(((double)logit[i] - most) / how->temperature);
        if (left <= 0) return i;
    }
    return best;
}

/* Feeds a token; where the context is full, first its younger half again. */
static const real *feed(Decoder *d, const int32_t *id, int64_t at)
{
    int64_t T = d->model->shape.block_size;
    if (d->length == T) {
        decoder_reset(d);
        for (int64_t i = at - T / 2; i < at; i++) decoder_feed(d, id[i]);
    }
    return decoder_feed(d, id[at]);
}

char *generate(Gpt *g, const Tokenizer *t, const char *prompt, const Sampling *how, size_t *length)
{
    const char *start = *prompt ? prompt : "\n";
    bool hidden = !*prompt;
    size_t given = strlen(start);
    int32_t *id = xcalloc(given + (size_t)how->tokens, sizeof *id);
    char *text = xcalloc(given + (size_t)how->tokens + 1, 1);
    for (size_t i = 0; i < given; i++) id[i] = hidden && t->id[(unsigned char)start[i]] < 0 ? 0 : known_id(t, start, i);
    Decoder d = decoder_new(g);
    const real *logit = NULL;
    for (size_t i = 0; i < given; i++) logit = feed(&d, id, (int64_t)i);
    assert(logit);
    for (int64_t i = 0; i < how->tokens && !signals_caught(); i++) {
        id[given + (size_t)i] = draw(logit, g->shape.vocab_size, how, i);
        if (i + 1 < how->tokens) logit = feed(&d, id, (int64_t)given + i);
    }
    *length = 0;
    for (size_t i = hidden ? given : 0; i < given + (size_t)how->tokens; i++) text[(*length)++] = (char)t->byte[id[i]];
    decoder_free(&d);
    free(id);
    return text;
}

void print_bytes(const char *bytes, size_t length)
{
    if (!isatty(STDOUT_FILENO)) {
        fwrite(bytes, 1, length, stdout);
        return;
    }
    char shown[5];
    const unsigned char *p = (const unsigned char *)bytes, *end = p + length;
    while (p < end) {
        p += utf8_shown(shown, p, end);
        fputs(shown, stdout);
    }
}
