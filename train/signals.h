/* SIGINT and SIGTERM: the first asks the run to stop after its step, a second one of
 * either kind ends it at once. SIGPIPE and SIGXFSZ are ignored: what they mean comes back as an error of write. */
#ifndef STEP0_SIGNALS_H
#define STEP0_SIGNALS_H

void signals_watch(void);

/* The signal that asked to stop; 0: none. */
int signals_caught(void);

#endif
