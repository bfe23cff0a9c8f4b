/* SPDX-License-Identifier: MIT */
/*
 * Sync points change nothing: the same traffic, run in one step and with a thousand sync points, gives the same counts
 * in every counter of every block, for raw counts, thresholds, edges and a freeze on overflow alike.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "machine/config.h"
#include "machine/emr/attr.h"
#include "machine/common/feed.h"
#include "tests/machine/access.h"

enum { CORES = 4, ACCESSES = 3000 };
static const uint64_t END = 200000000000;

struct work {
  struct machine_workload w;
  struct traffic *t;
  uint64_t seed;
  unsigned left[CORES];
};

/* Advances the core with the earliest time until all cores have reached `until`. */
static int work_run(struct machine_workload *w, struct machine *m, uint64_t until, bool *ret_ended, char *error,
                    size_t size)
{
  struct work *k = (struct work *)(void *)w;
  (void)error, (void)size;
  for (;;) {
    unsigned best = CORES;
    uint64_t last = 0;
    for (unsigned i = 0; i < CORES; i++)
      if (k->left[i] && (best == CORES || traffic_core_time(k->t, i) < traffic_core_time(k->t, best)))
        best = i;
    for (unsigned i = 0; i < CORES; i++)
      last = traffic_core_time(k->t, i) > last ? traffic_core_time(k->t, i) : last;
    *ret_ended = best == CORES;
    if (*ret_ended)
      machine_reached(m, last);
    if (*ret_ended || traffic_core_time(k->t, best) >= until)
      return 0;
    k->seed = k->seed * UINT64_C(6364136223846793005) + 1;
    traffic_block(k->t, best, 0x400000 + (k->seed >> 50 & 0xfff), 64, 10);
    traffic_access(k->t, best, 0x10000000 + (k->seed >> 40 & 0xffffff), 8,
                   k->seed >> 33 & 1 ? ACCESS_STORE : ACCESS_LOAD);
    if (--k->left[best] == 0)
      traffic_core_idle(k->t, best);
  }
}

static struct machine *machine_with(struct work *k)
{
  static const char *const values[] = {"cores=2", "l2.size=64K", "llc.size=64K",   "llc.ways=4",
                                       "chas=8",  "sf.sets=64",  "numa=interleave"};
  struct machine_config config;
  struct machine *m;
  char error[200];
  machine_config_init(&config);
  for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
    assert_int_equal(machine_config_parse(&config, values[i], error, sizeof error), 0);
  assert_int_equal(machine_new(&config, error, sizeof error, &m), 0);
  *k = (struct work){.w = {.run = work_run}, .t = machine_traffic(m), .seed = 1};
  for (unsigned i = 0; i < CORES; i++)
    k->left[i] = ACCESSES;
  machine_attach(m, &k->w);
  return m;
}

/* Every CHA and channel of both sockets: raw counts, occupancy with a threshold, rising edges, inverted thresholds. */
static void windows_program(struct machine *m, uint64_t freeze)
{
  for (uint32_t package = 0; package < 2; package++) {
    for (unsigned i = 0; i < 8; i++) {
      msr_put(m, package, 0x2000 + 0x10 * i + 2, 0x00c001ff00000136);
      msr_put(m, package, 0x2000 + 0x10 * i + 3, 0x00c001ff00000135);
      msr_put(m, package, 0x2000 + 0x10 * i + 4, 0x00c001ff01000135);
      msr_put(m, package, 0x2000 + 0x10 * i + 5, 0x0184ff34 | 0xfffful << 32);
    }
    for (unsigned i = 0; i < 8; i++) {
      /* the second channels count events of the write queues */
      static const uint32_t queues[] = {0x0082, 0x0083, 0x0321, 0x0107};
      uint64_t base = 0x22800 + 0x8000 * (i % 2);
      static const uint32_t controls[] = {0xff05, 0x02000080, 0x01040082, 0x01800310};
      for (unsigned c = 0; c < 4; c++) {
        struct pmon_address a = wide(PMON_SPACE_MMIO, i / 2, base + 0x40 + 4 * c, 32);
        a.package = package;
        put_at(m, a, i % 2 ? queues[c] : controls[c]);
      }
    }
  }
  if (freeze) {
    msr_put(m, 0, 0x2008, (UINT64_C(1) << 48) - freeze);
    msr_put(m, 0, 0x2002, 0x00c001ff00000136 | 1 << 20);
  }
}

enum { COUNTS = 2 * (8 * 4 + 8 * 4 + 4 + 4) };

static void collect(struct machine *m, uint64_t *counts)
{
  unsigned n = 0;
  for (uint32_t package = 0; package < 2; package++) {
    for (unsigned i = 0; i < 8; i++)
      for (unsigned c = 0; c < 4; c++)
        counts[n++] = msr_get(m, package, 0x2008 + 0x10 * i + c);
    for (unsigned i = 0; i < 8; i++)
      for (unsigned c = 0; c < 4; c++) {
        struct pmon_address a = wide(PMON_SPACE_MMIO, i / 2, 0x22808 + 0x8000 * (i % 2) + 8 * c, 64);
        a.package = package;
        counts[n++] = get_at(m, a);
      }
    for (unsigned i = 0; i < 4; i++) {
      struct pmon_address a = wide(PMON_SPACE_MMIO, i, 0x2318, 64);
      a.package = package;
      counts[n++] = get_at(m, a);
      a.offset = 0x2320;
      counts[n++] = get_at(m, a);
    }
  }
  assert_int_equal(n, COUNTS);
}

static void windows_measure(uint64_t freeze, uint64_t step, uint64_t *counts)
{
  struct work k;
  struct machine *m = machine_with(&k);
  uint64_t now = 0;
  windows_program(m, freeze);
  while (now < END) {
    now = END - now < step ? END : now + step;
    run_to(m, now);
    while (machine_now_fs(m) < now) /* the workload's end stops a run */
      run_to(m, now);
  }
  collect(m, counts);
  machine_free(m);
}

static void same(uint64_t freeze)
{
  static const uint64_t steps[] = {200000001, 1234567891, 77777777};
  uint64_t once[COUNTS], often[COUNTS];
  unsigned moved = 0;
  windows_measure(freeze, END, once);
  for (unsigned i = 0; i < COUNTS; i++)
    moved += once[i] != 0;
  assert_in_range(moved, COUNTS / 2, COUNTS);
  for (unsigned s = 0; s < sizeof steps / sizeof *steps; s++) {
    windows_measure(freeze, steps[s], often);
    for (unsigned i = 0; i < COUNTS; i++)
      if (once[i] != often[i])
        fail_msg("count %u: %llu in one go, %llu in steps of %llu fs", i, (unsigned long long)once[i],
                 (unsigned long long)often[i], (unsigned long long)steps[s]);
  }
}

static void test_counting(void **state)
{
  (void)state;
  same(0);
}

static void test_frozen(void **state)
{
  (void)state;
  same(20000);
}

/* Clocks count their cycles for any steps; so do half clocks and fixed counters. */
static void test_clocks(void **state)
{
  struct work k;
  struct machine *m = machine_with(&k);
  (void)state;
  memset(k.left, 0, sizeof k.left);
  msr_put(m, 0, 0x2002, 0x01);
  msr_put(m, 1, 0x2fc2, 0x01);
  msr_put(m, 0, 0x2fde, 1 << 22);
  put_at(m, wide(PMON_SPACE_MMIO, 0, 0x22840, 32), 0x0101);
  put_at(m, wide(PMON_SPACE_MMIO, 0, 0x22844, 32), 0x0001);
  put_at(m, wide(PMON_SPACE_MMIO, 0, 0x22854, 32), 1 << 22);
  for (uint64_t now = 0; now < 10000000000;)
    run_to(m, now += 333333337 < 10000000000 - now ? 333333337 : 10000000000 - now);
  assert_int_equal(msr_get(m, 0, 0x2008), 22000);
  assert_int_equal(msr_get(m, 1, 0x2fc8), 10000);
  assert_int_equal(msr_get(m, 0, 0x2fdf), 22000);
  assert_int_equal(get_at(m, wide(PMON_SPACE_MMIO, 0, 0x22808, 64)), 28000);
  assert_int_equal(get_at(m, wide(PMON_SPACE_MMIO, 0, 0x22810, 64)), 14000);
  assert_int_equal(get_at(m, wide(PMON_SPACE_MMIO, 0, 0x22838, 64)), 28000);
  assert_int_equal(get_at(m, wide(PMON_SPACE_MMIO, 0, 0x22b0, 64)), 28000);
  assert_int_equal(msr_get(m, 0, 0x340e), 10000);
  machine_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_counting), cmocka_unit_test(test_frozen),
                                     cmocka_unit_test(test_clocks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
