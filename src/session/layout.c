/* SPDX-License-Identifier: MIT */
/* Finds the registers that a plan uses on each package and instance. */
#include <math.h>
#include <stdlib.h>
#include "src/access/register.h"
#include "src/base/array.h"
#include "src/event/event.h"
#include "src/platform/context.h"
#include "src/plan/witness.h"
#include "src/platform/platform.h"
#include "src/session/absent.h"
#include "src/session/counts.h"
#include "src/session/samples.h"
#include "src/session/session.h"

enum { UNKNOWN_INCREMENT = 1024 }; /* maximum increment per cycle, if nothing limits it */

/* Returns the unit's register of a role; UINT32_MAX: none. */
static uint32_t register_of_role(const struct pmon_platform *p, uint32_t unit, uint32_t role)
{
  struct pmon_register_info info = {.size = sizeof info};
  for (uint32_t r = 0; platform_get_register(p, unit, r, &info); r++)
    if (info.role == role)
      return r;
  return UINT32_MAX;
}

static int add_role(struct pmon_session *s, uint32_t unit, uint32_t instance, uint32_t package, uint32_t role)
{
  const struct pmon_platform *p = s->plan->platform;
  struct pmon_register_id id = {.unit = unit, .reg = register_of_role(p, unit, role), .instance = instance};
  struct pmon_address a;
  uint32_t reg;
  if (id.reg == UINT32_MAX || pmon_register_address(p, &id, &a))
    return 0;
  a.package = package;
  if (session_find_register(s, &a, &id, session_phase_of_role(role), &reg))
    return PMON_E_MEMORY;
  session_find_freeze(p, &s->regs[reg]);
  return 0;
}

/* Adds the registers that freeze all of a package's counters. */
static int add_globals(struct pmon_session *s)
{
  for (uint32_t package = 0; s->freeze <= PMON_FREEZE_GLOBAL && package < 64; package++)
    for (uint32_t u = 0; s->packages >> package & 1 && u < s->plan->platform->row->units.n; u++)
      if (add_role(s, u, 0, package, PMON_ROLE_GLOBAL_CTL))
        return PMON_E_MEMORY;
  return 0;
}

static enum session_phase phase_of(const struct pmon_platform *p, const struct pmon_register_id *id)
{
  struct pmon_register_info info = {.size = sizeof info};
  platform_get_register(p, id->unit, id->reg, &info);
  return session_phase_of_role(info.role);
}

static int fill_run(struct pmon_session *s, const struct pmon_image *image, uint32_t package, struct session_run *run)
{
  const struct pmon_platform *p = s->plan->platform;
  if (image->n && session_add_neutral(s, image, package, run))
    return PMON_E_MEMORY;
  for (uint32_t i = 0; i < image->n; i++) {
    const struct pmon_image_register *r = &image->registers[i];
    struct pmon_address a = r->address;
    a.package = package;
    struct session_write *w = &run->writes[run->n_writes++];
    *w = (struct session_write){.value = r->value, .mask = r->mask};
    if (session_find_register(s, &a, &r->id, phase_of(p, &r->id), &w->reg))
      return PMON_E_MEMORY;
    s->regs[w->reg].optional = false;
    if (s->regs[w->reg].phase == PHASE_FILTER) /* fields that the event does not set can act on it, too */
      w->mask |= session_filter_bits(s, run, image, r->id.reg) & s->regs[w->reg].stable;
    run->check = r->mask & s->regs[w->reg].stable;
  }
  struct pmon_address counter = image->counter;
  counter.package = package;
  run->width_bits = image->width_bits;
  run->own = image->n > 0;
  run->extended = access_field(p, &image->counter_id, "sxt47") != 0;
  return session_find_register(s, &counter, &image->counter_id, PHASE_CTR, &run->counter);
}

/* Returns the maximum increment of an event per cycle. A comparison with a threshold adds 1 at most. The threshold is
 * as wide as the widest event of the unit, usually the occupancy of a queue (817509 1.4.0.1), but events of UPI add up
 * to 9 bits (2.6.1), one more than their threshold has: a bit more is assumed for all units. */
static double highest_increment(const struct pmon_session *s, const struct pmon_event_info *info,
                                const struct pmon_image *image)
{
  uint64_t thresh = 0;
  for (uint32_t i = 0; !thresh && i < image->n; i++) {
    thresh = access_field(s->plan->platform, &image->registers[i].id, "thresh");
    if (image->registers[i].value & thresh)
      return 1;
  }
  if (info->max_inc)
    return info->max_inc;
  const double widest = thresh ? ldexp(2, __builtin_popcountll(thresh)) - 1 : UNKNOWN_INCREMENT;
  return info->states ? widest : fmin(widest, UNKNOWN_INCREMENT);
}

/* Returns the maximum rate of an event, in counts per second; 0: not known. */
static double session_highest_rate(const struct pmon_session *s, const struct pmon_event *event,
                                   const struct pmon_image *image)
{
  struct pmon_event_info info = {.size = sizeof info};
  struct pmon_unit_info unit = {.size = sizeof unit};
  if (pmon_event_describe(event, &info) || pmon_unit_describe(s->plan->platform, pmon_event_unit(event), &unit))
    return 0;
  return session_reference_hz(s, unit.clock) * highest_increment(s, &info, image);
}

/* Returns the node number of a package, from the register that states it (E5-2600 1.5); if none can be read, the
 * package's number. */
static uint32_t layout_node(const struct pmon_session *s, uint32_t package)
{
  const struct pmon_platform *p = s->plan->platform;
  struct pmon_register_info info = {.size = sizeof info};
  for (uint32_t u = 0; u < p->row->units.n; u++)
    for (uint32_t r = 0; platform_get_register(p, u, r, &info); r++) {
      const struct pmon_register_id id = {.unit = u, .reg = r};
      const uint64_t mask = info.role == PMON_ROLE_INFO ? access_field(p, &id, "lcl_node_id") : 0;
      struct pmon_address a;
      uint64_t value;
      if (!mask || pmon_register_address(p, &id, &a))
        continue;
      a.package = package;
      if (!access_read(s->backend, &a, &value))
        return (uint32_t)((value & mask) / (mask & (~mask + 1)));
    }
  return package;
}

/* Returns room for the writes of one more run, which add their number to s->writes->n; NULL: no memory. */
static struct session_write *layout_writes(struct pmon_session *s)
{
  enum { ROOM = sizeof s->writes->writes / sizeof *s->writes->writes };
  if (!s->writes || ROOM - s->writes->n < SESSION_WRITES) {
    struct session_writes *more = malloc(sizeof *more);
    if (!more)
      return NULL;
    more->next = s->writes;
    more->n = 0;
    s->writes = more;
  }
  return &s->writes->writes[s->writes->n];
}

/* An event without known register addresses has no run: its values are unavailable, with this reason. */
static int note_no_registers(struct pmon_session *s, uint32_t event, uint32_t package, uint32_t instance)
{
  session_note_absent(s, event, pmon_context_error(s->plan->context));
  s->cells[s->cell_of[event] + package * session_instances(s, event) + instance].flags |= PMON_VALUE_UNAVAILABLE;
  return 0;
}

static int add_run(struct pmon_session *s, const struct schedule_slot *slot, uint32_t package, uint32_t instance)
{
  const struct pmon_event *event = s->plan->events[slot->item].event;
  struct pmon_image image;
  const uint32_t node = event_is_relative(event) ? layout_node(s, package) : package;
  int status = pmon_event_encode(event, node, instance, slot->counter, &image);
  if (status == PMON_E_UNSUPPORTED)
    return note_no_registers(s, slot->item, package, instance);
  if (status)
    return context_fail(s->plan->context, status, 0, "%s cannot be counted by counter %u of instance %u",
                        pmon_event_name(event), slot->counter, instance);
  struct session_write *writes = layout_writes(s);
  if (!writes || array_grow(&s->runs, s->n_runs, &s->cap_runs, sizeof *s->runs))
    return PMON_E_MEMORY;
  struct session_run *run = &s->runs[s->n_runs];
  *run = (struct session_run){.event = slot->item,
                              .round = slot->round,
                              .number = slot->counter,
                              .writes = writes,
                              .rate_max = session_highest_rate(s, event, &image)};
  run->cell = s->cell_of[slot->item] + package * session_instances(s, slot->item) + instance;
  run->gauge = session_gauge_bits(s, event, &image.counter_id);
  if (run->gauge) /* it does not wrap */
    run->rate_max = 0;
  status = session_find_energy(s, event, package, run);
  if (status)
    return status;
  const uint32_t unit = pmon_event_unit(event);
  if (fill_run(s, &image, package, run) || (run->own && session_add_filters(s, package, unit, instance)) ||
      (s->freeze != PMON_FREEZE_NONE && add_role(s, unit, instance, package, PMON_ROLE_UNIT_CTL)) ||
      add_role(s, unit, instance, package, PMON_ROLE_UNIT_STATUS))
    return PMON_E_MEMORY;
  for (uint32_t i = s->n_runs; !run->own && i-- > 0 && s->runs[i].event == run->event;)
    s->cell_shared[run->cell] |= s->runs[i].counter == run->counter;
  s->writes->n += run->n_writes;
  s->n_runs++;
  return 0;
}

/* For each cell, finds the cell that counts the clock of the same instance. */
static void find_clocks(struct pmon_session *s, uint32_t packages)
{
  for (uint32_t i = 0; i < s->n_cells; i++)
    s->cell_clock[i] = UINT32_MAX;
  for (uint32_t clock = 0; clock < s->plan->n_events; clock++) {
    const struct plan_event *c = &s->plan->events[clock];
    for (uint32_t e = 0; plan_counts_clock(c->event) && e < s->plan->n_events; e++)
      for (uint32_t package = 0;
           pmon_event_unit(s->plan->events[e].event) == pmon_event_unit(c->event) && package < packages; package++)
        for (uint64_t left = c->instances & s->plan->events[e].instances; left; left &= left - 1) {
          uint32_t i = (uint32_t)__builtin_ctzll(left);
          s->cell_clock[s->cell_of[e] + package * session_instances(s, e) + i] =
              s->cell_of[clock] + package * session_instances(s, clock) + i;
        }
  }
}

int session_make_cells(struct pmon_session *s)
{
  if (!s->schedule) /* in a recording */
    s->schedule = &s->plan->schedule;
  uint32_t packages = s->n_packages = 64 - (uint32_t)__builtin_clzll(s->packages | 1);
  if (session_find_parts(s) || session_use_parts(s))
    return PMON_E_MEMORY;
  s->cell_of = calloc(session_items(s) + 1, sizeof *s->cell_of);
  if (!s->cell_of)
    return PMON_E_MEMORY;
  for (uint32_t i = 0; i < session_items(s); i++) {
    s->cell_of[i] = s->n_cells;
    s->n_cells += packages * session_instances(s, session_item_event(s, i));
  }
  s->cells = calloc(s->n_cells + 1, sizeof *s->cells);
  s->cell_shared = calloc(s->n_cells + 1, sizeof *s->cell_shared);
  s->cell_clock = malloc((s->n_cells + 1) * sizeof *s->cell_clock);
  if (!s->cells || !s->cell_shared || !s->cell_clock)
    return PMON_E_MEMORY;
  find_clocks(s, packages);
  return session_make_sums(s);
}

/* Sets the limit to half of the time in which the fastest counter can wrap. */
static void set_limit(struct pmon_session *s)
{
  double seconds = 3600;
  for (uint32_t i = 0; i < s->n_runs; i++)
    seconds = fmin(seconds, sample_longest_interval(s->runs[i].width_bits, s->runs[i].rate_max) / 2);
  s->limit_ns = seconds > 1e-6 ? (uint64_t)(seconds * 1e9) : 1000;
}

/* Fails with the reason of the first event if none of the plan's events has known register addresses. */
static int check_runs(struct pmon_session *s)
{
  for (uint32_t i = 0; i < s->n_runs; i++)
    if (!session_is_witness(s, s->runs[i].event))
      return 0;
  for (uint32_t i = 0; i < s->n_absent; i++)
    if (s->absent[i])
      return context_fail(s->plan->context, PMON_E_UNSUPPORTED, 0, "%s", s->absent[i]);
  return 0;
}

int session_lay_out(struct pmon_session *s)
{
  int status = session_make_cells(s);
  if (!status)
    status = add_globals(s);
  for (uint32_t i = 0; !status && i < s->schedule->n_slots; i++) {
    struct schedule_slot slot = s->schedule->slots[i];
    slot.instances &= s->plan->events[slot.item].instances;
    for (uint32_t package = 0; package < 64; package++)
      for (uint64_t left = s->packages >> package & 1 ? slot.instances : 0; !status && left; left &= left - 1)
        status = add_run(s, &slot, package, (uint32_t)__builtin_ctzll(left));
  }
  status = status ? status : check_runs(s);
  set_limit(s);
  if (!status)
    status = session_make_round_counts(s);
  if (!status)
    status = session_choose_freeze(s);
  if (!status)
    status = session_lay_out_overflow(s);
  if (!status)
    status = session_lay_out_counted_buffers(s);
  return status == PMON_E_MEMORY ? context_fail(s->plan->context, status, 0, "no memory for a session") : status;
}
