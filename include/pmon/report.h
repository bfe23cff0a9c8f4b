/* SPDX-License-Identifier: MIT */
/*
 * A report: named values with units, scopes and flags, and the same content as text for people, as CSV and as JSON.
 * The same report gives the same bytes.
 */
#ifndef PMON_REPORT_H
#define PMON_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/api.h>
#include <pmon/invariant.h>
#include <pmon/regions.h>
#include <pmon/session.h>
#include <pmon/status.h>
#include <pmon/value.h>

PMON_BEGIN_DECLS

struct pmon_report;

/* What a report says about the measurement as a whole. Texts are copied; absent ones are NULL. */
struct pmon_report_head {
  size_t size;
  const char *platform, *backend, *command;
  double seconds;     /* measured */
  double end_seconds; /* when it ended, on the clock that times are to be told by */
  uint32_t rounds, packages;
  uint32_t interval; /* number of this interval from 1: text then says which stretch of time it is about, and
                        what is the same for all of them in the first one alone; 0: the whole measurement */
  uint32_t columns;  /* that text may take; 0: any number */
  uint32_t runs;     /* of which the values are means; 0 and 1: a single one */
  uint32_t freeze;   /* enum pmon_freeze: what stood still while counters were read; 0: nothing is said of it,
                        and of the next two */
  double hold_seconds, skew_seconds; /* struct pmon_session_info */
  const char *package;               /* what packages are called: struct pmon_platform_info; NULL: "socket" */
  /* A region (pmon/regions.h) that the report is about; NULL: none. `thread`, PMON_REGION_ALL_THREADS: all of them. */
  const char *region;
  uint64_t thread, calls, missing_ends, missing_begins;
  bool color; /* text for a terminal that shows colours (SGR sequences); it is the same text without */
};

struct pmon_report_row {
  size_t size;
  const char *name;          /* of the event or metric */
  const char *unit;          /* of the value: "bytes/s", "ratio", "ns", ..., "" for a count; copied like name */
  const char *brief;         /* may be NULL */
  uint32_t package;          /* PMON_ALL: all together */
  uint32_t instance;         /* PMON_ALL: all of the package */
  const char *instance_unit; /* which unit's instance, or NULL */
  struct pmon_value value;
  double deviation; /* standard deviation between runs; 0 where there was one */
  bool count;       /* a number of events: text shows it without a fraction, though an estimate may have one,
                       unless it is a mean of runs */
};

/* PMON_OK, PMON_E_MEMORY. The report is the caller's: pmon_report_free(). */
PMON_API int pmon_report_new(const struct pmon_report_head *head, struct pmon_report **ret_report);
/* NULL is fine. */
PMON_API void pmon_report_free(struct pmon_report *report);

/* Adds one value. PMON_OK, PMON_E_MEMORY. */
PMON_API int pmon_report_add(struct pmon_report *report, const struct pmon_report_row *row);

/* By what values are told apart. */
enum pmon_breakdown {
  PMON_BY_PACKAGE = 1,  /* each package */
  PMON_BY_INSTANCE = 2, /* each instance of the unit */
  PMON_IN_TOTAL = 4     /* all together; left out where there is just one package, and that is given */
};

/* Adds the values of all metrics, and of the events that were asked for, as the session has them now. `breakdown` is a
 * sum of enum pmon_breakdown. An event whose count is worth something (64 bytes, say) is given in that.
 * PMON_OK, PMON_E_MEMORY. */
PMON_API int pmon_report_add_session(struct pmon_report *report, const struct pmon_session *session,
                                     const struct pmon_plan *plan, uint32_t breakdown);

/* The mean of `n` reports with the same rows, as repeated measurements give: sigma is that of the mean, from the
 * deviation between the runs. Owned by the caller. PMON_OK, PMON_E_MEMORY, PMON_E_INVALID (the rows differ). */
PMON_API int pmon_report_new_mean(const struct pmon_report *const *reports, uint32_t n,
                                  struct pmon_report **ret_report);

enum pmon_order {
  PMON_ORDER_GIVEN, /* as they were added */
  PMON_ORDER_VALUE, /* names by their largest value, the instances of each by theirs, largest first */
  PMON_ORDER_NAME
};

/* Puts the rows into an order and keeps, unless `top` is 0, the first `top` instances of each name, or the first `top`
 * names where no row is about one instance. PMON_OK, PMON_E_MEMORY. */
PMON_API int pmon_report_arrange(struct pmon_report *report, enum pmon_order order, uint32_t top);

/* Checks the invariants of the session's plan (pmon/invariant.h) and keeps those that do not hold: JSON lists them, and
 * how many could be checked. PMON_OK, PMON_E_MEMORY. */
PMON_API int pmon_report_add_invariants(struct pmon_report *report, const struct pmon_session *session);
PMON_API uint32_t pmon_report_invariants_checked(const struct pmon_report *report);
/* The i-th that does not hold; its texts belong to the report. PMON_OK, PMON_E_RANGE. */
PMON_API int pmon_report_invariant_violation(const struct pmon_report *report, uint32_t i,
                                             struct pmon_invariant_violation *invariant);

enum pmon_format {
  PMON_FORMAT_TEXT,       /* a table with a line for each name and a column for each scope where that fits, or a line
                             for each value; numbers rounded, with the units that people use, half of the interval of
                             95 % confidence behind those that are estimates; reasons below */
  PMON_FORMAT_CSV,        /* RFC 4180, a line for each value: begin_seconds, end_seconds, seconds, name, package,
                             unit_name, instance, value, unit, sigma, fraction, flags, reason, runs, deviation,
                             freeze, hold_seconds, skew_seconds, region, thread,
                             calls (the last three are empty where the report is not about a region) */
  PMON_FORMAT_CSV_HEADER, /* the CSV's first line alone */
  PMON_FORMAT_JSON        /* one object on one line */
};

/* Takes `n` bytes; what it returns, unless 0, ends the formatting and is its result. */
typedef int (*pmon_sink)(void *user, const char *bytes, size_t n);

/* PMON_OK, PMON_E_MEMORY, PMON_E_INVALID (not a format; the sink gets nothing), or what the sink returned. */
PMON_API int pmon_report_format(const struct pmon_report *report, enum pmon_format format, pmon_sink sink, void *user);

PMON_END_DECLS

#endif
