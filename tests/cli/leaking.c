/* SPDX-License-Identifier: MIT */
/* Preloaded: makes the program leak memory, for the test that leaks are detected. */
#include <stdlib.h>
#include <string.h>

__attribute__((constructor)) static void leak(void)
{
  char *volatile block = malloc(77);
  if (block)
    memset(block, 1, 77);
  block = NULL;
}
