/* SPDX-License-Identifier: MIT */
/* Groups the rows of one event: in fact files an event has one code, and its umasks follow it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli/import/import.h"

static int order_of(size_t a, size_t b)
{
  return (a > b) - (a < b);
}

/* Used rows first, those of an event together; the row without a umask is its first one. Otherwise as in the files. */
static int by_event(const void *a, const void *b)
{
  const struct import_row *x = a, *y = b;
  int order = order_of(y->used, x->used);
  if (!order && x->used)
    order = order_of(x->unit, y->unit);
  if (!order && x->used)
    order = strcasecmp(x->event, y->event);
  if (!order && x->used)
    order = order_of(x->umask != NULL, y->umask != NULL);
  if (!order)
    order = order_of(x->file, y->file);
  return order ? order : order_of(x->e.number, y->e.number);
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

/* Makes EVENT.PART the event EVENT_PART, because it has its own counter, or another code than other rows of EVENT. */
static int split_row(struct import_row *row)
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

static int split_other_codes(struct import *im)
{
  int status = PMON_OK;
  const struct import_row *first = NULL;
  for (size_t i = 0; !status && i < im->n_rows && im->rows[i].used; i++) {
    struct import_row *row = &im->rows[i];
    if (!first || !import_same_event(first, row))
      first = row;
    bool alone = row->e.kind != PMON_EVENT_PROGRAMMED || row->kernel_event || (first != row && !same_code(first, row));
    if (!alone || !row->umask)
      continue;
    if (row->e.kind == PMON_EVENT_PROGRAMMED && !row->kernel_event && !im->omitted)
      cli_print_error(
          "pmon import: object %zu (%s): its code differs from that of object %zu (%s); it is named %s_%s\n",
          row->e.number, row->e.name, first->e.number, first->e.name, row->event, row->umask);
    if (first == row)
      first = NULL;
    status = split_row(row);
  }
  return status;
}

/* Omits a row whose event another file or object defines differently: the first definition is used. */
static void omit_duplicate(struct import *im, const struct import_row *first, struct import_row *row)
{
  const struct intel_event *a = &first->e, *b = &row->e;
  const char *code = a->code != b->code || a->umask != b->umask                                  ? "a different code"
                     : a->word != b->word || memcmp(a->fields, b->fields, sizeof a->fields) != 0 ? "different filters"
                                                                                                 : "the same code";
  if (!strcmp(first->source, row->source))
    import_leave_out(im, row, "object %zu has the same name and %s", a->number, code);
  else
    import_leave_out(im, row, "object %zu of %s has the same name and %s", a->number, first->source, code);
}

static int by_name(const void *a, const void *b)
{
  const struct import_row *x = *(const struct import_row *const *)a, *y = *(const struct import_row *const *)b;
  int order = order_of(x->unit, y->unit);
  if (!order)
    order = strcasecmp(x->event, y->event);
  if (!order)
    order = order_of(x->umask != NULL, y->umask != NULL);
  if (!order && x->umask)
    order = strcasecmp(x->umask, y->umask);
  return order ? order : x < y ? -1 : x > y;
}

static bool same_name(const struct import_row *a, const struct import_row *b)
{
  return import_same_event(a, b) && !a->umask == !b->umask && (!a->umask || strcasecmp(a->umask, b->umask) == 0);
}

/* Links the rows of one name: next[i] is the row after row i that has its name; 0 if there is none. The rows are sorted
 * once, since an event can have as many umasks as the file has rows. */
static int link_duplicates(const struct import *im, size_t n, size_t *next)
{
  const struct import_row **sorted = malloc(n * sizeof(*sorted));
  if (!sorted)
    return PMON_E_MEMORY;
  for (size_t i = 0; i < n; i++)
    sorted[i] = &im->rows[i];
  qsort(sorted, n, sizeof(*sorted), by_name);
  for (size_t i = 0; i + 1 < n; i++)
    if (same_name(sorted[i], sorted[i + 1]))
      next[sorted[i] - im->rows] = (size_t)(sorted[i + 1] - im->rows);
  free(sorted);
  return PMON_OK;
}

/* Omits the later rows of equal names. The used rows come first. */
static int omit_duplicates(struct import *im)
{
  size_t n = 0;
  while (n < im->n_rows && im->rows[n].used)
    n++;
  if (!n)
    return PMON_OK;
  size_t *next = calloc(n, sizeof *next);
  int status = next ? link_duplicates(im, n, next) : PMON_E_MEMORY;
  for (size_t i = 0; !status && i < n; i++)
    for (size_t k = im->rows[i].used ? next[i] : 0; k; k = next[k])
      omit_duplicate(im, &im->rows[i], &im->rows[k]);
  free(next);
  return status;
}

static void sort_rows(struct import *im)
{
  qsort(im->rows, im->n_rows, sizeof im->rows[0], by_event);
}

int import_group(struct import *im)
{
  sort_rows(im);
  int status = omit_duplicates(im); /* before one of them is renamed because of its different code */
  if (status)
    return status;
  sort_rows(im);
  status = split_other_codes(im);
  if (status)
    return status;
  sort_rows(im);
  status = omit_duplicates(im);
  sort_rows(im);
  return status;
}
