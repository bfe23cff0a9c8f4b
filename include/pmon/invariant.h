/* SPDX-License-Identifier: MIT */
/*
 * Invariants: equations that the counts of any measurement must satisfy (reads plus writes equal all commands; a ratio
 * lies between 0 and 1). The platform's invariants are in its `.rule` files (docs/formats.md). A violation means that a
 * count or the invariant is wrong. It is reported with its numbers. Counts are never corrected.
 */
#ifndef PMON_INVARIANT_H
#define PMON_INVARIANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/api.h>
#include <pmon/plan.h>
#include <pmon/session.h>

PMON_BEGIN_DECLS

struct pmon_invariant_info {
  size_t size;
  const char *name, *unit, *brief, *cite;
  const char *holds; /* "CAS_COUNT.RD + CAS_COUNT.WR == CAS_COUNT.ALL" */
};

/* Describes the platform's i-th invariant. PMON_OK, PMON_E_RANGE. */
PMON_API int pmon_invariant_describe(const struct pmon_platform *platform, uint32_t invariant,
                                     struct pmon_invariant_info *info);

/*
 * Adds invariants of the platform to a plan that is not scheduled. Without `measure`, only invariants whose events are
 * all in the plan are added; these need no further counters. With `measure`, all invariants are added with their
 * events, and the events of an invariant are placed in one round if they fit. PMON_OK, PMON_E_STATE, PMON_E_MEMORY; the
 * statuses of pmon_plan_add_metrics() for an invalid equation.
 */
PMON_API int pmon_plan_add_invariants(struct pmon_plan *plan, bool measure);

/* Describes the i-th invariant of a plan. *ret_together: its events count at the same time on every instance, so their
 * counts can be compared exactly (known after pmon_plan_schedule()). PMON_OK, PMON_E_RANGE. */
PMON_API int pmon_plan_invariant(const struct pmon_plan *plan, uint32_t i, struct pmon_invariant_info *info,
                                 bool *ret_together);

struct pmon_invariant_violation {
  size_t size;
  const char *name, *unit, *brief, *holds, *cite;
  uint32_t package, instance; /* PMON_ALL: all of them */
  double left, right;         /* the two sides of the comparison */
};

/*
 * Checks the invariants of the session's plan on each instance where their events count together and have numbers, and
 * checks that each metric with the result `ratio` lies between 0 and 1. Calls `broken` (may be NULL) for each
 * violation, whose texts belong to the plan. *ret_checked: the number of invariants that could be checked on at least
 * one instance. PMON_OK, PMON_E_MEMORY.
 */
PMON_API int pmon_session_check_invariants(const struct pmon_session *session,
                                           void (*broken)(void *user, const struct pmon_invariant_violation *invariant),
                                           void *user, uint32_t *ret_checked);

PMON_END_DECLS

#endif
