#include "checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../model/file.h"
#include "checkpoint_files.h"
#include "hold.h"
#include "../out.h"
#include "pretrained.h"
#include "safetensors.h"

/* --- sweeping --- */

static char *remove_file(const char *folder, const char *name)
{
    char *path = text_format("%s/%s", folder, name), *error = out_remove(path);
    free(path);
    return error;
}

/* A folder that need not be there, with its files; of a link to one the link alone. A folder with a state.json is whole, so this
 * one goes first. */
static char *remove_folder(const char *path)
{
    struct stat info;
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) return out_remove(path);
    char *error = remove_file(path, "state.json");
    DIR *d = error ? NULL : opendir(path);
    if (!error && !d && errno != ENOENT) error = text_format("cannot remove %s: %s", path, strerror(errno));
    for (const struct dirent *e = d ? readdir(d) : NULL; e && !error; e = readdir(d))
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) error = remove_file(path, e->d_name);
    if (d) closedir(d);
    if (!error && rmdir(path) && errno != ENOENT) error = text_format("cannot remove %s: %s", path, strerror(errno));
    return error;
}

/* "checkpoint-12" is of kind "checkpoint" and step 12; anything else is -1. */
static int64_t step_of(const char *name, const char *kind)
{
    size_t length = strlen(kind);
    if (strncmp(name, kind, length) || name[length] != '-') return -1;
    char *end;
    long long step = strtoll(name + length + 1, &end, 10);
    return end > name + length + 1 && !*end ? step : -1;
}

static bool is_of_another(const char *folder, const char *run)
{
    char *state = text_format("%s/state.json", folder);
    bool another = state_is_of_another(state, run);
    free(state);
    return another;
}

/* Unless somebody reads it, or it is another run's. run NULL: in any case. */
static char *drop(const char *path, const char *run)
{
    int held = -1;
    if (!run) return remove_folder(path);
    char *error = !is_of_another(path, run) && hold_to_remove(path, &held) ? remove_folder(path) : NULL;
    hold_end(held);
    return error;
}

/* Drops the folders of a kind but those of two steps (-1: none), and links that a crash left half made. */
static char *sweep(const char *folder, const char *kind, int64_t keep, int64_t keep_too, const char *run)
{
    char *fresh = text_format("%s" OUT_FRESH, kind), *error = NULL;
    DIR *d = opendir(folder);
    if (!d) error = text_format("cannot read the folder %s: %s", folder, strerror(errno));
    for (const struct dirent *e = d ? readdir(d) : NULL; e && !error; e = readdir(d)) {
        int64_t step = step_of(e->d_name, kind);
        bool half_made = !strcmp(e->d_name, fresh);
        if (!half_made && (step < 0 || step == keep || step == keep_too)) continue;
        char *path = text_format("%s/%s", folder, e->d_name);
        error = half_made ? out_remove(path) : drop(path, run);
        free(path);
    }
    if (d) closedir(d);
    free(fresh);
    return error;
}

/* Where what nothing needs any more cannot be removed, or is read just now, the run goes on; the next save tries again. */
static void sweep_or_say(const char *folder, const char *kind, int64_t keep, int64_t keep_too, const char *run)
{
    char *error = sweep(folder, kind, keep, keep_too, run);
    if (error) notice("%s; what is of no use any more stays there", error);
    free(error);
}

static char *remove_link(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode) ? remove_folder(path) : out_remove(path);
}

char *checkpoint_remove_all(const char *folder)
{
    static const char *const kind[] = {"checkpoint", "best"};
    char *error = NULL;
    for (size_t i = 0; i < COUNT(kind) && !error; i++) {
        char *link = text_format("%s/%s", folder, kind[i]);
        error = remove_link(link);
        if (!error) error = sweep(folder, kind[i], -1, -1, NULL);
        free(link);
    }
    return error;
}

/* --- saving --- */

static char *step_folder(const char *folder, const char *kind, int64_t step)
{
    return text_format("%s/%s-%lld", folder, kind, (long long)step);
}

/* Writes a checkpoint of a kind into its own folder and swaps the link. What could not be written whole goes: it may be
 * what fills the disk. */
static char *save(const Setup *s, const char *folder, const char *kind, const State *state, bool with_optimizer)
{
    char *target = step_folder(folder, kind, state->step), *link = text_format("%s/%s", folder, kind);
    char *error = checkpoint_write(s, target, state, with_optimizer);
    if (error) free(remove_folder(target));
    else error = out_link(folder, link, strrchr(target, '/') + 1);
    free(link);
    free(target);
    return error;
}

char *checkpoint_save_best(const Setup *s, const char *folder, const State *state, int64_t committed_best)
{
    char *error = save(s, folder, "best", state, false);
    if (!error) sweep_or_say(folder, "best", state->step, committed_best, state->run);
    return error;
}

char *checkpoint_save(const Setup *s, const char *folder, const State *state)
{
    char *error = save(s, folder, "checkpoint", state, true);
    if (error) return error;
    sweep_or_say(folder, "checkpoint", state->step, -1, state->run);
    sweep_or_say(folder, "best", state->best_step, -1, state->run);
    return NULL;
}

/* --- loading --- */

static void take_moments(const Safetensors *file, const char *kind, const Tensor *t, real *to)
{
    char *name = text_format("%s.%s", kind, t->name);
    const StoredTensor *from = safetensors_find(file, name);
    int64_t n = t->rows * t->cols;
    bool fits = from && from->dims == (t->matrix ? 2 : 1) && from->shape[0] == (t->matrix ? t->rows : t->cols) && (!t->matrix || from->shape[1] == t->cols);
    if (!fits) die("%s: damaged: \"%s\" is missing or has another shape", file->path, name);
    for (int64_t i = 0; i < n; i++) {
        if (isnan(from->at[i]) || (to == t->v && from->at[i] < 0)) die("%s: damaged: \"%s\" has %g at index %lld", file->path, name, (double)from->at[i], (long long)i);
        to[i] = (real)from->at[i];
    }
    free(name);
}

/* The state.json of a checkpoint of that run; dies where it is another one's. */
static StateFile read_own(const char *path, const char *run)
{
    StateFile f = state_read(path);
    if (!*run) die("%s: run.json lacks \"run\", the name of its run (%s)", path, f.state.run);
    if (strcmp(f.state.run, run)) die("%s: of another run (%s; run.json says %s); put this run's own checkpoint in its place, or start anew with --overwrite", path, f.state.run, run);
    return f;
}

static void load_state(const Setup *s, const char *folder, State *state)
{
    char *path = text_format("%s/checkpoint/state.json", folder), *files = text_format("%s/checkpoint", folder), hash[17];
    StateFile f = read_own(path, state->run);
    state_check_files(&f, files, NULL);
    hash_text(hash, s->corpus.hash);
    if (strcmp(f.text_hash, hash)) die("%s: data.text has changed since (hash %s, now %s); only with the text of then the run goes on", path, f.text_hash, hash);
    if (strcmp(f.kernel, s->blas.kernel))
        notice("this run was computed by OpenBLAS's kernel %s and goes on with %s: its last digits may differ from an uninterrupted run", f.kernel, s->blas.kernel);
    *state = f.state;
    state_free(&f);
    free(files);
    free(path);
}

/* The step of a checkpoint that is whole; -1: the folder has no state.json, a crash left it. Dies where that is damaged or cannot
 * be read or is another run's, and (files) where another file is damaged: nothing may take it for nothing, and remove it. */
static int64_t state_step(const char *folder, const char *name, const char *run, bool files)
{
    char *own = text_format("%s/%s", folder, name), *path = text_format("%s/state.json", own);
    int64_t step = -1;
    if (file_is_there(path)) {
        StateFile f = read_own(path, run);
        if (files) state_check_files(&f, own, NULL);
        step = f.state.step;
        state_free(&f);
    }
    free(path);
    free(own);
    return step;
}

/* Sets `best` back to what the state knows; a later one belongs to steps that will be made again. */
static void restore_best(const char *folder, const State *state)
{
    char *link = text_format("%s/best", folder), *target = text_format("best-%lld", (long long)state->best_step);
    bool whole = state->best_step >= 0 && state_step(folder, target, state->run, false) == state->best_step;
    char *error = whole ? out_link(folder, link, target) : out_remove(link);
    if (error) die("%s", error);
    if (!whole && state->best_step >= 0)
        notice("%s/%s is gone, the weights of the lowest validation loss (%.4f); a lower one will be kept again", folder, target, state->best_loss);
    free(target);
    free(link);
    sweep_or_say(folder, "checkpoint", state->step, -1, state->run);
    sweep_or_say(folder, "best", state->best_step, -1, state->run);
}

/* Where a copy of the run has a folder in the link's place: gives it its own name back, and links to it. */
static void adopt(const char *folder, const char *kind, const char *run)
{
    struct stat info;
    char *link = text_format("%s/%s", folder, kind);
    int64_t step = lstat(link, &info) == 0 && S_ISDIR(info.st_mode) ? state_step(folder, kind, run, true) : -1;
    if (step >= 0) {
        char *own = step_folder(folder, kind, step);
        if (is_of_another(own, run)) die("%s is of another run, and in the place where %s belongs; move it away", own, link);
        char *error = remove_folder(own);
        if (error) die("%s", error);
        if (rename(link, own)) die("%s is a folder, not a link, and cannot be renamed to %s: %s", link, own, strerror(errno));
        error = out_link(folder, link, strrchr(own, '/') + 1);
        if (error) die("%s", error);
        free(own);
    }
    free(link);
}

/* The newest folder of the kind that is whole; -1: none. */
static int64_t newest(const char *folder, const char *kind, const char *run)
{
    int64_t best = -1;
    DIR *d = opendir(folder);
    if (!d && errno != ENOENT) die("cannot read the folder %s: %s", folder, strerror(errno));
    for (const struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        int64_t step = step_of(e->d_name, kind);
        int64_t own = step < 0 ? -1 : state_step(folder, e->d_name, run, false);
        if (own >= 0 && own != step) die("%s/%s is the checkpoint of step %lld; give it that name", folder, e->d_name, (long long)own);
        if (own > best) best = own;
    }
    if (d) closedir(d);
    return best;
}

bool checkpoint_find(const char *folder, const char *run)
{
    char *link = text_format("%s/checkpoint", folder);
    adopt(folder, "checkpoint", run);
    adopt(folder, "best", run);
    bool there = file_is_there(link);
    int64_t step = there ? -1 : newest(folder, "checkpoint", run);
    struct stat info;
    if (!there && step < 0 && lstat(link, &info) == 0) die("%s is a link to a folder that is not there; bring it back, or start anew with --overwrite", link);
    if (step >= 0) {
        char *target = text_format("checkpoint-%lld", (long long)step), *error = out_link(folder, link, target);
        if (error) die("%s", error);
        notice("%s was gone; linked to %s again", link, target);
        free(target);
        there = true;
    }
    free(link);
    return there;
}

static void load_weights(const Setup *s, const char *folder)
{
    char *path = text_format("%s/checkpoint/model.safetensors", folder);
    Pretrained weights = {.file = safetensors_read(path)};
    pretrained_load(&weights, s->model);
    pretrained_free(&weights);
    free(path);
}

static void load_moments(const Setup *s, const char *folder)
{
    char *path = text_format("%s/checkpoint/optimizer.safetensors", folder);
    Safetensors file = safetensors_read(path);
    if (file.tensors != 2 * s->model->params.tensors) die("%s: damaged: it has %d tensors, this model's moments are %d", path, file.tensors, 2 * s->model->params.tensors);
    for (int i = 0; i < s->model->params.tensors; i++) {
        const Tensor *t = &s->model->params.tensor[i];
        take_moments(&file, "exp_avg", t, t->m);
        take_moments(&file, "exp_avg_sq", t, t->v);
    }
    safetensors_free(&file);
    free(path);
}

void checkpoint_load(Setup *s, const char *folder, State *state)
{
    load_state(s, folder, state);
    load_weights(s, folder);
    load_moments(s, folder);
    restore_best(folder, state);
}
