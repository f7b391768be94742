/* metrics.csv, read back. */
#ifndef STEP0_TABLE_H
#define STEP0_TABLE_H

#include "../../model/base.h"

typedef struct {
    char **name; int columns;
    int rows;
    double *cell;              /* [rows, columns]; NAN where empty */
} Table;

/* Reads a CSV of numbers under a line of names, ended by \n or \r\n; a last line that a crash left torn is left out. Dies, naming file and
 * line, where a row has another number of cells or a cell is no number. */
Table table_read(const char *path);
void table_free(Table *t);

int table_column(const Table *t, const char *name);            /* -1: none */
double table_cell(const Table *t, int row, int column);        /* a negative row counts from the end; NAN where outside */

#endif
