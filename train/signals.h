/* SIGINT and SIGTERM: the first asks the run to stop after its step, a second one ends it at once. */
#ifndef STEP0_SIGNALS_H
#define STEP0_SIGNALS_H

void signals_watch(void);

/* The signal that asked to stop; 0: none. */
int signals_caught(void);

#endif
