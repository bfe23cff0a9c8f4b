/* SPDX-License-Identifier: MIT */
/*
 * Sets of events that one counter selects for all (Montecito guide, 4.8.2 and 4.8.4). Properties of the event in the
 * facts describe them:
 *   set=GROUP.N lead=C   only events of GROUP with the same N count at a time, and one of them must be on counter C;
 *   one=GROUP.N          only events of GROUP with the same N count at a time;
 *   set=GROUP.N through=C+C+C,C+C+C   in each run of counters, the first selects set, umask and .all for the others.
 * A rule of the unit can also state that only events of one event set count at a time (`test one-set`: Emerald Rapids,
 * 2.9.1).
 */
#ifndef PMON_PLAN_UMASK_SETS_H
#define PMON_PLAN_UMASK_SETS_H

#include "src/plan/plan.h"

enum { SETS_RESOURCE = 1 << 24 }; /* a shared resource from this number on is a group of sets, not a register */

/* Converts the properties of each event to halves and needs of its item; all of the plan's items exist. */
void sets_prepare(const struct pmon_plan *plan, struct schedule_item *items);

/* Returns the section of the guide that states that sets exclude each other, for resource `resource` of an event's
 * unit; "" if only the events' own sections state it. */
const char *sets_cite(const struct pmon_event *e, uint32_t resource);

#endif
