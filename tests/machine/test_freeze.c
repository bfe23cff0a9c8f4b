/* SPDX-License-Identifier: MIT */
/* Sampling by overflow, step by step as in sections 1.10.4 to 1.10.6 and 1.4.0.2, and the precision of the freeze. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "machine/config.h"
#include "machine/emr/attr.h"
#include "machine/pmon/block.h"
#include "tests/machine/access.h"

enum {
  GLOBAL_CTL = 0x2ff0,
  GLOBAL_STATUS1 = 0x2ff3,
  CHA0_UNIT = 0x2000,
  CHA0_STATUS = 0x2001,
  CHA0_CTL0 = 0x2002,
  CHA0_CTR0 = 0x2008,
  UPI0 = 30 << 8 | 1 << 3 | 1,
  UPI0_POSITION = 80 - 64
};
static const uint64_t FULL = UINT64_C(1) << 48, FRZ_OVF = 1 << 20;

/* A freeze without delay, so that the counts at it are exact. */
static int freeze_set_up(void **state)
{
  struct machine_config config;
  char error[200];
  machine_config_init(&config);
  config.value[CONFIG_FREEZE_DELAY] = 0;
  return machine_new(&config, error, sizeof error, (struct machine **)state);
}

static int freeze_tear_down(void **state)
{
  machine_free(*state);
  return 0;
}

static struct pmon_address upi(uint64_t offset, uint8_t width)
{
  return wide(PMON_SPACE_PCI, UPI0, offset, width);
}

/* The guide's example: freeze when the link has sent its 1000th data flit slot. */
static void prepare(struct machine *m)
{
  msr_put(m, 0, GLOBAL_CTL, 1);
  msr_put(m, 0, CHA0_UNIT, 0x300);
  put_at(m, upi(0x318, 32), 0x300);
  put_at(m, upi(0x328, 64), FULL - 1000); /* counter 1 */
  put_at(m, upi(0x358, 64), 0x0f02 | FRZ_OVF);
  msr_put(m, 0, CHA0_CTL0, 0x0150); /* REQUESTS.READS_LOCAL, at the same time */
  msr_put(m, 0, CHA0_CTL0 + 1, 0x0001);
  msr_put(m, 0, GLOBAL_CTL, 0);
}

static void test_sample(void **state)
{
  struct machine *m = *state;
  struct block *link = machine_block(m, 0, "upi", 0), *cha = machine_block(m, 0, "cha", 0);
  const uint64_t us = 1000000000;

  prepare(m);
  /* a flit every 2 ns has 3 slots, so that the 334th passes 1000; a read every 1 ns */
  for (unsigned i = 0; i < 5000; i++) {
    block_pulse(link, UPI_TXL_FLITS, FLIT_DATA | FLIT_SLOTS, 0, 1000000 + 2000000 * (uint64_t)i, 1);
    block_pulse(cha, CHA_REQUESTS, HA_READ_LOCAL, 0, 1000000 * (uint64_t)i, 1);
  }
  run_to(m, 20 * us);
  assert_int_equal(get_at(m, upi(0x328, 64)), 2); /* 334 * 3 - 1000 */
  assert_int_equal(get_at(m, upi(0x38c, 32)), 1 << 1);
  assert_int_equal(msr_get(m, 0, GLOBAL_STATUS1), UINT64_C(1) << UPI0_POSITION);
  /* the 334th flit was sent at 667 ns: reads at 0 to 667 ns count, later ones do not, in another unit and clock
   * domain */
  assert_int_equal(msr_get(m, 0, CHA0_CTR0), 668);
  assert_int_equal(msr_get(m, 0, CHA0_CTR0 + 1), 667 * 22 / 10);
  assert_int_equal(msr_get(m, 0, CHA0_STATUS), 0);
}

static void send(struct machine *m, uint64_t from, unsigned flits)
{
  struct block *link = machine_block(m, 0, "upi", 0);
  for (unsigned i = 0; i < flits; i++)
    block_pulse(link, UPI_TXL_FLITS, FLIT_DATA | FLIT_SLOTS, 0, from + i * 1000000, 1);
}

/* 1.10.6: the next interval requires that software clears both status bits; otherwise the socket does not freeze
 * again. */
static void test_next_interval(void **state)
{
  struct machine *m = *state;
  const uint64_t us = 1000000000;
  prepare(m);
  send(m, 1000, 400);
  run_to(m, us);
  assert_int_equal(get_at(m, upi(0x328, 64)), 2);
  /* unfrozen with the unit's bit still set: it counts and wraps without a report */
  put_at(m, upi(0x328, 64), FULL - 30);
  msr_put(m, 0, GLOBAL_STATUS1, UINT64_C(1) << UPI0_POSITION);
  msr_put(m, 0, GLOBAL_CTL, 0);
  send(m, us + 1000, 20);
  run_to(m, 2 * us);
  assert_int_equal(get_at(m, upi(0x328, 64)), 30);
  assert_int_equal(msr_get(m, 0, GLOBAL_STATUS1), 0);
  /* unit's bit cleared, global bit set: the same */
  put_at(m, upi(0x38c, 32), 2);
  put_at(m, upi(0x328, 64), FULL - 30);
  send(m, 2 * us, 20);
  run_to(m, 3 * us);
  assert_int_equal(msr_get(m, 0, GLOBAL_STATUS1), UINT64_C(1) << UPI0_POSITION);
  put_at(m, upi(0x38c, 32), 2);
  put_at(m, upi(0x328, 64), FULL - 30);
  msr_put(m, 0, GLOBAL_CTL, 0);
  send(m, 3 * us, 20);
  run_to(m, 4 * us);
  assert_int_equal(get_at(m, upi(0x328, 64)), 30);
  /* both bits cleared: it freezes at the tenth flit */
  put_at(m, upi(0x38c, 32), 2);
  msr_put(m, 0, GLOBAL_STATUS1, UINT64_C(1) << UPI0_POSITION);
  put_at(m, upi(0x328, 64), FULL - 30);
  send(m, 4 * us, 20);
  run_to(m, 5 * us);
  assert_int_equal(get_at(m, upi(0x328, 64)), 0);
  send(m, 5 * us, 20);
  run_to(m, 6 * us);
  assert_int_equal(get_at(m, upi(0x328, 64)), 0);
}

/* The freeze of a socket does not affect the other one. */
static void test_other_socket(void **state)
{
  struct machine *m = *state;
  prepare(m);
  msr_put(m, 1, CHA0_CTL0, 0x0001);
  send(m, 1000, 400);
  run_to(m, 1000000000);
  assert_int_equal(msr_get(m, 1, CHA0_CTR0), 2200);
  assert_true(msr_get(m, 0, CHA0_CTR0 + 1) < 1000);
}

/* 2.12.1: the second CXL CM block sends no message. */
static void test_silent_block(void **state)
{
  struct machine *m = *state;
  for (unsigned i = 0; i < 2; i++) {
    put_at(m, wide(PMON_SPACE_MMIO, 17, 0x8000 * (1 - i) + 0x08, 64), FULL - 10);
    put_at(m, wide(PMON_SPACE_MMIO, 17, 0x8000 * (1 - i) + 0x48, 64), 0x0201 | FRZ_OVF);
    run_to(m, machine_now_fs(m) + 1000000000);
    assert_int_equal(get_at(m, wide(PMON_SPACE_MMIO, 17, 0x8000 * (1 - i) + 0x88, 32)), 1);
    assert_int_equal(msr_get(m, 0, GLOBAL_STATUS1) != 0, i);
  }
}

/* The fixed counter of a channel reports too, without a bit of its own in the unit status. */
static void test_fixed(void **state)
{
  struct machine *m = *state;
  put_at(m, wide(PMON_SPACE_MMIO, 0, 0x22838, 64), FULL - 28);
  put_at(m, wide(PMON_SPACE_MMIO, 0, 0x22854, 32), 0x500000);
  msr_put(m, 0, CHA0_CTL0, 0x0001);
  run_to(m, 1000000000);
  assert_int_equal(get_at(m, wide(PMON_SPACE_MMIO, 0, 0x22838, 64)), 0);
  assert_int_equal(get_at(m, wide(PMON_SPACE_MMIO, 0, 0x2285c, 32)), 0);
  assert_int_equal(msr_get(m, 0, GLOBAL_STATUS1), 1 << (68 - 64));
  assert_int_equal(msr_get(m, 0, CHA0_CTR0), 22); /* 28 cycles at 2.8 GHz are 10 ns */
}

static void delayed(uint64_t delay_ps, struct machine **ret_machine)
{
  struct machine_config config;
  char error[200];
  machine_config_init(&config);
  if (delay_ps != UINT64_MAX)
    config.value[CONFIG_FREEZE_DELAY] = delay_ps;
  assert_int_equal(machine_new(&config, error, sizeof error, ret_machine), 0);
}

/* 1.4.0.1: between an overflow and the freeze, all counters continue; the counter that overflowed has wrapped. The end
 * of a run between the two changes nothing, and the status shows the overflow immediately. */
static void test_delay(void **state)
{
  const uint64_t us = 1000000000;
  const struct {
    uint64_t delay_ps, ns;
  } cases[] = {{UINT64_MAX, 30}, {100000, 100}, {1000000, 1000}};
  struct machine *m;
  (void)state;
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint64_t stop = 0; stop <= 1; stop++) {
      delayed(cases[i].delay_ps, &m);
      prepare(m);
      struct block *link = machine_block(m, 0, "upi", 0);
      for (unsigned k = 0; k < 5000; k++)
        block_pulse(link, UPI_TXL_FLITS, FLIT_DATA | FLIT_SLOTS, 0, 1000000 + 2000000 * (uint64_t)k, 1);
      if (stop) { /* the 334th flit overflows at 667 ns */
        run_to(m, 667 * us / 1000 + 1);
        assert_int_equal(get_at(m, upi(0x38c, 32)), 1 << 1);
        assert_int_equal(msr_get(m, 0, GLOBAL_STATUS1), UINT64_C(1) << UPI0_POSITION);
        assert_int_equal(get_at(m, upi(0x328, 64)), 2);
      }
      run_to(m, 20 * us);
      assert_int_equal(get_at(m, upi(0x328, 64)), 2 + 3 * (cases[i].ns / 2));
      assert_int_equal(msr_get(m, 0, CHA0_CTR0 + 1), (667 + cases[i].ns) * 22 / 10);
      machine_free(m);
    }
}

/* Software observes the overflow before the pending freeze takes effect, and starts the next interval: its access to
 * the global control is ordered after the freeze, which does not stop the next interval. */
static void test_quick_software(void **state)
{
  const uint64_t us = 1000000000;
  struct machine *m;
  (void)state;
  delayed(100000, &m);
  prepare(m);
  send(m, 1000, 400);
  run_to(m, us * 3334 / 10000); /* the 334th flit overflows at 333.001 ns */
  assert_int_equal(get_at(m, upi(0x38c, 32)), 2);
  msr_put(m, 0, GLOBAL_CTL, 1);
  put_at(m, upi(0x38c, 32), 2);
  msr_put(m, 0, GLOBAL_STATUS1, UINT64_C(1) << UPI0_POSITION);
  put_at(m, upi(0x328, 64), 0);
  msr_put(m, 0, GLOBAL_CTL, 0);
  run_to(m, us);
  assert_int_equal(get_at(m, upi(0x328, 64)), 3 * (400 - 334));
  machine_free(m);
}

static struct machine_pmi last_pmi;
static unsigned pmis;

static void on_pmi(void *arg, const struct machine_pmi *pmi)
{
  assert_ptr_equal(arg, &pmis);
  last_pmi = *pmi;
  pmis++;
}

/* A callback reports each freeze caused by an overflow, with its time, and no other wraps. */
static void test_interrupts(void **state)
{
  struct machine *m = *state;
  const uint64_t us = 1000000000;
  pmis = 0;
  machine_listen(m, on_pmi, &pmis);
  prepare(m);
  send(m, 1000, 400);
  run_to(m, us);
  assert_int_equal(pmis, 1);
  assert_int_equal(last_pmi.socket, 0);
  assert_int_equal(last_pmi.global_status[1], UINT64_C(1) << UPI0_POSITION);
  assert_in_range(last_pmi.time_fs, 1, us);
  /* frozen by software: no report; unfrozen with the bits still set: it wraps without a report */
  msr_put(m, 0, GLOBAL_CTL, 1);
  put_at(m, upi(0x328, 64), FULL - 30);
  msr_put(m, 0, GLOBAL_CTL, 0);
  send(m, us + 1000, 20);
  run_to(m, 2 * us);
  assert_int_equal(pmis, 1);
  put_at(m, upi(0x38c, 32), 2);
  msr_put(m, 0, GLOBAL_STATUS1, UINT64_C(1) << UPI0_POSITION);
  put_at(m, upi(0x328, 64), FULL - 30);
  machine_listen(m, NULL, NULL);
  send(m, 2 * us, 20);
  run_to(m, 3 * us);
  assert_int_equal(pmis, 1);
  assert_int_equal(machine_pmis(m, 0), 2);
  assert_int_equal(machine_pmis(m, 1), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_sample, freeze_set_up, freeze_tear_down),
      cmocka_unit_test_setup_teardown(test_next_interval, freeze_set_up, freeze_tear_down),
      cmocka_unit_test_setup_teardown(test_other_socket, freeze_set_up, freeze_tear_down),
      cmocka_unit_test_setup_teardown(test_silent_block, freeze_set_up, freeze_tear_down),
      cmocka_unit_test_setup_teardown(test_fixed, freeze_set_up, freeze_tear_down),
      cmocka_unit_test(test_delay),
      cmocka_unit_test(test_quick_software),
      cmocka_unit_test_setup_teardown(test_interrupts, freeze_set_up, freeze_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
