/* SPDX-License-Identifier: MIT */
/*
 * Energies: a register counts in a unit that another register of the processor states (Intel SDM volume 4, 606h).
 * Counts are in units of 2^-32 J on every processor and with every access method, as in Linux.
 */
#include <inttypes.h>
#include <string.h>
#include "src/access/register.h"
#include "src/event/event.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"
#include "src/session/counts.h"
#include "src/session/session.h"

enum { ENERGY_BITS = 32, MOST_WATTS = 4000 };

/* Returns the value of the event's attribute `unit`, REGISTER.FIELD; NULL: the event does not count energy. */
static const char *energy_unit_of(const struct pmon_event *event)
{
  const struct db *db = event->db;
  const struct db_span attrs = event->event == DB_NONE ? (struct db_span){0, 0} : db->events[event->event].attrs;
  for (uint32_t i = attrs.first; i < attrs.first + attrs.n; i++)
    if (!strcmp(db_text(db, db->attrs[i].key), "unit"))
      return db_text(db, db->attrs[i].value);
  return NULL;
}

/* Finds the unit's register whose name is the part of `name` before the dot; false: none. */
static bool energy_find_register(const struct pmon_platform *p, const char *name, struct pmon_register_id *id)
{
  struct pmon_register_info info = {.size = sizeof info};
  const size_t n = strcspn(name, ".");
  for (; platform_get_register(p, id->unit, id->reg, &info); id->reg++)
    if (strlen(info.name) == n && !memcmp(info.name, name, n))
      return true;
  return false;
}

int session_find_energy(struct pmon_session *s, const struct pmon_event *event, uint32_t package,
                        struct session_run *run)
{
  const struct pmon_platform *p = s->plan->platform;
  const char *name = energy_unit_of(event);
  struct pmon_register_id id = {.unit = pmon_event_unit(event)};
  struct pmon_address a;
  uint64_t value = 0;
  if (!name || !energy_find_register(p, name, &id) || pmon_register_address(p, &id, &a))
    return 0;
  const uint64_t mask = access_field(p, &id, name + strcspn(name, ".") + 1);
  a.package = package;
  const int status = access_read(s->backend, &a, &value);
  if (status == PMON_E_NO_DEVICE) /* its counters are then missing, too */
    return 0;
  if (status)
    return context_fail(s->plan->context, status, 0, "%s: the unit of energy cannot be read: %s",
                        pmon_event_name(event),
                        s->backend->error_text ? s->backend->error_text : pmon_status_name(status));
  const uint64_t bits = mask ? (value & mask) / (mask & (~mask + 1)) : 0;
  if (!bits || bits > ENERGY_BITS)
    return context_fail(s->plan->context, PMON_E_UNSUPPORTED, 0,
                        "%s: the processor reports an unsupported energy unit, 2^-%" PRIu64 " J",
                        pmon_event_name(event), bits);
  run->shift = ENERGY_BITS - (uint32_t)bits;
  run->rate_max = (double)MOST_WATTS * (double)(UINT64_C(1) << bits);
  return 0;
}
