#include "signals.h"

#include <signal.h>
#include <stddef.h>

#include "../model/base.h"

/* Those that ask to stop, and what they do once one of them came. A shell lets every job that it starts in the background
 * ignore SIGINT, which means nothing here; nohup lets its program ignore SIGHUP, and means it. When a terminal is closed both
 * the system and the shell send SIGHUP: it comes twice and asks once. */
static const struct { int number; bool may_be_ignored; void (*again)(int); } stopping[] = {
    {SIGINT, false, SIG_DFL}, {SIGTERM, false, SIG_DFL}, {SIGHUP, true, SIG_IGN}};

static volatile sig_atomic_t caught;

static void note(int number)
{
    caught = number;
    for (size_t i = 0; i < COUNT(stopping); i++) signal(stopping[i].number, stopping[i].again);
}

static void set(size_t i, void (*handler)(int))
{
    struct sigaction now, next = {.sa_handler = handler, .sa_flags = SA_RESTART};
    bool ignored = sigaction(stopping[i].number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
    if (!ignored || !stopping[i].may_be_ignored) sigaction(stopping[i].number, &next, NULL);
}

void signals_watch(void)
{
    for (size_t i = 0; i < COUNT(stopping); i++) set(i, note);
    signal(SIGPIPE, SIG_IGN);
}

void signals_default(void)
{
    for (size_t i = 0; i < COUNT(stopping); i++) set(i, SIG_DFL);
}

void signals_of_files(void)
{
    signal(SIGXFSZ, SIG_IGN);
}

sigset_t signals_hold(void)
{
    sigset_t held, before;
    sigemptyset(&held);
    for (size_t i = 0; i < COUNT(stopping); i++) sigaddset(&held, stopping[i].number);
    sigprocmask(SIG_BLOCK, &held, &before);
    return before;
}

void signals_release(const sigset_t *before)
{
    sigprocmask(SIG_SETMASK, before, NULL);
}

int signals_caught(void)
{
    return caught;
}
