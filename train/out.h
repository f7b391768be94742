/* The one writer of a run's files: write(2), and errors that stick until somebody asks. */
#ifndef STEP0_OUT_H
#define STEP0_OUT_H

#include "digest.h"

#define OUT_FRESH ".step0-new"     /* behind the name of what is being written; a name that nobody else gives */

typedef struct {
    int file;          /* -1: could not be opened */
    char *path;
    char *fresh;       /* out_create: what is written, until out_close renames it to path */
    char *error;       /* the first thing that failed, with path and reason; NULL: all is well */
    bool lost;         /* error: the file is no longer where it was opened, or was changed by another program */
    Text waiting;      /* bytes not yet written */
    int64_t size;      /* of the file by now; where it is no longer that long, or not at its path, that is an error */
    Digest digest;     /* of all bytes given to out_write */
} Out;

/* Creates or empties a file, or (append) opens it at its end. After an error the other functions do nothing. */
Out out_open(const char *path, bool append);

/* A file that appears whole or not at all: its bytes go to PATH.step0-new, which out_close syncs and renames to `path`; where
 * anything failed, what stood at `path` stays. A pipe or a device is written to as it is. */
Out out_create(const char *path);
void out_write(Out *o, const void *bytes, size_t n);
void out_print(Out *o, const char *fmt, ...) PRINTF(2, 3);

/* A cell of CSV that is text: in quotes, quotes inside it doubled. csv_quoted's is released with free. */
char *csv_quoted(const char *text);
void out_quoted(Out *o, const char *text);

/* Bytes wait until there are many; these hand them to the system, and to the disk. */
void out_flush(Out *o);
void out_sync(Out *o);

/* Syncs to disk where asked, closes. Returns the error, released with free, or NULL. */
char *out_close(Out *o, bool sync);

/* out_create, out_write, out_close. Returns the error or NULL. */
char *out_replace(const char *path, const void *bytes, size_t n);

/* Makes the link `path` point to `target` by renaming a fresh link over it, and syncs `folder`, which holds it. */
char *out_link(const char *folder, const char *path, const char *target);

/* Syncs a folder's entries, of a file the folder that holds it. Returns the error or NULL. */
char *out_sync_folder(const char *path);
char *out_sync_parent(const char *path);

/* Removes a file or a link, which need not be there. Returns the error or NULL. */
char *out_remove(const char *path);

/* Makes a folder and its parents, and syncs what holds them. Returns the error or NULL. */
char *out_folder(const char *path);

#endif
