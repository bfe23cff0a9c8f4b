/* SPDX-License-Identifier: MIT */
/* Facts of other PMUs of Linux than the uncore's: data/linux, built into the command (gen/embed.py). */
#include <stdio.h>
#include <string.h>
#include "cli/import/import.h"

extern const char linux_registers[], linux_units[], linux_events[], linux_metrics[];

/* Linux has no energy of the processors before the E5-2600: arch/x86/events/rapl.c, rapl_model_match. */
static bool is_too_old(const char *folder)
{
  return !strncmp(folder, "NHM", 3) || !strncmp(folder, "WSM", 3);
}

bool import_has_other_pmus(const struct import *im)
{
  uint32_t unit;
  return im->folder && !is_too_old(im->folder) && import_has_kernel_units(im) &&
         !(im->base && pmon_unit_find(im->base, "rapl", &unit) == PMON_OK);
}

void import_write_other_pmus(FILE *f, enum import_facts kind)
{
  static const char *const texts[] = {[IMPORT_REGISTERS] = linux_registers,
                                      [IMPORT_UNITS] = linux_units,
                                      [IMPORT_EVENTS] = linux_events,
                                      [IMPORT_METRICS] = linux_metrics};
  fprintf(f, "\n%s", texts[kind]);
}
