/* A run's folder: who may write it, and the files about the run as a whole. */
#ifndef STEP0_RECORD_H
#define STEP0_RECORD_H

#include "checkpoint.h"

#define STEP0_VERSION "0.1"
#define REPORT_FILE "report.html"      /* of a run or a sweep, in its folder */

typedef enum { RUN_RUNNING, RUN_FINISHED, RUN_DIVERGED, RUN_INTERRUPTED, RUN_FAILED, RUN_STATUSES } RunStatus;
extern const char *const run_status_name[RUN_STATUSES];

/* runs/NAME and the overrides that change the outcome, or --out. Released with free. */
char *record_folder(const Config *c, const Args *args);

/* Dies where the run's folder may not be used: a file, a folder of something else, a run without --resume/--overwrite. */
void record_check(const Config *c, const Args *args);

/* Makes the folder and locks it until this process ends; dies where another process has it. Returns the lock's descriptor. */
int record_lock(const char *folder);

/* record_check, and, where a run is resumed, record_lock: what mends a run must hold it. Returns the lock; -1: there is none yet. */
int record_claim(const Config *c, const Args *args);

/* Whether one of a run's files has that name. */
bool record_names(const char *file);

/* Those below that return something: the error, released with free, or NULL. */

/* Empties the folder of what an earlier run wrote, but for run.json, which must say by then that a run is on. */
char *record_clear(const char *folder);

/* The keys that decide the outcome and have other values in the folder's resolved.json, a line each; NULL where there are
 * none. Texts are told apart by their bytes, not here (record_check_text, checkpoint_load). Released with free. */
char *record_differences(const Config *c, const Scheme *scheme, const char *folder);

/* Whether the folder holds a run but not its resolved.json: killed in its first moment, while it emptied the folder. */
bool record_lacks_config(const char *folder);

/* Before a resume: keys that differ from the folder's resolved.json and may (data.text, which may have been moved:
 * checkpoint_load compares the bytes), a line each, to be announced; NULL where there are none. Released with free. Dies
 * with the list of those that may not. */
char *record_compare(const Setup *s, const char *folder);

/* A file of the folder, written whole and synced. */
char *record_file(const char *folder, const char *file, const char *bytes, size_t n);

/* resolved.json, and with it init.csv. */
char *record_resolved(const Setup *s, const char *folder);
char *record_start(const Setup *s, const char *folder);

/* run.json, with the status and what has been reached. */
char *record_status(const Setup *s, const char *folder, RunStatus status, const State *state);

/* The status in a folder's run.json; -1 where it has none. */
int record_read_status(const char *folder);

/* A new name for State.run; the one in a folder's run.json, "" where it has none. */
void record_draw_run(char run[17]);
void record_read_run(const char *folder, char run[17]);

/* Dies where the run in a folder was trained on a text of another hash. */
void record_check_text(const char *folder, uint64_t hash);

#endif
