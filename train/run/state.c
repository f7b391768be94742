#include "state.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../digest.h"

enum { FORMAT = 3 };

char *hash_text(char out[17], uint64_t hash)
{
    snprintf(out, 17, "%016" PRIx64, hash);
    return out;
}

/* --- the seal --- */

static const char seal[] = "checksum";

/* Of a value as JSON without blanks. */
static void put_seal(Json *j)
{
    char digits[17], *text = json_print(j, false);
    Digest d = {0};
    digest_add(&d, text, strlen(text));
    json_put_string(j, seal, hash_text(digits, digest_value(&d)));
    free(text);
}

char *state_sealed(Json *j)
{
    put_seal(j);
    char *body = json_print(j, true), *text = text_format("%s\n", body);
    free(body);
    json_free(j);
    return text;
}

static void check_seal(const Json *root, const char *path)
{
    Json *without = json_new(JSON_OBJECT);
    const Json *found = NULL;
    for (const Json *m = root->child; m; m = m->next) {
        if (!strcmp(m->key, seal)) found = m;
        else json_put(without, m->key, json_copy(m));
    }
    put_seal(without);
    const char *right = json_get(without, seal)->string;
    if (!found || found->kind != JSON_STRING || strcmp(found->string, right)) die("%s: damaged or changed: its content does not have the checksum that it names", path);
    json_free(without);
}

/* --- writing --- */

char *state_text(const State *state, uint64_t text_hash, const char *kernel, const FileDigest *file, int files)
{
    char digits[17];
    Json *j = json_new(JSON_OBJECT);
    json_put_number(j, "format", FORMAT);
    json_put_string(j, "run", state->run);
    json_put_number(j, "step", (double)state->step);
    json_put_number(j, "seconds", state->seconds);
    json_put_number(j, "val_loss", state->val_loss);
    json_put_number(j, "best_step", (double)state->best_step);
    json_put_number(j, "best_loss", state->best_loss);
    if (state->rows >= 0) json_put_number(j, "rows", (double)state->rows);
    json_put_string(j, "text_hash", hash_text(digits, text_hash));
    json_put_string(j, "kernel", kernel);
    Json *all = json_put(j, "files", json_new(JSON_OBJECT));
    for (int i = 0; i < files; i++) json_put_string(all, file[i].name, hash_text(digits, file[i].digest));
    return state_sealed(j);
}

/* --- reading --- */

static const Json *member(const Json *root, const char *key, JsonKind kind, const char *path)
{
    const Json *j = json_get(root, key);
    bool fits = j && (j->kind == kind || (kind == JSON_NUMBER && j->kind == JSON_NULL));
    if (!fits) die("%s: damaged: lacks \"%s\"", path, key);
    return j;
}

/* NAN where it is null. */
static double number(const Json *root, const char *key, const char *path)
{
    const Json *j = member(root, key, JSON_NUMBER, path);
    return j->kind == JSON_NUMBER ? j->number : NAN;
}

static bool whole(double x, double min, double max)
{
    return x >= min && x <= max && x == floor(x);
}

StateFile state_read(const char *path)
{
    Json *root = json_read(path);
    if (root->kind != JSON_OBJECT) die("%s: damaged: it is %s, not an object", path, json_kind_name(root));
    double format = number(root, "format", path);
    if (format != FORMAT) die("%s: of format %g; this version reads %d", path, format, FORMAT);
    check_seal(root, path);
    double step = number(root, "step", path), best = number(root, "best_step", path), seconds = number(root, "seconds", path);
    double rows = json_get(root, "rows") ? number(root, "rows", path) : -1;
    if (!whole(rows, -1, step)) die("%s: damaged: %g rows at step %g", path, rows, step);
    if (!whole(step, 0, 4e9) || !whole(best, -1, step) || !(seconds >= 0)) die("%s: damaged: step %g, best step %g, %g seconds", path, step, best, seconds);
    StateFile f = {.state = {.step = (int64_t)step, .seconds = seconds, .val_loss = number(root, "val_loss", path), .best_step = (int64_t)best,
                             .best_loss = number(root, "best_loss", path), .rows = (int64_t)rows},
                   .text_hash = member(root, "text_hash", JSON_STRING, path)->string, .kernel = member(root, "kernel", JSON_STRING, path)->string, .json = root};
    snprintf(f.state.run, sizeof f.state.run, "%s", member(root, "run", JSON_STRING, path)->string);
    return f;
}

bool state_is_of_another(const char *path, const char *run)
{
    char *error = NULL;
    Json *root = json_try_read(path, &error);
    const Json *own = root && root->kind == JSON_OBJECT ? json_get(root, "run") : NULL;
    bool another = own && own->kind == JSON_STRING && strcmp(own->string, run);
    free(error);
    json_free(root);
    return another;
}

void state_free(StateFile *s)
{
    json_free(s->json);
    *s = (StateFile){0};
}

void state_check_files(const StateFile *s, const char *folder, const char *but)
{
    const Json *files = member(s->json, "files", JSON_OBJECT, folder);
    for (const Json *m = files->child; m; m = m->next) {
        if (but && !strcmp(m->key, but)) continue;
        char *path = text_format("%s/%s", folder, m->key), digits[17];
        uint64_t digest;
        char *error = digest_file(path, &digest);
        if (error) die("%s", error);
        if (m->kind != JSON_STRING || strcmp(m->string, hash_text(digits, digest)))
            die("%s: damaged or changed: it does not have the checksum that state.json beside it names (changed on purpose? then init.from takes a copy of the folder without state.json)", path);
        free(path);
    }
}
