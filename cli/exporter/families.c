/* SPDX-License-Identifier: MIT */
/* Samples by family: the name under which Prometheus knows them, and whether they are shown. */
#include "cli/exporter/exporter.h"

const char *exporter_family(const struct exporter_sample *s)
{
  if (s->series)
    return s->series->name;
  return s->kind == EXPORTER_COUNT ? "pmon_events_total" : s->kind == EXPORTER_RATE ? "pmon_rate_total" : "pmon_metric";
}

bool exporter_is_shown(const struct exporter_sample *s)
{
  return s->port == PMON_ALL || s->bdf || s->value > 0 || !s->valid;
}
