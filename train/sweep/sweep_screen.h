/* What a person sees during a sweep, on stderr. A line stays for every run that has ended. Below them, on a terminal, a
 * block that is redrawn in place: the count of all, then a line for each running run, as many as fit the window. The cursor
 * stands at the start of the line below the block between two frames, shown as ever: however the program ends, even by kill
 * -9, the terminal is as it was. Elsewhere: plain lines. */
#ifndef STEP0_SWEEP_SCREEN_H
#define STEP0_SWEEP_SCREEN_H

#include "../run/progress.h"
#include "sweep_jobs.h"

typedef struct {
    const Job *job; int jobs;
    int at_once;
    const char *folder;        /* of the sweep */
    bool live, colors;
    double started, drawn;     /* by progress_clock */
    int lines, columns;        /* of the block that stands there */
    Text told;                 /* warnings of runs that were shown */
} Screen;

Screen screen_new(const Job *job, int jobs, int at_once, const char *folder);

/* Whether it is time to redraw: every 0.2 seconds on a terminal, never elsewhere. */
bool screen_is_due(const Screen *s, double now);
void screen_draw(Screen *s, double now);

/* The line of a run that has ended, and what it warned of, each warning once a sweep. */
void screen_ended(Screen *s, const Job *job);

/* Takes the block away. */
void screen_free(Screen *s);

#endif
