/* SPDX-License-Identifier: MIT */
/* How many values were printed, and how many of them have no number since their counter could not be used. */
#ifndef CLI_STAT_VALUES_H
#define CLI_STAT_VALUES_H

#include <pmon/report.h>

struct stat_values {
  uint64_t n, lost;
  char reason[163]; /* of the first one */
};

/* Counts the values of a report. */
void stat_values_add(struct stat_values *v, const struct pmon_report *r);
/* Whether values were printed, and none of them has a number. */
bool stat_values_all_lost(const struct stat_values *v);

#endif
