#include "signals.h"

#include <signal.h>

static volatile sig_atomic_t caught;

static void note(int number)
{
    caught = number;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

void signals_watch(void)
{
    /* Also where they were ignored: a shell does that to every job that it starts in the background. */
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* A reader that is gone and a limit of size come back as errors of write. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

int signals_caught(void)
{
    return caught;
}
