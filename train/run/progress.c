#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../terminal.h"

static const double LIVE_EVERY = 0.1, PLAIN_EVERY = 10;      /* seconds */

double progress_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

Progress progress_new(bool quiet)
{
    return (Progress){.quiet = quiet, .terminal = terminal_live(), .started = -1, .shown = -1e9};
}

char *duration_text(char out[32], double seconds)
{
    long long s = (long long)(seconds + 0.5);
    if (s >= 3600) snprintf(out, 32, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
    else snprintf(out, 32, "%lld:%02lld", s / 60, s % 60);
    return out;
}

static char *line_of(const Progress *p, double now, int64_t step, int64_t steps, int64_t step_tokens, double loss, double val_loss, double norm)
{
    char left[32];
    Text t = {0};
    text_add(&t, "step %lld/%lld  loss %.4f", (long long)step, (long long)steps, loss);
    if (!isnan(val_loss)) text_add(&t, "  val %.4f", val_loss);
    text_add(&t, "  |g| %.3g", norm);
    if (step > p->first) {
        double each = (now - p->started) / (double)(step - p->first);
        text_add(&t, "  %.0f tokens/s  ETA %s", (double)step_tokens / each, duration_text(left, each * (double)(steps - step)));
    }
    return t.at;
}

void progress_show(Progress *p, int64_t step, int64_t steps, int64_t step_tokens, double loss, double val_loss, double norm, bool shown)
{
    double now = progress_clock();
    if (p->started < 0) p->started = now, p->first = step;
    if (p->quiet || (!shown && now - p->shown < (p->terminal ? LIVE_EVERY : PLAIN_EVERY))) return;
    p->shown = now;
    char *line = line_of(p, now, step, steps, step_tokens, loss, val_loss, norm);
    int columns, rows;
    terminal_size(&columns, &rows);
    if (p->terminal) fprintf(stderr, "\r%.*s\033[K", columns - 1, line);
    else fprintf(stderr, "%s\n", line);
    p->live = p->terminal;
    if (shown) progress_break(p);
    free(line);
}

void progress_break(Progress *p)
{
    if (p->live) fputc('\n', stderr);
    p->live = false;
}
