#include "step.h"

#include <math.h>

#include "../signals.h"
#include "optim.h"

double step_gradients(Setup *s, int64_t step, Watch *watch, bool *cut)
{
    double sum = 0, scale = 1 / (double)setup_step_tokens(s);
    params_zero_gradients(&s->model->params, s->threads);
    watch_start(watch);
    for (int64_t k = 0; k < s->config.grad_accum; k++) {
        Batch b = setup_batch(s, step, k);
        sum += gpt_loss_back(s->model, &b, scale);
        watch_batch(watch, b.rows * b.length);
        *cut = k + 1 < s->config.grad_accum && signals_caught();
        if (*cut) break;
    }
    watch_stop(watch);
    return sum * scale;
}

const char *step_bad_gradient(const Params *p, const double *square)
{
    for (int i = p->parts - 1; i >= 0; i--)
        if (!isfinite(square[i])) return p->part[i].name;
    return "the sum of all";
}

const char *step_bad_update(const Setup *s, const MetricsRow *row)
{
    int part = optim_overflow(&s->model->params, &s->config, s->factors, row->step, row->lr, optim_clip(&s->config, row->norm));
    return part < 0 ? NULL : s->model->params.part[part].name;
}

bool step_weights_are_finite(const Params *p)
{
    double sum = 0;
    for (int i = 0; i < p->tensors; i++) sum += kernel_squares(p->tensor[i].w, p->tensor[i].rows * p->tensor[i].cols);
    return isfinite(sum);
}
