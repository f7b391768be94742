/* state.json, the last file of a checkpoint: where the run stands, from what it was made, and the checksum of every file
 * beside it and of itself, so that no flipped bit of a checkpoint goes unnoticed. */
#ifndef STEP0_STATE_H
#define STEP0_STATE_H

#include "../../model/json.h"

typedef struct {
    char run[17];              /* drawn when the run began, and in its run.json too: no other run's checkpoint passes for its own */
    int64_t step;              /* updates made */
    double seconds;            /* of training */
    double val_loss;           /* the last one taken; NAN: none */
    int64_t best_step;         /* of the lowest validation loss; -1: none */
    double best_loss;
    int64_t rows;              /* of metrics.csv, of the steps before; -1: not known */
} State;

typedef struct { const char *name; uint64_t digest; } FileDigest;

/* The text of state.json, released with free. text_hash: of data.text; kernel: OpenBLAS's. */
char *state_text(const State *state, uint64_t text_hash, const char *kernel, const FileDigest *file, int files);

/* An object with its checksum put in as its last member, as text, released with free; frees the object. */
char *state_sealed(Json *j);

typedef struct {
    State state;
    const char *text_hash, *kernel;    /* as long as json */
    Json *json;
} StateFile;

/* Dies where the file is damaged or of another format, naming it and what is wrong. */
StateFile state_read(const char *path);
void state_free(StateFile *s);

/* Whether a state.json can be read and names another run. */
bool state_is_of_another(const char *path, const char *run);

/* Dies where a file of the folder is gone, or not the one that the state was written with. but: one that does not matter, or
 * NULL. */
void state_check_files(const StateFile *s, const char *folder, const char *but);

/* 64 bits as state.json and run.json write them: 16 hexadecimal digits. Returns out. */
char *hash_text(char out[17], uint64_t hash);

#endif
