/* SPDX-License-Identifier: MIT */
/* Physical frames of pages that programs request: large pages are contiguous and freed as a whole, and no two pages
 * share a frame. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "tests/common/double.h"
#include "machine/common/address.h"
#include "machine/common/feed.h"
#include "machine/common/state.h"

enum { FIRST = 1 << 20, LARGE = 512, GIGABYTE = 1 << 18 }; /* in pages of 4 KB; FIRST is a multiple of both */
static const char *const two[] = {"sockets=2", "cores=2", "numa=interleave", NULL};
static const char *const one[] = {"sockets=1", "cores=2", NULL};

static void mappings_ask(struct traffic *t, uint64_t number, unsigned log2, enum pages_kind kind)
{
  const struct pages_asked asked = {number / LARGE, (uint8_t)log2, (uint8_t)kind};
  assert_int_equal(traffic_pages(t, &asked), 0);
}

static uint64_t frame_of(struct traffic *t, uint64_t number)
{
  struct page *page = address_page(&t->map, number, 0, -1);
  assert_non_null(page);
  assert_int_equal(page->number, number);
  assert_ptr_equal(address_frame(&t->map, page->frame << PAGE_LINES_SHIFT), page);
  return page->frame;
}

/* 4 KB pages before, between and behind the large pages have their own frames. */
static void contiguous(void **state, unsigned log2, enum pages_kind kind, uint64_t size)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, two);
  const uint64_t small = frame_of(t, 5);
  mappings_ask(t, FIRST, log2, kind);
  const uint64_t middle = frame_of(t, FIRST + 7), next = frame_of(t, 6);
  assert_int_equal(middle % size, 7);
  for (uint64_t k = 0; k < size; k++)
    assert_int_equal(frame_of(t, FIRST + k), middle - 7 + k);
  assert_int_equal(next % LARGE, small % LARGE + 1); /* allocation of small pages continues in sequence */
  for (uint64_t k = 0; k < UINT64_C(40000); k++) {
    const uint64_t other = frame_of(t, 100 + k);
    assert_true(other < middle - 7 || other >= middle - 7 + size);
  }
  traffic_free(t);
  double_free(m);
}

static void large_pages_are_contiguous(void **state)
{
  contiguous(state, 0, PAGES_2M, LARGE);
  contiguous(state, 0, PAGES_ADVISED, LARGE);
}

static void pages_of_1_gb_are_contiguous(void **state)
{
  contiguous(state, 9, PAGES_1G, GIGABYTE);
}

/* A part of a region that is not a whole 1 GB page gets 2 MB pages. */
static void part_of_1_gb(void **state)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, one);
  mappings_ask(t, FIRST + LARGE, 0, PAGES_1G);
  frame_of(t, FIRST + LARGE);
  assert_null(address_find(&t->map, FIRST));
  assert_non_null(address_find(&t->map, FIRST + 2 * LARGE - 1));
  traffic_free(t);
  double_free(m);
}

/* A page touched before madvise() keeps its frame, and the rest of its 2 MB has small pages; other regions get large
 * ones. */
static void advice_moves_nothing(void **state)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, one);
  const uint64_t before = frame_of(t, FIRST + 3);
  mappings_ask(t, FIRST, 1, PAGES_ADVISED);
  assert_int_equal(frame_of(t, FIRST + 3), before);
  assert_int_equal(frame_of(t, FIRST + 9), before + 1);
  assert_int_equal(frame_of(t, FIRST + LARGE + 9) % LARGE, 9);
  mappings_ask(t, FIRST, 1, PAGES_SMALL); /* as do pages that are large already */
  assert_int_equal(frame_of(t, FIRST + LARGE + 11) % LARGE, 11);
  traffic_free(t);
  double_free(m);
}

/* Memory that is unmapped or mapped again loses its frames. Frames of large pages are reused, so that a program can map
 * and unmap without limit. */
static void unmapped_frames_come_back(void **state)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, one);
  const uint64_t small = frame_of(t, FIRST + 3);
  mappings_ask(t, FIRST, 0, PAGES_2M);
  const uint64_t large = frame_of(t, FIRST + 3);
  assert_int_not_equal(large, small);
  for (unsigned i = 0; i < 300000; i++) {
    mappings_ask(t, FIRST, 0, PAGES_NONE);
    mappings_ask(t, FIRST, 0, PAGES_2M);
    if (i % 1000 == 0)
      assert_int_equal(frame_of(t, FIRST + 3), large);
  }
  mappings_ask(t, FIRST, 0, PAGES_NONE);
  assert_null(address_find(&t->map, FIRST + 3));
  assert_int_equal(frame_of(t, FIRST + 3), small);
  for (unsigned i = 0; i < 3000; i++) { /* partly touched, then advised: all of it has small pages each time */
    frame_of(t, FIRST + LARGE);
    mappings_ask(t, FIRST + LARGE, 0, PAGES_ADVISED);
    for (unsigned k = 0; k < LARGE; k++)
      frame_of(t, FIRST + LARGE + k);
    mappings_ask(t, FIRST + LARGE, 0, PAGES_NONE);
  }
  assert_true(t->map.n_pages < 8 * LARGE);
  traffic_free(t);
  double_free(m);
}

/* When no 1 GB frame is free, the part gets 2 MB pages. */
static void no_gigabyte_is_left(void **state)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, one);
  memset(t->map.gigabytes, 0xff, sizeof t->map.gigabytes);
  t->map.gigabytes[0] &= ~(uint64_t)3; /* the first two, which the test's other pages need */
  for (uint64_t k = 0; k < 2 * GIGABYTE; k += LARGE)
    frame_of(t, 100 + k);
  mappings_ask(t, FIRST, 9, PAGES_1G);
  for (unsigned i = 300; i > 290; i--) {
    const uint64_t frame = frame_of(t, FIRST + i * LARGE + 5);
    assert_int_equal(frame % LARGE, 5);
    assert_int_equal(frame_of(t, FIRST + i * LARGE + 11), frame + 6);
  }
  traffic_free(t);
  double_free(m);
}

/* A core that had cached a line of an unmapped page misses the same address in the new page. */
static void cores_forget(void **state)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, one);
  const uint64_t va = (uint64_t)FIRST << 12;
  traffic_core_wake(t, 0);
  traffic_access(t, 0, va, 8, ACCESS_STORE);
  traffic_stores_end(t, 0);
  const uint64_t misses = t->core[0].totals.l2_misses;
  traffic_access(t, 0, va, 8, ACCESS_LOAD);
  assert_int_equal(t->core[0].totals.l2_misses, misses);
  mappings_ask(t, FIRST, 0, PAGES_2M);
  traffic_access(t, 0, va, 8, ACCESS_LOAD);
  assert_int_equal(t->core[0].totals.l2_misses, misses + 1);
  traffic_free(t);
  double_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(large_pages_are_contiguous),
      cmocka_unit_test(pages_of_1_gb_are_contiguous),
      cmocka_unit_test(part_of_1_gb),
      cmocka_unit_test(advice_moves_nothing),
      cmocka_unit_test(unmapped_frames_come_back),
      cmocka_unit_test(no_gigabyte_is_left),
      cmocka_unit_test(cores_forget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
