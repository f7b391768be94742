/* The optimizer: learning rate by step, clipping, AdamW. */
#ifndef STEP0_OPTIM_H
#define STEP0_OPTIM_H

#include "../config/config.h"

/* Learning rate of update s, 0 to N-1, w = warmup_steps. s < w: lr·(s+1)/w. Then, with p = (s-w)/max(1, N-1-w),
 *     cosine    min_lr + (lr - min_lr)·(1 + cos πp)/2
 *     linear    lr + (min_lr - lr)·p
 *     constant  lr
 *     wsd       lr, and over the last D = decay_steps updates in equal steps down to min_lr, which the last one has. */
double optim_lr(const Config *c, int64_t s);

/* What the gradient is multiplied by: min(1, grad_clip/(norm + 1e-6)), PyTorch's clip_grad_norm_; 1 without clipping. */
double optim_clip(const Config *c, double norm);

/* Update s: AdamW on gradients times `clip`, with decay on tensors of two dimensions. factors (one a part) multiply lr,
 * weight_decay and eps. */
void optim_step(Params *p, const Config *c, const Factors *factors, int64_t s, double lr, double clip, int threads);

/* The part that update s would give a weight that is not finite, the last one of the table; -1: none. Only an update whose
 * rates allow it is tried, on copies. */
int optim_overflow(Params *p, const Config *c, const Factors *factors, int64_t s, double lr, double clip);

#endif
