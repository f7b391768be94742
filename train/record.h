/* A run's folder: who may write it, and the files about the run as a whole. */
#ifndef STEP0_RECORD_H
#define STEP0_RECORD_H

#include "setup.h"

#define STEP0_VERSION "0.1"

typedef enum { RUN_RUNNING, RUN_FINISHED, RUN_DIVERGED, RUN_INTERRUPTED, RUN_FAILED, RUN_STATUSES } RunStatus;
extern const char *const run_status_name[RUN_STATUSES];

/* runs/NAME and the overrides that change the outcome, or --out. Released with free. */
char *record_folder(const Config *c, const Args *args);

/* Dies where the run's folder may not be used: a file, a folder of something else, a run without --resume/--overwrite. */
void record_check(const Config *c, const Args *args);

/* Makes the folder, or with --overwrite empties it of what step0 writes. */
void record_begin(const char *folder);

/* A file of the folder, written whole and synced. Dies where that fails. */
void record_file(const char *folder, const char *file, const char *bytes, size_t n);

/* resolved.json and init.csv. */
void record_start(const Setup *s, const char *folder);

/* run.json. step: the last step reached; val_loss NAN where none. */
void record_status(const Setup *s, const char *folder, RunStatus status, int64_t step, double seconds, double val_loss);

/* The status in a folder's run.json; -1 where it has none. */
int record_read_status(const char *folder);

#endif
