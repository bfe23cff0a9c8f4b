/* SPDX-License-Identifier: MIT */
#include "src/base/random.h"

/* The finalizer of SplitMix64: neighbouring values become unrelated ones. */
static uint64_t hash(uint64_t x)
{
  x += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

void random_seed(struct random *random, uint64_t seed)
{
  random->state = hash(seed);
  random->step = hash(random->state) | 1;
}

static uint32_t next_number(struct random *random)
{
  const uint64_t old = random->state;
  random->state = old * UINT64_C(6364136223846793005) + random->step;
  const uint32_t folded = (uint32_t)((old >> 18 ^ old) >> 27), turn = (uint32_t)(old >> 59);
  return folded >> turn | folded << (-turn & 31);
}

uint32_t random_below(struct random *random, uint32_t n)
{
  /* Numbers below 2^32 mod n would make some remainders more likely than others. */
  const uint32_t least = -n % n;
  uint32_t number;
  do
    number = next_number(random);
  while (number < least);
  return number % n;
}
