/* SPDX-License-Identifier: MIT */
/* Line 0 is an ordinary line: of a guest's physical memory (map=identity), or of a callback whose addresses begin at 0.
 * Table entries that were never written must not look like line 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/common/double.h"
#include "machine/common/feed.h"
#include "machine/common/state.h"

enum { LINES = 1 << 15, BASE = 1 << 26 }; /* more lines than L1 and L2 hold; another base with the same sets */
static const char *const scattered[] = {"cores=2", "sockets=1", "prefetch=off", NULL};
static const char *const identical[] = {"cores=2", "sockets=1", "prefetch=off", "map=identity", NULL};
static const char *const ahead[] = {"cores=2", "sockets=1", "map=identity", NULL};
static const char *const old[] = {"platform=snbep", "cores=2", "sockets=1", "map=identity", NULL};

struct counts {
  struct core_totals core[2];
  struct traffic_totals socket;
};

static struct counts counts_of(struct traffic *t)
{
  struct counts c;
  traffic_core_totals(t, 0, &c.core[0]);
  traffic_core_totals(t, 1, &c.core[1]);
  traffic_totals(t, 0, &c.socket);
  return c;
}

/* Two cores load, fetch and store one line. */
static struct counts share(const char *const *settings, uint64_t at)
{
  struct machine *m = double_new(1);
  struct traffic *t = double_traffic(m, settings);
  for (unsigned core = 0; core < 2; core++)
    traffic_core_wake(t, core);
  traffic_access(t, 0, at + 8, 8, ACCESS_LOAD);
  traffic_access(t, 0, at + 16, 8, ACCESS_LOAD);
  assert_int_equal(counts_of(t).core[0].read_l1_misses, 1);
  assert_int_equal(counts_of(t).core[0].l2_misses, 1);
  traffic_block(t, 1, at, 16, 4);
  traffic_block(t, 1, at + 64, 16, 4);
  traffic_block(t, 1, at, 16, 4);
  assert_int_equal(counts_of(t).core[1].fetch_l1_misses, 2);
  traffic_access(t, 1, at, 8, ACCESS_STORE);
  assert_int_equal(counts_of(t).core[1].write_l1_misses, 1);
  traffic_core_idle(t, 1); /* its store has reached L1 */
  traffic_access(t, 0, at, 8, ACCESS_LOAD);
  assert_int_equal(counts_of(t).core[0].read_l1_misses, 2);
  traffic_access(t, 0, at, 8, ACCESS_FLUSH);
  traffic_access(t, 0, at, 8, ACCESS_LOAD);
  assert_int_equal(counts_of(t).core[0].read_l1_misses, 3);
  const struct counts c = counts_of(t);
  traffic_free(t);
  double_free(m);
  return c;
}

/* Three sweeps over more lines than L1 and L2 hold: evicted lines are fetched again. */
static struct counts sweep(const char *const *settings, uint64_t at)
{
  struct machine *m = double_new(1);
  struct traffic *t = double_traffic(m, settings);
  traffic_core_wake(t, 0);
  for (uint64_t i = 0; i < UINT64_C(3) * LINES; i++)
    traffic_access(t, 0, at + i % LINES * 64, 8, i % 3 ? ACCESS_LOAD : ACCESS_STORE);
  const struct counts c = counts_of(t);
  for (uint64_t i = at; i < at + LINES * 64; i += 4096) {
    struct page *page = address_find(&t->map, i >> 12);
    assert_non_null(page);
    assert_ptr_equal(address_frame(&t->map, page->frame << PAGE_LINES_SHIFT), page);
  }
  traffic_free(t);
  double_free(m);
  return c;
}

static const char *const *const settings[] = {scattered, identical, old};

static void cores_share_it(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    const struct counts zero = share(settings[i], 0), other = share(settings[i], BASE);
    for (unsigned c = 0; c < 2; c++) {
      assert_int_equal(zero.core[c].l2_hits, other.core[c].l2_hits);
      assert_int_equal(zero.core[c].l2_misses, other.core[c].l2_misses);
    }
    assert_int_equal(zero.socket.llc_lookups, other.socket.llc_lookups);
    assert_int_equal(zero.socket.llc_hits, other.socket.llc_hits);
  }
}

/* Page walks use the L2, too; their misses depend on the location of the page tables. */
static void it_leaves_and_comes_back(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    const struct counts zero = sweep(settings[i], 0), other = sweep(settings[i], BASE);
    assert_int_equal(zero.core[0].read_l1_misses, other.core[0].read_l1_misses);
    assert_int_equal(zero.core[0].write_l1_misses, other.core[0].write_l1_misses);
  }
}

/* The L1 prefetcher fetches the line after two consecutive lines; line 0 counts as one only if it was accessed. */
static void no_line_came_yet(void **state)
{
  struct machine *m = double_new(1);
  struct traffic *t = double_traffic(m, ahead);
  (void)state;
  traffic_core_wake(t, 0);
  traffic_access(t, 0, 64, 8, ACCESS_LOAD);
  assert_int_equal(t->core[0].ahead[2].line, 0);
  traffic_access(t, 0, 0, 8, ACCESS_LOAD);
  traffic_access(t, 0, 64 * 2, 8, ACCESS_LOAD);
  assert_int_equal(t->core[0].ahead[3].line, 3);
  traffic_free(t);
  double_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(cores_share_it), cmocka_unit_test(it_leaves_and_comes_back),
                                     cmocka_unit_test(no_line_came_yet)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
