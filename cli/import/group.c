/* SPDX-License-Identifier: MIT */
/* Groups the rows of one event: in fact files an event has one code, followed by its umasks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli/import/import.h"

static int by_event(const void *a, const void *b)
{
  const struct import_row *x = a, *y = b;
  if (x->used != y->used)
    return x->used ? -1 : 1;
  if (!x->used && x->file == y->file)
    return x->e.number < y->e.number ? -1 : x->e.number > y->e.number;
  if (!x->used)
    return x->file < y->file ? -1 : 1;
  if (x->unit != y->unit)
    return x->unit < y->unit ? -1 : 1;
  int order = strcasecmp(x->event, y->event);
  if (order)
    return order;
  if (!x->umask != !y->umask)
    return x->umask ? 1 : -1;
  if (x->file != y->file)
    return x->file < y->file ? -1 : 1;
  return x->e.number < y->e.number ? -1 : x->e.number > y->e.number;
}

bool import_same_event(const struct import_row *a, const struct import_row *b)
{
  return a->unit == b->unit && strcasecmp(a->event, b->event) == 0;
}

static bool same_code(const struct import_row *a, const struct import_row *b)
{
  return a->e.kind == PMON_EVENT_PROGRAMMED && b->e.kind == PMON_EVENT_PROGRAMMED && a->e.code == b->e.code &&
         a->e.fields[INTEL_EXT_SEL] == b->e.fields[INTEL_EXT_SEL];
}

/* EVENT.PART becomes the event EVENT_PART if it has its own counter, or another code than the other rows of EVENT. */
static int set_apart(struct import_row *row)
{
  row->apart = true;
  size_t size = strlen(row->event) + strlen(row->umask) + 2;
  char *name = malloc(size);
  if (!name)
    return PMON_E_MEMORY;
  snprintf(name, size, "%s_%s", row->event, row->umask);
  for (char *c = name; *c; c++)
    if (*c == '.')
      *c = '_';
  free(row->event);
  free(row->umask);
  row->event = name;
  row->umask = NULL;
  return PMON_OK;
}

static int set_strangers_apart(struct import *im)
{
  int status = PMON_OK;
  const struct import_row *first = NULL;
  for (size_t i = 0; !status && i < im->n_rows && im->rows[i].used; i++) {
    struct import_row *row = &im->rows[i];
    if (!first || !import_same_event(first, row))
      first = row;
    bool alone = row->e.kind != PMON_EVENT_PROGRAMMED || (first != row && !same_code(first, row));
    if (!alone || !row->umask)
      continue;
    if (row->e.kind == PMON_EVENT_PROGRAMMED && !im->omitted)
      cli_print_error("pmon import: object %zu (%s): another code than object %zu (%s); its name here is %s_%s, too\n",
                      row->e.number, row->e.name, first->e.number, first->e.name, row->event, row->umask);
    if (first == row)
      first = NULL;
    status = set_apart(row);
  }
  return status;
}

/* Rows of one event by umask, and those of one umask as they stand. */
static int by_umask(const void *a, const void *b)
{
  const struct import_row *x = *(const struct import_row *const *)a, *y = *(const struct import_row *const *)b;
  const int order = strcasecmp(x->umask ? x->umask : "", y->umask ? y->umask : "");
  if (!x->umask != !y->umask)
    return x->umask ? 1 : -1;
  return order ? order : (x > y) - (x < y);
}

static bool same_umask(const struct import_row *a, const struct import_row *b)
{
  return !a->umask == !b->umask && (!a->umask || strcasecmp(a->umask, b->umask) == 0);
}

/* Files that define one event differently: the first counts. */
static void leave_out_namesake(struct import *im, const struct import_row *first, struct import_row *row)
{
  const bool same = first->e.code == row->e.code && first->e.umask == row->e.umask;
  if (!strcmp(first->source, row->source))
    import_leave_out(im, row, "object %zu has that name", first->e.number);
  else
    import_leave_out(im, row, "object %zu of %s has that name, and %s code", first->e.number, first->source,
                     same ? "the same" : "another");
}

/* Of the `n` rows of one event, which stand together: of each name the first one stays. */
static void leave_out_namesakes(struct import *im, struct import_row **rows, size_t n)
{
  qsort(rows, n, sizeof *rows, by_umask);
  const struct import_row *first = rows[0];
  for (size_t i = 1; i < n; i++)
    if (same_umask(first, rows[i]))
      leave_out_namesake(im, first, rows[i]);
    else
      first = rows[i];
}

static int leave_out_all_namesakes(struct import *im)
{
  struct import_row **rows = calloc(im->n_rows ? im->n_rows : 1, sizeof(struct import_row *));
  if (!rows)
    return PMON_E_MEMORY;
  for (size_t i = 0, n; i < im->n_rows && im->rows[i].used; i += n) {
    for (n = 0; i + n < im->n_rows && im->rows[i + n].used && import_same_event(&im->rows[i], &im->rows[i + n]); n++)
      rows[n] = &im->rows[i + n];
    leave_out_namesakes(im, rows, n);
  }
  free(rows);
  return PMON_OK;
}

int import_group(struct import *im)
{
  qsort(im->rows, im->n_rows, sizeof im->rows[0], by_event);
  int status = set_strangers_apart(im);
  if (status)
    return status;
  qsort(im->rows, im->n_rows, sizeof im->rows[0], by_event);
  status = leave_out_all_namesakes(im);
  qsort(im->rows, im->n_rows, sizeof im->rows[0], by_event);
  return status;
}
