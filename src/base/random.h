/* SPDX-License-Identifier: MIT */
/*
 * Pseudo-random numbers: PCG-XSH-RR with 64 bits of state (M. E. O'Neill, "PCG: A Family of Simple Fast
 * Space-Efficient Statistically Good Algorithms for Random Number Generation", 2014). The seed is hashed first, so that
 * seeds 0, 1, 2 ... give streams that are independent of one another.
 */
#ifndef PMON_BASE_RANDOM_H
#define PMON_BASE_RANDOM_H

#include <stdint.h>

struct random {
  uint64_t state, step; /* step is odd */
};

void random_seed(struct random *random, uint64_t seed);

/* Returns a number from 0 to n - 1, each equally likely; n is at least 1. */
uint32_t random_below(struct random *random, uint32_t n);

#endif
