/* SPDX-License-Identifier: MIT */
/* What other commands that measure receive in place of printed reports. */
#ifndef CLI_STAT_CONSUMER_H
#define CLI_STAT_CONSUMER_H

#include <stdbool.h>
#include <pmon/pmon.h>

struct stat_run;

/* pmon top and pmon exporter, which show the counts while they are measured. Functions may be NULL. */
struct stat_watch {
  void *user; /* of the functions */
  /* Receives the report of each interval in place of printing it. */
  void (*on_report)(void *user, const struct pmon_report *report, double seconds, double end_seconds);
  bool (*on_tick)(void *user);                                      /* whether the measurement ends now */
  bool (*wants_row)(void *user, const struct pmon_report_row *row); /* NULL: reports have all rows */
  uint64_t *accesses;                                               /* to registers, added up here; NULL: not counted */
};

/* pmon sample: no intervals are printed. */
struct stat_samples {
  const struct pmon_sample_source *source;
  uint64_t poll_ns;
  void (*add)(void *user, const struct pmon_sample *sample); /* receives each record; NULL: no samples are collected */
  void *user;
  void (*print)(struct stat_run *s); /* prints the result */
  struct pmon_sample_loss loss;      /* filled when the sampling has ended */
};

#endif
