/* SPDX-License-Identifier: MIT */
/* Reads, writes and modifies of several sizes at random places, near and far. */
#include "tests/trace/guest/start.h"

static uint8_t memory[3000000];

void body(void)
{
  uint64_t seed = 88172645463325252u, sum = 0;

  for (unsigned i = 0; i < 400000; i++) {
    volatile uint8_t *at;

    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    at = memory + (i & 16 ? seed % 40000 : seed % 2999000);
    if (i % 5 == 0)
      *at = (uint8_t)seed;
    else if (i % 5 == 1)
      *(volatile uint64_t *)(at - ((uintptr_t)at & 7)) += seed;
    else if (i % 5 == 2)
      sum += *(volatile uint32_t *)(at + 3 - ((uintptr_t)at & 3));
    else
      sum += *at;
  }
  *(volatile uint64_t *)memory = sum; /* cachegrind does not count loads whose value is unused */
}
