/* SPDX-License-Identifier: MIT */
/* The values of the last intervals, by row. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/top/top.h"

static bool history_begin(struct top_history *h, const struct pmon_report *report)
{
  struct pmon_report_row row = {.size = sizeof row};
  uint32_t n = 0;
  while (!pmon_report_get(report, n, &row))
    n++;
  h->rows = calloc(n ? n : 1, sizeof *h->rows);
  if (!h->rows)
    return false;
  while (h->n < n && !pmon_report_get(report, h->n, &row)) {
    struct top_row *to = &h->rows[h->n++]; /* history_clear() frees it, even if it is incomplete */
    *to = (struct top_row){.package = row.package, .instance = row.instance, .ports = row.ports, .age = TOP_HELD};
    rate_unit(&row, to->unit);
    to->name = strdup(row.name);
    to->of = row.instance_unit ? strdup(row.instance_unit) : NULL;
    if (!to->name || (row.instance_unit && !to->of)) {
      history_clear(h);
      return false;
    }
  }
  return true;
}

/* Returns for how many intervals the newest valid value has been the last one; TOP_HELD if it is older or from a later
 * interval. */
static uint32_t history_age(const struct top_row *row, uint64_t position)
{
  const bool held = row->held.valid && row->held_at <= position && position - row->held_at < TOP_HELD;
  return held ? (uint32_t)(position - row->held_at) : TOP_HELD;
}

bool history_add(struct top_history *h, const struct pmon_report *report, const struct top_time *time)
{
  const uint64_t slot = time->position % TOP_HISTORY;
  struct pmon_report_row row = {.size = sizeof row};
  if (!h->rows && !history_begin(h, report))
    return false;
  for (uint32_t i = 0; i < h->n; i++) {
    struct top_row *to = &h->rows[i];
    if (pmon_report_get(report, i, &row) || strcmp(row.name, to->name))
      return false;
    const double factor = rate_factor(&row, time->seconds);
    to->value = row.value;
    to->value.number *= factor;
    to->value.low *= factor;
    to->value.high *= factor;
    to->past[slot] = row.value.valid ? to->value.number : NAN;
    if (row.value.valid) {
      to->held = to->value;
      to->held_at = time->position;
      to->most = fmax(to->most, to->value.number);
    }
    to->age = history_age(to, time->position);
  }
  h->newest = *time;
  h->past_at[slot] = time->position + 1;
  h->reports++;
  return true;
}

void history_clear(struct top_history *h)
{
  for (uint32_t i = 0; i < h->n; i++) {
    free(h->rows[i].name);
    free(h->rows[i].of);
  }
  free(h->rows);
  *h = (struct top_history){.rows = NULL};
}

const struct top_row *history_total(const struct top_history *h, const char *name)
{
  const struct top_row *found = NULL;
  for (uint32_t i = 0; i < h->n; i++) {
    const struct top_row *row = &h->rows[i];
    if (row->instance == PMON_ALL && !strcmp(row->name, name) && (!found || row->package == PMON_ALL))
      found = row;
  }
  return found;
}

/* An older value must not hide that a register cannot be read or is used by another program. */
const struct pmon_value *history_shown(const struct top_row *row)
{
  if (row->value.valid)
    return &row->value;
  return row->age < TOP_HELD && !(row->value.flags & PMON_VALUE_INVALID) ? &row->held : NULL;
}

bool history_has(const struct top_history *h, uint64_t position)
{
  return h->past_at[position % TOP_HISTORY] == position + 1;
}

double history_past(const struct top_history *h, const struct top_row *row, uint32_t back)
{
  if (!h->reports || back >= TOP_HISTORY || back > h->newest.position)
    return NAN;
  const uint64_t position = h->newest.position - back, slot = position % TOP_HISTORY;
  return history_has(h, position) ? row->past[slot] : NAN;
}
