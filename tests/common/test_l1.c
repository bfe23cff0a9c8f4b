/* SPDX-License-Identifier: MIT */
/* The L1's sets, the data TLB and the tables of holders against reference implementations that do the same in the
 * simplest way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "machine/common/core.h"
#include "machine/common/l1.h"
#include "machine/common/slots.h"

enum { SETS = 2, STEPS = 200000 };

struct twin {
  uint64_t entry[SETS][FIRST_WAYS];
};

static uint64_t next(uint64_t *x)
{
  *x = *x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *x >> 33;
}

static uint32_t twin_find(const uint64_t *set, uint32_t ways, uint64_t line)
{
  uint32_t i = 0;
  while (i < ways && set[i] >> 2 != line)
    i++;
  return i;
}

static bool twin_touch(uint64_t *set, uint32_t ways, uint64_t line)
{
  const uint32_t i = twin_find(set, ways, line), last = i < ways ? i : ways - 1;
  const uint64_t entry = i < ways ? set[i] : line << 2;
  memmove(set + 1, set, last * sizeof *set);
  set[0] = entry;
  return i < ways;
}

static void twin_drop(uint64_t *set, uint32_t ways, uint64_t line, bool invalidate)
{
  const uint32_t i = twin_find(set, ways, line);
  if (i == ways)
    return;
  if (!invalidate) {
    set[i] &= ~UINT64_C(3);
    return;
  }
  memmove(set + i, set + i + 1, (ways - i - 1) * sizeof *set);
  set[ways - 1] = FIRST_NONE;
}

/* Line 0 can only be in set 0: in another set, the value 0 is not an entry. */
static uint64_t entry_or_none(uint64_t entry, uint32_t set)
{
  return set && !entry ? FIRST_NONE : entry;
}

/* Compares every entry of the set in order of use; empty entries are equal. */
static void assert_same(const struct first_level *l, const struct twin *twin)
{
  for (uint32_t k = 0; k < SETS; k++) {
    const struct first_set *s = &l->set[k];
    assert_int_equal(entry_or_none(l->recent[k], k), twin->entry[k][0]);
    if ((l->order[k].second ^ FIRST_SECOND) != l->order[k].first) /* otherwise the set has at most one line */
      assert_int_equal(entry_or_none(l->second[k], k), twin->entry[k][1]);
    uint32_t lines = 0;
    for (uint32_t i = 0; i < l->ways; i++) {
      uint32_t before = 0; /* ways that were used later */
      lines += s->used[i] > 0;
      for (uint32_t j = 0; j < l->ways; j++)
        before += s->used[j] > s->used[i];
      const uint64_t entry = i == l->order[k].first ? l->recent[k] : s->entry[i];
      if (s->used[i])
        assert_int_equal(entry, twin->entry[k][before]);
    }
    for (uint32_t i = 0; i < l->ways; i++)
      assert_int_equal(twin->entry[k][i] != FIRST_NONE, i < lines);
  }
}

/* The sequence contains lines that differ in their high bits only, and line 0. */
static void first_of(uint32_t ways)
{
  uint64_t recent[SETS] = {0}, second[SETS] = {0}, x = ways;
  struct first_order order[SETS] = {0};
  struct first_set set[SETS] = {0};
  struct twin twin;
  memset(&twin, 0xff, sizeof twin);
  const struct first_level l =
      first_part(&(struct first_level){recent, second, order, set, 0, 0, 0, {0}}, 0, SETS, ways);
  for (int n = 0; n < STEPS; n++) {
    const uint64_t r = next(&x), line = r % (3 * ways) | (r >> 12 & 1) << 36;
    uint64_t *there = twin.entry[line & l.mask];
    const unsigned what = r >> 16 & 15;
    if (what < 12) {
      if (!(what & 1) && recent[line & l.mask] >> 2 != line && first_swap(&l, line))
        assert_int_equal(twin_find(there, ways, line), 1);
      assert_int_equal(first_touch(&l, line), twin_touch(there, ways, line));
      if (what < 4)
        there[0] = *first_recent(&l, line) |= 1 + what % 3;
    } else {
      first_drop(&l, line, what & 1);
      twin_drop(there, ways, line, what & 1);
    }
    assert_same(&l, &twin);
  }
}

static void test_a_first_level_keeps_the_order_of_use(void **state)
{
  static const uint32_t ways[] = {1, 2, 3, 8, 12, 16};
  (void)state;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    first_of(ways[i]);
}

/* Two translations have the same number, as those of pages of 4 KB in a larger one. */
static void tlb_of(uint32_t ways)
{
  static struct core c;
  static struct traffic t;
  struct page page = {0};
  struct translation known[2][3 * FIRST_WAYS * SETS];
  struct twin twin;
  uint64_t x = ways;
  memset(&c, 0, sizeof c);
  memset(&twin, 0xff, sizeof twin);
  c.dtlb[0] = (struct tlb){c.dtlb_entry, SETS - 1, ways};
  t.time.dtlb = 7;
  for (unsigned i = 0; i < 2 * 3 * ways * SETS; i++)
    known[i % 2][i / 2] = (struct translation){.page = &page, .tlb = c.dtlb_entry, .tlb_number = i / 2 + 1};
  for (int n = 0; n < STEPS; n++) {
    const uint64_t r = next(&x), i = r % (n & 1024 ? ways : 3 * ways * SETS);
    const bool there = twin_touch(twin.entry[(i + 1) % SETS], ways, i + 1);
    assert_int_equal(core_dtlb(&t, &c, &known[r >> 20 & 1][i]), there ? 0 : t.time.dtlb);
  }
}

static void test_a_tlb_replaces_the_least_recently_used_entry(void **state)
{
  static const uint32_t ways[] = {1, 2, 4, 6, 16};
  (void)state;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    tlb_of(ways[i]);
}

/* Returns the entry that a linear search finds, and the time at which it is free. */
static uint32_t twin_take(const struct holders *h, fs_t *at)
{
  uint32_t best = h->next;
  if (h->until[best] <= *at)
    return best;
  for (uint32_t k = 0; k < h->n; k++)
    if (h->until[k] <= *at)
      return k;
  for (uint32_t k = 0; k < h->n; k++)
    if (h->until[k] < h->until[best])
      best = k;
  *at = h->until[best];
  return best;
}

/* Entries are held until a given time, or indefinitely and released later. */
static void holders_of(uint32_t n)
{
  struct holders h = {.n = n};
  uint64_t x = n;
  fs_t now = 0;
  uint32_t open = n;
  for (int k = 0; k < STEPS; k++) {
    const uint64_t r = next(&x);
    now += r % 7;
    fs_t at = now, expected = now;
    const uint32_t i = twin_take(&h, &expected);
    bool any = false;
    for (uint32_t e = 0; e < n; e++)
      any |= h.until[e] <= now;
    assert_int_equal(holders_free(&h, now), any);
    assert_int_equal(holders_take(&h, &at), i);
    assert_int_equal(at, expected);
    if (open == n && n > 1 && r % 64 == 1) {
      open = i;
      holders_keep(&h, i, HOLDERS_OPEN);
    } else {
      holders_keep(&h, i, at + (r >> 8) % (4 * n));
    }
    if (open < n && open != i && r % 64 > 50) {
      holders_keep(&h, open, now + (r >> 8) % n);
      open = n;
    }
  }
}

static void test_first_free_entry_is_allocated(void **state)
{
  static const uint32_t n[] = {1, 2, 7, 8, 22, 48, 256};
  (void)state;
  for (size_t i = 0; i < sizeof n / sizeof *n; i++)
    holders_of(n[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_first_level_keeps_the_order_of_use),
      cmocka_unit_test(test_a_tlb_replaces_the_least_recently_used_entry),
      cmocka_unit_test(test_first_free_entry_is_allocated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
