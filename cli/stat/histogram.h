/* SPDX-License-Identifier: MIT */
/* The distribution of each value over intervals: in how many of them, and in how much of the time, it was how large. */
#ifndef CLI_STAT_HISTOGRAM_H
#define CLI_STAT_HISTOGRAM_H

#include <pmon/report.h>

struct histogram;

/* The distributions of the values of reports like this one. `package` is the term for a package; it must outlive the
 * histogram. PMON_OK, PMON_E_MEMORY. */
int histogram_new(const struct pmon_report *first, const char *package, struct histogram **ret_histogram);

/* Adds an interval of that length. PMON_OK, PMON_E_INVALID (the report has other rows), PMON_E_MEMORY. */
int histogram_add(struct histogram *h, const struct pmon_report *report, double seconds);

/* Writes the distributions: text (below `begin`), CSV with its header, or one JSON object a line for each value.
 * PMON_OK, PMON_E_MEMORY, or the sink's result. */
int histogram_write(const struct histogram *h, enum pmon_format format, const char *begin, pmon_sink sink, void *user);

/* NULL is allowed. */
void histogram_free(struct histogram *h);

#endif
