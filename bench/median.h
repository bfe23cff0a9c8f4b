/* SPDX-License-Identifier: MIT */
/* Processor time, and the median of times. */
#ifndef BENCH_MEDIAN_H
#define BENCH_MEDIAN_H

#include <stdlib.h>
#include <time.h>

static inline double now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* Sorts `values`, of which there is at least one. */
static inline double median(double *values, size_t n)
{
  qsort(values, n, sizeof *values, by_value);
  return values[n / 2];
}

#endif
