/* SPDX-License-Identifier: MIT */
/*
 * Values over time: amounts of intervals are shown as rates, because intervals have different lengths. Levels, ratios
 * and rates are shown as they are.
 */
#ifndef PMON_CLI_RATE_H
#define PMON_CLI_RATE_H

#include <pmon/report.h>

enum { RATE_UNIT = 64 };

/* Writes the unit in which a row is shown over time: "bytes/s" for bytes, W for J, "/s" for a count. */
void rate_unit(const struct pmon_report_row *row, char unit[RATE_UNIT]);

/* Returns the factor of a row's values in an interval of this length. An interval without a length has no rate: 1. */
double rate_factor(const struct pmon_report_row *row, double seconds);

#endif
