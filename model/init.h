/* Step 0: filling the weights by a scheme, and the proof that it was done.
 *
 * The weight at (row, col) of a part is a monotone function of its own uniform number u(seed, part's name, row, col), so
 * schemes share their noise, and widths share it where they overlap. */
#ifndef STEP0_INIT_H
#define STEP0_INIT_H

#include "scheme.h"

typedef struct {
    Rule rule;
    bool loaded;                       /* from a file, not by the rule */
    double expected_std;               /* of the rule itself; NAN where it has none, or the weights are loaded or rescaled */
    double measured_std;               /* root mean square about the rule's mean */
    double z;                          /* their difference in standard errors σ√((κ-1)/4n); NAN for constants, matrix rules */
    double mean, min, max, kurtosis;   /* as measured; kurtosis NAN where nothing varies */
} PartReport;

/* Fills all weights. */
void init_weights(Gpt *g, const Scheme *s, uint64_t seed);

/* Measures each part against its rule; released with free. loaded: the weights came from a file. */
PartReport *init_report(const Gpt *g, const Scheme *s, bool loaded);

/* Whether a part whose deviation chance does not touch (constants, orthogonal matrices) has it but for rounding; true of the others,
 * which z judges. */
bool init_is_exact(const PartReport *r);

#endif
