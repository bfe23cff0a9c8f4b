/* SPDX-License-Identifier: MIT */
/*
 * Comparison of two measurements: for each value, the change, and whether the change exceeds the uncertainty of the
 * two.
 *
 *   struct pmon_side before = {.size = sizeof before, .name = "before", .whole = report, ...}, after = ...;
 *   pmon_comparison_new(&before, &after, NULL, &comparison);
 *   pmon_comparison_format(comparison, PMON_FORMAT_TEXT, sink, user);
 *
 * There are three methods. Each value is compared by the first one whose data are available:
 *
 *   runs       each side was measured at least twice: Welch's t test over the runs
 *   intervals  each side has at least 8 intervals, and the value does not grow with time (a rate, a ratio, a count per
 *              second): Welch's t test over the intervals, whose number is reduced by their correlation in time
 *   errors     the standard errors of the two values: a normal test. Counts that were not estimated have no error: any
 *              difference between them is real, but the variation between runs of one program is not known
 *
 * With many values, some differ by chance. The probabilities are therefore adjusted (Benjamini and Hochberg): of the
 * changes called significant, at most 5 % are expected to be no change.
 *
 * Threads: a comparison, and the reports given to it, are used by one thread at a time, in every function of this
 * header. Different comparisons share nothing.
 */
#ifndef PMON_COMPARE_H
#define PMON_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/api.h>
#include <pmon/report.h>
#include <pmon/value.h>

PMON_BEGIN_DECLS

struct pmon_comparison;

/* One of the two measurements. The reports belong to the caller, who may free them after pmon_comparison_new(). */
struct pmon_side {
  size_t size;
  const char *name;                /* label of the side: a file, a command */
  const struct pmon_report *whole; /* its values */
  /* The reports of the side's runs or intervals, with the rows of `whole`, in order of time. May be NULL. */
  const struct pmon_report *const *parts;
  uint32_t n_parts;
  uint32_t runs; /* 1: the parts are runs, 0: intervals */
};

enum pmon_comparison_method {
  PMON_COMPARED_BY_RUNS,
  PMON_COMPARED_BY_INTERVALS,
  PMON_COMPARED_BY_ERRORS,
  PMON_NOT_COMPARED /* one side has no value */
};

struct pmon_comparison_row {
  size_t size;
  const char *name, *unit;    /* as in struct pmon_report_row; they belong to the comparison */
  uint32_t package, instance; /* PMON_ALL: all */
  const char *instance_unit;  /* or NULL */
  struct pmon_value a, b;
  double change;      /* b - a */
  double low, high;   /* the 95 % interval of the change */
  double ratio;       /* b / a; NaN if a is 0 */
  double p, adjusted; /* probability of such a change by chance; and adjusted for all values */
  uint32_t method;    /* enum pmon_comparison_method */
  uint32_t n_a, n_b;  /* runs or intervals that were used; 0 for the other methods */
  bool significant;   /* adjusted is below 0.05 */
  bool count;         /* as in struct pmon_report_row */
};

struct pmon_comparison_options {
  size_t size;
  bool per_second;  /* counts are divided by the time of their measurement */
  bool given_order; /* rows in the order of the first report; else the most significant change first */
  bool color;       /* format text for a terminal that shows colours */
  uint32_t columns; /* width limit of the text; 0: unlimited */
};

/* Compares all values of the two sides. Values with the same name, unit and scope are paired; a value that only one
 * side has gets a row, too. `options`: NULL for the defaults. The caller frees the comparison with
 * pmon_comparison_free(). PMON_OK; PMON_E_INVALID (a size is 0, no `whole`, parts whose rows are not those of `whole`);
 * PMON_E_UNSUPPORTED (a member of a newer version is set); PMON_E_MEMORY. */
PMON_API int pmon_comparison_new(const struct pmon_side *a, const struct pmon_side *b,
                                 const struct pmon_comparison_options *options,
                                 struct pmon_comparison **ret_comparison);
/* Frees a comparison. NULL is allowed. */
PMON_API void pmon_comparison_free(struct pmon_comparison *comparison);

/* Fills *row with the i-th value (from 0). PMON_OK; PMON_E_RANGE (past the last one); PMON_E_INVALID (the size is not
 * set). */
PMON_API int pmon_comparison_get(const struct pmon_comparison *comparison, uint32_t i, struct pmon_comparison_row *row);

/* Formats a comparison as text, CSV, the header line of CSV, or JSON (an object on one line). The last CSV column is
 * EMULATED, with " (a)" or " (b)" if only that side is of an emulated machine; empty: real hardware. PMON_OK,
 * PMON_E_MEMORY, PMON_E_INVALID (not a format; the sink receives nothing), or the sink's result. */
PMON_API int pmon_comparison_format(const struct pmon_comparison *comparison, enum pmon_format format, pmon_sink sink,
                                    void *user);

PMON_END_DECLS

#endif
