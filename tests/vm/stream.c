/* SPDX-License-Identifier: MIT */
/* Reads one word of each line of a buffer, a number of megabytes a number of times: the program of a guest whose
 * accesses are counted. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_WORDS = 8 };

int main(int argc, char **argv)
{
  size_t words = (size_t)(argc > 1 ? atoi(argv[1]) : 1) << 17;
  int passes = argc > 2 ? atoi(argv[2]) : 1;
  volatile uint64_t *at = malloc(words * sizeof *at);
  uint64_t sum = 0;

  if (!at)
    return 1;
  memset((void *)(uintptr_t)at, 1, words * sizeof *at);
  for (int pass = 0; pass < passes; pass++)
    for (size_t i = 0; i < words; i += LINE_WORDS)
      sum += at[i];
  printf("%llx\n", (unsigned long long)sum);
  return 0;
}
