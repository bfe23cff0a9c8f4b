/* SPDX-License-Identifier: MIT */
/* Reads and writes in order, over more than the last level holds, and within the first. */
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
