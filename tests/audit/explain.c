/* SPDX-License-Identifier: MIT */
#include "tests/audit/explain.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int explain_open(struct explain *explain, const char *name)
{
  char path[1024];
  *explain = (struct explain){.name = name};
  snprintf(path, sizeof path, "%s/%s", AUDIT_DIR, name);
  if (table_read(path, &explain->table))
    return -1;
  int what = table_column(&explain->table, "what");
  if (what < 1 || explain->table.n_columns != (size_t)what + 3)
    return -1;
  explain->places = (size_t)what;
  explain->used = calloc(explain->table.n_rows + 1, sizeof *explain->used);
  return explain->used ? 0 : -1;
}

static bool covers(const char *pattern, const char *text)
{
  return !strcmp(pattern, "*") || !strcasecmp(pattern, *text ? text : "-");
}

void explain_difference(struct explain *explain, const char *const place[], const char *what)
{
  for (size_t i = 0; i < explain->table.n_rows; i++) {
    const char *const *cell = explain->table.row[i].cell;
    bool here = !strcmp(cell[explain->places], what);
    for (size_t k = 0; here && k < explain->places; k++)
      here = covers(cell[k], place[k]);
    if (here) {
      explain->used[i]++;
      return;
    }
  }
  explain->unexplained++;
  printf("unexplained: ");
  for (size_t k = 0; k < explain->places; k++)
    printf("%s\t", *place[k] ? place[k] : "-");
  printf("%s\n", what);
}

unsigned explain_stale(const struct explain *explain)
{
  unsigned stale = 0;
  for (size_t i = 0; i < explain->table.n_rows; i++) {
    const char *const *cell = explain->table.row[i].cell;
    bool whole = *cell[explain->places + 1] && *cell[explain->places + 2];
    if (explain->used[i] && whole)
      continue;
    printf("%s:%u: %s\n", explain->name, explain->table.row[i].line,
           whole ? "no such difference any more" : "a verdict and a reason are needed");
    stale++;
  }
  return stale;
}

void explain_close(struct explain *explain)
{
  free(explain->used);
  table_free(&explain->table);
  *explain = (struct explain){0};
}
