/* SPDX-License-Identifier: MIT */
/* Events that pmon counts in addition to those of a plan (witness.c). */
#ifndef PMON_PLAN_WITNESS_H
#define PMON_PLAN_WITNESS_H

#include "src/plan/plan.h"

/* True if the event counts its unit's clock without attributes. */
bool plan_counts_clock(const struct pmon_event *event);

/* True if the event counts cycles in a state, or entries added up every cycle: one request gives as many counts as
 * cycles that it takes or waits. With edge detection it counts beginnings: false. */
bool plan_counts_states(const struct pmon_event *event);

/* Adds a witness after the events of a scheduled plan, if it needs one, and schedules both. */
void plan_add_witness(struct pmon_plan *plan);

/* Returns the number of events that are not witnesses, but were selected or are used by metrics. Witnesses are the last
 * ones. */
static inline uint32_t plan_own_events(const struct pmon_plan *plan)
{
  return plan->n_events - plan->n_witnesses;
}

/* Returns the number of slots of these events, which are the first ones. */
uint32_t plan_own_slots(const struct pmon_plan *plan);

#endif
