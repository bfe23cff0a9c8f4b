/* SPDX-License-Identifier: MIT */
/*
 * The types of coverage tables: which reports a processor's blocks get, which part of the machine makes them, and why
 * others are not made. machine/coverage.h looks rows up in them.
 */
#ifndef MACHINE_PMON_COVERAGE_H
#define MACHINE_PMON_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "modelled", "stream" (given by the input alone), "constant" (what never changes in the machine unless a scenario says
 * so), "not modelled". */
enum machine_how { MACHINE_MODELLED, MACHINE_STREAM, MACHINE_CONSTANT, MACHINE_NOT_MODELLED, MACHINE_HOWS };

struct machine_coverage {
  const char *unit, *event;
  const char *umask; /* of a platform that lists its events itself; NULL: none */
  const char *how;   /* one of the four words above */
  const char *part;  /* the part of the machine that moves it, or the reason */
};

/* Row i of a platform that lists its events itself; false behind the last. */
typedef bool (*machine_coverage_fn)(size_t i, struct machine_coverage *ret);

/* Codes of what has a counter of its own: the fixed counter; free-running counter `attr`. */
enum { DRIVE_FREERUNNING = 0x100, DRIVE_FIXED = 0x101 };
enum { MACHINE_FILTERS = 5 }; /* as many as a block has at most */

/* Events that blocks of `unit` receive through block_pulse(), block_span() or block_level_set(): event code and
 * attributes. */
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

#endif
