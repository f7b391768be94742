/* Checkpoints: checkpoint-STEP/ with model.safetensors and config.json (Hugging Face's GPT-2 names and layout),
 * tokenizer.json, optimizer.safetensors (exp_avg.NAME, exp_avg_sq.NAME) and state.json; `checkpoint` links to it.
 * best-STEP/ holds the weights of the lowest validation loss, without the optimizer; `best` links to it.
 *
 * A folder is written whole and synced, then the link is swapped by rename, then what nothing needs any more goes. So a
 * crash at any moment leaves either the old checkpoint or the new one, and perhaps a folder that the next start sweeps. A
 * folder that another process reads just then (hold.h) stays until the next save. */
#ifndef STEP0_CHECKPOINT_H
#define STEP0_CHECKPOINT_H

#include "setup.h"
#include "state.h"

/* Both return the error, released with free, or NULL. committed_best: the best_step of the checkpoint on disk (-1: none),
 * which stays until the next checkpoint. A step that the checkpoint on disk has already must not be saved again. */
char *checkpoint_save(const Setup *s, const char *folder, const State *state);
char *checkpoint_save_best(const Setup *s, const char *folder, const State *state, int64_t committed_best);

/* Whether the folder has a checkpoint. Mends what copying or a crash did to the links: a folder in a link's place, a link
 * that is gone while a whole checkpoint-STEP is there. Dies where one of these is damaged, cannot be read or is another run's
 * than `run` (state.h). */
bool checkpoint_find(const char *folder, const char *run);

/* Weights, moments and state of the folder's checkpoint; what a crash left behind is swept, `best` set back to the one
 * that the state knows. Dies where it is damaged, another run's than state->run, or was made from another text. */
void checkpoint_load(Setup *s, const char *folder, State *state);

/* Removes every checkpoint of the folder. Returns the error or NULL. */
char *checkpoint_remove_all(const char *folder);

#endif
