/* SPDX-License-Identifier: MIT */
/* Reads a byte of each line of SIZE bytes, PASSES times. */
#include "tests/trace/guest/start.h"

static volatile char room[SIZE];

void body(void)
{
  for (unsigned pass = 0; pass < PASSES; pass++)
    for (unsigned i = 0; i < SIZE; i += 64)
      (void)room[i];
}
