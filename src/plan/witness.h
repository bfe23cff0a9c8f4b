/* SPDX-License-Identifier: MIT */
/* Events that pmon itself counts beside those of a plan (witness.c). */
#ifndef PMON_PLAN_WITNESS_H
#define PMON_PLAN_WITNESS_H

#include "plan.h"

/* Whether the event counts its unit's clock, nothing left out by attributes. */
bool plan_counts_clock(const struct pmon_event *event);

/* Whether the event counts cycles in which something is so, or entries added up every cycle: a request makes as many of
 * them as it takes or waits. With edge detection it counts beginnings, and does not. */
bool plan_counts_states(const struct pmon_event *event);

/* Adds a witness behind the events of a plan that has a schedule, where it needs one, and schedules both. */
void plan_add_witness(struct pmon_plan *plan);

/* How many events are not witnesses: those that were selected or that metrics use. Witnesses are the last ones. */
static inline uint32_t plan_own_events(const struct pmon_plan *plan)
{
  return plan->n_events - plan->n_witnesses;
}

/* The slots of these events, which are the first ones. */
uint32_t plan_own_slots(const struct pmon_plan *plan);

#endif
