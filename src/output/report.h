/* SPDX-License-Identifier: MIT */
/* A report inside the library. */
#ifndef PMON_OUTPUT_REPORT_H
#define PMON_OUTPUT_REPORT_H

#include <stdlib.h>
#include <pmon/report.h>
#include "src/base/buffer.h"

struct report_row {
  char *texts;  /* name, unit, where, of and instance_unit, one after the other */
  char *device; /* NULL: not by device */
  const char *name, *unit;
  const char *where;              /* "total", "socket 0", "socket 0 cha 3"; the device's text if there is one */
  const char *of, *instance_unit; /* NULL: none */
  uint32_t package, instance;
  uint32_t ports;
  struct pmon_value value;
  double deviation, base, share;
  bool count, amount;
};

/* A device that pmon_report_add_device() added. */
struct report_device {
  char *unit, *text; /* text: address and name */
  uint32_t package, instance, port;
  double link; /* bandwidth of its root port's link, bytes/s; 0: not known */
};

struct pmon_report {
  char *platform, *backend, *command, *package;
  char *machine; /* NULL: real hardware */
  char *host;    /* NULL: not known */
  double time;   /* 0: not known */
  double seconds, end_seconds, paused_seconds;
  uint32_t rounds, packages, interval, columns, runs, freeze;
  double freeze_seconds, skew_seconds;
  char *region; /* NULL: none */
  uint64_t thread, calls, missing_ends, missing_begins;
  bool color;
  struct pmon_estimate sampled; /* intervals 0 and fraction 0: not sampled */
  struct report_row *rows;
  uint32_t n_rows, cap_rows;
  struct report_device *devices;
  uint32_t n_devices, cap_devices;
  struct pmon_invariant_violation *violations;
  uint32_t n_violations, cap_violations, invariants_checked;
};

static inline void report_free_row(struct report_row *row)
{
  free(row->texts);
  free(row->device);
}

/* When the measurement began, on the clock of the reported times. */
static inline double report_begin_seconds(const struct pmon_report *r)
{
  return r->end_seconds - r->seconds - r->paused_seconds;
}

/* Returns a row as programs see it; its texts are those of `row`. */
struct pmon_report_row report_row_public(const struct report_row *row);
void report_free_devices(struct pmon_report *report);
void report_free_invariants(struct pmon_report *report);
void report_format_text(const struct pmon_report *r, struct buffer *b);
void report_format_csv(const struct pmon_report *r, struct buffer *b);
void report_format_csv_header(struct buffer *b);
void report_format_wide(const struct pmon_report *r, struct buffer *b);
void report_format_wide_header(const struct pmon_report *r, struct buffer *b);
void report_format_json(const struct pmon_report *r, struct buffer *b);

/* Writes the number as people read it: 1,234,567; 12.35 GB/s; 3.21 %; 95.2 ns. */
void report_number(double number, const char *unit, char *text, size_t size);

/* Writes an estimate and its 95 % interval, in the number's unit: 9,600 and ±4,600; 93.8 % and ±1.2; if the interval is
 * not symmetrical, 9,600 and +11,000 -5,600. The number has as many digits as its uncertainty leaves. `whole`: it is a
 * count; `deviates`: the deviation between runs follows. */
void report_estimate(const struct report_row *row, bool whole, bool deviates, char *value, char *after, size_t size);

/* The name of an enum pmon_freeze, "" for 0. */
const char *report_freeze_name(uint32_t freeze);

/* The name of the n-th flag of enum pmon_value_flag, or NULL. */
const char *report_flag_name(unsigned bit);

#endif
