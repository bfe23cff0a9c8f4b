/* SPDX-License-Identifier: MIT */
/*
 * Decides where the plan's witnesses may count (src/plan/witness.h). pmon adds them by itself: they must neither take a
 * counter from another user nor make a session fail. A unit with a control that selects an event, or that cannot be
 * read, gets none.
 */
#include <stdlib.h>
#include "src/access/register.h"
#include "src/plan/witness.h"
#include "src/platform/platform.h"
#include "src/session/overlap.h"
#include "src/session/session.h"

/* True if the register's contents select an event, or if it cannot be read and may do so. */
static bool is_taken(const struct pmon_session *s, const struct pmon_register_id *id, uint32_t package, bool *ret_there)
{
  const struct pmon_platform *p = s->plan->platform;
  const uint64_t selects = session_find_selects(p, id, PHASE_CTL);
  struct pmon_address a;
  uint64_t value = 0;
  if (pmon_register_address(p, id, &a))
    return false;
  a.package = package;
  const int status = access_read(s->backend, &a, &value);
  *ret_there |= !status;
  return status ? status != PMON_E_NO_DEVICE : value & selects;
}

/* True if another user has a counter of the instance. */
static bool is_instance_taken(const struct pmon_session *s, struct pmon_register_id id, uint32_t package,
                              bool *ret_there)
{
  struct pmon_register_info info = {.size = sizeof info};
  for (id.reg = 0; platform_get_register(s->plan->platform, id.unit, id.reg, &info); id.reg++)
    for (id.index = 0; info.role == PMON_ROLE_CTL && id.index < info.count; id.index++)
      if (is_taken(s, &id, package, ret_there))
        return true;
  return false;
}

static bool may_count(const struct pmon_session *s, uint32_t event)
{
  const struct plan_event *e = &s->plan->events[event];
  const uint32_t unit = pmon_event_unit(e->event);
  bool there = false;
  if (s->backend->counting) /* the backend reports events that it cannot count */
    return true;
  if (overlap_has_unit(s, unit))
    return false;
  for (uint32_t package = 0; package < 64; package++)
    for (uint64_t left = s->packages >> package & 1 ? e->instances : 0; left; left &= left - 1) {
      const struct pmon_register_id id = {.unit = unit, .instance = (uint32_t)__builtin_ctzll(left)};
      if (is_instance_taken(s, id, package, &there))
        return false;
    }
  return there;
}

int session_place_witnesses(struct pmon_session *s)
{
  const struct schedule_plan *all = s->schedule;
  if (!s->plan->n_witnesses || all != &s->plan->schedule)
    return 0;
  struct schedule_slot *slots = calloc(all->n_slots + 1, sizeof *slots);
  if (!slots)
    return PMON_E_MEMORY;
  s->own_schedule = (struct schedule_plan){.slots = slots, .rounds = all->rounds, .lower_bound = all->lower_bound};
  for (uint32_t i = 0; i < all->n_slots; i++)
    if (!session_is_witness(s, all->slots[i].item) || may_count(s, all->slots[i].item))
      slots[s->own_schedule.n_slots++] = all->slots[i];
  s->schedule = &s->own_schedule;
  return 0;
}

uint32_t session_count_witnesses(const struct pmon_session *s)
{
  uint32_t n = 0;
  for (uint32_t e = plan_own_events(s->plan); e < s->plan->n_events && !s->no_witness; e++) {
    bool counted = false;
    for (uint32_t i = 0; i < s->n_runs; i++)
      counted = counted || (s->runs[i].event == e && !s->runs[i].gone);
    n += counted;
  }
  return n;
}
