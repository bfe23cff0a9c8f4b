/* SPDX-License-Identifier: MIT */
/*
 * What users do with a platform whose facts were taken: each walk asks the library for all of it, and aborts where an
 * answer contradicts another.
 */
#ifndef FUZZ_WALK_H
#define FUZZ_WALK_H

#include <pmon/pmon.h>

/* Units with their registers and fields; all ones and zeros as the registers' values. */
void walk_units(struct pmon_context *c, const struct pmon_platform *p);

/* Events and umasks, by name, on each counter that they may have, and back. */
void walk_events(struct pmon_context *c, const struct pmon_platform *p);

/* Metrics, invariants, rules and values. */
void walk_equations(struct pmon_context *c, const struct pmon_platform *p);

/* The rules judge writes to each register. */
void walk_rules(const struct pmon_platform *p);

/* Some events, all metrics and invariants counted through a backend, as below. */
void walk_session(struct pmon_context *c, const struct pmon_platform *p, struct pmon_backend *backend);

/* Counts a plan that is not scheduled yet for some microseconds, and formats the report; plan and backend are freed. */
void walk_plan(struct pmon_context *c, struct pmon_plan *plan, struct pmon_backend *backend);

/* A session's values and invariants as a report in each format. */
void walk_report(const struct pmon_plan *plan, const struct pmon_session *session);

#endif
