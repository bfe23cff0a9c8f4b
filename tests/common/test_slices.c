/* SPDX-License-Identifier: MIT */
/* The hash from lines to slices is even at strides of powers of two. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "machine/common/address.h"
#include "machine/common/config.h"
#include "machine/config.h"

enum { MAX_STRIDE = 14 }; /* log2 of lines: 64 B to 1 MB */

static void map_open(struct address_map *map, uint32_t chas, uint64_t seed)
{
  struct machine_config config;
  machine_config_init(&config);
  config.value[CONFIG_CHAS] = chas;
  config.value[CONFIG_SEED] = seed;
  memset(map, 0, sizeof *map);
  assert_int_equal(address_init(map, &config), 0);
}

/* The fewest and the most of `n` lines that one slice has. */
static void spread_count(const struct address_map *map, uint64_t first, unsigned stride, uint64_t n, uint64_t ret[2])
{
  uint64_t lines[64] = {0};
  for (uint64_t i = 0; i < n; i++)
    lines[address_cha(map, first + (i << stride))]++;
  ret[0] = UINT64_MAX;
  ret[1] = 0;
  for (unsigned i = 0; i < map->chas; i++) {
    ret[0] = lines[i] < ret[0] ? lines[i] : ret[0];
    ret[1] = lines[i] > ret[1] ? lines[i] : ret[1];
  }
}

static void powers_of_two_are_even(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed < 4; seed++)
    for (uint32_t chas = 1; chas <= 64; chas *= 2) {
      struct address_map map;
      map_open(&map, chas, seed);
      for (unsigned stride = 0; stride <= MAX_STRIDE; stride++)
        for (uint64_t first = 0; first < 5u << 20; first += 1u << 20) {
          uint64_t lines[2];
          spread_count(&map, first, stride, chas, lines); /* as few lines as slices */
          assert_int_equal(lines[0], 1);
          assert_int_equal(lines[1], 1);
        }
      address_fini(&map);
    }
}

static void other_counts_are_balanced(void **state)
{
  (void)state;
  static const uint32_t counts[] = {3, 5, 6, 12, 20, 28, 40, 48, 60, 63};
  for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
    struct address_map map;
    map_open(&map, counts[i], 1);
    for (unsigned stride = 0; stride <= MAX_STRIDE; stride++) {
      uint64_t lines[2];
      spread_count(&map, 0, stride, 4096, lines);
      assert_true(lines[1] - lines[0] <= 4096 / counts[i] / 64 + 1);
      spread_count(&map, UINT64_C(1) << 20, stride, 64, lines); /* no hot slice with few lines either */
      assert_true(lines[1] <= 3 * (64 / counts[i] + 1));
    }
    address_fini(&map);
  }
}

/* 2^18 consecutive lines: one for each set of 64 slices of 4096 sets. */
static void lines_in_a_row_fill_every_set(void **state)
{
  (void)state;
  struct address_map map;
  unsigned char *seen = calloc(64, 4096);
  assert_non_null(seen);
  map_open(&map, 64, 1);
  for (uint64_t line = UINT64_C(7) << 18; line < UINT64_C(8) << 18; line++) {
    unsigned char *set = &seen[address_cha(&map, line) << 12 | (line & 4095)];
    assert_int_equal(*set, 0);
    *set = 1;
  }
  address_fini(&map);
  free(seen);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(powers_of_two_are_even),
      cmocka_unit_test(other_counts_are_balanced),
      cmocka_unit_test(lines_in_a_row_fill_every_set),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
