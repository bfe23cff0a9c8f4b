/* SPDX-License-Identifier: MIT */
/* Tables of tab-separated text, as in data/audit/: a line of column names, then rows; `#` begins a comment line. */
#ifndef PMON_AUDIT_TABLE_H
#define PMON_AUDIT_TABLE_H

#include <stddef.h>

#define TABLE_COLUMNS 16

struct table_row {
  const char *cell[TABLE_COLUMNS];
  unsigned line;
};
struct table {
  char *text; /* the file, cut into cells */
  const char *column[TABLE_COLUMNS];
  size_t n_columns;
  struct table_row *row;
  size_t n_rows;
};

/* Reads a file. A row whose number of cells differs from the number of columns is refused. Returns 0; -1: the file does
 * not exist; else the number of the wrong line. The caller frees the table with table_free(). */
int table_read(const char *path, struct table *ret_table);

void table_free(struct table *table);

/* Returns the number of a column, or -1. */
int table_column(const struct table *table, const char *name);

/* Returns a row's cell in the named column; "" for a cell `-` or an unknown column. */
const char *table_cell(const struct table *table, size_t row, const char *column);

#endif
