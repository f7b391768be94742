#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "config_read.h"

/* Whether a file's value of a key is its default, or what its scheme says. */
static bool came_with_scheme(const Config *file, const Key *k)
{
    const Json *own = json_get(json_get(file->scheme, "model"), config_leaf(k->path));
    if (config_has_fallback(file, k)) return true;
    if (!own) return false;
    Json *value = config_value(file, k), *set = config_canonical(k, own, ".");
    config_put_params(set, k, json_get(file->scheme, "params"));
    bool same = json_equal(value, set);
    json_free(value);
    json_free(set);
    return same;
}

/* A run's resolved.json writes out its scheme, and every key. Where the overrides take another scheme or other params, the
 * keys that came with the old one are as if they had not been given. */
static void release_scheme_keys(Config *c, bool *given, const char *path, char *const *override, int overrides)
{
    bool *of_file = xcalloc((size_t)config_keys, sizeof *of_file);
    Config file = config_open(path, of_file);
    bool other = !json_equal(file.scheme, c->scheme) || !json_equal(file.params, c->params);
    for (int i = 0; i < config_keys && other && file.scheme->kind == JSON_OBJECT; i++) {
        const Key *k = &config_key[i];
        if (strncmp(k->path, "model.", 6) || config_gives(override, overrides, k->path) || !came_with_scheme(&file, k)) continue;
        Json *usual = config_fallback(k);
        if (usual) config_set(c, k, usual, ".");
        given[i] = false;
        json_free(usual);
    }
    config_free(&file);
    free(of_file);
}

Plan plan_read(const char *path, char *const *override, int overrides, bool *given)
{
    Plan p = {.config = config_load(path, override, overrides, given)};
    if (path && overrides) release_scheme_keys(&p.config, given, path, override, overrides);
    p.scheme = scheme_load(p.config.scheme, ".", p.config.params, p.config.rules);
    config_put_all_params(&p.config, json_get(p.scheme.json, "params"));
    if (p.config.from) return p;
    config_apply_scheme(&p.config, &p.scheme, given);
    config_finish(&p.config, given);
    return p;
}

void plan_free(Plan *p)
{
    scheme_free(&p->scheme);
    config_free(&p->config);
}
