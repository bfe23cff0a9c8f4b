/* SPDX-License-Identifier: MIT */
/* The rows of a platform's event tables, and the machine's coverage of each. */
#ifndef CLI_TARGET_COVERAGE_ROWS_H
#define CLI_TARGET_COVERAGE_ROWS_H

#include <pmon/context.h>
#include <pmon/event.h>
#include <pmon/platform.h>
#include "machine/coverage.h"

/* An event with one umask (or none), as a counter is programmed for it. */
struct coverage_row {
  const char *unit, *event, *umask;      /* umask: NULL if the event has none */
  uint64_t ctl, filter[MACHINE_FILTERS]; /* registers; 0 for an event with a dedicated counter */
  uint16_t own;                          /* then DRIVE_FIXED or DRIVE_FREERUNNING, else 0 */
  uint64_t index;                        /* ... and its number in the unit */
};

/* Fills ctl and filter: the register values of a counter that counts the event `text`. PMON_E_* of the library;
 * PMON_E_INVALID: no control register selects it. */
int coverage_row_encode(struct pmon_context *context, const struct pmon_platform *platform, const char *text,
                        struct coverage_row *row);

typedef int (*coverage_row_fn)(void *data, const struct coverage_row *row);

/* Calls `each` for every row of the platform, unit after unit in the order of the tables; mesh stops' rows come with
 * each unit that has such a stop. Stops at the first value other than 0 and returns it; PMON_E_* of the library when
 * a row does not resolve. */
int coverage_rows(struct pmon_context *context, const struct pmon_platform *platform, coverage_row_fn each, void *data);

/* The machine's coverage of the row. False: unknown. */
bool coverage_of_row(const char *platform, const struct coverage_row *row, struct machine_coverage *ret);

#endif
