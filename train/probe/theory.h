/* How large the residual stream should be, by theory: no forward pass, only the rules' standard deviations.
 *
 * Numbers are followed as variances, and as the covariance of two positions, in random matrices (He et al. 2015): a matrix
 * of standard deviation s multiplies by fan_in·s²; a norm makes the variance its gain's; attention at step 0 averages over
 * the positions before, which keeps the covariance and divides the rest by how many they are; the activation's moments
 * are integrals over normals. Two positions share what their tokens share. Not followed: matrices with a mean (constant),
 * mimetic's pairs, Fixup's shifts and ada_ln away from 0, attention that is far from uniform. */
#ifndef STEP0_THEORY_H
#define STEP0_THEORY_H

#include "../run/setup.h"

/* stream[0]: root mean square of the embedding; stream[l]: of the stream that leaves block l, 1 to n_layer. same_token: the
 * probability that two positions have the same token. */
void theory_stream(double *stream, const Setup *s, double same_token);

#endif
