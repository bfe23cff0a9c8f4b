/* SPDX-License-Identifier: MIT */
/*
 * The types of coverage tables: which reports a processor's blocks receive, which part of the machine makes them, and
 * why no part makes the others. machine/coverage.h looks rows up in them.
 */
#ifndef MACHINE_PMON_COVERAGE_H
#define MACHINE_PMON_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "modelled", "stream" (given by the input alone), "constant" (never changes in the machine unless a scenario sets it),
 * "not modelled". */
enum machine_how { MACHINE_MODELLED, MACHINE_STREAM, MACHINE_CONSTANT, MACHINE_NOT_MODELLED, MACHINE_HOWS };

struct machine_coverage {
  const char *unit, *event;
  const char *umask; /* of a platform that lists its events itself; NULL: none */
  const char *how;   /* one of the four words above */
  const char *part;  /* the part of the machine that makes it count, or the reason why none does */
};

/* Row i of a platform that lists its events itself; false after the last. */
typedef bool (*machine_coverage_fn)(size_t i, struct machine_coverage *ret);

/* Codes of the fixed counter, and of free-running counter `attr`. */
enum { DRIVE_FREERUNNING = 0x100, DRIVE_FIXED = 0x101 };
enum { MACHINE_FILTERS = 5 }; /* the most that a block has */

/* Events that blocks of `unit` receive through block_pulse(), block_span() or block_level_set(): event code and
 * attributes. */
struct machine_report {
  const char *unit;
  uint16_t code;
  uint64_t attr;
};

/* The source of the reports of events `first` to `last` of a unit that have a bit of `attr` (0: all): MACHINE_MODELLED
 * and the part, or MACHINE_CONSTANT and the line of a scenario that sets it. The first row that fits decides. A row of
 * the event tables without reports is looked up too: it is constant, or not modelled, for the reason in `part`, if it
 * would select a report with these attributes. */
struct machine_drive {
  const char *unit;
  uint16_t first, last;
  uint8_t how; /* enum machine_how */
  uint64_t attr;
  const char *part;
};

/* The reason why rows of events `first` to `last` get no reports, for those whose control has all bits of `with`, none
 * of `without`, and a bit of `any` (0: any control). Looked up before drives are. */
struct machine_reason {
  const char *unit;
  uint16_t first, last;
  uint8_t how; /* MACHINE_CONSTANT or MACHINE_NOT_MODELLED */
  uint64_t with, without, any;
  const char *part;
};

#endif
