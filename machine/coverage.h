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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "modelled", "stream" (told by the input alone), "constant" (what never changes in the machine unless a scenario says
 * so), "not modelled". */
enum machine_how { MACHINE_MODELLED, MACHINE_STREAM, MACHINE_CONSTANT, MACHINE_NOT_MODELLED, MACHINE_HOWS };

struct machine_coverage {
  const char *unit, *event;
  const char *how;  /* one of the four words above */
  const char *part; /* the part of the machine that moves it, or the reason */
};

/* Row i of a platform that lists its events itself; false behind the last. */
typedef bool (*machine_coverage_fn)(size_t i, struct machine_coverage *ret);

/* Montecito (machine/montecito/). */
bool montecito_coverage(size_t i, struct machine_coverage *ret);

/* Codes of what has a counter of its own: the fixed counter; free-running counter `attr`. */
enum { DRIVE_FREE = 0x100, DRIVE_FIXED = 0x101 };
enum { MACHINE_FILTERS = 5 }; /* as many as a block has at most */

/* What blocks of `unit` are told by block_pulse(), block_span() or block_level_set(): event code and attributes. */
struct machine_report {
  const char *unit;
  uint16_t code;
  uint64_t attr;
};

/* Who makes the reports of events `first` to `last` of a unit that have a bit of `attr` (0: all), the first entry that
 * fits speaking: MACHINE_MODELLED and the part, or MACHINE_CONSTANT and the line of a scenario that sets it. A row that
 * no report moves is looked up too: it is constant, or not modelled, for the reason in `part`, when it would select a
 * report with these attributes. */
struct machine_drive {
  const char *unit;
  uint16_t first, last;
  uint8_t how; /* enum machine_how */
  uint64_t attr;
  const char *part;
};

/* Why no report moves rows of events `first` to `last`: those whose control has all bits of `with` and none of
 * `without`, and a bit of `any` (0: in any case). Looked at before drives are. */
struct machine_reason {
  const char *unit;
  uint16_t first, last;
  uint8_t how; /* MACHINE_CONSTANT or MACHINE_NOT_MODELLED */
  uint64_t with, without, any;
  const char *part;
};

/* How the machine of `platform` ("emr", "snbep") drives a counter of `unit` whose control register holds `ctl` and
 * whose unit's filter registers, MACHINE_FILTERS of them, hold `filter` (NULL: zeros). Fills how and
 * part of *ret. False: the machine has no such platform or unit, or its platform has no table. */
bool machine_coverage_of(const char *platform, const char *unit, const uint64_t *filter, uint64_t ctl,
                         struct machine_coverage *ret);
/* The same of the fixed counter (DRIVE_FIXED, 0) or of a free-running one (DRIVE_FREE, its index). */
bool machine_coverage_of_own(const char *platform, const char *unit, uint16_t code, uint64_t index,
                             struct machine_coverage *ret);

#endif
