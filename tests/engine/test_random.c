/* SPDX-License-Identifier: MIT */
/* Random numbers: each value is equally likely, and streams of neighbouring seeds are independent. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "src/base/random.h"

enum { DRAWS = 12, SEEDS = 40000, MOST = 8 };

/* Returns Pearson's statistic of an n by n table of counts, in deviations from independent, equally likely pairs. */
static double pearson(uint64_t pairs[MOST][MOST], uint32_t n)
{
  double total = 0, sum = 0;
  for (uint32_t a = 0; a < n; a++)
    for (uint32_t b = 0; b < n; b++)
      total += (double)pairs[a][b];
  const double expected = total / (n * n), freedom = n * n - 1;
  for (uint32_t a = 0; a < n; a++)
    for (uint32_t b = 0; b < n; b++)
      sum += ((double)pairs[a][b] - expected) * ((double)pairs[a][b] - expected) / expected;
  return (sum - freedom) / sqrt(2 * freedom);
}

/* Compares draw `i` of a seed with draw `j` of the seed `distance` later. */
static double dependence(uint32_t n, uint32_t i, uint32_t j, uint64_t distance)
{
  uint64_t pairs[MOST][MOST] = {0};
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct random a, b;
    uint32_t drawn_a = 0, drawn_b = 0;
    random_seed(&a, seed);
    random_seed(&b, seed + distance);
    for (uint32_t k = 0; k <= i; k++)
      drawn_a = random_below(&a, n);
    for (uint32_t k = 0; k <= j; k++)
      drawn_b = random_below(&b, n);
    pairs[drawn_a][drawn_b]++;
  }
  return pearson(pairs, n);
}

static void seeds_are_independent(void **state)
{
  (void)state;
  for (uint32_t n = 2; n <= MOST; n++)
    for (uint64_t distance = 1; distance <= 4; distance *= 2)
      for (uint32_t i = 0; i < DRAWS; i += 5)
        for (uint32_t j = 0; j < DRAWS; j += 5)
          assert_true(dependence(n, i, j, distance) < 5);
}

static void draws_are_independent(void **state)
{
  (void)state;
  for (uint32_t n = 2; n <= MOST; n++) {
    uint64_t pairs[3][MOST][MOST] = {0};
    uint32_t last[4] = {0};
    struct random random;
    random_seed(&random, 7);
    for (uint32_t k = 0; k < SEEDS; k++) {
      last[k % 4] = random_below(&random, n);
      for (uint32_t distance = 1; distance <= 3 && distance <= k; distance++)
        pairs[distance - 1][last[(k - distance) % 4]][last[k % 4]]++;
    }
    for (uint32_t distance = 0; distance < 3; distance++)
      assert_true(pearson(pairs[distance], n) < 5);
  }
}

static void the_same_seed_gives_the_same_numbers(void **state)
{
  (void)state;
  struct random a, b;
  random_seed(&a, 3);
  random_seed(&b, 3);
  for (int k = 0; k < 1000; k++) {
    const uint32_t n = 1 + (uint32_t)k % 977, drawn = random_below(&a, n);
    assert_true(drawn < n);
    assert_int_equal(drawn, random_below(&b, n));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(seeds_are_independent), cmocka_unit_test(draws_are_independent),
                                     cmocka_unit_test(the_same_seed_gives_the_same_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
