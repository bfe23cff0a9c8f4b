/* SPDX-License-Identifier: MIT */
/* The "cachegrind" machine has the same misses as Cachegrind's cache model; the reference is a plain model, below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "tests/common/double.h"
#include "machine/common/feed.h"

/* A cache with LRU replacement by age, and nothing else. */
struct plain {
  unsigned sets, ways;
  uint64_t now, *line, *age;
};

static struct plain plain_new(unsigned size, unsigned ways)
{
  struct plain c = {size / 64 / ways, ways, 1, NULL, NULL};
  c.line = calloc(c.sets * ways, sizeof *c.line);
  c.age = calloc(c.sets * ways, sizeof *c.age);
  assert_true(c.line && c.age);
  return c;
}

static void plain_free(struct plain *c)
{
  free(c->line);
  free(c->age);
}

static int plain_misses(struct plain *c, uint64_t line)
{
  unsigned first = (unsigned)(line % c->sets) * c->ways, oldest = first;
  for (unsigned i = first; i < first + c->ways; i++) {
    if (c->age[i] && c->line[i] == line) {
      c->age[i] = c->now++;
      return 0;
    }
    if (c->age[i] < c->age[oldest])
      oldest = i;
  }
  c->line[oldest] = line;
  c->age[oldest] = c->now++;
  return 1;
}

/* An access that crosses two lines is one miss if either line misses. */
static int plain_access(struct plain *c, uint64_t at, unsigned size)
{
  int miss = plain_misses(c, at >> 6);
  if (at >> 6 != (at + size - 1) >> 6)
    miss |= plain_misses(c, (at + size - 1) >> 6);
  return miss;
}

static void cachegrind_compare(const char *const *settings, const unsigned shape[6], uint64_t span, unsigned steps)
{
  struct machine *m = double_new(1);
  struct traffic *t = double_traffic(m, settings);
  struct plain i1 = plain_new(shape[0], shape[1]), d1 = plain_new(shape[2], shape[3]),
               ll = plain_new(shape[4], shape[5]);
  struct core_totals want = {0}, got;
  uint64_t seed = 4711;
  traffic_core_wake(t, 0);
  for (unsigned i = 0; i < steps; i++) {
    uint64_t r = double_random(&seed), pc = 0x400000 + r % 2048 * 40, at = 0x7000000 + double_random(&seed) % span;
    if (i % 3)
      at = 0x7000000 + i * 24 % span; /* two thirds of the accesses are sequential */
    static const unsigned sizes[] = {1, 2, 4, 8, 16, 32, 64, 3};
    unsigned size = sizes[r >> 30 & 7], bytes = 8 + (r >> 50 & 31);
    enum access_kind kind = (enum access_kind)((r >> 40) % 3);
    for (uint64_t line = pc >> 6; line <= (pc + bytes - 1) >> 6; line++) {
      want.fetch_lines++;
      if (plain_misses(&i1, line)) {
        want.fetch_l1_misses++;
        want.fetch_llc_misses += (unsigned)plain_misses(&ll, line);
      }
    }
    int miss = plain_access(&d1, at, size), last = miss && plain_access(&ll, at, size);
    if (kind == ACCESS_STORE)
      want.writes++, want.write_l1_misses += (unsigned)miss, want.write_llc_misses += (unsigned)last;
    else
      want.reads++, want.read_l1_misses += (unsigned)miss, want.read_llc_misses += (unsigned)last;
    traffic_block(t, 0, pc, bytes, 4);
    traffic_access(t, 0, at, size, kind);
  }
  traffic_core_totals(t, 0, &got);
  assert_int_equal(got.fetch_lines, want.fetch_lines);
  assert_int_equal(got.fetch_l1_misses, want.fetch_l1_misses);
  assert_int_equal(got.fetch_llc_misses, want.fetch_llc_misses);
  assert_int_equal(got.reads, want.reads);
  assert_int_equal(got.writes, want.writes);
  assert_int_equal(got.read_l1_misses, want.read_l1_misses);
  assert_int_equal(got.write_l1_misses, want.write_l1_misses);
  assert_int_equal(got.read_llc_misses, want.read_llc_misses);
  assert_int_equal(got.write_llc_misses, want.write_llc_misses);
  assert_true(got.read_llc_misses > 100 && got.read_l1_misses > got.read_llc_misses);
  plain_free(&i1);
  plain_free(&d1);
  plain_free(&ll);
  traffic_free(t);
  double_free(m);
}

static void default_sizes(void **state)
{
  (void)state;
  static const char *const settings[] = {"cachegrind", NULL};
  cachegrind_compare(settings, (unsigned[]){32 << 10, 8, 32 << 10, 8, 8 << 20, 16}, 16 << 20, 300000);
}

static void small_sizes(void **state)
{
  (void)state;
  static const char *const settings[] = {"cachegrind", "l1i.size=4K",  "l1i.ways=2", "l1d.size=2K",
                                         "l1d.ways=1", "llc.size=64K", "llc.ways=4", NULL};
  cachegrind_compare(settings, (unsigned[]){4 << 10, 2, 2 << 10, 1, 64 << 10, 4}, 1 << 18, 200000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(default_sizes), cmocka_unit_test(small_sizes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
