/* Schemes whose parts kill each other. */
#ifndef STEP0_ALIVE_H
#define STEP0_ALIVE_H

#include "scheme.h"

/* After blas_start. Dies, with the reason, where some weights would have a gradient of exactly 0 for ever; notices what is merely unusual. */
void scheme_check_alive(const Scheme *s, const Shape *shape);

#endif
