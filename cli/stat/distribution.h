/* SPDX-License-Identifier: MIT */
/* The distribution of a value over the time of intervals: quantiles, and bins with round edges. */
#ifndef CLI_STAT_DISTRIBUTION_H
#define CLI_STAT_DISTRIBUTION_H

#include <stdint.h>

enum { DISTRIBUTION_BINS = 20 }; /* at most */
enum distribution_quantile {
  QUANTILE_LEAST,
  QUANTILE_MEDIAN,
  QUANTILE_MOST_95,
  QUANTILE_MOST_99,
  QUANTILE_GREATEST,
  QUANTILE_N
};

/* The intervals whose value is from `from` on and below `to`; in the last bin, at most `to`. */
struct distribution_bin {
  double from, to, seconds;
  uint32_t intervals;
};

struct distribution {
  uint32_t intervals, n_bins;      /* intervals: in which the value is known */
  double seconds, missing_seconds; /* of intervals in which it is known, and of the others */
  double quantiles[QUANTILE_N];    /* set if there are intervals */
  struct distribution_bin bins[DISTRIBUTION_BINS];
};

/* Makes the distribution of a value that is numbers[i] in an interval of seconds[i]; not finite: unknown. PMON_OK,
 * PMON_E_MEMORY. */
int distribution_make(const double *numbers, const double *seconds, uint32_t n, struct distribution *ret);

#endif
