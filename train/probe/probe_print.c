#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"
#include "../out.h"
#include "probe.h"
#include "../terminal.h"

/* --- by depth --- */

static double block_gradient(const Probe *p, int64_t l) { return p->gradient[l]; }
static double arriving(const Probe *p, int64_t l) { return p->block[l].gradient; }
static double attention_rms(const Probe *p, int64_t l) { return p->block[l].added[BRANCH_ATTENTION]; }
static double mlp_rms(const Probe *p, int64_t l) { return p->block[l].added[BRANCH_MLP]; }
static double entropy(const Probe *p, int64_t l) { return p->block[l].entropy; }
static double largest_score(const Probe *p, int64_t l) { return p->block[l].largest; }
static double leaving(const Probe *p, int64_t l) { return p->block[l].stream; }
static double predicted(const Probe *p, int64_t l) { return p->predicted[l + 1]; }
static double gradient_mean(const Probe *p, int64_t l) { return p->mean[l]; }
static double gradient_deviation(const Probe *p, int64_t l) { return p->deviation[l]; }

/* A quantity of each block: its column of the CSV. batches: only taken with --batches. */
typedef struct { const char *column; double (*at)(const Probe *, int64_t); bool batches; } Quantity;

static const Quantity quantity[] = {
    {"grad_norm", block_gradient, false},
    {"leaving_rms", leaving, false},
    {"predicted_rms", predicted, false},
    {"attn_rms", attention_rms, false},
    {"mlp_rms", mlp_rms, false},
    {"arriving_gradient_rms", arriving, false},
    {"attn_entropy", entropy, false},
    {"attn_max", largest_score, false},
    {"grad_mean", gradient_mean, true},
    {"grad_deviation", gradient_deviation, true},
};

typedef struct { double low, high; } Range;

static Range range_of(const Probe *p, int count, double (*at)(const Probe *, int64_t))
{
    Range r = {INFINITY, 0};
    for (int i = 0; i < count; i++)
        for (int64_t l = 0; l < p[i].layers; l++) {
            double x = at(&p[i], l);
            if (!(x > 0) || !isfinite(x)) continue;
            r.low = fmin(r.low, x);
            r.high = fmax(r.high, x);
        }
    return r;
}

/* A bar on a logarithmic scale that starts a little below the least number. */
static void add_bar(Text *t, double x, Range r)
{
    enum { WIDTH = 16 };
    double low = log(r.low) - 0.05 * log(r.high / r.low) - 0.1;
    terminal_bar(t, x > 0 ? (log(x) - low) / (log(r.high) - low) : 0, WIDTH);
}

/* So many blocks are shown at most: of more, evenly spaced ones, the first and the last. */
enum { SHOWN = 24 };

static bool shown(int64_t l, int64_t layers)
{
    return layers <= SHOWN || l == layers - 1 || l * SHOWN / layers != (l - 1) * SHOWN / layers || l == 0;
}

static void print_depth(const Probe *p, Range stream, Range gradient)
{
    printf("\n%s: embedding RMS %.4g (predicted %.4g)\n", p->label, p->embedding, p->predicted[0]);
    printf("  %-6s %-27s %-10s %-10s %-10s %-13s %-27s %-8s %s\n", "block", "stream RMS, leaving", "predicted", "attn adds", "mlp adds", "grad arriving", "gradient of its weights", "entropy", "largest score");
    for (int64_t l = 0; l < p->layers; l++) {
        if (!shown(l, p->layers)) continue;
        const BlockView *b = &p->block[l];
        Text t = {0};
        text_add(&t, "  h.%-4lld %-10.4g ", (long long)l, b->stream);
        add_bar(&t, b->stream, stream);
        text_add(&t, " %-10.4g %-10.4g %-10.4g %-13.3g %-10.4g ", p->predicted[l + 1], b->added[0], b->added[1], b->gradient, p->gradient[l]);
        add_bar(&t, p->gradient[l], gradient);
        text_add(&t, " %-8.3f %.3g", b->entropy, b->largest);
        printf("%s\n", t.at);
        free(t.at);
    }
}

/* A NaN without a sign. */
static double tidy(double x)
{
    return isnan(x) ? (double)NAN : x;
}

/* --- the whole network, schemes side by side --- */

static double loss_of(const Probe *p) { return p->loss; }
static double vocab_of(const Probe *p) { return p->ln_vocab; }
static double logit_std_of(const Probe *p) { return p->logit_std; }
static double log_z_of(const Probe *p) { return p->log_z; }
static double jacobian_of(const Probe *p) { return p->jacobian; }
static double top_of(const Probe *p) { return p->block[p->layers - 1].stream; }
static double predicted_top_of(const Probe *p) { return p->predicted[p->layers]; }
static double sharpness_of(const Probe *p) { return p->batches ? p->sharpness : NAN; }
static double limit_of(const Probe *p) { return p->batches ? (2 + 2 * p->beta1) / ((1 - p->beta1) * p->lr) : NAN; }

static const struct { const char *title, *column; double (*of)(const Probe *); bool batches; } whole[] = {
    {"loss", "loss", loss_of, false},
    {"ln V", "ln_vocab", vocab_of, false},
    {"logits: standard deviation", "logit_std", logit_std_of, false},
    {"logits: mean ln sum exp", "log_z", log_z_of, false},
    {"stream RMS at the top", "top_rms", top_of, false},
    {"  predicted", "predicted_top_rms", predicted_top_of, false},
    {"Jacobian: mean squared singular value", "jacobian", jacobian_of, false},
    {"sharpness that Adam sees", "sharpness", sharpness_of, true},
    {"  unstable above", "sharpness_limit", limit_of, true},
};

/* "12 bert" of "n_layer=12 scheme=bert". */
static char *short_label(const char *label)
{
    Text t = {0};
    for (const char *p = label; *p; p++) {
        const char *equals = p == label || p[-1] == ' ' ? strchr(p, '=') : NULL;
        if (equals && !memchr(p, ' ', (size_t)(equals - p))) p = equals + 1;
        text_add_bytes(&t, p, *p != 0);
    }
    return t.at;
}

/* The columns' headings, each as wide as the longest. */
static char **short_labels(const Probe *p, int count, int *width)
{
    char **label = xcalloc((size_t)count, sizeof *label);
    *width = 10;
    for (int i = 0; i < count; i++) {
        label[i] = short_label(p[i].label);
        if ((int)strlen(label[i]) > *width) *width = (int)strlen(label[i]);
    }
    return label;
}

static void print_whole(const Probe *p, int count, char *const *label, int width)
{
    printf("\n%-38s", "");
    for (int i = 0; i < count; i++) printf(" %*s", width, label[i]);
    printf("\n");
    for (size_t q = 0; q < COUNT(whole); q++) {
        if (whole[q].batches && !p->batches) continue;
        printf("%-38s", whole[q].title);
        for (int i = 0; i < count; i++) printf(" %*.5g", width, tidy(whole[q].of(&p[i])));
        printf("\n");
    }
}

static void print_slopes(const Probe *p, int count, char *const *label, int width)
{
    printf("\nGradient of the blocks' weights over depth:\n");
    for (int i = 0; i < count; i++) {
        char *sentence = fit_sentence(p[i].gradient, (int)p[i].layers);
        printf("  %-*s %s\n", width, label[i], sentence);
        free(sentence);
    }
}

/* Uniform attention over t positions has ln t. */
static void print_uniform(const Probe *p)
{
    double sum = 0;
    for (int64_t t = 1; t <= p->length; t++) sum += log((double)t);
    printf("Attention that is uniform has an entropy of %.3f.\n", sum / (double)p->length);
}

static void print_still(const Probe *p, int count)
{
    for (int i = 0; i < count; i++)
        if (p[i].batches && p[i].still)
            printf("  %s: %lld weights have no gradient in any of the %d batches and are left out of the sharpness\n", p[i].label, (long long)p[i].still, p[i].batches);
}

void probe_print(const Probe *p, int count)
{
    Range stream = range_of(p, count, leaving), gradient = range_of(p, count, block_gradient);
    for (int i = 0; i < count; i++) print_depth(&p[i], stream, gradient);
    printf("Bars are logarithmic, on one scale for all. Predicted: by theory, from the rules alone. `step0 help probe` explains.\n");
    print_uniform(p);
    int width;
    char **label = short_labels(p, count, &width);
    print_whole(p, count, label, width);
    for (int i = 0; i < count; i++)
        if (!isfinite(p[i].loss)) notice("%s: the loss of step 0 is not finite; what stands above and below means nothing", label[i]);
    print_still(p, count);
    print_slopes(p, count, label, width);
    for (int i = 0; i < count; i++) free(label[i]);
    free(label);
}

/* --- what it all means --- */

void probe_help(FILE *out)
{
    fputs("By block, over the first batch of the run that the config describes:\n"
          "  stream RMS, leaving       root mean square, over tokens and n_embd, of the residual stream behind the block\n"
          "  predicted                 the same by theory: from the rules' standard deviations alone, no forward pass\n"
          "  attn adds, mlp adds       RMS of what each branch adds to the stream, its gate included\n"
          "  grad arriving             RMS of the loss's gradient at the block's output, as it comes from above\n"
          "  gradient of its weights   L2 norm over all weights of the block, before clipping: grad_norm.h.i of metrics.csv\n"
          "  entropy                   of attention, mean over heads and queries, nats; the last line says what uniform attention has\n"
          "  largest score             of attention, in front of the softmax\n\n"
          "Of the whole:\n"
          "  loss, ln V                a head that says nothing has ln V\n"
          "  logits                    their standard deviation over the vocabulary; the mean of ln sum exp (log_z of metrics.csv)\n"
          "  Jacobian                  mean squared singular value of d(stream at the top)/d(embedding): 1 where blocks start as the\n"
          "                            identity; post-LN divides by the embedding's own size first, so compare it over depths\n"
          "  sharpness                 with --batches K: largest eigenvalue of the Hessian between D^-1/2, D the root of the mean squared\n"
          "                            gradient over K batches, as AdamW would divide by; training at a learning rate lr is unstable above\n"
          "                            (2 + 2 beta1) / ((1 - beta1) lr), 38/lr at beta1 0.9 (Cohen et al. 2022). After 20 power iterations, so it may\n"
          "                            be 10 % low; \"nan\": the eigenvalue of largest size is below 0\n\n"
          "Gradient over depth: the better of a power law and an exponential, from 6 blocks on and where it explains half of the variance\n"
          "of the logarithm (R2); the plain ratio of first to last always. Where only gates have a gradient, it is theirs.\n\n"
          "--csv: a row of the whole (layer empty), one a block, one for the stream behind the last; stream_rms is the stream that enters,\n"
          "leaving_rms that which leaves; grad_mean and grad_deviation (with --batches) are the norm of the gradient's mean over batches and\n"
          "the root of the sum of its variances; grad_norm.PART of each part but k's biases, whose gradient is 0.\n"
          "--coord: several model.n_embd (or n_layer) train 3 updates on one batch; the mean change of each kind of output goes as\n"
          "size^exponent. Under muP it is 0 (Yang et al. 2022).\n", out);
}

/* --- CSV --- */

static void add_cell(Out *out, double x)
{
    if (isnan(x)) out_print(out, ",");
    else out_print(out, ",%.9g", x);
}

/* The part without its block: attn.q.weight of h.3.attn.q.weight. */
static const char *within_block(const char *part)
{
    const char *dot = strncmp(part, "h.", 2) ? NULL : strchr(part + 2, '.');
    return dot ? dot + 1 : part;
}

static double norm_of(const Probe *p, const char *part, int64_t layer)
{
    char *name = layer < 0 ? xstrdup(part) : text_format("h.%lld.%s", (long long)layer, part);
    double norm = NAN;
    for (int i = 0; i < p->parts; i++)
        if (!strcmp(p->part[i], name)) norm = p->part_norm[i];
    free(name);
    return norm;
}

/* The columns of gradient norms: each part once, whatever its block, in all of the models. */
typedef struct { const char **name; int count; } PartColumns;

static PartColumns part_columns(const Probe *p, int count)
{
    PartColumns c = {0};
    for (int i = 0; i < count; i++)
        for (int k = 0; k < p[i].parts; k++) {
            const char *name = within_block(p[i].part[k]);
            int at = 0;
            while (at < c.count && strcmp(c.name[at], name)) at++;
            if (at < c.count) continue;
            c.name = xrealloc(c.name, (size_t)c.count + 1, sizeof *c.name);
            c.name[c.count++] = name;
        }
    return c;
}

static void write_header(Out *out, const PartColumns *parts)
{
    out_print(out, "config,layer,stream_rms");
    for (size_t q = 0; q < COUNT(quantity); q++) out_print(out, ",%s", quantity[q].column);
    for (size_t q = 0; q < COUNT(whole); q++) out_print(out, ",%s", whole[q].column);
    for (int i = 0; i < parts->count; i++) out_print(out, ",grad_norm.%s", parts->name[i]);
    out_print(out, "\n");
}

/* layer -1: the network as a whole; n_layer: the stream that leaves the last block. */
static void write_row(Out *out, const Probe *p, int64_t layer, const PartColumns *parts)
{
    bool block = layer >= 0 && layer < p->layers;
    out_quoted(out, p->label);
    if (layer < 0) out_print(out, ",,");
    else out_print(out, ",%lld,%.9g", (long long)layer, layer == 0 ? p->embedding : p->block[layer - 1].stream);
    for (size_t q = 0; q < COUNT(quantity); q++) add_cell(out, block && (p->batches || !quantity[q].batches) ? quantity[q].at(p, layer) : NAN);
    for (size_t q = 0; q < COUNT(whole); q++) add_cell(out, layer < 0 ? whole[q].of(p) : NAN);
    for (int i = 0; i < parts->count; i++) add_cell(out, block || layer < 0 ? norm_of(p, parts->name[i], layer) : NAN);
    out_print(out, "\n");
}

void probe_csv(const char *path, const Probe *p, int count)
{
    Out out = out_create(path);
    PartColumns parts = part_columns(p, count);
    write_header(&out, &parts);
    for (int i = 0; i < count; i++)
        for (int64_t l = -1; l <= p[i].layers; l++) write_row(&out, &p[i], l, &parts);
    free(parts.name);
    char *error = out_close(&out, false);
    if (error) die("%s", error);
}
