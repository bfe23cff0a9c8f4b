/* SPDX-License-Identifier: MIT */
/*
 * How the machine makes each event of a platform move, or why it does not: what `pmon machine coverage` prints.
 *
 * For platforms of units and blocks (Emerald Rapids, E5-2600) nobody says it row by row. A table of reports lists what
 * the machine was heard to report while scenarios ran (tests/coverage/ makes the table and holds it against what it
 * hears now: a report too few or too many fails). A row of the event tables moves when its control register's value
 * selects one of these reports, by the very function by which counters select them. A second table, written by hand,
 * says which part makes the reports of an event, and why others are not made.
 */
#ifndef MACHINE_COVERAGE_H
#define MACHINE_COVERAGE_H

#include "machine/pmon/coverage.h"

/* How the machine of `platform` drives a counter of `unit` whose control register holds `ctl` and
 * whose unit's filter registers, MACHINE_FILTERS of them, hold `filter` (NULL: zeros). Fills how and
 * part of *ret. False: the machine has no such platform or unit, or its platform has no table. */
bool machine_coverage_of(const char *platform, const char *unit, const uint64_t *filter, uint64_t ctl,
                         struct machine_coverage *ret);
/* The same of the fixed counter (DRIVE_FIXED, 0) or of a free-running one (DRIVE_FREE, its index). */
bool machine_coverage_of_own(const char *platform, const char *unit, uint16_t code, uint64_t index,
                             struct machine_coverage *ret);

#endif
