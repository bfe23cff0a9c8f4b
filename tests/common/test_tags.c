/* SPDX-License-Identifier: MIT */
/* Optimized data structures against simple references: a set's order of use against a list, sets of the snoop filter
 * against a plain array of ways, bookings of time against the general path, steps of a ring against a division, and the
 * slice of a line cached for its page. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "machine/common/address.h"
#include "machine/common/cache.h"
#include "machine/common/config.h"
#include "machine/common/slots.h"
#include "machine/config.h"
#include "machine/emr/filter.h"
#include "machine/emr/mesh_ring.h"

enum { WAYS = 32, ROUNDS = 4000 };

static uint64_t random_next(uint64_t *seed)
{
  return *seed = address_mix(*seed + 1);
}

static void set_equals(struct tags set, const uint64_t *list)
{
  for (uint32_t i = 0; i < set.cache->ways; i++) {
    assert_int_equal(cache_get(set, i), list[i]);
    assert_int_equal(cache_state(set, i), list[i] & ENTRY_STATE);
  }
}

/* Returns the first way of a list that has the line. */
static uint32_t list_find(const uint64_t *list, uint32_t ways, uint64_t line)
{
  uint32_t i = 0;
  while (i < ways && (!list[i] || list[i] >> 8 != line))
    i++;
  return i;
}

static void set_keeps_its_order(const struct cache *c, uint64_t *seed)
{
  uint64_t list[WAYS] = {0};
  const uint32_t ways = c->ways, flags = c->rest_bytes == 1 ? ENTRY_SHARED : ENTRY_FLAGS;
  const struct tags set = cache_set(c, 1, 2), next = cache_set(c, 1, 3);
  memset(next.low, 0xff, c->set_bytes);
  for (unsigned k = 0; k < ROUNDS; k++) {
    /* Few values of each part of the tag: many entries share one of them, and some lines are there twice. */
    const uint64_t tag = (random_next(seed) & 3) | (random_next(seed) & 3) << 14 | (random_next(seed) & 1) << 19 |
                         (random_next(seed) & 1) << 40;
    const uint64_t line = ((tag << c->set_bits) & c->line_mask) | 2;
    const uint64_t entry = line << 8 | (random_next(seed) & flags & ~ENTRY_STATE) | (1 + k % LINE_M);
    const uint32_t from = (uint32_t)(random_next(seed) % ways), to = (uint32_t)(random_next(seed) % (from + 1));
    assert_int_equal(cache_find(set, line), list_find(list, ways, line));
    assert_int_equal(cache_recent(set, line), !list_find(list, ways, line));
    assert_int_equal(cache_find_near(set, line),
                     ways > 1 && list[1] >> 8 == line && list[1] ? 1 : list_find(list, ways, line));
    if (k % 7 == 6 && list[from]) {
      const uint32_t bits = LINE_M | (entry & flags & ~ENTRY_STATE);
      const uint64_t used = (list[from] & ~(uint64_t)(ENTRY_STATE | ENTRY_PREFETCHED)) | bits;
      cache_use(set, from, ENTRY_STATE | ENTRY_PREFETCHED, bits);
      memmove(list + 1, list, from * sizeof *list);
      list[0] = used;
    } else if (k % 3) {
      cache_insert(set, k % 5 ? 0 : to, from, entry);
      const uint32_t place = k % 5 ? 0 : to;
      memmove(list + place + 1, list + place, (from - place) * sizeof *list);
      list[place] = entry;
    } else {
      cache_drop(set, from);
      memmove(list + from, list + from + 1, (ways - from - 1) * sizeof *list);
      list[ways - 1] = 0;
    }
    set_equals(set, list);
  }
  assert_int_equal(next.low[0], UINT16_MAX);
}

/* Each size of the higher bits with state and flags; the tag of a line may be 0, as that of an empty way. */
static void sets_keep_their_order(void **state)
{
  (void)state;
  static const struct {
    uint64_t sets;
    uint8_t line_bits, rest_bytes;
    bool in_l1;
  } forms[] = {{4096, 32, 1, false}, {4096, 32, 2, true}, {2048, 37, 2, true}, {2048, 32, 2, false},
               {1024, 37, 2, true},  {512, 37, 4, true},  {4, 32, 4, false},   {4, 43, 4, true}};
  uint64_t seed = 1;
  for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++)
    for (uint32_t ways = 1; ways <= WAYS; ways++) {
      struct cache c;
      const struct cache_form form = {2, forms[i].sets, ways, forms[i].line_bits, forms[i].in_l1};
      assert_int_equal(cache_init(&c, &form), 0);
      assert_int_equal(c.rest_bytes, forms[i].rest_bytes);
      set_keeps_its_order(&c, &seed);
      cache_fini(&c);
    }
}

/* With the processor's sizes, a set fills one line of the host. */
static void sets_fill_one_line(void **state)
{
  (void)state;
  struct cache c;
  assert_int_equal(cache_init(&c, &(struct cache_form){1, 4096, 20, PLACE_BITS, false}), 0);
  assert_int_equal(c.set_bytes, HOST_LINE);
  cache_fini(&c);
  assert_int_equal(cache_init(&c, &(struct cache_form){1, 2048, 16, LINE_BITS, true}), 0);
  assert_int_equal(c.set_bytes, HOST_LINE);
  cache_fini(&c);
}

/* Returns the first way that has the line or is empty (line 0); `ways`: none. */
static uint32_t way_of(const uint64_t *list, uint32_t ways, uint64_t line)
{
  uint32_t i = 0;
  while (i < ways && list[i] >> 8 != line)
    i++;
  return i;
}

/* Returns a position's way within its set. */
static uint32_t place_way(const struct filter_place *p)
{
  return (uint32_t)((p->group - p->set) / (ptrdiff_t)p->filter->sets) * FILTER_GROUP + p->way;
}

/* The lines differ in two numbers, so that some are in each part of a set. */
static void filters_keep_their_ways(void **state)
{
  (void)state;
  uint64_t seed = 4;
  for (uint32_t ways = 1; ways <= WAYS; ways++) {
    struct filter f = {0};
    uint64_t list[WAYS] = {0}, cores[WAYS] = {0};
    assert_int_equal(filter_init(&f, 2, 4, ways), 0);
    for (unsigned k = 0; k < ROUNDS; k++) {
      const uint64_t line = (random_next(&seed) % (2 * ways) + 1) << 34 | (random_next(&seed) & 1) << 20 | 1;
      const uint32_t there = way_of(list, ways, line);
      struct filter_place p = filter_place_of(&f, f.group + 5, line);
      assert_int_equal(p.found, there < ways);
      assert_int_equal(place_way(&p), there < ways ? there : 0);
      if (p.found) {
        assert_int_equal(filter_entry(&p), list[there]);
        assert_int_equal(filter_who(&p), cores[there]);
      }
      if (p.found && k / 500 % 2) { /* fills and empties alternately */
        filter_put(&p, list[there] = 0);
        continue;
      }
      if (!p.found) {
        const bool room = filter_empty(&f, &p);
        assert_int_equal(room ? place_way(&p) : ways, way_of(list, ways, 0));
        if (!room)
          filter_way_set(&p, (uint32_t)(random_next(&seed) % ways));
      }
      const uint32_t way = place_way(&p);
      filter_put(&p, list[way] = line << 8 | (1 + k % 4));
      cores[way] = k % 3 ? UINT64_C(1) << k % 64 : random_next(&seed) | 1;
      filter_who_set(&p, cores[way]);
    }
    assert_int_equal(f.spread, ways > FILTER_GROUP);
    filter_fini(&f);
  }
}

static void bookings_are_those_of_the_long_way(void **state)
{
  (void)state;
  static struct slots quick, slow;
  uint64_t seed = 2, now = 0;
  for (unsigned k = 0; k < 100 * ROUNDS; k++) {
    now += random_next(&seed) % (k % 1000 < 500 ? 1000000 : 20000000);
    const fs_t back = random_next(&seed) % (k % 7 ? 100000000 : 3000000000), at = now > back ? now - back : now;
    const uint32_t duration = (uint32_t)(random_next(&seed) % (k % 11 ? 2000000 : SLOTS_LENGTH)) + 1;
    assert_int_equal(slots_take(&quick, at, duration), slots_book_slowly(&slow.run, slow.bucket, 1, at, duration));
  }
  assert_memory_equal(&quick, &slow, sizeof quick);
}

static void steps_are_quotients(void **state)
{
  (void)state;
  static const uint32_t steps[] = {1, 2, 3, 833334, 909090, 909091, 1250000, 20000000, UINT32_MAX};
  uint64_t seed = 3;
  for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
    const struct ring_step step = ring_step_init(steps[i]);
    for (unsigned k = 0; k < ROUNDS; k++) {
      const uint64_t n = random_next(&seed) >> (k & 63), whole = n / steps[i] * steps[i];
      assert_int_equal(ring_steps(step, n), n / steps[i]);
      assert_int_equal(ring_steps(step, whole), whole / steps[i]);
      assert_int_equal(ring_steps(step, whole - 1), (whole - 1) / steps[i]);
    }
    assert_int_equal(ring_steps(step, UINT64_MAX), UINT64_MAX / steps[i]);
  }
}

/* Includes a line of a frame that its page no longer has. */
static void pages_know_their_slices(void **state)
{
  (void)state;
  static const uint32_t slices[] = {1, 56, 60, 64};
  for (unsigned i = 0; i < sizeof slices / sizeof *slices; i++) {
    struct machine_config config;
    struct address_map map = {0};
    machine_config_init(&config);
    config.value[CONFIG_CHAS] = slices[i];
    assert_int_equal(address_init(&map, &config), 0);
    for (uint64_t number = 1; number < ROUNDS; number++) {
      const struct page *page = address_page(&map, number, number & 1, -1);
      assert_non_null(page);
      const uint64_t line = page->frame << PAGE_LINES_SHIFT | (number * 7 & 63), other = line ^ UINT64_C(5) << 20;
      assert_int_equal(address_page_cha(&map, page, line), address_cha(&map, line));
      assert_int_equal(address_page_cha(&map, page, other), address_cha(&map, other));
    }
    address_fini(&map);
  }
}

/* A place is that of one page only, whatever its node and device, also after pages lost their frames. */
static void places_name_their_lines(void **state)
{
  (void)state;
  struct machine_config config;
  struct address_map map = {0};
  machine_config_init(&config);
  assert_int_equal(address_init(&map, &config), 0);
  assert_int_equal(page_ranges_set(&map.ranges, 8 * ROUNDS >> RANGE_UNIT_BITS, 4, 9), 0);
  for (unsigned round = 0; round < 3; round++) {
    for (uint64_t i = 1; i < ROUNDS; i++) {
      const unsigned kind = i % 4;
      const uint64_t number = kind == 1   ? CXL_PAGES + (i % CXL_MEMORIES << CXL_PAGES_BITS) + i
                              : kind == 2 ? 8 * ROUNDS + i
                                          : i;
      const struct page *page = address_page(&map, number, (unsigned)(i + round) & 1, -1);
      assert_non_null(page);
      const uint64_t line = page->frame << PAGE_LINES_SHIFT | (i & 63), part = line & ((UINT64_C(1) << PLACE_BITS) - 1);
      assert_int_equal(line >> LINE_BITS, 0);
      assert_ptr_equal(address_frame(&map, part), page);
      assert_int_equal(address_complete(&map, page, part), line);
    }
    assert_int_not_equal(address_drop(&map, round * ROUNDS / 4, CXL_PAGES), 0);
  }
  address_fini(&map);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sets_fill_one_line),      cmocka_unit_test(sets_keep_their_order),
      cmocka_unit_test(filters_keep_their_ways), cmocka_unit_test(bookings_are_those_of_the_long_way),
      cmocka_unit_test(steps_are_quotients),     cmocka_unit_test(pages_know_their_slices),
      cmocka_unit_test(places_name_their_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
