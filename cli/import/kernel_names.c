/* SPDX-License-Identifier: MIT */
/*
 * Names that only the kernel has: its driver lists events of some units in sysfs, and free-running counters that the
 * event files do not contain.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli/facts/perf.h"
#include "cli/import/import.h"

static const struct {
  const char *folders, *unit, *name, *terms;
} listed[] = {
#define LISTED(folders, unit, name, terms) {folders, unit, name, terms},
#include "cli/import/kernel_names.inc"
#undef LISTED
};

static const struct kernel_counter {
  const char *folders, *unit, *name;
  uint32_t index;
  const char *event, *brief;
} counters[] = {
#define COUNTER(folders, unit, name, index, event, brief) {folders, unit, name, index, event, brief},
#include "cli/import/kernel_counters.inc"
#undef COUNTER
};
enum { COUNTERS = sizeof counters / sizeof *counters };

static bool is_of_folder(const char *folders, const char *folder)
{
  const size_t n = folder ? strlen(folder) : 0;
  for (const char *at = folders; n && (at = strstr(at, folder)) != NULL; at += n)
    if ((at == folders || at[-1] == ' ') && (!at[n] || at[n] == ' '))
      return true;
  return false;
}

/* Whether the files have an event of the counter. `ret_unit`: whether they have any event of its unit. */
static bool counter_has_row(const struct import *im, const struct kernel_counter *c, bool *ret_unit)
{
  *ret_unit = false;
  for (size_t i = 0; i < im->n_rows; i++) {
    const struct import_row *row = &im->rows[i];
    if (!row->used || strcasecmp(row->e.unit, c->unit))
      continue;
    *ret_unit = true;
    if (row->e.kind == PMON_EVENT_FREERUNNING && row->e.index == c->index)
      return true;
  }
  return false;
}

int import_add_kernel_counters(struct import *im)
{
  struct import_row *rows = realloc(im->rows, (im->n_rows + COUNTERS) * sizeof *rows);
  if (!rows)
    return PMON_E_MEMORY;
  im->rows = rows;
  for (size_t i = 0; i < COUNTERS; i++) {
    const struct kernel_counter *c = &counters[i];
    bool has_unit;
    if (!is_of_folder(c->folders, im->folder) || counter_has_row(im, c, &has_unit) || !has_unit)
      continue;
    struct import_row *row = &im->rows[im->n_rows++];
    *row = (struct import_row){.used = true, .source = "Linux 6.1 uncore_snbep.c", .file = im->n_files};
    row->e = (struct intel_event){.number = i + 1,
                                  .name = c->event,
                                  .unit = c->unit,
                                  .brief = c->brief,
                                  .filter = "",
                                  .kind = PMON_EVENT_FREERUNNING,
                                  .index = c->index};
    im->n_added++;
  }
  return PMON_OK;
}

void import_write_kernel_names(FILE *f, const struct import *im, const struct import_unit *u)
{
  static const char free_running[] = "_free_running";
  const size_t n = strlen(u->pmu), k = sizeof free_running - 1;
  for (size_t i = 0; i < sizeof listed / sizeof *listed; i++)
    if (!strcmp(listed[i].unit, u->name) && is_of_folder(listed[i].folders, im->folder))
      fprintf(f, "  kernel %s %s\n", listed[i].name, listed[i].terms);
  if (n <= k || strcmp(u->pmu + n - k, free_running))
    return;
  const bool memory = !strcmp(u->pmu, "uncore_imc_free_running");
  for (size_t i = 0; i < COUNTERS; i++)
    if (memory == !strcmp(counters[i].unit, "iMC") && is_of_folder(counters[i].folders, im->folder))
      fprintf(f, "  kernel free_running/%s event=0xff,umask=0x%llx\n", counters[i].name,
              (unsigned long long)import_freerunning_umask(u, counters[i].index));
}
