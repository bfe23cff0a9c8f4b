/* SPDX-License-Identifier: MIT */
/* Latencies that the model produces: idle, remote and loaded memory, LLC, another core's cache. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/common/double.h"
#include "machine/common/fast.h"
#include "machine/common/feed.h"
#include "machine/emr/mesh.h"

/* Average time of dependent loads, each of a new line, scattered over 256 MB, from the L2 miss to the data; ns. */
static double chain_ns(const char *const *settings, unsigned core)
{
  struct machine *m = double_new(1);
  struct traffic *t = double_traffic(m, settings);
  struct core_totals own;
  uint64_t seed = 12345;
  traffic_core_wake(t, core);
  for (unsigned i = 0; i < 5000; i++) {
    traffic_block(t, core, 0x400000, 16, 8);
    traffic_access(t, core, 0x10000000 + double_random(&seed) % (1 << 22) * 64, 8, ACCESS_LOAD);
  }
  traffic_core_idle(t, core);
  traffic_core_totals(t, core, &own);
  assert_true(own.demand_loads > 4900);
  traffic_free(t);
  double_free(m);
  return (double)own.demand_wait_fs * 1e-6 / (double)own.demand_loads;
}

#define CHAIN "prefetch=off", "core.mlp=1", "core.window=1"
static const char *const near[] = {CHAIN, NULL};
static const char *const far[] = {CHAIN, "numa=bind:1", NULL};

static void idle_memory(void **state)
{
  (void)state;
  double local = chain_ns(near, 5), remote = chain_ns(far, 5);
  print_message("idle: local %.1f ns, remote %.1f ns\n", local, remote);
  assert_true(local > 85 && local < 105);
  assert_true(remote - local > 55 && remote - local < 90);
}

/* Several cores at once: returns the average time of a load, and the bandwidth. */
static double loaded_ns(unsigned cores, double *ret_gbs)
{
  static const char *const settings[] = {"prefetch=off", "core.mlp=16", NULL};
  struct machine *m = double_new(1);
  struct traffic *t = double_traffic(m, settings);
  struct core_totals own, sum = {0};
  struct traffic_totals socket;
  uint64_t seed = 99;
  for (unsigned i = 0; i < cores; i++)
    traffic_core_wake(t, i);
  for (unsigned i = 0; i < 60000; i++) {
    unsigned c = i % cores;
    traffic_block(t, c, 0x400000, 16, 8);
    traffic_access(t, c, 0x10000000 + double_random(&seed) % (1 << 24) * 64, 8, ACCESS_LOAD);
  }
  for (unsigned i = 0; i < cores; i++) {
    traffic_core_totals(t, i, &own);
    sum.demand_loads += own.demand_loads;
    sum.demand_wait_fs += own.demand_wait_fs;
  }
  traffic_totals(t, 0, &socket);
  *ret_gbs = (double)socket.cas_reads * 64e6 / (double)traffic_now(t);
  traffic_free(t);
  double_free(m);
  return (double)sum.demand_wait_fs * 1e-6 / (double)sum.demand_loads;
}

static void loaded_memory(void **state)
{
  (void)state;
  double one, many, all, idle = loaded_ns(1, &one), busy = loaded_ns(16, &many), full = loaded_ns(64, &all);
  print_message("loaded: 1 core %.1f ns %.1f GB/s, 16 cores %.1f ns %.1f GB/s, 64 cores %.1f ns %.1f GB/s\n", idle, one,
                busy, many, full, all);
  assert_true(busy > idle && full > busy + 20);
  assert_true(many > 4 * one && all > many);
  assert_true(all < 358.4); /* the channels' maximum */
}

static void shorter_distance_has_lower_latency(void **state)
{
  (void)state;
  static const char *const settings[] = {CHAIN, NULL};
  struct machine *m = double_new(1);
  struct traffic *t = double_traffic(m, settings);
  struct core_totals before, after;
  const unsigned lines = 4096; /* 256 KB: larger than L1, within L2 */
  double ns[3];
  traffic_core_wake(t, 0);
  for (unsigned round = 0; round < 3; round++) { /* from memory; from L2; by core 1 from core 0's L2 */
    unsigned core = round == 2;
    traffic_core_totals(t, core, &before);
    fs_t begin = traffic_core_time(t, core);
    if (core) {
      traffic_core_wake(t, 1);
      begin = traffic_core_time(t, 1);
    }
    for (unsigned i = 0; i < lines; i++) {
      traffic_block(t, core, 0x400000, 16, 8);
      traffic_access(t, core, 0x10000000 + i * 64, 8, ACCESS_LOAD);
    }
    traffic_core_totals(t, core, &after);
    ns[round] = (double)(traffic_core_time(t, core) - begin) * 1e-6 / lines;
    assert_int_equal(after.l2_misses - before.l2_misses >= lines, round != 1);
  }
  print_message("memory %.1f ns, own L2 %.1f ns, another core's L2 %.1f ns\n", ns[0], ns[1], ns[2]);
  assert_true(ns[1] < 10 && ns[2] > 2 * ns[1] && ns[2] < ns[0]);
  traffic_free(t);
  double_free(m);
}

/* A sleep advances time and changes nothing of what the core has cached or predicts. */
static void a_sleep_is_no_access(void **state)
{
  (void)state;
  struct machine *m = double_new(1);
  struct traffic *t = double_traffic(m, near);
  const struct core_front *f = traffic_front(t, 5);
  traffic_core_wake(t, 5);
  traffic_access(t, 5, 0x10000000, 8, ACCESS_LOAD);
  const struct core_front before = *f;
  traffic_access(t, 5, 1000, 0, ACCESS_SLEEP);
  traffic_access(t, 5, 1000, 0, ACCESS_SLEEP);
  assert_true(f->time >= before.time + 2000 * UINT64_C(1000000));
  assert_int_equal(f->history, before.history);
  assert_int_equal(f->branches, before.branches);
  assert_int_equal(f->accesses[ACCESS_LOAD], before.accesses[ACCESS_LOAD]);
  traffic_core_idle(t, 5);
  traffic_free(t);
  double_free(m);
}

/* Returns the time at which a line of data that enters the mesh at `at` arrives; tiles are numbered down the ten
 * columns. */
static fs_t data_arrives(struct traffic *t, unsigned from, unsigned to, fs_t at)
{
  return mesh_send(t, t->socket[0], from, to, MESH_BL, at);
}

/* Data in transit block their part of the ring for other data, for the time of one line: two transfers. */
static void data_wait_where_others_pass(void **state)
{
  struct machine *m = double_new(1);
  struct traffic *t = double_traffic(m, (const char *const[]){"sockets=1", NULL});
  const fs_t at = 1000000000, hop = t->time.hop, there = at + 2 * hop, alone = there + hop + t->time.enter;
  (void)state;
  data_arrives(t, 0, 4, at);
  const fs_t late = data_arrives(t, 2, 3, there); /* the position of the first line at that time */
  assert_true(late > alone && late <= alone + 2 * t->time.uclk);
  assert_int_equal(data_arrives(t, 2, 1, there), alone);  /* in the opposite direction */
  assert_int_equal(data_arrives(t, 1, 2, there), alone);  /* behind the first line */
  assert_int_equal(data_arrives(t, 9, 10, there), alone); /* in a parallel column */
  traffic_free(t);
  double_free(m);
}

/* Data that turn into the row of their destination wait for data that pass along the row, but not for data that passed
 * long ago. */
static void data_wait_where_they_turn(void **state)
{
  struct machine *m = double_new(1);
  struct traffic *t = double_traffic(m, (const char *const[]){"sockets=1", NULL});
  const fs_t at = 1000000000, hop = t->time.hop, way = 3 * hop + t->time.enter, then = at + 4000 * UINT64_C(1000000);
  (void)state;
  data_arrives(t, 0, 14, at); /* down, then two tiles to the right: past tile 8 */
  const fs_t late = data_arrives(t, 7, 21, at + hop);
  assert_true(late > at + hop + way && late <= at + hop + way + 2 * t->time.uclk);
  assert_int_equal(data_arrives(t, 7, 21, then), then + way);
  traffic_free(t);
  double_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(idle_memory),
      cmocka_unit_test(a_sleep_is_no_access),
      cmocka_unit_test(loaded_memory),
      cmocka_unit_test(shorter_distance_has_lower_latency),
      cmocka_unit_test(data_wait_where_others_pass),
      cmocka_unit_test(data_wait_where_they_turn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
