#include "grid.h"

#include <stdlib.h>
#include <string.h>

/* One key=value list: its values as they stand in the text. */
typedef struct { const char *key; int key_length; char **value; int values; } Axis;

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

static Axis split(const char *override)
{
    const char *equals = strchr(override, '=');
    Axis a = {.key = override, .key_length = equals ? (int)(equals - override) : (int)strlen(override)};
    for (const char *p = equals ? equals + 1 : "";;) {
        const char *end = end_of_value(p);
        a.value = xrealloc(a.value, (size_t)a.values + 1, sizeof *a.value);
        a.value[a.values++] = text_format("%.*s", (int)(end - p), p);
        if (!*end) return a;
        p = end + 1;
    }
}

static const char *leaf(const char *key, int length, int *leaf_length)
{
    int dot = length;
    while (dot > 0 && key[dot - 1] != '.') dot--;
    *leaf_length = length - dot;
    return key + dot;
}

static Cell cell_at(const Axis *axis, int axes, int index)
{
    Cell c = {.override = xcalloc((size_t)axes + 1, sizeof(char *)), .overrides = axes};
    Text label = {0};
    text_add(&label, "%s", "");
    for (int i = 0, stride = 1; i < axes; i++, stride = 1) {
        for (int j = i + 1; j < axes; j++) stride *= axis[j].values;
        const char *value = axis[i].value[index / stride % axis[i].values];
        bool bare = !strchr(axis[i].key, '=');
        c.override[i] = text_format("%.*s%s%s", axis[i].key_length, axis[i].key, bare ? "" : "=", value);
        int length;
        const char *name = leaf(axis[i].key, axis[i].key_length, &length);
        if (axis[i].values > 1) text_add(&label, "%s%.*s=%s", label.length ? " " : "", length, name, value);
    }
    c.label = label.at;
    return c;
}

Cell *grid_cells(char *const *override, int overrides, int *cells)
{
    Axis *axis = xcalloc((size_t)overrides, sizeof *axis);
    *cells = 1;
    for (int i = 0; i < overrides; i++) {
        axis[i] = split(override[i]);
        for (int j = 0; j < i; j++)
            if (axis[i].key_length == axis[j].key_length && !strncmp(axis[i].key, axis[j].key, (size_t)axis[i].key_length) && axis[i].values + axis[j].values > 2)
                die("%.*s is given twice, once with several values; give it once", axis[i].key_length, axis[i].key);
        if (__builtin_mul_overflow(*cells, axis[i].values, cells) || *cells > 100000) die("more than 100000 combinations");
    }
    Cell *cell = xcalloc((size_t)*cells, sizeof *cell);
    for (int i = 0; i < *cells; i++) cell[i] = cell_at(axis, overrides, i);
    for (int i = 0; i < overrides; i++) {
        for (int v = 0; v < axis[i].values; v++) free(axis[i].value[v]);
        free(axis[i].value);
    }
    free(axis);
    return cell;
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
