/* SPDX-License-Identifier: MIT */
/* Filters that are in effect later than they are written (`latched`): events that want different contents cannot be in
 * one session, be it in different rounds. */
#ifndef PMON_PLAN_LATCHED_H
#define PMON_PLAN_LATCHED_H

#include "src/plan/plan.h"

/* Two items that want such a filter differently: *ret. False: there are none. */
bool latched_conflict(const struct pmon_plan *plan, const struct schedule_item *items, uint32_t n,
                      struct schedule_conflict *ret);

/* Which event, or metric where the event is a metric's, could take the place of one of them, "use EVENT for one of
 * them, or ": one that counts the same by another field of the filter, which no event of the plan uses. "": there is
 * none. */
__attribute__((cold)) void latched_remedy(const struct pmon_plan *plan, const struct schedule_conflict *c, char *text,
                                          size_t size);

/* The selected metric that uses the event of this number itself; "": none does. */
const char *latched_metric(const struct pmon_plan *plan, uint32_t event);

#endif
