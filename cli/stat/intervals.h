/* SPDX-License-Identifier: MIT */
/* The intervals of a measurement as lines of one table, or their distribution. */
#ifndef CLI_STAT_INTERVALS_H
#define CLI_STAT_INTERVALS_H

#include "cli/stat/output.h"

struct histogram;
struct series;
struct stat_run;

struct stat_intervals {
  uint32_t number;             /* of the next interval */
  struct series *series;       /* the table; NULL: none */
  bool tried, used;            /* the table */
  struct histogram *histogram; /* of the intervals so far; NULL: none */
  char begin[1024];            /* the text above it */
};

/* An interval's report, and the session that has measured it. */
struct stat_interval {
  const struct pmon_session *session;
  const struct pmon_report *report;
  uint32_t packages;
};
/* Adds an interval to the histogram, or to the table. False: neither is printed, or the table has not enough room.
 * *ret_status: an enum pmon_status. */
bool stat_intervals_add(struct stat_run *s, const struct stat_interval *interval, int *ret_status);
/* Ends the table, with its footnotes, or prints the histogram. An enum cli_exit. */
int stat_intervals_end(struct stat_intervals *all, struct stat_output *o);

#endif
