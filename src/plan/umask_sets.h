/* SPDX-License-Identifier: MIT */
/*
 * Sets of events that one counter selects for all (Montecito guide, 4.8.2 and 4.8.4). The facts say it with properties
 * of the event:
 *   set=GROUP.N lead=C   of GROUP only events with the same N count at a time, and one of them must be on counter C;
 *   one=GROUP.N          of GROUP only events with the same N count at a time;
 *   set=GROUP.N through=C+C+C,C+C+C   of each run of counters the first selects set, umask and .all for the others.
 * And a rule of the unit says that events of one event set count at a time (`test one-set`: Emerald Rapids, 2.9.1).
 */
#ifndef PMON_PLAN_UMASK_SETS_H
#define PMON_PLAN_UMASK_SETS_H

#include "plan.h"

enum { SETS_RESOURCE = 1 << 24 }; /* from here on a shared resource is a group of sets, not a register */

/* Turns the properties of each event into counters and needs of its item; the plan's items are all made. */
void sets_prepare(const struct pmon_plan *plan, struct schedule_item *items);

/* Where the guide says that events of sets exclude each other, of resource `resource` of an event's unit; "" when only
 * the events' own sections say it. */
const char *sets_cite(const struct pmon_event *e, uint32_t resource);

#endif
