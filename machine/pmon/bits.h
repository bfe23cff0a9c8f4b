/* SPDX-License-Identifier: MIT */
/* Masks of the bits of registers, which are numbered as in the guides' tables. */
#ifndef MACHINE_PMON_BITS_H
#define MACHINE_PMON_BITS_H

#include <stdint.h>

/* For tables of constants, which functions cannot fill. */
#define BITS(hi, lo) ((~UINT64_C(0) >> (63 - (hi) + (lo))) << (lo))
#define BIT(n) (UINT64_C(1) << (n))

/* Returns the lowest bit that is set; 0: none is. */
static inline uint64_t bits_lowest(uint64_t bits)
{
  return bits & (~bits + 1);
}

#endif
