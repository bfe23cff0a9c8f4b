/* SPDX-License-Identifier: MIT */
#include "cli/stat/values.h"

#include <stdio.h>

void stat_values_add(struct stat_values *v, const struct pmon_report *r)
{
  struct pmon_report_row row = {.size = sizeof row};
  /* A ratio whose divisor is zero is not lost. */
  for (uint32_t i = 0; !pmon_report_get(r, i, &row); i++, v->n++)
    if (!row.value.valid && row.value.flags & PMON_VALUE_INVALID && !v->lost++)
      snprintf(v->reason, sizeof v->reason, "%s", row.value.reason);
}

bool stat_values_all_lost(const struct stat_values *v)
{
  return v->n && v->lost >= v->n;
}
