/* SPDX-License-Identifier: MIT */
/*
 * Tests whether two means differ: Welch's t test, for observations whose deviations may differ. Observations that
 * follow one another in time are not independent; their number is reduced by their correlation.
 */
#ifndef PMON_OUTPUT_WELCH_H
#define PMON_OUTPUT_WELCH_H

#include <stdbool.h>
#include <stdint.h>

/* One side: the mean of observations, its standard error, and the degrees of freedom of that error; INFINITY: the error
 * is known, not estimated from few observations. */
struct welch_side {
  double mean, error, freedom;
};

/* Returns the side of n observations (at least 2). `serial`: they are consecutive in time. */
struct welch_side welch_side_of(const double *observations, uint32_t n, bool serial);

/* The difference b - a: half the width of its 95 % interval, and the probability of a difference at least this large if
 * both sides had the same mean. Both errors 0: `half` is 0, and `p` 0 or 1. */
struct welch_result {
  double half, p, freedom;
};
struct welch_result welch_compare(const struct welch_side *a, const struct welch_side *b);

/* Returns the probability of a |t| at least this large with Student's distribution; `freedom` may be INFINITY. */
double welch_student_p(double t, double freedom);

#endif
