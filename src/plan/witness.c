/* SPDX-License-Identifier: MIT */
/*
 * Witnesses. If all events of a plan are multiplexed, nothing shows what a round missed while others counted
 * (docs/design/009-uncertainty.md). An event of another unit with free counters then counts all the time in addition. A
 * line of the facts (`witness`) names the event of a unit that shows the package's activity. A unit whose activity
 * others do not show, such as the hits of a cache, may have a witness of its own, on counters that most of its events
 * cannot use (`own-witness`). A witness that would cost the plan's events a counter or a round is not added.
 */
#include "src/plan/witness.h"

#include <stdio.h>
#include <string.h>
#include "src/event/event.h"
#include "src/event/row.h"
#include "src/facts/field.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"

bool plan_counts_clock(const struct pmon_event *event)
{
  struct pmon_event_info info = {.size = sizeof info};
  const char *name = strchr(pmon_event_name(event), '/');
  if (!name || pmon_event_describe(event, &info))
    return false;
  /* The uncore's fixed counters count only clocks; all guides have one name for the programmed event. A fixed counter
   * that needs settings belongs to a core, and does not count while the core sleeps. */
  if (info.kind == PMON_EVENT_FIXED && event->event != DB_NONE && event->db->events[event->event].settings.n)
    return false;
  return (info.kind == PMON_EVENT_FIXED || (info.event && !strcmp(info.event, "CLOCKTICKS"))) && !strchr(name, ',');
}

/* True if the event's control counts the beginnings of a state instead of its cycles. */
static bool detects_edges(const struct pmon_event *event)
{
  static const char *const names[] = {"edge_det", "occ_edge_det"};
  bool edges = false;
  for (size_t i = 0; event->ctl != DB_NONE && i < sizeof names / sizeof *names; i++) {
    const uint32_t field = layout_field(event->db, event->db->registers[event->ctl].layout, names[i]);
    edges |= field != DB_NONE && event->registers[0].value & field_mask(&event->db->fields[field]);
  }
  return edges;
}

bool plan_counts_states(const struct pmon_event *event)
{
  uint32_t flags = event->event == DB_NONE ? 0 : event->db->events[event->event].flags;
  for (uint32_t i = 0; i < event->n_umasks; i++)
    flags = (i ? flags : 0) | event->db->umasks[event->umasks[i]].flags;
  return flags & DB_STATES && !detects_edges(event);
}

static bool counts_always(const struct schedule_plan *schedule, uint32_t item)
{
  bool always = false;
  for (uint32_t i = 0; i < schedule->n_slots; i++)
    always = always || (schedule->slots[i].item == item && schedule->slots[i].round == UINT32_MAX);
  return always;
}

/* True if an event of the unit is multiplexed. */
static bool is_multiplexed(const struct pmon_plan *plan, uint32_t unit)
{
  bool some = false;
  for (uint32_t i = 0; i < plan->n_events; i++)
    some = some || (plan->events[i].event->unit == unit && !counts_always(&plan->schedule, i));
  return some;
}

/* True if the unit has a witness that shows the package's activity. */
static bool shows_package(const struct db *db, const struct db_unit *unit)
{
  return *db_text(db, unit->witness) && !(unit->flags & DB_OWN_WITNESS);
}

/* True if an event of the plan is a witness: it belongs to a unit that can have one, or to a unit with other events
 * that are multiplexed. Other events may be idle, or hardly vary. */
static bool has_own(const struct pmon_plan *plan)
{
  bool own = false;
  for (uint32_t i = 0; i < plan->n_events && !own; i++) {
    const struct pmon_event *e = plan->events[i].event;
    own = pmon_event_get_kind(e) == PMON_EVENT_PROGRAMMED && counts_always(&plan->schedule, i) &&
          !plan_counts_clock(e) && (shows_package(e->db, &e->db->units[e->unit]) || is_multiplexed(plan, e->unit));
  }
  return own;
}

/* Adds the unit's witness if it then counts in every round and the number of rounds is unchanged. The caller restores
 * the error record. */
static bool add_of_unit(struct pmon_plan *plan, const struct db_unit *unit)
{
  const struct plan_mark mark = {plan->n_events, plan->n_groups, plan->n_metrics, plan->n_selected_metrics};
  const struct db *db = plan->platform->db;
  struct schedule_conflict conflict;
  struct schedule_plan schedule;
  char text[160];
  uint32_t event;
  snprintf(text, sizeof text, "%s/%s/", db_text(db, unit->name), db_text(db, unit->witness));
  if (plan_add_event(plan, text, false, &event) || event < mark.events)
    return false;
  const bool solved = !plan_schedule_around(plan, NULL, NULL, &conflict, &schedule);
  const bool added = solved && schedule.rounds == plan->schedule.rounds && counts_always(&schedule, event);
  if (added) {
    schedule_plan_fini(&plan->schedule);
    plan->schedule = schedule;
    plan->n_witnesses++;
    return true;
  }
  if (solved)
    schedule_plan_fini(&schedule);
  plan_rewind(plan, &mark);
  return false;
}

/* Adds their own witnesses to units whose events are multiplexed. */
static void add_own(struct pmon_plan *plan)
{
  const struct pmon_platform *p = plan->platform;
  for (uint32_t i = p->row->units.first; i < p->row->units.first + p->row->units.n; i++)
    if (p->db->units[i].flags & DB_OWN_WITNESS && is_multiplexed(plan, i))
      add_of_unit(plan, &p->db->units[i]);
}

void plan_add_witness(struct pmon_plan *plan)
{
  const struct pmon_platform *p = plan->platform;
  const struct pmon_context kept = *plan->context;
  if (plan->no_witness || plan->schedule.rounds < 2 || has_own(plan))
    return;
  bool added = false;
  add_own(plan);
  for (uint32_t i = 0; i < p->row->units.n && !added; i++) {
    const struct db_unit *unit = &p->db->units[p->row->units.first + i];
    added = shows_package(p->db, unit) && add_of_unit(plan, unit);
  }
  plan->context->status = kept.status;
  plan->context->column = kept.column;
  memcpy(plan->context->error, kept.error, sizeof kept.error);
}

int pmon_plan_set_witness(struct pmon_plan *plan, bool on)
{
  if (plan->scheduled)
    return context_fail(plan->context, PMON_E_STATE, 0, "the plan is already scheduled");
  plan->no_witness = !on;
  return 0;
}

const struct pmon_event *pmon_plan_witness(const struct pmon_plan *plan, uint32_t i)
{
  return i < plan->n_witnesses ? plan->events[plan_own_events(plan) + i].event : NULL;
}

uint32_t plan_own_slots(const struct pmon_plan *plan)
{
  uint32_t n = plan->schedule.n_slots; /* slots of every round are the last ones, in the order of their events */
  while (n && plan->schedule.slots[n - 1].item >= plan_own_events(plan))
    n--;
  return n;
}
