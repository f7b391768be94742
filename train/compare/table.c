#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../model/file.h"

static void read_header(Table *t, char *line)
{
    for (char *cell = line, *next; cell; cell = next) {
        next = strchr(cell, ',');
        if (next) *next++ = 0;
        t->name = xrealloc(t->name, (size_t)t->columns + 1, sizeof *t->name);
        t->name[t->columns++] = xstrdup(cell);
    }
}

static void read_row(Table *t, char *line, const char *path)
{
    t->cell = xrealloc(t->cell, (size_t)(t->rows + 1) * (size_t)t->columns, sizeof *t->cell);
    int column = 0;
    for (char *cell = line, *next, *end; cell; cell = next, column++) {
        next = strchr(cell, ',');
        if (next) *next++ = 0;
        double value = *cell ? strtod(cell, &end) : NAN;
        if (column >= t->columns || (*cell && (end == cell || *end || strpbrk(cell, "xX"))))
            die("%s:%d: \"%.20s\" is no number, or one cell too many", path, t->rows + 2, cell);
        t->cell[(size_t)t->rows * (size_t)t->columns + (size_t)column] = value;
    }
    if (column != t->columns) die("%s:%d: has %d cells, the header %d", path, t->rows + 2, column, t->columns);
    t->rows++;
}

Table table_read(const char *path)
{
    size_t length;
    char *error, *text = file_bytes(path, &length, &error);
    if (!text) die("%s", error);
    if (strlen(text) != length) die("%s: damaged: a NUL byte at offset %zu", path, strlen(text));
    Table t = {0};
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        if (end > line && end[-1] == '\r') end[-1] = 0;
        if (!t.columns) read_header(&t, line);
        else read_row(&t, line, path);
    }
    free(text);
    return t;
}

void table_free(Table *t)
{
    for (int i = 0; i < t->columns; i++) free(t->name[i]);
    free(t->name);
    free(t->cell);
    *t = (Table){0};
}

int table_column(const Table *t, const char *name)
{
    for (int i = 0; i < t->columns; i++)
        if (!strcmp(t->name[i], name)) return i;
    return -1;
}

double table_cell(const Table *t, int row, int column)
{
    if (row < 0) row += t->rows;
    bool inside = row >= 0 && row < t->rows && column >= 0 && column < t->columns;
    return inside ? t->cell[(size_t)row * (size_t)t->columns + (size_t)column] : NAN;
}
