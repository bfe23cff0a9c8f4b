/* SPDX-License-Identifier: MIT */
/*
 * Instances that count nothing while their neighbours count. If requests are distributed over all instances of a unit
 * (docs/formats.md, `interleaved`), a count of zero is not a measurement: the channel has no memory, the firmware hides
 * the unit, or its counters do not work.
 */
#include <stdlib.h>
#include "src/platform/platform.h"
#include "src/session/counts.h"
#include "src/session/session.h"

enum { MANY = 1000, FEWEST_NEIGHBOURS = 3 };

/* Returns the count of an event in an instance; below 0: it was not counted there. */
static double count_of(const struct pmon_session *s, uint32_t event, uint32_t package, uint32_t instance)
{
  const uint32_t cell = s->cell_of[event] + package * session_instances(s, event) + instance;
  const struct sample_total *t = &s->cells[cell];
  if (!(s->plan->events[event].instances >> instance & 1) || s->cell_shared[cell] || !t->slices ||
      t->flags & PMON_VALUE_INVALID)
    return -1;
  return t->count;
}

/* True if nearly all other instances of the package counted the event often. With PMON_ALL: true if this may hold for
 * the neighbours of some instance that counted nothing. */
static bool neighbours_count(const struct pmon_session *s, uint32_t event, uint32_t package, uint32_t instance)
{
  const uint32_t instances = session_instances(s, event);
  uint32_t neighbours = 0, counting = 0;
  /* Usually no instance counts anything: a quarter of the instances shows it. */
  for (uint32_t i = 0; i < instances && 4 * (neighbours - counting) <= instances + 4; i++) {
    const double count = i == instance ? -1 : count_of(s, event, package, i);
    neighbours += count >= 0;
    counting += count >= MANY;
  }
  neighbours -= instance == PMON_ALL && neighbours > counting;
  return neighbours >= FEWEST_NEIGHBOURS && 4 * counting >= 3 * neighbours;
}

static bool is_of(const struct pmon_session *s, uint32_t event, uint32_t unit)
{
  return pmon_event_unit(s->plan->events[event].event) == unit;
}

bool session_may_be_silent(const struct pmon_session *s, uint32_t event, uint32_t package)
{
  const struct pmon_platform *p = s->plan->platform;
  const uint32_t unit = pmon_event_unit(s->plan->events[event].event);
  bool may = false;
  if (p->db->units[platform_unit_row(p, unit)].flags & DB_INTERLEAVED)
    for (uint32_t e = 0; e < s->plan->n_events && !may; e++)
      may = is_of(s, e, unit) && neighbours_count(s, e, package, PMON_ALL);
  return may;
}

bool session_is_silent(const struct pmon_session *s, uint32_t event, uint32_t package, uint32_t instance)
{
  const struct pmon_platform *p = s->plan->platform;
  const uint32_t unit = pmon_event_unit(s->plan->events[event].event);
  bool silent = false;
  if (!(p->db->units[platform_unit_row(p, unit)].flags & DB_INTERLEAVED) || count_of(s, event, package, instance) != 0)
    return false;
  for (uint32_t e = 0; e < s->plan->n_events; e++)
    if (is_of(s, e, unit) && count_of(s, e, package, instance) > 0)
      return false;
  for (uint32_t e = 0; e < s->plan->n_events && !silent; e++)
    silent = is_of(s, e, unit) && neighbours_count(s, e, package, instance);
  return silent;
}
