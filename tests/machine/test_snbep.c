/* SPDX-License-Identifier: MIT */
/*
 * The boxes of the E5-2600, by accesses as software makes them: the guide's setup sequences (2.1.1, 2.1.2), freeze,
 * widths, and the cases of Table 2-80. The test makes up the reports to the boxes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/machine/snbep.h"

/* 2.1.1 on a CBo with the guide's own example, LLC_VICTIMS on counter 2, which according to Table 2-14 cannot count
 * it. */
static void test_setup_cbo(void **state)
{
  struct machine *m = *state;
  struct block *b = machine_block(m, 0, "cbo", 0);
  const struct machine_violation *list;
  msr_put(m, 0, 0xd18, 0x77); /* left over from earlier use */
  msr_put(m, 0, 0xd04, FRZ_EN);
  msr_put(m, 0, 0xd04, FRZ_EN | FRZ);
  msr_put(m, 0, 0xd12, EN);
  msr_put(m, 0, 0xd12, EN | 0x0137);
  block_pulse(b, CBO_LLC_VICTIMS, CBO_VICTIM_M, 0, 1 * NS, 5);
  run_to(m, 10 * NS);
  assert_int_equal(msr_get(m, 0, 0xd18), 0x77); /* frozen */
  assert_int_equal(msr_get(m, 0, 0xd04), FRZ_EN | FRZ);
  msr_put(m, 0, 0xd04, FRZ_EN | FRZ | 2);
  assert_int_equal(msr_get(m, 0, 0xd18), 0);
  assert_int_equal(msr_get(m, 0, 0xd12), EN | 0x0137);
  assert_int_equal(msr_get(m, 0, 0xd04), FRZ_EN | FRZ); /* reset bits are not stored */
  msr_put(m, 0, 0xd04, FRZ_EN);
  block_pulse(b, CBO_LLC_VICTIMS, CBO_VICTIM_M, 0, 11 * NS, 3);
  block_pulse(b, CBO_LLC_VICTIMS, CBO_VICTIM_E, 0, 12 * NS, 9);
  run_to(m, 20 * NS);
  assert_int_equal(msr_get(m, 0, 0xd18), 0);
  assert_int_equal(machine_violations(m, &list), 1);
  assert_string_equal(list[0].name, "C0_MSR_PMON_CTL2");
}

/* 2.1.1 and 2.1.2: enable freezing and freeze, program, reset, unfreeze; freeze, read, continue. */
static void test_freeze(void **state)
{
  struct machine *m = *state;
  struct block *b = machine_block(m, 0, "cbo", 0);
  msr_put(m, 0, 0xd04, FRZ_EN | FRZ);
  msr_put(m, 0, 0xd11, EN | 0x0137);
  msr_put(m, 0, 0xd04, FRZ_EN | FRZ | 2);
  msr_put(m, 0, 0xd04, FRZ_EN);
  block_pulse(b, CBO_LLC_VICTIMS, CBO_VICTIM_M, 0, 1 * NS, 3);
  block_pulse(b, CBO_LLC_VICTIMS, CBO_VICTIM_E, 0, 2 * NS, 9);
  run_to(m, 20 * NS);
  msr_put(m, 0, 0xd04, FRZ_EN | FRZ);
  assert_int_equal(msr_get(m, 0, 0xd17), 3);
  block_pulse(b, CBO_LLC_VICTIMS, CBO_VICTIM_M, 0, 21 * NS, 4);
  run_to(m, 30 * NS);
  assert_int_equal(msr_get(m, 0, 0xd17), 3);
  msr_put(m, 0, 0xd04, FRZ_EN);
  block_pulse(b, CBO_LLC_VICTIMS, CBO_VICTIM_M, 0, 31 * NS, 2);
  run_to(m, 40 * NS);
  assert_int_equal(msr_get(m, 0, 0xd17), 5);
  msr_put(m, 0, 0xd04, FRZ); /* without frz_en, frz does nothing */
  block_pulse(b, CBO_LLC_VICTIMS, CBO_VICTIM_M, 0, 41 * NS, 1);
  run_to(m, 50 * NS);
  assert_int_equal(msr_get(m, 0, 0xd17), 6);
  msr_put(m, 0, 0xd11, 0x0137); /* nor does a counter count without en */
  block_pulse(b, CBO_LLC_VICTIMS, CBO_VICTIM_M, 0, 51 * NS, 1);
  run_to(m, 60 * NS);
  assert_int_equal(msr_get(m, 0, 0xd17), 6);
}

/* The UBox has no box control. HA and iMC have no reset bits, and a driver's write to them is recorded. */
static void test_boxes_without(void **state)
{
  struct machine *m = *state;
  const struct machine_violation *list;
  uint64_t value;
  struct pmon_address none = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0xc04};
  assert_true(machine_read(m, &none, &value) < 0);
  msr_put(m, 0, 0xc08, EN);
  run_to(m, 100 * NS);
  assert_int_equal(msr_get(m, 0, 0xc09), 100);
  put_at(m, pci(14, 1, 0xd8, 32), EN | 0x0301);
  put_at(m, pci(14, 1, 0xa0, 64), 55);
  machine_violations_clear(m);
  put_at(m, pci(14, 1, 0xf4, 32), 0x10003);
  assert_int_equal(machine_violations(m, &list), 1);
  assert_int_equal(list[0].bits, 3);
  assert_string_equal(list[0].name, "HA_PCI_PMON_BOX_CTL");
  assert_int_equal(get_at(m, pci(14, 1, 0xa0, 64)), 55);
  assert_int_equal(get_at(m, pci(14, 1, 0xd8, 32)), EN | 0x0301);
  assert_int_equal(get_at(m, pci(14, 1, 0xf4, 32)), 0x10000);
  put_at(m, pci(16, 1, 0xf0, 32), EN);
  run_to(m, 200 * NS);
  assert_int_equal(get_at(m, pci(16, 1, 0xd0, 64)), 80); /* DCLK, 800 MHz */
  put_at(m, pci(16, 1, 0xf0, 32), EN | 1 << 19);
  assert_int_equal(get_at(m, pci(16, 1, 0xd0, 64)), 0);
}

/* Counters have 44 bits in the CBo, 48 in the home agent; a wrap continues from 0, and freezes nothing. */
static void test_widths(void **state)
{
  struct machine *m = *state;
  struct block *cbo = machine_block(m, 0, "cbo", 3), *ha = machine_block(m, 0, "ha", 0);
  msr_put(m, 0, 0xd70, EN | 0x0439);
  msr_put(m, 0, 0xd76, (UINT64_C(1) << 44) - 2);
  put_at(m, pci(14, 1, 0xd8, 32), EN | 0x0301);
  put_at(m, pci(14, 1, 0xa0, 64), (UINT64_C(1) << 48) - 2);
  block_pulse(cbo, CBO_MISC, CBO_MISC_STARTED, 0, 1 * NS, 5);
  block_pulse(ha, HA_REQUESTS, HA_READS(0), 0, 1 * NS, 5);
  run_to(m, 10 * NS);
  assert_int_equal(msr_get(m, 0, 0xd76), 3);
  assert_int_equal(get_at(m, pci(14, 1, 0xa0, 64)), 3);
}

/* Table 2-80, worked out by hand: 8 cores, of which 2 run; 6 from 1 us on; 3 from 2 us; the voltage changes three
 * times. 800 MHz: 800 cycles a microsecond. */
static void pcu_history(struct machine *m)
{
  struct block *b = machine_block(m, 0, "pcu", 0);
  const uint64_t us = 1000 * NS;
  static const uint32_t running[] = {2, 6, 3};
  for (unsigned i = 0; i < 3; i++)
    block_level_set(b, SNB_PCU_POWER_STATE_OCCUPANCY, SNB_OCC_SEL(1), i * us, running[i]);
  block_level_set(b, SNB_PCU_FREQ_BAND0, SNB_FREQUENCY(27), 0, 1);
  block_level_set(b, SNB_PCU_FREQ_BAND0, SNB_FREQUENCY(27), 2500 * NS, 0);
  block_level_set(b, SNB_PCU_FREQ_BAND0, SNB_FREQUENCY(12), 2500 * NS, 1);
  block_span(b, SNB_PCU_VOLT_CHANGE, 0, 0, 500 * NS, 600 * NS, 1);
  block_span(b, SNB_PCU_VOLT_CHANGE, 0, 0, 1500 * NS, 1700 * NS, 1);
  block_span(b, SNB_PCU_VOLT_CHANGE, 0, 0, 1900 * NS, 2100 * NS, 1);
}

/* 2.6.7: a value written to the filter applies from the next change of the frequency on. */
static void test_band_written_between_changes(void **state)
{
  struct machine *m = *state;
  struct block *b = machine_block(m, 0, "pcu", 0);
  const uint64_t us = 1000 * NS;
  msr_put(m, 0, 0xc34, 0x14);
  msr_put(m, 0, 0xc31, EN | 0x0b);
  block_level_set(b, SNB_PCU_FREQ_BAND0, SNB_FREQUENCY(27), 0, 1);
  run_to(m, 1 * us);
  msr_put(m, 0, 0xc34, 0x1c); /* above the frequency, which has not changed */
  run_to(m, 2 * us);
  assert_int_equal(msr_get(m, 0, 0xc37), 1600);
  block_level_set(b, SNB_PCU_FREQ_BAND0, SNB_FREQUENCY(27), 2 * us, 0);
  block_level_set(b, SNB_PCU_FREQ_BAND0, SNB_FREQUENCY(25), 2 * us, 1);
  run_to(m, 3 * us);
  assert_int_equal(msr_get(m, 0, 0xc37), 1600);
  msr_put(m, 0, 0xc34, 0x14);
  run_to(m, 4 * us);
  assert_int_equal(msr_get(m, 0, 0xc37), 1600);
  block_level_set(b, SNB_PCU_FREQ_BAND0, SNB_FREQUENCY(25), 4 * us, 0);
  block_level_set(b, SNB_PCU_FREQ_BAND0, SNB_FREQUENCY(27), 4 * us, 1);
  run_to(m, 5 * us);
  assert_int_equal(msr_get(m, 0, 0xc37), 2400);
}

static void test_pcu_cases(void **state)
{
  static const struct {
    uint64_t ctl;
    uint32_t n;
  } cases[] = {
      {0x03, 400},                                  /* 1: cycles of voltage changes: 0.5 us */
      {0x4080, 2 * 800 + 6 * 800 + 3 * 800},        /* 2: sum of cores in C0 over the cycles */
      {0x4080 | THRESH(5), 800},                    /* 3: cycles with more than 4 */
      {0x4080 | THRESH(5) | UINT64_C(1) << 31, 1},  /* 4: transitions to more than 4 */
      {0x4083 | THRESH(5), 240},                    /* 5: voltage changes with more than 4: 0.3 us */
      {0x408b | THRESH(4) | INVERT | 1 << 30, 400}, /* 6: less than 4, and below 2.0 GHz: 0.5 us */
  };
  for (unsigned i = 0; i < 6; i++) {
    struct machine *m = *state;
    if (i) {
      tear_down(state);
      set_up(state);
      m = *state;
    }
    msr_put(m, 0, 0xc34, 0x14);
    msr_put(m, 0, 0xc31, EN | cases[i].ctl);
    pcu_history(m);
    run_to(m, 3000 * NS);
    if (msr_get(m, 0, 0xc37) != cases[i].n)
      fail_msg("case %u: %u counted", i + 1, (unsigned)msr_get(m, 0, 0xc37));
  }
}

/* Residency counters: outside the PMON block, 64 bits, neither frozen nor writable. */
static void test_residency(void **state)
{
  struct machine *m = *state;
  block_freerunning_level_set(machine_block(m, 0, "pcu", 0), SNB_PCU_C3, 0, 1);
  msr_put(m, 0, 0xc24, FRZ_EN | FRZ);
  block_freerunning_level_set(machine_block(m, 0, "pcu", 0), SNB_PCU_C3, 1000 * NS, 0);
  run_to(m, 2000 * NS);
  assert_int_equal(msr_get(m, 0, 0x3fc), 800);
  msr_put(m, 0, 0x3fc, 0);
  assert_int_equal(msr_get(m, 0, 0x3fc), 800);
}

/* R3QPI has three counters; other registers begin at the place of a fourth. */
static void test_r3qpi(void **state)
{
  struct machine *m = *state;
  uint64_t value;
  struct pmon_address fourth = pci(19, 5, 0xe4, 32);
  for (unsigned i = 0; i < 3; i++)
    put_at(m, pci(19, 5, 0xd8 + 4 * i, 32), EN | 0x01);
  assert_int_equal(machine_write(m, &fourth, EN | 0x01), 0);
  assert_int_equal(machine_read(m, &fourth, &value), 0);
  assert_int_equal(value, 0); /* configuration space without a register there */
  run_to(m, 100 * NS);
  for (unsigned i = 0; i < 3; i++)
    assert_int_equal(get_at(m, pci(19, 5, 0xa0 + 8 * i, 64)), 100);
}

/* The accesses of Linux: it finds the socket, initializes every box, measures one event, and takes the box control as
 * it finds it. */
static void test_linux(void **state)
{
  static const struct {
    uint8_t dev, fn;
  } boxes[] = {{14, 1}, {16, 0}, {16, 1}, {16, 4}, {16, 5}, {8, 2}, {9, 2}, {19, 1}, {19, 5}, {19, 6}};
  struct machine *m = *state;
  struct block *b = machine_block(m, 0, "cbo", 5);
  uint64_t map = get_at(m, pci(11, 0, 0x54, 32)), node = get_at(m, pci(11, 0, 0x40, 32)) & 7;
  unsigned socket = 0;
  while (socket < 8 && (map >> 3 * socket & 7) != node)
    socket++;
  assert_int_equal(socket, 0);
  assert_int_equal(get_at(m, pci(11, 0, 0, 32)), 0x3ce08086);
  for (unsigned i = 0; i < sizeof boxes / sizeof *boxes; i++)
    put_at(m, pci(boxes[i].dev, boxes[i].fn, 0xf4, 32), 0x10003);
  for (unsigned i = 0; i < 8; i++)
    msr_put(m, 0, 0xd04 + 0x20 * i, 0x10003);
  msr_put(m, 0, 0xc24, 0x10003);
  msr_put(m, 0, 0xda4, msr_get(m, 0, 0xda4) | FRZ);
  assert_int_equal(msr_get(m, 0, 0xda4), 0x10100);
  uint64_t before = msr_get(m, 0, 0xdb6);
  msr_put(m, 0, 0xdb0, EN | 0x0439);
  msr_put(m, 0, 0xda4, msr_get(m, 0, 0xda4) & ~(uint64_t)FRZ);
  block_pulse(b, CBO_MISC, CBO_MISC_STARTED, 0, 1 * NS, 7);
  run_to(m, 10 * NS);
  msr_put(m, 0, 0xda4, msr_get(m, 0, 0xda4) | FRZ);
  msr_put(m, 0, 0xdb0, 0);
  assert_int_equal(msr_get(m, 0, 0xdb6) - before, 7);
  msr_put(m, 0, 0xda4, msr_get(m, 0, 0xda4) & ~(uint64_t)FRZ);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_setup_cbo), TEST(test_freeze),    TEST(test_boxes_without),
      TEST(test_widths),    TEST(test_pcu_cases), TEST(test_band_written_between_changes),
      TEST(test_residency), TEST(test_r3qpi),     TEST(test_linux),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
