/* SPDX-License-Identifier: MIT */
/* What pmon itself costs, and whether time passes by itself. */
#include <sys/resource.h>
#include <time.h>
#include "cli/top/top.h"

void top_cost(const struct top *t, double *ret_part, double *ret_megabytes)
{
  struct rusage usage;
  struct timespec now;
  getrusage(RUSAGE_SELF, &usage);
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                     (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
  const double passed = top_seconds_between(&t->begun, &now);
  *ret_part = passed > 0 ? cpu / passed : 0;
  *ret_megabytes = (double)usage.ru_maxrss / 1024;
}

bool top_is_real(const struct top *t)
{
  return t->remote || (t->stat.source.host && !t->path);
}
