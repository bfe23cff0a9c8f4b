/* SPDX-License-Identifier: MIT */
/*
 * The E5-2600's counters against a second, naive implementation directly from the text of the guide (1.4, Tables 2-10
 * and 2-75, 2.3.2.1, 2.6.4), cycle by cycle, on random events, thresholds, inverts, edges, occupancies and freezes.
 * Boxes are programmed, frozen and unfrozen while nothing happens; a counter counts from the cycle in which it begins
 * up to, but not including, the one in which it stops.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "machine/config.h"
#include "machine/pmon/block.h"
#include "machine/snbep/attr.h"
#include "tests/machine/access.h"

enum {
  EN = 1 << 22,
  INVERT = 1 << 23,
  EDGE = 1 << 18,
  TID_EN = 1 << 19,
  FRZ_EN = 1 << 16,
  FRZ = 1 << 8,
  COUNTERS = 4,
  REPORTS = 60,
  RUNS = 300,
  EPISODES = 6,
  CYCLES = 400,
  QUIET = 8
};
#define OCC_EDGE (UINT64_C(1) << 31)
#define OCC_INVERT (UINT64_C(1) << 30)

/* Activity of a box: n of `code` in each cycle from `from` up to, but not including, `to`; or once, in `from`. */
struct happening {
  uint8_t code;
  uint16_t tid;
  bool pulse;
  uint64_t from, to;
  uint32_t n;
};

struct box {
  const char *unit;
  uint64_t control, base_ctl, base_ctr, period_fs, mask;
  bool power; /* the PCU */
  uint64_t ctl[COUNTERS], value[COUNTERS], tid;
  uint64_t waiting[COUNTERS]; /* occurrences left over from earlier cycles */
  bool was[COUNTERS], counts[COUNTERS], frozen;
  struct happening list[REPORTS];
  unsigned n;
};

static uint64_t seed;

static uint32_t rnd(uint32_t below)
{
  seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (uint32_t)((seed >> 33) % below);
}

/* ---- the naive implementation ---- */

enum kinds { PULSES = 1, SPANS = 2, BOTH = 3 };

static uint64_t sum_of(const struct box *b, uint8_t code, uint64_t cycle, bool of_thread, enum kinds kinds)
{
  uint64_t n = 0;
  for (unsigned i = 0; i < b->n; i++) {
    const struct happening *h = &b->list[i];
    const bool now = h->pulse ? h->from == cycle : h->from <= cycle && cycle < h->to;
    if (now && h->code == code && (!of_thread || h->tid == b->tid) && kinds & (h->pulse ? PULSES : SPANS))
      n += h->n;
  }
  return n;
}

static uint64_t sum(const struct box *b, uint8_t code, uint64_t cycle, bool of_thread)
{
  return sum_of(b, code, cycle, of_thread, BOTH);
}

/* Column Max Inc/Cyc (Tables 2-14, 2-81): TxR_INSERTS and RING_BL_USED add 1 a cycle, and the rest in later cycles; for
 * VOLT_TRANS_CYCLES_CHANGE, a cycle counts as one. RxR_OCCUPANCY adds up to 20, which the test does not reach. */
static uint64_t limited(const struct box *b, uint8_t code, uint64_t n, uint64_t *waiting)
{
  if (b->power)
    return code == 0x03 && n > 1 ? 1 : n;
  if (code != 0x02 && code != 0x1d)
    return n;
  *waiting += n;
  n = *waiting != 0;
  *waiting -= n;
  return n;
}

/* Computes the increment of a control in a cycle, and whether its comparison holds. Returns false if the increment is
 * not compared. */
static bool compared(const struct box *b, uint64_t ctl, uint64_t cycle, uint64_t *waiting, uint64_t *ret_n,
                     bool *ret_holds)
{
  const uint8_t code = (uint8_t)ctl;
  const uint64_t thresh = ctl >> 24 & 0x1f;
  if (b->power && code & 0x80 && code & 0x7f) { /* Table 2-80, cases 5 and 6 */
    *ret_holds = ((sum(b, code & 0x7f, cycle, false) != 0) != !!(ctl & INVERT)) &&
                 ((sum(b, 0x80, cycle, false) >= thresh) != !!(ctl & OCC_INVERT));
    return true;
  }
  *ret_n = sum(b, code, cycle, ctl & TID_EN);
  if (thresh)
    *ret_n = limited(b, code, *ret_n, waiting);
  else if (b->power) /* occurrences without duration are not a state of the cycle, and are added unchanged */
    *ret_n = limited(b, code, sum_of(b, code, cycle, false, SPANS), waiting) + sum_of(b, code, cycle, false, PULSES);
  *ret_holds = (*ret_n >= thresh) != !!(ctl & (b->power && code & 0x80 ? OCC_INVERT : INVERT));
  return thresh != 0;
}

static void naive_cycle(struct box *b, unsigned i, uint64_t cycle)
{
  uint64_t ctl = b->ctl[i], n = 0;
  bool holds, edge = ctl & (b->power && ctl & 0x80 ? OCC_EDGE : EDGE);
  if (!(ctl & EN) || b->frozen)
    return;
  if (!b->power && i && (uint8_t)ctl == 0x1f) { /* 2.3.2.1: the increment of counter 0 */
    if (!(b->ctl[0] & EN))
      return;
    ctl = (ctl & ~UINT64_C(0xff)) | (uint8_t)b->ctl[0] | (b->ctl[0] & TID_EN);
    if (!(b->ctl[0] & TID_EN))
      ctl &= ~(uint64_t)TID_EN;
  }
  if (compared(b, ctl, cycle, &b->waiting[i], &n, &holds)) {
    n = holds && (!edge || !b->was[i]);
    b->was[i] = holds;
  }
  b->value[i] = (b->value[i] + n) & b->mask;
}

static bool naive_counts(const struct box *b, unsigned i)
{
  const bool follows = !b->power && i && (uint8_t)b->ctl[i] == 0x1f;
  return b->ctl[i] & EN && !b->frozen && (!follows || b->ctl[0] & EN);
}

/* A counter that is programmed, or begins to count, has as its last comparison that of a cycle in which nothing
 * happens. */
static void naive_begin(struct box *b, unsigned i, bool written)
{
  uint64_t n, none = 0;
  const bool counts = naive_counts(b, i);
  if (written || counts != b->counts[i]) {
    b->waiting[i] = 0;
    if (!compared(b, b->ctl[i], UINT64_MAX, &none, &n, &b->was[i]))
      b->was[i] = false;
  }
  b->counts[i] = counts;
}

/* ---- both implementations ---- */

static uint64_t random_ctl(const struct box *b, unsigned i)
{
  static const uint8_t first[] = {0x02, 0x11}, others[] = {0x02, 0x1f}, late[] = {0x1d, 0x1f},
                       powers[] = {0x03, 0x80, 0x83};
  uint64_t ctl = rnd(8) ? EN : 0;
  if (b->power)
    ctl |= powers[rnd(3)];
  else
    ctl |= (i == 0 ? first : i == 1 ? others : late)[rnd(2)] | (rnd(3) ? 0 : TID_EN);
  if (b->power && ctl & 0x80)
    ctl |= SNB_OCC_SEL(1) | (rnd(2) ? OCC_INVERT : 0) | (rnd(2) ? OCC_EDGE : 0);
  ctl |= (rnd(2) ? 0 : (uint64_t)rnd(6) << 24) | (rnd(2) ? INVERT : 0) | (rnd(2) ? EDGE : 0);
  return b->power || (uint8_t)ctl == 0x1f ? ctl : ctl | SNB_UMASK(0x01);
}

static void snbep_twin_program(struct machine *m, struct box *b)
{
  bool written[COUNTERS] = {false};
  for (unsigned i = 0; i < COUNTERS; i++) {
    if (rnd(3))
      continue;
    written[i] = true;
    b->ctl[i] = random_ctl(b, i);
    msr_put(m, 0, b->base_ctl + i, b->ctl[i]);
    if (rnd(2)) {
      b->value[i] = b->mask - rnd(300);
      msr_put(m, 0, b->base_ctr + i, b->value[i]);
    }
  }
  b->frozen = !rnd(4);
  msr_put(m, 0, b->control, FRZ_EN | (b->frozen ? FRZ : 0));
  for (unsigned i = 0; i < COUNTERS; i++)
    naive_begin(b, i, written[i]);
}

static uint64_t middle(const struct box *b, uint64_t cycle)
{
  return cycle * b->period_fs + b->period_fs / 2;
}

static void happen(struct machine *m, struct box *b, uint64_t first, uint64_t end)
{
  static const uint8_t codes[] = {0x02, 0x11, 0x1d};
  struct block *block = machine_block(m, 0, b->unit, 0);
  b->n = rnd(REPORTS);
  for (unsigned i = 0; i < b->n; i++) {
    struct happening *h = &b->list[i];
    const uint64_t at = first + rnd((uint32_t)(end - first));
    *h = (struct happening){.code = b->power ? (rnd(2) ? 0x80 : 0x03) : codes[rnd(3)],
                            .tid = (uint16_t)rnd(2),
                            .pulse = rnd(2),
                            .from = at,
                            .to = at + rnd((uint32_t)(end - at)),
                            .n = 1 + rnd(4)};
    const uint64_t attr = h->code == 0x80 ? SNB_OCC_SEL(1) : b->power ? 0 : SNB_UMASK(0x01);
    if (h->pulse)
      block_pulse(block, h->code, attr, h->tid, middle(b, h->from), h->n);
    else if (h->to > h->from) /* the cycles that end in that time */
      block_span(block, h->code, attr, h->tid, middle(b, h->from), middle(b, h->to), h->n);
  }
}

static void snbep_twin_compare(struct machine *m, const struct box *b, unsigned run, unsigned episode)
{
  for (unsigned i = 0; i < COUNTERS; i++) {
    const uint64_t value = msr_get(m, 0, b->base_ctr + i);
    if (value != b->value[i])
      fail_msg("run %u, episode %u: counter %u of the %s, control 0x%llx: 0x%llx, by the naive one 0x%llx", run,
               episode, i, b->unit, (unsigned long long)b->ctl[i], (unsigned long long)value,
               (unsigned long long)b->value[i]);
  }
}

static struct machine *make(void)
{
  static const char *const settings[] = {"cores=2", "sockets=1"};
  struct machine_config config;
  struct machine *m;
  char error[200];
  assert_int_equal(machine_config_preset(&config, "snbep"), 0);
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    assert_int_equal(machine_config_parse(&config, settings[i], error, sizeof error), 0);
  config.value[CONFIG_UNCORE_GHZ] = 1000; /* a cycle is a nanosecond */
  assert_int_equal(machine_new(&config, error, sizeof error, &m), 0);
  return m;
}

static void one_run(unsigned run, bool power)
{
  struct box b = power ? (struct box){.unit = "pcu",
                                      .control = 0xc24,
                                      .base_ctl = 0xc30,
                                      .base_ctr = 0xc36,
                                      .period_fs = 1250000,
                                      .mask = (UINT64_C(1) << 48) - 1,
                                      .power = true}
                       : (struct box){.unit = "cbo",
                                      .control = 0xd04,
                                      .base_ctl = 0xd10,
                                      .base_ctr = 0xd16,
                                      .period_fs = 1000000,
                                      .mask = (UINT64_C(1) << 44) - 1};
  struct machine *m = make();
  uint64_t now = 0, next;
  seed = run * 2 + power + 1;
  if (!power) {
    b.tid = rnd(2);
    msr_put(m, 0, 0xd14, b.tid);
  }
  for (unsigned episode = 0; episode < EPISODES; episode++, now = next) {
    next = now + QUIET * 2 + 1 + rnd(CYCLES);
    snbep_twin_program(m, &b);
    happen(m, &b, now + QUIET, next - QUIET);
    run_to(m, middle(&b, next));
    for (uint64_t cycle = now; cycle < next; cycle++)
      for (unsigned i = 0; i < COUNTERS; i++)
        naive_cycle(&b, i, cycle);
    snbep_twin_compare(m, &b, run, episode);
    b.n = 0;
  }
  machine_free(m);
}

static void test_cbo(void **state)
{
  (void)state;
  for (unsigned run = 0; run < RUNS; run++)
    one_run(run, false);
}

static void test_pcu(void **state)
{
  (void)state;
  for (unsigned run = 0; run < RUNS; run++)
    one_run(run, true);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cbo), cmocka_unit_test(test_pcu)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
