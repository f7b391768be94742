/* What is measured of a network at step 0. */
#ifndef STEP0_PROBE_H
#define STEP0_PROBE_H

#include <stdio.h>

#include "../../model/observe.h"
#include "../run/setup.h"

typedef struct {
    char *label;               /* what varies, or the scheme's name */
    int64_t layers, length;    /* length: block_size */
    double loss, ln_vocab, lr, beta1;
    double embedding;          /* RMS of the stream that enters the first block */
    BlockView *block;          /* [L] */
    double *predicted;         /* [L+1] RMS of the stream by theory: of the embedding, then behind each block */
    double *gradient;          /* [L] norm of the gradient of each block's parameters */
    char **part; double *part_norm; int parts;   /* gradient norm of each part but k's biases, whose is 0 but for rounding */
    double logit_std, log_z;
    double jacobian;           /* mean squared singular value of d(last stream)/d(embedding): E |Jᵀv|² / n·C over normal v */
    int batches;               /* over which the next ones are; 0: not taken */
    double *mean, *deviation;  /* [L] norm of the gradient's mean over batches; root of the sum of its variances */
    double sharpness;          /* largest eigenvalue of D^-½ H D^-½, D = root of the mean squared gradient over the batches + eps */
                               /* after 20 power iterations; NAN where that is not above 0 */
    int64_t still;             /* weights left out of it, as their gradient is 0 in every batch */
} Probe;

/* batches: 0, or at least 2. */
Probe probe_measure(Setup *s, const char *label, int batches);
void probe_free(Probe *p);

/* Of `batches` batches: p->mean, deviation, sharpness. */
void probe_batches(Probe *p, Setup *s, int batches);

/* The gradient of the mean loss of a step's first micro-batch, in the parameters' g; returns the loss. */
double probe_gradient(Setup *s, int64_t step);

void probe_help(FILE *out);    /* step0 help probe */
void probe_print(const Probe *p, int count);
void probe_csv(const char *path, const Probe *p, int count);

#endif
