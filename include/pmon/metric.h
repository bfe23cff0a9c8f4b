/* SPDX-License-Identifier: MIT */
/*
 * Metrics by group. A metric group is the set of metrics that answers one question (MEM, LLC, LATENCY, IO and others);
 * groups have the same names on all platforms. A platform has the groups for which it has metrics. Fact files, compiled
 * or user-supplied, put metrics into groups (docs/formats.md, "Metrics").
 *
 * Threads: a platform is used by one thread at a time, in every function of this header. Platforms of different
 * contexts share no mutable data.
 */
#ifndef PMON_METRIC_H
#define PMON_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/api.h>
#include <pmon/platform.h>

PMON_BEGIN_DECLS

/* A metric group. Texts are owned by the platform. */
struct pmon_metric_group_info {
  size_t size;
  const char *name;  /* "MEM" */
  const char *brief; /* its meaning, one line */
  const char *cite;
  uint32_t metrics; /* number of the platform's metrics in the group; 0: the platform only knows the group's name */
};

/* Describes the platform's i-th metric group, in the order of the facts. PMON_OK, PMON_E_RANGE (past the last). */
PMON_API int pmon_metric_group_describe(const struct pmon_platform *platform, uint32_t group,
                                        struct pmon_metric_group_info *info);

/* Finds a metric group by name, ignoring case. PMON_OK; PMON_E_UNKNOWN (the error record has the nearest names, or the
 * platform's groups). */
PMON_API int pmon_metric_group_find(const struct pmon_platform *platform, const char *name, uint32_t *ret_group);

/* Returns in *ret_metric the number, for pmon_metric_describe(), of the i-th metric in a group. PMON_OK, PMON_E_RANGE
 * (no such group, or past its last metric). */
PMON_API int pmon_metric_group_member(const struct pmon_platform *platform, uint32_t group, uint32_t i,
                                      uint32_t *ret_metric);

/*
 * True if a session can count only one value of the parameter of the platform's i-th metric: the values are contents of
 * a filter that takes effect later than it is written, and therefore keeps its value during the session (E5-2600's
 * frequency bands, 327043 2.6.7; docs/formats.md, `latched`). pmon_plan_add_metrics() refuses the name of such a metric
 * without a value (a name with a value is `PCT_FREQ_BAND0.23`; values are param_lo to param_hi). A pattern leaves such
 * metrics out if it matches other metrics. False: each value can be counted, the metric has no parameter, or the
 * platform has no such metric.
 */
PMON_API bool pmon_metric_takes_one_value(const struct pmon_platform *platform, uint32_t metric);

/*
 * Replaces the patterns in a comma-separated list of metrics by the names, UNIT/NAME, that they match: `MEM_*`,
 * `imc/PCT_*`, `IIO_PART[0-3]_MEM_READ_BANDWIDTH`. In a pattern `*` stands for any text, `?` for one character, `[0-3]`
 * for one character of a set, and `[!0-3]` for one character outside it. Names and user-supplied equations are copied.
 * Writes up to `size` bytes including the NUL; *ret_length gets the length of the whole text without the NUL, so that a
 * call with size 0 returns the length. If a pattern matches other metrics, it leaves out metrics of one value at a time
 * (pmon_metric_takes_one_value()) and metrics with an event that counts only with a filter that the user must set.
 * pmon_plan_add_metrics() expands patterns by itself. PMON_OK; PMON_E_UNKNOWN (nothing matches; the error record has
 * the nearest names); PMON_E_MEMORY.
 */
PMON_API int pmon_metric_expand(const struct pmon_platform *platform, const char *list, char *names, size_t size,
                                size_t *ret_length);

PMON_END_DECLS

#endif
