#include "live_report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "progress.h"
#include "record.h"

enum { SECONDS = 10 };

static void start(LiveReport *r)
{
    char *page = text_format("%s/" REPORT_FILE, r->folder);
    char *const word[] = {"step0", "compare", (char *)r->folder, "--html", page, NULL};
    r->made = progress_clock();
    r->process = fork();
    if (r->process == 0) {
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        execv("/proc/self/exe", word);
        _exit(127);
    }
    free(page);
}

void live_report_refresh(LiveReport *r)
{
    if (!r->folder || (r->made > 0 && progress_clock() - r->made < SECONDS)) return;
    if (r->process > 0 && waitpid(r->process, NULL, WNOHANG) == 0) return;
    start(r);
}

/* Its status; -1 where there was none. */
static int await(LiveReport *r)
{
    int status = -1;
    while (r->process > 0 && waitpid(r->process, &status, 0) < 0 && errno == EINTR) continue;
    r->process = 0;
    return status;
}

void live_report_finish(LiveReport *r)
{
    if (!r->folder) return;
    await(r);
    start(r);
    if (await(r) != 0) notice("the report could not be made; try: step0 compare %s --html FILE", r->folder);
}
