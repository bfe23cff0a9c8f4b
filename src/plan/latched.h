/* SPDX-License-Identifier: MIT */
/* Filters that take effect later than they are written (`latched`): events that need different contents cannot be in
 * one session, not even in different rounds. */
#ifndef PMON_PLAN_LATCHED_H
#define PMON_PLAN_LATCHED_H

#include "src/plan/plan.h"

/* Finds two items that need different contents of such a filter. False: there are none. */
bool latched_conflict(const struct pmon_plan *plan, const struct schedule_item *items, uint32_t n,
                      struct schedule_conflict *ret);

/* Writes the remedy, "use EVENT in place of EVENT, or ": an event that can replace one of the conflict's, or a metric
 * if the event belongs to one. It counts the same with another field of the filter that no event of the plan uses. "":
 * there is none. */
__attribute__((cold)) void latched_remedy(const struct pmon_plan *plan, const struct schedule_conflict *c, char *text,
                                          size_t size);

/* Returns the selected metric that uses the event of this number directly; "": none. */
const char *latched_metric(const struct pmon_plan *plan, uint32_t event);

#endif
