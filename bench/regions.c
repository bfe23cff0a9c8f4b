/* SPDX-License-Identifier: MIT */
/* The cost of a region without a measurement: processor time of a begin and its end, best of five turns, in ns.
 * usage: bench_regions [PAIRS] */
#include <pmon/region.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench/median.h"

enum { TURNS = 5 };

static void macros(unsigned long pairs)
{
  for (unsigned long i = 0; i < pairs; i++) {
    PMON_REGION_BEGIN("region");
    PMON_REGION_END("region");
  }
}

static void functions(unsigned long pairs)
{
  for (unsigned long i = 0; i < pairs; i++) {
    pmon_region_begin("region");
    pmon_region_end("region");
  }
}

static double best_ns(void (*run)(unsigned long pairs), unsigned long pairs)
{
  double ns[TURNS];
  for (unsigned t = 0; t < TURNS; t++) {
    const double begin = now_ns();
    run(pairs);
    ns[t] = (now_ns() - begin) / (double)pairs;
  }
  qsort(ns, TURNS, sizeof *ns, by_value);
  return ns[0];
}

int main(int argc, char **argv)
{
  const unsigned long pairs = argc > 1 ? strtoul(argv[1], NULL, 0) : 200000000;
  if (!pairs)
    return 1;
  printf("a region by the macros, without a measurement\t%.2f ns\n", best_ns(macros, pairs));
  printf("a region by the functions, without a measurement\t%.2f ns\n", best_ns(functions, pairs));
  return 0;
}
