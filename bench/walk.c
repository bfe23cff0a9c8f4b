/* SPDX-License-Identifier: MIT */
/* A memory-bound program: fills a table from end to end, then reads random places of it. bench/live.sh runs it on the
 * machine. `walk [MEGABYTES [MILLIONS OF LOOK-UPS]]`. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
  const size_t bytes = strtoull(argc > 1 ? argv[1] : "256", NULL, 0) << 20, n = bytes / sizeof(uint64_t);
  const uint64_t steps = strtoull(argc > 2 ? argv[2] : "4", NULL, 0) * 1000000;
  uint64_t *table = n ? malloc(bytes) : NULL, x = 1, sum = 0;
  if (!table) {
    fprintf(stderr, "walk: no memory for a table of %zu bytes\n", bytes);
    return 1;
  }
  memset(table, 1, bytes);
  for (uint64_t i = 0; i < steps; i++) {
    x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    sum += table[(x >> 20) % n];
  }
  printf("%" PRIu64 "\n", sum);
  free(table);
  return 0;
}
