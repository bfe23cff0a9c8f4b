/* SPDX-License-Identifier: MIT */
/* Sequential reads and writes, over more than the LLC holds, and within L1. */
#include "tests/trace/guest/start.h"

static volatile uint64_t from[300000], to[300000];

void body(void)
{
  for (unsigned pass = 0; pass < 3; pass++)
    for (unsigned i = 0; i < 300000; i++)
      to[i] = from[i] + pass;
  for (unsigned pass = 0; pass < 50; pass++)
    for (unsigned i = 0; i < 3000; i++)
      to[i]++;
}
