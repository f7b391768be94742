#include "grid.h"

#include <stdlib.h>
#include <string.h>

#include "config_read.h"

/* A key and its values, as an override gives them and as names show them. bare: a word without "=". */
typedef struct { char *key; bool bare; char **value, **shown; int values; } Axis;

static const char *end_of_value(const char *p)
{
    int depth = 0;
    bool quoted = false;
    for (; *p; p++) {
        if (*p == '"' && !(quoted && p[-1] == '\\')) quoted = !quoted;
        if (quoted) continue;
        if (strchr("[{(", *p)) depth++;
        if (strchr("]})", *p)) depth--;
        if (*p == ',' && depth <= 0) break;
    }
    return p;
}

static void add_value(Axis *a, char *value, char *shown)
{
    a->value = xrealloc(a->value, (size_t)a->values + 1, sizeof *a->value);
    a->shown = xrealloc(a->shown, (size_t)a->values + 1, sizeof *a->shown);
    a->value[a->values] = value;
    a->shown[a->values++] = shown;
}

static char *shown_word(const char *value)
{
    char *error = NULL;
    Json *j = json_parse(value, strlen(value), "", &error);
    char *text = j ? config_shown(j) : xstrdup(value);
    json_free(j);
    free(error);
    return text;
}

static Axis axis_of_word(const char *override)
{
    const char *equals = strchr(override, '=');
    Axis a = {.key = equals ? text_format("%.*s", (int)(equals - override), override) : xstrdup(override), .bare = !equals};
    for (const char *p = equals ? equals + 1 : "";;) {
        const char *end = end_of_value(p);
        char *value = text_format("%.*s", (int)(end - p), p);
        if (!*value && (*end || a.values)) die("\"%s\" on the command line: value %d of its list is empty", override, a.values + 1);
        add_value(&a, value, shown_word(value));
        if (!*end) return a;
        p = end + 1;
    }
}

static Axis axis_of_list(const Json *list)
{
    Axis a = {.key = xstrdup(list->key)};
    for (const Json *v = list->child; v; v = v->next) add_value(&a, xstrdup(v->string), xstrdup(v->key));
    return a;
}

static Axis *axes_of(const Json *sweep, char *const *override, int overrides, int *axes)
{
    int room = overrides, n = 0;
    for (const Json *m = sweep ? sweep->child : NULL; m; m = m->next) room++;
    Axis *axis = xcalloc((size_t)room, sizeof *axis);
    for (const Json *m = sweep ? sweep->child : NULL; m; m = m->next)
        if (!config_gives(override, overrides, m->key)) axis[n++] = axis_of_list(m);
    for (int i = 0; i < overrides; i++) axis[n++] = axis_of_word(override[i]);
    *axes = n;
    return axis;
}

static void axes_free(Axis *axis, int axes)
{
    for (int i = 0; i < axes; i++) {
        for (int v = 0; v < axis[i].values; v++) {
            free(axis[i].value[v]);
            free(axis[i].shown[v]);
        }
        free(axis[i].key);
        free(axis[i].value);
        free(axis[i].shown);
    }
    free(axis);
}

/* What a folder's name calls the key: its last word, or all of it where another key that varies ends in the same. */
static const char *axis_name(const Axis *axis, int axes, int i)
{
    const char *leaf = config_leaf(axis[i].key);
    for (int j = 0; j < axes; j++)
        if (j != i && axis[j].values > 1 && !strcmp(config_leaf(axis[j].key), leaf)) return axis[i].key;
    return leaf;
}

static Cell cell_at(const Axis *axis, int axes, int index)
{
    Cell c = {.override = xcalloc((size_t)axes + 1, sizeof(char *)), .overrides = axes};
    Text label = {0};
    text_add(&label, "%s", "");
    for (int i = 0, stride = 1; i < axes; i++, stride = 1) {
        for (int j = i + 1; j < axes; j++) stride *= axis[j].values;
        int v = index / stride % axis[i].values;
        c.override[i] = text_format("%s%s%s", axis[i].key, axis[i].bare ? "" : "=", axis[i].value[v]);
        if (axis[i].values > 1) text_add(&label, "%s%s=%s", label.length ? " " : "", axis_name(axis, axes, i), axis[i].shown[v]);
    }
    c.label = label.at;
    return c;
}

Cell *grid_cells(const Json *sweep, char *const *override, int overrides, int *cells)
{
    int axes;
    Axis *axis = axes_of(sweep, override, overrides, &axes);
    *cells = 1;
    for (int i = 0; i < axes; i++) {
        for (int j = 0; j < i; j++)
            if (!strcmp(axis[i].key, axis[j].key) && axis[i].values + axis[j].values > 2) die("%s is given twice, once with several values; give it once", axis[i].key);
        if (__builtin_mul_overflow(*cells, axis[i].values, cells) || *cells > 100000) die("more than 100000 combinations");
    }
    Cell *cell = xcalloc((size_t)*cells, sizeof *cell);
    for (int i = 0; i < *cells; i++) cell[i] = cell_at(axis, axes, i);
    axes_free(axis, axes);
    return cell;
}

int grid_values(const Json *sweep, char *const *override, int overrides, const char *key)
{
    int axes, values = 0;
    Axis *axis = axes_of(sweep, override, overrides, &axes);
    for (int i = 0; i < axes; i++)
        if (!strcmp(axis[i].key, key)) values = axis[i].values;
    axes_free(axis, axes);
    return values;
}

void grid_free(Cell *cell, int cells)
{
    for (int i = 0; i < cells; i++) {
        for (int o = 0; o < cell[i].overrides; o++) free(cell[i].override[o]);
        free(cell[i].override);
        free(cell[i].label);
    }
    free(cell);
}
