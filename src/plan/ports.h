/* SPDX-License-Identifier: MIT */
/* The ports of an I/O stack that an event or metric counts: bit n for port n; 0: it does not distinguish ports. */
#ifndef PMON_PLAN_PORTS_H
#define PMON_PLAN_PORTS_H

#include <stdint.h>

struct metric;
struct pmon_event;
struct pmon_plan;

uint32_t ports_of_event(const struct pmon_event *event);
/* The ports of the metric's events; 0 for a metric that mixes units. */
uint32_t ports_of_metric(const struct pmon_plan *plan, const struct metric *m);

#endif
