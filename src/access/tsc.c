/* SPDX-License-Identifier: MIT */
#include "src/access/tsc.h"

#include <time.h>
#include "src/access/system.h"
#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>

enum { MEASURE_NS = 5000000, TRIES = 8 };

struct moment {
  uint64_t ticks, ns;
};

/* Reads both clocks as close to each other as possible: an interrupt or a pause of a virtual machine between them makes
 * the two ticks around the time differ, and such a pair is not used if there is a better one. */
static struct moment now(void)
{
  struct moment best = {0};
  for (uint64_t i = 0, least = UINT64_MAX; i < TRIES; i++) {
    struct timespec t;
    const uint64_t before = __rdtsc();
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    const uint64_t after = __rdtsc();
    if (after - before >= least)
      continue;
    least = after - before;
    best = (struct moment){before + least / 2, (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec};
  }
  return best;
}

uint64_t tsc_measure(void)
{
  const struct moment begin = now();
  struct moment end;
  do
    end = now();
  while (end.ns - begin.ns < MEASURE_NS);
  const double seconds = (double)(end.ns - begin.ns) / 1e9;
  return (uint64_t)((double)(end.ticks - begin.ticks) / seconds + 0.5);
}
#else
uint64_t tsc_measure(void)
{
  return 0;
}
#endif

uint64_t tsc_of_system(const struct system *s)
{
  struct pmon_cpu cpu;
  return s->host && system_cpu(s, &cpu) && !cpu.hypervisor ? tsc_measure() : 0;
}
