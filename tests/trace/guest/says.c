/* SPDX-License-Identifier: MIT */
/* Writes a byte to descriptor 9. It has no library, so that it does this within a few instructions of its start. */
#include "tests/trace/guest/start.h"

void body(void)
{
  long result;

  __asm__ volatile("syscall" : "=a"(result) : "a"(1), "D"(9), "S"("b"), "d"(1) : "rcx", "r11", "memory");
}
