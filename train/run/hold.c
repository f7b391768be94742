#include "hold.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../model/file.h"

/* -1 where the folder is not there any more, or is held against it. */
static int hold(const char *folder, int lock)
{
    int held = (int)TEMP_FAILURE_RETRY(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (held < 0) return -1;
    bool refused = flock(held, lock | LOCK_NB) && errno == EWOULDBLOCK;
    if (!refused && file_leads(folder, held)) return held;
    close(held);
    errno = refused ? EWOULDBLOCK : ENOENT;
    return -1;
}

/* NULL: it is no link. */
static char *behind_link(const char *path)
{
    char target[PATH_MAX];
    ssize_t n = readlink(path, target, sizeof target - 1);
    if (n <= 0) return NULL;
    target[n] = 0;
    const char *slash = strrchr(path, '/');
    return *target == '/' || !slash ? xstrdup(target) : text_format("%.*s/%s", (int)(slash - path), path, target);
}

char *hold_to_read(const char *path, int *held)
{
    enum { TRIES = 100 };
    for (int tries = 0; tries < TRIES; tries++) {
        char *folder = behind_link(path);
        if (!folder) break;
        *held = hold(folder, LOCK_SH);
        if (*held >= 0) return folder;
        free(folder);
    }
    *held = hold(path, LOCK_SH);
    return xstrdup(path);
}

bool hold_to_remove(const char *folder, int *held)
{
    *held = hold(folder, LOCK_EX);
    return *held >= 0 || errno != EWOULDBLOCK;
}

void hold_end(int held)
{
    if (held >= 0) close(held);
}
