#include "init_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The cell at *at, without its quotes; *at goes to the next one, NULL behind the last. */
static char *next_cell(char **at)
{
    char *cell = *at, *to = cell, *from = cell;
    bool quoted = false;
    for (; *from && (quoted || *from != ','); from++)
        if (*from == '"') quoted = !quoted;
        else *to++ = *from;
    *at = *from ? from + 1 : NULL;
    *to = 0;
    return cell;
}

static double number_of(const char *cell)
{
    return *cell ? strtod(cell, NULL) : NAN;
}

/* False where the line is short or its part was not measured. */
static bool read_part(InitPart *out, char *line)
{
    enum { ROLE = 1, LAYER = 2, EXPECTED = 6, MEASURED = 7, CELLS };
    char *cell[CELLS], *at = line;
    for (int c = 0; c < CELLS; c++) {
        if (!at) return false;
        cell[c] = next_cell(&at);
    }
    if (!*cell[MEASURED]) return false;
    *out = (InitPart){xstrdup(cell[ROLE]), number_of(cell[LAYER]), number_of(cell[EXPECTED]), number_of(cell[MEASURED])};
    return true;
}

InitPart *init_parts(const Outcome *o, int *count)
{
    char *text = outcome_file(o, "init.csv"), *rest = NULL;
    InitPart *part = NULL;
    *count = 0;
    if (text) strtok_r(text, "\n", &rest);
    for (char *line; text && (line = strtok_r(NULL, "\n", &rest));) {
        part = xrealloc(part, (size_t)*count + 1, sizeof *part);
        *count += read_part(&part[*count], line);
    }
    free(text);
    return part;
}

void init_parts_free(InitPart *part, int count)
{
    for (int i = 0; i < count; i++) free(part[i].role);
    free(part);
}
