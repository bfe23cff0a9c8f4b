/* SPDX-License-Identifier: MIT */
/* Invariants in a plan. */
#include <pmon/invariant.h>

#include <stdlib.h>
#include <string.h>
#include "src/base/array.h"
#include "src/facts/invariant.h"
#include "src/plan/metric.h"
#include "src/plan/plan.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"

int invariant_fill_info(const struct pmon_platform *p, const struct db_invariant *r, struct pmon_invariant_info *info)
{
  const struct db *db = p->db;
  struct pmon_invariant_info full = {.name = db_text(db, r->name),
                                     .unit = r->unit == DB_NONE ? "" : db_text(db, db->units[r->unit].name),
                                     .brief = db_text(db, r->brief),
                                     .cite = db_text(db, r->origin.cite),
                                     .holds = db_text(db, r->holds)};
  return CONTEXT_FILL(p->context, info, full);
}

int pmon_invariant_describe(const struct pmon_platform *platform, uint32_t invariant, struct pmon_invariant_info *info)
{
  if (invariant >= platform->row->invariants.n)
    return context_fail_range(platform->context, "invariant", invariant, platform->row->invariants.n);
  return invariant_fill_info(platform, &platform->db->invariants[platform->row->invariants.first + invariant], info);
}

/* Adds both sides of the invariant as metrics of the plan that are not selected. */
static int add_sides(struct pmon_plan *plan, const struct db_invariant *r, struct plan_invariant *invariant)
{
  const char *holds = db_text(plan->platform->db, r->holds), *name = db_text(plan->platform->db, r->name);
  struct invariant_sides sides;
  invariant_split(holds, &sides); /* cannot fail: the facts' parser has checked it */
  char *left = strndup(holds, sides.left);
  invariant->sign = sides.sign;
  invariant->or_equal = sides.or_equal;
  /* An invariant without a unit names each event with its unit. */
  const uint32_t unit = r->unit == DB_NONE ? PMON_ALL : r->unit - plan->platform->row->units.first;
  int status = left ? metric_add_own(plan, name, left, unit, &invariant->left) : PMON_E_MEMORY;
  if (!status)
    status = metric_add_own(plan, name, sides.right, unit, &invariant->right);
  free(left);
  return status;
}

static int add_invariant(struct pmon_plan *plan, const struct db_invariant *r, bool measure)
{
  struct plan_mark mark = {plan->n_events, plan->n_groups, plan->n_metrics, plan->n_selected_metrics};
  struct plan_invariant invariant = {.row = r};
  int status = add_sides(plan, r, &invariant);
  bool covered = plan->n_events == mark.events;
  if (!status && (measure || covered))
    status = array_grow(&plan->invariants, plan->n_invariants, &plan->cap_invariants, sizeof *plan->invariants);
  if (!status && measure)
    status = metric_keep_together(plan, invariant.left, invariant.right);
  if (status || !(measure || covered)) {
    plan_rewind(plan, &mark);
    return status;
  }
  plan->invariants[plan->n_invariants++] = invariant;
  return 0;
}

/* Keeps the requested events in as few rounds as without the events of invariants: otherwise they would spread over
 * more rounds. An event that follows a counter has a group already, which is never split. */
static int keep_requested_together(struct pmon_plan *plan)
{
  uint32_t *items = calloc(plan->n_requested + 1, sizeof *items), n = 0;
  if (!items)
    return PMON_E_MEMORY;
  for (uint32_t i = 0; i < plan->n_requested; i++)
    if (plan_followed_counter(plan->events[i].event) == UINT32_MAX)
      items[n++] = i;
  const int status = plan_add_group(plan, items, n, false);
  free(items);
  return status;
}

int pmon_plan_add_invariants(struct pmon_plan *plan, bool measure)
{
  const struct pmon_platform *p = plan->platform;
  struct plan_mark mark = {plan->n_events, plan->n_groups, plan->n_metrics, plan->n_selected_metrics};
  int status = 0;
  if (plan->scheduled)
    return context_fail(plan->context, PMON_E_STATE, 0, "the plan is already scheduled");
  plan->n_invariants = 0;
  plan->invariants_given = measure;
  plan->n_requested = plan->n_events;
  if (measure)
    status = keep_requested_together(plan);
  for (uint32_t i = 0; !status && i < p->row->invariants.n; i++)
    status = add_invariant(plan, &p->db->invariants[p->row->invariants.first + i], measure);
  if (status) {
    plan->n_invariants = 0;
    plan_rewind(plan, &mark);
  }
  if (status == PMON_E_MEMORY)
    return context_fail(plan->context, status, 0, "no memory for the invariants");
  return status;
}

/* Returns the rounds (bit n: round n; rounds above 63 are left out) in which the event counts on an instance; 0: none,
 * UINT64_MAX: every one. */
static uint64_t rounds_of(const struct pmon_plan *plan, uint32_t event, uint32_t instance)
{
  uint64_t rounds = 0;
  for (uint32_t i = 0; i < plan->schedule.n_slots; i++) {
    const struct schedule_slot *s = &plan->schedule.slots[i];
    if (s->item == event && s->instances >> instance & 1)
      rounds |= s->round == UINT32_MAX ? UINT64_MAX : s->round < 64 ? UINT64_C(1) << s->round : 0;
  }
  return rounds;
}

/* True if all events of an invariant count in one round, on each instance. */
static bool counts_together(const struct pmon_plan *plan, const struct plan_invariant *invariant)
{
  uint32_t *events = calloc(plan->n_events + 1, sizeof *events), n = 0;
  bool together = events != NULL;
  if (!events)
    return false;
  metric_collect_events(plan, plan->metrics[invariant->left], events, &n);
  metric_collect_events(plan, plan->metrics[invariant->right], events, &n);
  for (uint32_t instance = 0; together && instance < 64; instance++) {
    uint64_t common = UINT64_MAX;
    bool selected = false;
    for (uint32_t i = 0; i < n; i++) {
      uint64_t rounds = rounds_of(plan, events[i], instance);
      selected |= rounds != 0;
      /* Counters that need no programming are not frozen with the others: with several rounds they cover other
       * times. */
      const bool other = rounds == UINT64_MAX && plan->schedule.rounds > 1 &&
                         pmon_event_get_kind(plan->events[events[i]].event) != PMON_EVENT_PROGRAMMED;
      if (rounds)
        common &= other ? 0 : rounds;
    }
    together = !selected || common;
  }
  free(events);
  return together;
}

int pmon_plan_invariant(const struct pmon_plan *plan, uint32_t i, struct pmon_invariant_info *info, bool *ret_together)
{
  if (i >= plan->n_invariants)
    return context_fail_range(plan->context, "invariant", i, plan->n_invariants);
  int status = invariant_fill_info(plan->platform, plan->invariants[i].row, info);
  if (!status)
    *ret_together = plan->scheduled && counts_together(plan, &plan->invariants[i]);
  return status;
}
