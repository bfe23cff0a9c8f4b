/* SPDX-License-Identifier: MIT */
#include "tests/audit/table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/whole_file.h"

static size_t cut(char *line, const char **cell)
{
  size_t n = 0;
  for (char *at = line; at; n++) {
    char *end = strchr(at, '\t');
    if (end)
      *end++ = '\0';
    if (n < TABLE_COLUMNS)
      cell[n] = at;
    at = end;
  }
  return n;
}

int table_read(const char *path, struct table *ret_table)
{
  struct table t = {.text = whole_file(path)};
  if (!t.text)
    return -1;
  unsigned number = 0;
  for (char *line = t.text; line && *line;) {
    char *end = strchr(line, '\n');
    if (end)
      *end++ = '\0';
    number++;
    if (*line && *line != '#' && !t.n_columns) {
      t.n_columns = cut(line, t.column);
    } else if (*line && *line != '#') {
      struct table_row row = {.line = number};
      struct table_row *grown =
          (t.n_rows & (t.n_rows + 1)) ? t.row : realloc(t.row, (2 * t.n_rows + 1) * sizeof *grown);
      if (!grown || cut(line, row.cell) != t.n_columns || t.n_columns > TABLE_COLUMNS) {
        if (grown)
          t.row = grown;
        table_free(&t);
        return (int)number;
      }
      t.row = grown;
      t.row[t.n_rows++] = row;
    }
    line = end;
  }
  *ret_table = t;
  return 0;
}

void table_free(struct table *table)
{
  free(table->row);
  free(table->text);
  *table = (struct table){0};
}

int table_column(const struct table *table, const char *name)
{
  for (size_t i = 0; i < table->n_columns && i < TABLE_COLUMNS; i++)
    if (!strcmp(table->column[i], name))
      return (int)i;
  return -1;
}

const char *table_cell(const struct table *table, size_t row, const char *column)
{
  int c = table_column(table, column);
  const char *cell = c < 0 ? "" : table->row[row].cell[c];
  return strcmp(cell, "-") ? cell : "";
}
