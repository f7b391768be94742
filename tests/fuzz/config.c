/* Config files (what starts with a brace) and overrides, a line each. What is accepted is written out as resolved.json, and
 * that reads back as the same config. */
#include "harness.h"

#include "../../train/config/plan.h"

static Plan plan_of(const char *text, size_t length, char *const *override, int overrides)
{
    bool *given = xcalloc((size_t)config_keys, sizeof *given);
    if (text) fuzz_file("fuzzed.json", text, length);
    return plan_read(text ? "fuzzed.json" : NULL, override, overrides, given);
}

static char *resolved(const Plan *p)
{
    Json *j = config_resolved(&p->config, p->scheme.json);
    char *text = json_print(j, true);
    json_free(j);
    return text;
}

void fuzz_one(const char *text, size_t length)
{
    enum { OVERRIDES = 16 };
    char *override[OVERRIDES], *lines = xstrdup(text);
    int overrides = 0;
    for (char *line = strtok(lines, "\n"); line && overrides < OVERRIDES; line = strtok(NULL, "\n")) override[overrides++] = line;
    Plan first = *text == '{' ? plan_of(text, length, NULL, 0) : plan_of(NULL, 0, override, overrides);
    if (first.config.from) return;
    char *once = resolved(&first);
    Plan second = plan_of(once, strlen(once), NULL, 0);
    char *twice = resolved(&second);
    if (strcmp(once, twice)) {
        fprintf(stderr, "%s\n---\n%s\n", once, twice);
        abort();
    }
    plan_free(&first);
    plan_free(&second);
}
