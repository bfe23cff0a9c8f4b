/* SPDX-License-Identifier: MIT */
/* Reads a byte of each line of 4 MB, twelve times: all lines miss L2 again in each pass. */
#include "tests/trace/guest/start.h"

enum { SIZE = 4 << 20, PASSES = 12 };
static volatile char room[SIZE];

void body(void)
{
  for (unsigned pass = 0; pass < PASSES; pass++)
    for (unsigned i = 0; i < SIZE; i += 64)
      (void)room[i];
}
