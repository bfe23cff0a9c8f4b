/* SPDX-License-Identifier: MIT */
/* Intervals as lines of one table: a column for each value, the header again on each screen, footnotes at the end. */
#ifndef CLI_STAT_SERIES_H
#define CLI_STAT_SERIES_H

#include <pmon/report.h>
#include "cli/common/cli.h"

struct series;

/* The table for reports like this one; `begin` is the text above it, and `width` and `height` are the terminal's (0:
 * unlimited, no repeated header). Columns of totals are in up to three blocks below each other. NULL in *ret_series:
 * the columns do not fit. PMON_OK, PMON_E_MEMORY. */
struct series_layout {
  const char *begin;
  const char *package; /* the term for a package, before its number */
  unsigned width, height;
  double step_seconds; /* length of the first interval: times have the decimals that it needs */
  bool estimates;      /* values have intervals */
  bool color;
};
int series_new(const struct pmon_report *first, const struct series_layout *layout, struct series **ret_series);

/* Writes the lines of a report that ends at `end_seconds`. PMON_OK, PMON_E_INVALID (it has other rows), or the sink's
 * result. */
int series_add(struct series *series, const struct pmon_report *report, double end_seconds, pmon_sink sink, void *user);

/* Writes the footnotes, and frees the table; NULL is allowed. The sink's result. */
int series_end(struct series *series, pmon_sink sink, void *user);

#endif
