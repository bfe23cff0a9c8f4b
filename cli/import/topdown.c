/* SPDX-License-Identifier: MIT */
/*
 * Top-down fractions of a core. The metric files name them as events, but the event files do not contain them: the
 * kernel counts slots from the register PERF_METRICS, under its own names, in a group whose leader is the event of all
 * slots.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli/import/metrics.h"

enum { SLOTS_UMASK = 4, FIRST_COUNTER = 16 }; /* counters after the fixed ones: each fraction has its own */

static const struct topdown_fraction {
  const char *name, *kernel_event;
  uint32_t umask;
  const char *brief;
} fractions[] = {
#define FRACTION(name, kernel_event, umask, slots) {name, kernel_event, umask, "Slots of the pipeline " slots},
#include "cli/import/topdown.inc"
#undef FRACTION
};
enum { FRACTIONS = sizeof fractions / sizeof *fractions };

const char *import_topdown_name(const char *kernel_event)
{
  for (size_t i = 0; i < FRACTIONS; i++)
    if (!strcmp(kernel_event, fractions[i].kernel_event))
      return fractions[i].name;
  return strcmp(kernel_event, "slots") ? NULL : import_topdown_slots;
}

/* Returns the row of all slots: a processor without it does not have the register. */
static const struct import_row *find_slots(const struct import *im)
{
  for (size_t i = 0; i < im->n_rows; i++) {
    const struct intel_event *e = &im->rows[i].e;
    if (im->rows[i].used && !*e->unit && !strcasecmp(e->name, import_topdown_slots) && !e->code &&
        e->umask == SLOTS_UMASK)
      return &im->rows[i];
  }
  return NULL;
}

/* Whether a metric of the files names the fraction, in Intel's spelling or in perf's. */
static bool topdown_is_named(const struct import_metrics *m, const struct topdown_fraction *t)
{
  char text[64];
  size_t n = 0;
  for (const char *c = t->kernel_event; *c && n + 3 < sizeof text; c++) {
    if (*c == '-')
      text[n++] = '\\';
    text[n++] = *c;
  }
  text[n] = 0;
  for (size_t i = 0; m && i < m->n; i++)
    if (intel_metric_names(&m->entries[i].m, t->name) || strstr(m->entries[i].m.formula, text))
      return true;
  return false;
}

int import_add_topdown(struct import *im)
{
  const struct import_row *slots = find_slots(im);
  if (!slots)
    return PMON_OK;
  const struct import_row first = *slots;
  struct import_row *rows = realloc(im->rows, (im->n_rows + FRACTIONS) * sizeof *rows);
  if (!rows)
    return PMON_E_MEMORY;
  im->rows = rows;
  for (uint32_t i = 0; i < FRACTIONS; i++) {
    if (!topdown_is_named(im->metrics, &fractions[i]))
      continue;
    struct import_row *row = &im->rows[im->n_rows++];
    *row = (struct import_row){
        .used = true, .source = first.source, .file = first.file, .kernel_event = fractions[i].kernel_event};
    row->e = (struct intel_event){.number = first.e.number,
                                  .name = fractions[i].name,
                                  .unit = "",
                                  .brief = fractions[i].brief,
                                  .filter = "",
                                  .kind = PMON_EVENT_PROGRAMMED,
                                  .umask = fractions[i].umask,
                                  .counters = UINT32_C(1) << (FIRST_COUNTER + i)};
    im->n_added++;
  }
  return PMON_OK;
}
