/* SPDX-License-Identifier: MIT */
/*
 * Uses a platform whose facts were accepted, as users do: each walk queries the library for everything, and aborts
 * where answers contradict each other.
 */
#ifndef FUZZ_WALK_H
#define FUZZ_WALK_H

#include <pmon/pmon.h>

/* Describes units with their registers and fields, and decodes all ones and zeros as register values. */
void walk_units(struct pmon_context *c, const struct pmon_platform *p);

/* Resolves events and umasks by name, encodes them on each counter that they can use, and decodes them again. */
void walk_events(struct pmon_context *c, const struct pmon_platform *p);

/* Describes metrics, invariants, rules and values. */
void walk_equations(struct pmon_context *c, const struct pmon_platform *p);

/* Checks writes to each register by the rules. */
void walk_rules(const struct pmon_platform *p);

/* Counts some events, all metrics and all invariants through a backend, as walk_plan() does. */
void walk_session(struct pmon_context *c, const struct pmon_platform *p, struct pmon_backend *backend);

/* Schedules a plan, counts it for some microseconds, and formats the report. Frees plan and backend. */
void walk_plan(struct pmon_context *c, struct pmon_plan *plan, struct pmon_backend *backend);

/* Formats a session's values and invariants as a report in each format. */
void walk_report(const struct pmon_plan *plan, const struct pmon_session *session);

#endif
