/* state.json, as it is and with the right checksum put in. */
#include "harness.h"

#include "../../train/run/state.h"

static void read(const char *text, size_t length)
{
    fuzz_file("state.json", text, length);
    StateFile f = state_read("run/checkpoint/state.json");
    const State *s = &f.state;
    assert(s->step >= 0 && s->step <= 4000000000 && s->best_step >= -1 && s->best_step <= s->step && s->seconds >= 0 && s->rows >= -1 && s->rows <= s->step && f.text_hash && f.kernel);
    state_check_files(&f, "/nowhere", NULL);
    state_free(&f);
}

void fuzz_one(const char *text, size_t length)
{
    char *error;
    Json *j = json_parse(text, length, "fuzzed", &error), *open = json_new(JSON_OBJECT);
    if (!j || j->kind != JSON_OBJECT) return read(text, length);
    for (const Json *m = j->child; m; m = m->next)
        if (strcmp(m->key, "checksum")) json_put(open, m->key, json_copy(m));
    json_free(j);
    char *sealed = state_sealed(open);
    read(sealed, strlen(sealed));
    free(sealed);
}
