/* SPDX-License-Identifier: MIT */
/* The hash from lines to slices is even at strides of powers of two, and the sets of all slices have an order in which
 * those of a page are contiguous. */
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

/* Returns how many groups of sets, one of each slice, contain the sets of a page's lines. */
static unsigned page_groups(const struct address_map *map, const struct slice_order *order, uint64_t page,
                            uint64_t set_mask)
{
  uint64_t group[64];
  unsigned n = 0;
  for (uint64_t line = page << 6; line < (page + 1) << 6; line++) {
    const uint64_t own = slice_order_number(order, address_cha(map, line), line, set_mask) / order->slices;
    unsigned i = 0;
    while (i < n && group[i] != own)
      i++;
    group[i] = own;
    n += i == n;
  }
  return n;
}

/* Each set of each slice has its own number; there are no others. */
static void order_numbers_each_set(const struct slice_order *order, uint64_t sets)
{
  unsigned char *seen = calloc(order->slices, sets);
  assert_non_null(seen);
  for (unsigned slice = 0; slice < order->slices; slice++)
    for (uint64_t set = 0; set < sets; set++) {
      const uint64_t number = slice_order_number(order, slice, set, sets - 1);
      assert_true(number < order->slices * sets);
      assert_int_equal(seen[number], 0);
      assert_int_equal(slice_order_number(order, slice, set + 5 * sets, sets - 1), number);
      seen[number] = 1;
    }
  free(seen);
}

/* `most`: if the sets of each slice were contiguous, it would be 64. */
static void sets_of_a_page_are_contiguous(void **state)
{
  (void)state;
  static const struct {
    uint32_t slices;
    unsigned most;
  } orders[] = {{64, 1}, {32, 2}, {16, 4}, {63, 7}, {60, 7}, {56, 7}, {48, 7}};
  for (unsigned i = 0; i < sizeof orders / sizeof *orders; i++) {
    struct address_map map;
    struct slice_order order;
    map_open(&map, orders[i].slices, 1 + i);
    slice_order_init(&order, orders[i].slices);
    for (uint64_t page = 1; page < UINT64_C(1) << 40; page += 1 + page / 64)
      assert_true(page_groups(&map, &order, page, 4095) <= orders[i].most);
    address_fini(&map);
  }
}

static void orders_number_each_set(void **state)
{
  (void)state;
  for (uint32_t slices = 1; slices <= MAX_SLICES; slices++) {
    struct slice_order order;
    slice_order_init(&order, slices);
    for (uint64_t sets = 1; sets <= 256; sets *= 4)
      order_numbers_each_set(&order, sets);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(powers_of_two_are_even),        cmocka_unit_test(other_counts_are_balanced),
      cmocka_unit_test(lines_in_a_row_fill_every_set), cmocka_unit_test(sets_of_a_page_are_contiguous),
      cmocka_unit_test(orders_number_each_set),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
