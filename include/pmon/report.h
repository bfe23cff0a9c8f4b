/* SPDX-License-Identifier: MIT */
/*
 * A report: named values with units, scopes and flags, formatted as text, CSV or JSON. The same report always gives the
 * same bytes.
 *
 * Threads: a report, and a session that is added to it, are used by one thread at a time, in every function of this
 * header. Different reports share nothing.
 */
#ifndef PMON_REPORT_H
#define PMON_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/api.h>
#include <pmon/invariant.h>
#include <pmon/platform.h>
#include <pmon/regions.h>
#include <pmon/session.h>
#include <pmon/status.h>
#include <pmon/value.h>

PMON_BEGIN_DECLS

struct pmon_report;

/* Properties of the measurement as a whole. Texts are copied. NULL: absent. */
struct pmon_report_head {
  size_t size;
  const char *platform, *backend, *command;
  double seconds;     /* measured time */
  double end_seconds; /* end of the measurement, on the clock of the reported times */
  uint32_t rounds, packages;
  uint32_t interval;                   /* number of this interval, from 1: text then has its time span, and only the
                                          first interval prints shared properties; 0: the whole measurement */
  uint32_t columns;                    /* width limit of the text; 0: unlimited */
  uint32_t runs;                       /* number of runs that the values are means of; 0 and 1: a single run */
  uint32_t freeze;                     /* enum pmon_freeze: the freeze scope of a counter read; 0: unknown, then the
                                          next two members are ignored */
  double freeze_seconds, skew_seconds; /* struct pmon_session_info */
  const char *package;                 /* the term for a package, as in struct pmon_platform_info; NULL: "socket" */
  /* The region (pmon/regions.h) of the report; NULL: none. `thread`: PMON_REGION_ALL_THREADS for all threads. */
  const char *region;
  uint64_t thread, calls, missing_ends, missing_begins;
  bool color; /* format text for a terminal that shows colours (SGR sequences) */
  /* The emulated machine that was measured, by the name of its platform; every format then marks the values as
   * EMULATED. NULL or "": real hardware. */
  const char *machine;
  const char *host; /* the name of the measured host; NULL or "": none, or not known */
  double time;      /* the end of the measurement in seconds since 1970 (UTC); 0: not known, or simulated time */
  /* Time for which counting was stopped between the begin and the end of the measurement: it began at end_seconds -
   * seconds - paused_seconds. */
  double paused_seconds;
};

struct pmon_report_row {
  size_t size;
  const char *name;  /* the event's or metric's name */
  const char *unit;  /* the unit of the value: "bytes/s", "ratio", "ns", ..., "" for a count; copied like name */
  const char *brief; /* may be NULL */
  uint32_t package;  /* PMON_ALL: all packages */
  uint32_t instance; /* PMON_ALL: all instances of the package */
  const char *instance_unit; /* the unit that `instance` belongs to, or NULL */
  struct pmon_value value;
  double deviation;   /* standard deviation between runs; 0 for a single run */
  bool count;         /* a number of events: text shows it without a fraction unless it is a mean of runs */
  const char *of;     /* the denominator of a ratio, in the plural ("requests"), shown after its name; NULL or "": not
                         stated */
  double base;        /* value of the denominator. Text notes a small one; 0: unknown */
  uint32_t ports;     /* bit n: the value covers port n of the instance, an I/O stack; 0: not a value of ports */
  const char *device; /* set by pmon_report_by_device(): the devices that the value covers, with their place; else
                         NULL */
  double share;       /* pmon_scaling.share of an event with flag PMON_VALUE_WITNESS; 0: not known, or not scaled by a
                         witness */
  bool amount;        /* the values of consecutive intervals add up to that of all of them: counts, bytes, energy. Not
                         those of levels, rates and ratios */
};

/* Makes an empty report. The caller frees it with pmon_report_free(). PMON_OK, PMON_E_INVALID (size 0, or `freeze` is
 * no freeze scope), PMON_E_UNSUPPORTED (a member of a newer version is set), PMON_E_MEMORY. */
PMON_API int pmon_report_new(const struct pmon_report_head *head, struct pmon_report **ret_report);
/* Frees a report. NULL is allowed. */
PMON_API void pmon_report_free(struct pmon_report *report);

/* Adds one value. PMON_OK, PMON_E_INVALID (size 0, or value.flags has a bit that is no enum pmon_value_flag),
 * PMON_E_UNSUPPORTED (a member of a newer version is set), PMON_E_MEMORY. */
PMON_API int pmon_report_add(struct pmon_report *report, const struct pmon_report_row *row);

/* Fills *row with the i-th value (from 0); its texts belong to the report. PMON_OK; PMON_E_RANGE (past the last one);
 * PMON_E_INVALID (the size is not set). */
PMON_API int pmon_report_get(const struct pmon_report *report, uint32_t i, struct pmon_report_row *row);

enum { PMON_REPORT_TEXT = 64 };
/* Formats a row's value as in the text format: `text` gets the number with its unit, "no data" or "unknown"; `after`
 * gets the 95 % interval of an estimate in the same unit ("±4,600", "below 70"), else "". PMON_OK, PMON_E_INVALID (the
 * size is not set), PMON_E_UNSUPPORTED (a member of a newer version is set). */
PMON_API int pmon_report_row_text(const struct pmon_report_row *row, char text[PMON_REPORT_TEXT],
                                  char after[PMON_REPORT_TEXT]);

/* Formats a time, of at least 0 seconds, as in the text format: in s, ms, us or ns, "9.618 ms". */
PMON_API void pmon_report_time_text(double seconds, char text[PMON_REPORT_TEXT]);

/* The scopes for which values are reported. */
enum pmon_breakdown {
  PMON_BY_PACKAGE = 1,  /* each package */
  PMON_BY_INSTANCE = 2, /* each instance of the unit */
  PMON_IN_TOTAL = 4     /* all packages together; omitted if there is only one package and PMON_BY_PACKAGE is set */
};

/* Selects rows: `wants` returns true for each row to add. */
struct pmon_report_filter {
  size_t size;
  bool (*wants)(void *user, const struct pmon_report_row *row);
  void *user;
};

/* Adds the current values of the session's metrics and of the events that were selected by name. `breakdown` is a sum
 * of enum pmon_breakdown. An event with a scale (64 bytes per count, for example) is reported in that unit. PMON_OK,
 * PMON_E_INVALID (`breakdown` has another bit), PMON_E_MEMORY. */
PMON_API int pmon_report_add_session(struct pmon_report *report, const struct pmon_session *session,
                                     const struct pmon_plan *plan, uint32_t breakdown);

/* Adds the rows of pmon_report_add_session() that `wanted` selects, and computes no others. The filter is called for
 * each row, which has no value yet; it must not keep the row. NULL: all rows. Statuses as pmon_report_add_session(),
 * and PMON_E_INVALID (the filter's size or function is not set), PMON_E_UNSUPPORTED (a member of a newer version is
 * set). */
PMON_API int pmon_report_add_session_rows(struct pmon_report *report, const struct pmon_session *session,
                                          const struct pmon_plan *plan, uint32_t breakdown,
                                          const struct pmon_report_filter *wanted);

/* Adds a device, which pmon_report_by_device() finds. Its texts are copied. PMON_OK, PMON_E_INVALID (the size is not
 * set, `unit` or `address` is NULL), PMON_E_UNSUPPORTED (a member of a newer version is set), PMON_E_MEMORY. */
PMON_API int pmon_report_add_device(struct pmon_report *report, const struct pmon_device *device);

/* Keeps only the values of ports of I/O stacks (add the session with PMON_BY_INSTANCE), and names each by the devices
 * behind its ports: "0000:17:00.0 NAME (socket 0, stack 2, port A)". Several devices behind one port are counted
 * together, and share one value. A port without a device remains only if its value is above 0. PMON_OK; PMON_E_NO_DATA
 * (no value is of a port; the report is unchanged); PMON_E_MEMORY. */
PMON_API int pmon_report_by_device(struct pmon_report *report);

/* Makes the mean of `n` reports with the same rows, as repeated measurements produce. sigma is the standard error of
 * the mean, computed from the deviation between the runs, and at least the standard error that the runs' own errors
 * give. The interval has Student's factor, and adds the full bound of pmon_report_estimate(), which repetition does not
 * reduce. The caller frees the report with pmon_report_free(). PMON_OK, PMON_E_MEMORY, PMON_E_INVALID (`n` is 0, or the
 * rows differ). */
PMON_API int pmon_report_new_mean(const struct pmon_report *const *reports, uint32_t n,
                                  struct pmon_report **ret_report);

/* Describes the estimation of values from a run of which only a part was simulated in detail. */
struct pmon_estimate {
  size_t size;
  double fraction;       /* part of the instructions that was simulated in detail, above 0 up to 1; 1: all, and the
                            values are exact */
  uint64_t instructions; /* instructions of the run */
  uint64_t intervals;    /* number of intervals simulated in detail after the beginning */
  double error;          /* relative standard error of the time, from the differences between the intervals; 0 and
                            above, INFINITY: not known */
  double bound;          /* additional relative error allowed for all values; 0 and above, finite */
  uint64_t freedom;      /* degrees of freedom of the error: number of differences between consecutive intervals of
                            one thread; 0: intervals - 1, those of a single thread */
};

/* Marks the values of a report as estimates: gives each its error (sigma, that of the time alone) and its interval, and
 * the flags PMON_VALUE_SCALED and PMON_VALUE_SAMPLED. The interval is Student's interval for the error, widened by the
 * bound on both sides; comparisons (pmon_comparison_new()) use the interval for such values. With fewer than 8
 * intervals, or an unknown error, values have no number. A fraction of 1 changes nothing, and neither does an estimate
 * that is refused. PMON_OK, PMON_E_INVALID (the size is not set, or fraction, error or bound is outside its range),
 * PMON_E_UNSUPPORTED (a member of a newer version is set). */
PMON_API int pmon_report_estimate(struct pmon_report *report, const struct pmon_estimate *estimate);

enum pmon_order {
  PMON_ORDER_GIVEN, /* the order in which rows were added */
  PMON_ORDER_VALUE, /* names by their largest value, and the instances of each name by value, largest first */
  PMON_ORDER_NAME
};

/* Sorts the rows. Unless `top` is 0, keeps only the first `top` instances of each name, or the first `top` names if no
 * row has an instance. PMON_OK, PMON_E_INVALID (not an order), PMON_E_MEMORY. */
PMON_API int pmon_report_arrange(struct pmon_report *report, enum pmon_order order, uint32_t top);

/* Checks the invariants of the session's plan (pmon/invariant.h) and stores the violations. JSON lists them, with the
 * number of invariants that could be checked, which the second function returns. PMON_OK, PMON_E_MEMORY. */
PMON_API int pmon_report_add_invariants(struct pmon_report *report, const struct pmon_session *session);
PMON_API uint32_t pmon_report_invariants_checked(const struct pmon_report *report);
/* Fills *invariant with the i-th violation. Its texts belong to the report. PMON_OK, PMON_E_RANGE. */
PMON_API int pmon_report_invariant_violation(const struct pmon_report *report, uint32_t i,
                                             struct pmon_invariant_violation *invariant);

enum pmon_format {
  PMON_FORMAT_TEXT,       /* a table with a line per name and a column per scope if that fits, else a line per value;
                             numbers are rounded and have common units; the 95 % confidence interval follows
                             an estimate; reasons for absent values follow the table */
  PMON_FORMAT_CSV,        /* RFC 4180, a line per value: begin_seconds, end_seconds, seconds, name, package,
                             unit_name, instance, value, unit, sigma, low, high, fraction, flags, reason, runs,
                             deviation,
                             freeze, freeze_seconds, skew_seconds, region, thread,
                             calls (these three are empty where the report is not about a region),
                             backend, machine (empty: real hardware), platform, interval (empty: the whole), host,
                             time (of the head; empty: not known), device (empty: not by device),
                             share (of a row; empty: by time, or not of one run),
                             emulated (EMULATED; empty: real hardware) */
  PMON_FORMAT_CSV_HEADER, /* only the CSV header line */
  PMON_FORMAT_JSON,       /* one object on one line */
  PMON_FORMAT_CSV_WIDE,   /* RFC 4180, one line with a column for each value: begin_seconds, end_seconds, seconds, time,
                             host, backend, machine, platform, interval, region, thread, calls, the values,
                             reason (why values are missing), emulated (EMULATED; empty: real hardware) */
  PMON_FORMAT_CSV_WIDE_HEADER /* the line of column names; the same for reports with the same values */
};

/* Receives `n` bytes. A result other than 0 ends the formatting, which returns it. */
typedef int (*pmon_sink)(void *user, const char *bytes, size_t n);

/* Formats a report. PMON_OK, PMON_E_MEMORY, PMON_E_INVALID (not a format; the sink receives nothing), or the sink's
 * result. */
PMON_API int pmon_report_format(const struct pmon_report *report, enum pmon_format format, pmon_sink sink, void *user);

PMON_END_DECLS

#endif
