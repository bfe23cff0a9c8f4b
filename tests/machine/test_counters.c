/* SPDX-License-Identifier: MIT */
/* The counter logic against the naive implementation: the counts are equal for random events, shapes, preloads, freezes
 * and sync points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/pmon/block.h"
#include "tests/machine/naive.h"

/* The tested blocks, addressed by the guide's Tables 1-9 and 1-12. */
struct target {
  const char *unit;
  unsigned instance, socket, position;
  uint64_t hz;
  uint8_t space;
  uint32_t device;
  uint64_t unit_ctl, status, ctl, ctr;
  unsigned ctl_step, ctr_step, fixed_ctl, fixed_ctr;
  bool fixed, tids;
};
static const struct target targets[NAIVE_BLOCKS] = {
    {"cha", 3, 0, 7, 2200000000, PMON_SPACE_MSR, 0, 0x2030, 0x2031, 0x2032, 0x2038, 1, 1, 0, 0, false, true},
    {"imc", 5, 0, 73, 2800000000, PMON_SPACE_MMIO, 2, 0x2a800, 0x2a85c, 0x2a840, 0x2a808, 4, 8, 0x2a854, 0x2a838, true,
     false},
    {"upi", 1, 0, 81, 2500000000, PMON_SPACE_PCI, 30 << 8 | 2 << 3 | 1, 0x318, 0x38c, 0x350, 0x320, 8, 8, 0, 0, false,
     false},
    {"cha", 0, 1, 4, 2200000000, PMON_SPACE_MSR, 0, 0x2000, 0x2001, 0x2002, 0x2008, 1, 1, 0, 0, false, true},
};
static const uint8_t codes[NAIVE_BLOCKS][3] = {{0x50, 0x51, 1}, {0x10, 0x20, 1}, {0x30, 0x40, 1}, {0x50, 0x5b, 1}};

struct run {
  struct machine *m;
  struct naive n;
  struct machine_workload w;
  unsigned order[NAIVE_REPORTS];
  uint64_t seed;
  bool early;
};

static uint32_t rnd(struct run *r, uint32_t below)
{
  r->seed = r->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)((r->seed >> 33) % below);
}

static struct pmon_address at(const struct target *t, uint64_t offset)
{
  return (struct pmon_address){
      .package = t->socket, .space = t->space, .device = t->device, .offset = offset, .width_bits = 64};
}

static void counters_put(struct run *r, const struct target *t, uint64_t offset, uint64_t value, uint8_t width)
{
  struct pmon_address a = at(t, offset);
  if (t->space != PMON_SPACE_MSR)
    a.width_bits = width;
  assert_int_equal(machine_write(r->m, &a, value), 0);
}

static uint64_t counters_get(struct run *r, const struct target *t, uint64_t offset, uint8_t width)
{
  struct pmon_address a = at(t, offset);
  uint64_t value = 0;
  if (t->space != PMON_SPACE_MSR)
    a.width_bits = width;
  assert_int_equal(machine_read(r->m, &a, &value), 0);
  return value;
}

static void give(struct run *r, const struct naive_report *e)
{
  const struct target *t = &targets[e->block];
  struct block *b = machine_block(r->m, t->socket, t->unit, t->instance);
  if (e->level)
    block_level_set(b, e->code, e->attr, e->from, e->n);
  else if (e->pulse)
    block_pulse(b, e->code, e->attr, e->tid, e->from, e->n);
  else
    block_span(b, e->code, e->attr, e->tid, e->from, e->to, e->n);
}

static int go_on(struct machine_workload *w, struct machine *m, uint64_t until, bool *ret_ended, char *error,
                 size_t size)
{
  struct run *r = (struct run *)((char *)w - offsetof(struct run, w));
  (void)m, (void)error, (void)size;
  for (unsigned i = 0; i < r->n.reports; i++) {
    struct naive_report *e = &r->n.report[r->order[i]];
    if (e->emitted < until && e->emitted >= machine_now_fs(m))
      give(r, e);
  }
  *ret_ended = false;
  return 0;
}

static void make_reports(struct run *r, unsigned count, uint64_t length)
{
  for (unsigned i = 0; i < count; i++) {
    struct naive_report *e = &r->n.report[i];
    unsigned kind = rnd(r, 10);
    memset(e, 0, sizeof *e);
    e->block = rnd(r, NAIVE_BLOCKS);
    e->code = codes[e->block][rnd(r, 2)];
    e->attr = (uint64_t)rnd(r, 4) << 8;
    e->tid = (uint16_t)rnd(r, 2);
    e->emitted = rnd(r, (uint32_t)length);
    e->from = e->emitted + rnd(r, (uint32_t)length / 4);
    e->n = 1 + rnd(r, 3);
    e->pulse = kind < 5;
    e->level = kind == 9;
    if (e->level) { /* signals have codes of their own, and no thread */
      e->code = codes[e->block][0];
      e->attr = 0x400;
      e->n = rnd(r, 4);
      e->tid = UINT16_MAX;
    }
    e->to = e->from + rnd(r, (uint32_t)length / 8);
    r->order[i] = i;
  }
  r->n.reports = count;
  for (unsigned i = count; i > 1; i--) {
    unsigned k = rnd(r, i), swap = r->order[i - 1];
    if (!r->n.report[swap].level && !r->n.report[r->order[k]].level) {
      r->order[i - 1] = r->order[k];
      r->order[k] = swap;
    }
  }
}

static void write_control(struct run *r, unsigned k, unsigned i)
{
  const struct target *t = &targets[k];
  uint64_t ctl = codes[k][rnd(r, 5) / 2] | (uint64_t)rnd(r, 8) << 8;
  if (rnd(r, 6) == 0)
    ctl = 0;
  if (rnd(r, 2))
    ctl |= (uint64_t)rnd(r, 6) << 24 | (uint64_t)rnd(r, 2) << 23 | (uint64_t)rnd(r, 2) << 18;
  if (rnd(r, 2))
    ctl |= 1 << 20;
  if (t->tids && rnd(r, 3) == 0)
    ctl |= 1 << 16;
  counters_put(r, t, t->ctl + i * t->ctl_step, ctl, t->ctl_step == 4 ? 32 : 64);
  naive_control(&r->n, k, i, ctl);
}

static void write_counter(struct run *r, unsigned k, unsigned i)
{
  const struct target *t = &targets[k];
  uint64_t value = rnd(r, 4) ? (UINT64_C(1) << 48) - 1 - rnd(r, rnd(r, 2) ? 4 : 400) : rnd(r, 1000);
  counters_put(r, t, t->ctr + i * t->ctr_step, value, 64);
  r->n.block[k].counter[i].value = value;
}

static void write_global(struct run *r, unsigned socket)
{
  struct target global = {.socket = socket, .space = PMON_SPACE_MSR};
  unsigned what = rnd(r, 3);
  if (what == 0) {
    bool freeze = rnd(r, 4) == 0;
    counters_put(r, &global, 0x2ff0, freeze, 64);
    if (r->n.due[socket]) { /* a pending freeze takes effect before the access */
      r->n.due[socket] = 0;
      r->n.frozen[socket] = true;
      naive_settle(&r->n);
    }
    r->n.frozen[socket] = freeze;
    naive_settle(&r->n);
  } else {
    counters_put(r, &global, 0x2ff1 + what, UINT64_MAX << (what == 1 ? 2 : 0), 64);
    r->n.global[socket][what - 1] = 0;
  }
}

static void write_unit(struct run *r, unsigned k)
{
  const struct target *t = &targets[k];
  struct naive_block *b = &r->n.block[k];
  uint32_t freeze = rnd(r, 3) == 0, reset = rnd(r, 8) == 0;
  counters_put(r, t, t->unit_ctl, freeze | reset << 9, 32);
  for (unsigned i = 0; reset && i < b->counters + b->fixed; i++)
    b->counter[i].value = 0;
  b->frozen = freeze;
  naive_settle(&r->n);
}

static void act(struct run *r)
{
  unsigned k = rnd(r, NAIVE_BLOCKS), i = rnd(r, 4);
  const struct target *t = &targets[k];
  struct naive_block *b = &r->n.block[k];
  switch (rnd(r, 7)) {
  case 0:
  case 1: write_control(r, k, i); break;
  case 2: write_counter(r, k, i); break;
  case 3: write_unit(r, k); break;
  case 4: write_global(r, t->socket); break;
  case 5:
    counters_put(r, t, t->status, b->status, 32);
    b->status = 0;
    break;
  default:
    if (t->fixed) {
      uint32_t ctl = rnd(r, 4) << 20 & 0x500000;
      uint64_t value = (UINT64_C(1) << 48) - 1 - rnd(r, 2000);
      ctl |= rnd(r, 2) << 22;
      counters_put(r, t, t->fixed_ctl, ctl, 32);
      counters_put(r, t, t->fixed_ctr, value, 64);
      b->counter[4].value = value;
      naive_control(&r->n, k, 4, ctl);
    }
    if (t->tids) {
      b->tid = rnd(r, 2);
      counters_put(r, t, t->unit_ctl + 0xe, b->tid, 64);
      for (i = 0; i < 4; i++)
        naive_control(&r->n, k, i, b->counter[i].ctl);
    }
  }
}

static void counters_compare(struct run *r)
{
  struct target global = {.space = PMON_SPACE_MSR};
  for (unsigned k = 0; k < NAIVE_BLOCKS; k++) {
    const struct target *t = &targets[k];
    const struct naive_block *b = &r->n.block[k];
    for (unsigned i = 0; i < 4; i++)
      assert_int_equal(counters_get(r, t, t->ctr + i * t->ctr_step, 64), b->counter[i].value);
    if (t->fixed)
      assert_int_equal(counters_get(r, t, t->fixed_ctr, 64), b->counter[4].value);
    assert_int_equal(counters_get(r, t, t->status, 32), b->status);
  }
  for (global.socket = 0; global.socket < 2; global.socket++)
    for (unsigned i = 0; i < 2; i++)
      assert_int_equal(counters_get(r, &global, 0x2ff2 + i, 64), r->n.global[global.socket][i]);
}

/* Small caches: here only the counters matter. */
static void small(struct machine_config *c)
{
  static const char *const values[] = {"cores=1", "chas=4", "l2.size=64K", "llc.size=64K", "llc.ways=4", "sf.sets=64"};
  char error[200];
  machine_config_init(c);
  for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
    assert_int_equal(machine_config_parse(c, values[i], error, sizeof error), 0);
}

static void one_run(struct run *r, uint64_t seed, unsigned count, uint64_t length)
{
  static const uint64_t delays_ps[] = {0, 3, 1700, 5000, 30000}; /* freeze delays: less than a cycle, more than a
                                                                  * cycle, and a whole run */
  struct machine_config config;
  char error[200];
  bool ended;
  memset(r, 0, sizeof *r);
  r->seed = seed;
  small(&config);
  config.value[CONFIG_FREEZE_DELAY] = delays_ps[seed % 5];
  r->n.delay = config.value[CONFIG_FREEZE_DELAY] * 1000;
  assert_int_equal(machine_new(&config, error, sizeof error, &r->m), 0);
  r->w.run = go_on;
  machine_attach(r->m, &r->w);
  for (unsigned k = 0; k < NAIVE_BLOCKS; k++)
    r->n.block[k] = (struct naive_block){.hz = targets[k].hz,
                                         .socket = targets[k].socket,
                                         .counters = 4,
                                         .position = targets[k].position,
                                         .fixed = targets[k].fixed,
                                         .tids = targets[k].tids,
                                         .halves = targets[k].fixed};
  make_reports(r, count, length);
  for (unsigned i = 0; i < 12; i++)
    act(r);
  for (uint64_t now = 0; now < length;) {
    now += 1 + rnd(r, (uint32_t)length / 10);
    assert_int_equal(machine_run(r->m, now, &ended, error, sizeof error), 0);
    naive_run(&r->n, now);
    counters_compare(r);
    for (unsigned i = rnd(r, 6); i; i--)
      act(r);
  }
  machine_free(r->m);
}

static void test_equal_to_naive(void **state)
{
  struct run *r = calloc(1, sizeof *r);
  (void)state;
  assert_non_null(r);
  for (uint64_t seed = 1; seed <= 1500 / TESTS_STEP; seed++)
    one_run(r, seed, 80, 30000000 + 100003 * (seed % 7));
  for (uint64_t seed = 1; seed <= 200 / TESTS_STEP; seed++)
    one_run(r, seed << 10, 60, 100000000 + 1000003 * (seed % 7));
  for (uint64_t seed = 1; seed <= 5; seed++)
    one_run(r, seed << 20, 500, 600000000);
  free(r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_equal_to_naive)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
