/* What the program does about signals, in every command but where it says otherwise what the system does. */
#ifndef STEP0_SIGNALS_H
#define STEP0_SIGNALS_H

#include <signal.h>

/* For every command: a limit of a file's size (SIGXFSZ) comes back as an error of write, with path and reason. */
void signals_of_files(void);

/* For train and sweep. SIGINT, SIGTERM and SIGHUP (a terminal that was closed; not where nohup had it ignored): the first
 * asks the run to stop, a SIGINT or SIGTERM behind it ends it at once. A reader that is gone (SIGPIPE) comes back as an error of
 * write: nobody reads the progress, and the run goes on. */
void signals_watch(void);

/* The signal that asked to stop; 0: none. */
int signals_caught(void);

/* Around a fork: the signals that ask to stop wait. What they were before is what releases them. In the child, before that:
 * signals_default. */
sigset_t signals_hold(void);
void signals_release(const sigset_t *before);
void signals_default(void);

#endif
