/* SPDX-License-Identifier: MIT */
/*
 * Invariants: what any measurement must satisfy, whatever was measured (reads and writes are all commands; a share lies
 * between nothing and all). The platform's own stand in its `.rule` files (docs/formats.md). A broken one says that a
 * count, or the invariant, is wrong: it is shown with its numbers and never corrected.
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
 * Adds to a plan that is not scheduled yet the platform's invariants whose events are all in it already: they cost no
 * counter. With `measure` all invariants, and their events with them, those of an invariant in one round where they
 * fit. PMON_OK, PMON_E_STATE, PMON_E_MEMORY; what pmon_plan_add_metrics() returns for an equation that means nothing.
 */
PMON_API int pmon_plan_add_invariants(struct pmon_plan *plan, bool measure);

/* The i-th invariant of a plan, and whether its events count at the same time on every instance, so that the counts can
 * be compared exactly (known when the plan is scheduled). PMON_OK, PMON_E_RANGE. */
PMON_API int pmon_plan_invariant(const struct pmon_plan *plan, uint32_t i, struct pmon_invariant_info *info,
                                 bool *ret_together);

struct pmon_invariant_violation {
  size_t size;
  const char *name, *unit, *brief, *holds, *cite;
  uint32_t package, instance; /* PMON_ALL: all of them */
  double left, right;         /* of the sign of comparison */
};

/*
 * Checks the invariants of the session's plan on each instance, as far as their events count together and have numbers,
 * and that metrics which are a ratio lie between 0 and 1. `broken` (may be NULL) is told each one that does not hold;
 * its texts belong to the plan. *ret_checked: how many invariants could be checked somewhere. PMON_OK, PMON_E_MEMORY.
 */
PMON_API int pmon_session_check_invariants(const struct pmon_session *session,
                                           void (*broken)(void *user, const struct pmon_invariant_violation *invariant),
                                           void *user, uint32_t *ret_checked);

PMON_END_DECLS

#endif
