/* SPDX-License-Identifier: MIT */
/* Random numbers for the tests in this folder: a fixed sequence (xorshift64*). */
#ifndef TESTS_MONTECITO_EXEC_NUMBERS_H
#define TESTS_MONTECITO_EXEC_NUMBERS_H

#include <stdint.h>

static uint64_t numbers_state = 88172645463325252u;

static inline uint64_t test_random(void)
{
  numbers_state ^= numbers_state << 13;
  numbers_state ^= numbers_state >> 7;
  numbers_state ^= numbers_state << 17;
  return numbers_state * UINT64_C(0x2545f4914f6cdd1d);
}

#endif
