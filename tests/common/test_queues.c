/* SPDX-License-Identifier: MIT */
/*
 * Each limit of a core is effective: with a limit that lets n misses overlap, a miss takes an n-th of the time. A step
 * is a miss and the accesses after it; no step depends on an earlier one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "tests/common/double.h"
#include "machine/common/fast.h"
#include "machine/common/feed.h"
#include "machine/common/pace.h"

enum { STEPS = 2000, BLOCK = 10 };

struct step {
  enum access_kind kind;
  unsigned instructions, accesses; /* after the miss; accesses of the same kind, which hit L1 */
};

/* Blocks of ten instructions, with the accesses spread evenly over them. */
static void step_run(struct traffic *t, const struct step *s, uint64_t line)
{
  unsigned done = 0;
  traffic_block(t, 0, 0x400000, 4, 1);
  traffic_access(t, 0, 0x10000000 + line * 64, 8, s->kind);
  for (unsigned i = 1; i <= s->instructions / BLOCK; i++) {
    traffic_block(t, 0, 0x400000, 40, BLOCK);
    for (; done < s->accesses * i / (s->instructions / BLOCK); done++)
      traffic_access(t, 0, 0x8000, 8, s->kind);
  }
}

static double step_ns(const struct step *s, const char *limit)
{
  const char *const settings[] = {"prefetch=off",
                                  "core.cpi=0.05",
                                  "core.window=4096",
                                  "core.loads=1024",
                                  "core.stores=128",
                                  "core.mlp=64",
                                  limit,
                                  "dram.trefi=90000",
                                  NULL};
  struct machine *m = double_new(1);
  struct traffic *t = double_traffic(m, settings);
  uint64_t seed = 12345;
  traffic_core_wake(t, 0);
  traffic_access(t, 0, 0x8000, 8, s->kind);
  const fs_t before = traffic_core_time(t, 0);
  for (unsigned i = 0; i < STEPS; i++)
    step_run(t, s, double_random(&seed) % (1 << 22));
  traffic_core_idle(t, 0);
  const double ns = (double)(traffic_core_time(t, 0) - before) * 1e-6 / STEPS;
  traffic_free(t);
  double_free(m);
  return ns;
}

/* The time with the first limit divided by the time with each other limit; other waits (busy banks) may add 15 %. */
static void overlaps(const struct step *s, const char *const limits[], const unsigned misses[])
{
  const double one = step_ns(s, limits[0]);
  for (unsigned i = 1; limits[i]; i++) {
    const double ns = step_ns(s, limits[i]), ratio = one / ns;
    print_message("%s: %.1f ns, %s: %.1f ns, %.2f times\n", limits[0], one, limits[i], ns, ratio);
    assert_true(ratio > misses[i] * 0.85 && ratio < misses[i] * 1.05);
  }
}

static void instructions_wait_for_the_window(void **state)
{
  (void)state;
  overlaps(&(struct step){ACCESS_LOAD, 200, 0},
           (const char *const[]){"core.window=201", "core.window=402", "core.window=804", NULL},
           (const unsigned[]){1, 2, 4});
}

static void loads_wait_for_the_load_queue(void **state)
{
  (void)state;
  overlaps(&(struct step){ACCESS_LOAD, 200, 100},
           (const char *const[]){"core.loads=101", "core.loads=202", "core.loads=404", NULL},
           (const unsigned[]){1, 2, 4});
}

static void stores_wait_for_the_store_buffer(void **state)
{
  (void)state;
  overlaps(&(struct step){ACCESS_STORE, 200, 20},
           (const char *const[]){"core.stores=21", "core.stores=42", "core.stores=84", NULL},
           (const unsigned[]){1, 2, 4});
}

static void lines_wait_for_fill_buffers(void **state)
{
  (void)state;
  for (enum access_kind kind = ACCESS_LOAD; kind <= ACCESS_STORE; kind++)
    overlaps(&(struct step){kind, 0, 0}, (const char *const[]){"core.mlp=1", "core.mlp=2", "core.mlp=4", NULL},
             (const unsigned[]){1, 2, 4});
}

/* Stores request their lines as fill buffers become free: however many stores a core begins, no request precedes
 * others'. A core that becomes idle, or flushes a line, has issued all its requests. */
static void stores_ask_when_buffers_are_free(void **state)
{
  enum { BUFFERS = 4, LINES = 40 };
  static const char *const settings[] = {"prefetch=off", "core.cpi=0.05", "core.stores=128",
                                         "core.mlp=4",   "dtlb.miss=0",   NULL};
  struct machine *m = double_new(1);
  struct traffic *t = double_traffic(m, settings);
  const struct core_front *f = traffic_front(t, 0);
  (void)state;
  traffic_core_wake(t, 0);
  traffic_block(t, 0, 0x400000, 4, 1);
  const uint64_t before = f->asked;
  for (unsigned i = 0; i < LINES; i++)
    traffic_access(t, 0, 0x10000000 + i * 4096, 8, ACCESS_STORE);
  assert_int_equal(f->asked - before, BUFFERS);
  const fs_t began = f->time;
  while (f->asked - before < 2 * BUFFERS) { /* the core's time reaches the time at which buffers are free */
    assert_true(f->time < began + 1000 * UINT64_C(1000000));
    traffic_block(t, 0, 0x400000, 40, BLOCK);
  }
  assert_true(f->time > began + 50 * UINT64_C(1000000));
  traffic_access(t, 0, 0x10000000, 8, ACCESS_FLUSH);
  assert_int_equal(f->asked - before, LINES);
  for (unsigned i = 0; i < LINES; i++)
    traffic_access(t, 0, 0x20000000 + i * 4096, 8, ACCESS_STORE);
  assert_true(f->asked - before < 2 * LINES);
  traffic_core_idle(t, 0);
  assert_int_equal(f->asked - before, 2 * LINES);
  traffic_free(t);
  double_free(m);
}

static void blocks_take_the_width(void **state)
{
  const uint8_t parts[PACE_PARTS] = {0};
  static const char *const settings[] = {"core.width=6", "core.width=4", "core.width=2"};
  (void)state;
  for (unsigned i = 0; i < 3; i++) {
    struct machine *m = double_new(1);
    struct traffic *t = double_traffic(m, (const char *const[]){settings[i], NULL});
    struct pace pace;
    pace_of(t, parts, 48, &pace);
    assert_int_equal(pace.cycles >> PACE_SHIFT, 48 / (6 - 2 * i));
    traffic_free(t);
    double_free(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(instructions_wait_for_the_window), cmocka_unit_test(loads_wait_for_the_load_queue),
      cmocka_unit_test(stores_wait_for_the_store_buffer), cmocka_unit_test(lines_wait_for_fill_buffers),
      cmocka_unit_test(stores_ask_when_buffers_are_free), cmocka_unit_test(blocks_take_the_width),
  };
  return cmocka_run_group_tests_name("queues", tests, NULL, NULL);
}
