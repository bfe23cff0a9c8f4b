/* SPDX-License-Identifier: MIT */
/*
 * For each event of a platform: the part of the machine that drives it, or the reason that it is always 0. `pmon
 * machine coverage` prints this.
 *
 * For platforms of units and blocks (Emerald Rapids, E5-2600) the answer is derived. A recorded table lists the reports
 * that the machine makes during the scenarios; tests/coverage/ creates the table and fails when the machine makes more
 * or fewer reports than the table lists. A row of the event tables is covered when its control register's value selects
 * one of these reports; the selection function is the one that counters use. A second, hand-written table names the
 * part that makes each report, and the reason for each missing one.
 */
#ifndef MACHINE_COVERAGE_H
#define MACHINE_COVERAGE_H

#include "machine/pmon/coverage.h"

/* Determines how the machine of `platform` drives a counter of `unit` whose control register holds `ctl` and whose
 * unit's filter registers, MACHINE_FILTERS of them, hold `filter` (NULL: zeros). Sets how and part of *ret. False: the
 * machine has no such platform or unit, or its platform has no table. */
bool machine_coverage_of(const char *platform, const char *unit, const uint64_t *filter, uint64_t ctl,
                         struct machine_coverage *ret);
/* As machine_coverage_of(), for the fixed counter (DRIVE_FIXED, 0) or a free-running one (DRIVE_FREERUNNING, its
 * index). */
bool machine_coverage_of_own(const char *platform, const char *unit, uint16_t code, uint64_t index,
                             struct machine_coverage *ret);

#endif
