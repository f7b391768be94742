#include "signals.h"

#include <signal.h>

static volatile sig_atomic_t caught;

static void note(int number)
{
    caught = number;
}

void signals_watch(void)
{
    /* Reset on delivery: the second one has its usual effect. */
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int signals_caught(void)
{
    return caught;
}
