/* SPDX-License-Identifier: MIT */
/* Which ports of an I/O stack an event or metric is of: bit n for port n, 0 where it does not distinguish ports. */
#ifndef PMON_PLAN_PORTS_H
#define PMON_PLAN_PORTS_H

#include <stdint.h>

struct metric;
struct pmon_event;
struct pmon_plan;

uint32_t ports_of_event(const struct pmon_event *event);
/* Those of its events; 0 for a metric that mixes units. */
uint32_t ports_of_metric(const struct pmon_plan *plan, const struct metric *m);

#endif
