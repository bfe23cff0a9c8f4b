/* SPDX-License-Identifier: MIT */
/* A processor's own counters in the guest: they count what the machine's cores do; without a guest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/vm/fixture.h"
#include "machine/common/feed.h"
#include "machine/common/totals.h"

enum {
  GENERAL = 0xc1,
  SELECT = 0x186,
  FIXED = 0x309,
  FIXED_CONTROL = 0x38d,
  STATUS = 0x38e,
  CONTROL = 0x38f,
  STATUS_CLEAR = 0x390,
  ENABLE = 1 << 22 | 3 << 16,
  BLOCK = 16,
  CORES = 8
};

static const uint64_t ALL_ON = UINT64_C(7) << 32 | 15;

static int counters_set_up(void **state)
{
  static struct fixture f;
  *state = &f;
  return fixture_init(&f, "snbep", (struct guest_shape){2, CORES, 1});
}

static void write_msr(struct fixture *f, unsigned processor, uint32_t msr, uint64_t value)
{
  assert_int_equal(bus_msr_write(&f->bus, processor, msr, value), BUS_DONE);
}

static uint64_t read_msr(struct fixture *f, unsigned processor, uint32_t msr)
{
  uint64_t value;
  assert_int_equal(bus_msr_read(&f->bus, processor, msr, &value), BUS_DONE);
  return value;
}

static void work(struct fixture *f, unsigned core, unsigned blocks)
{
  for (unsigned i = 0; i < blocks; i++)
    traffic_block(machine_traffic(f->m), core, 0x400000, 64, BLOCK);
}

static void test_fixed_counters_count_the_core(void **state)
{
  struct fixture *f = *state;
  struct core_totals before, after;
  work(f, 0, 1000);
  write_msr(f, 0, FIXED_CONTROL, 0x333);
  write_msr(f, CORES, FIXED_CONTROL, 0x333);
  write_msr(f, 0, CONTROL, ALL_ON);
  write_msr(f, CORES, CONTROL, ALL_ON);
  traffic_core_totals(machine_traffic(f->m), 0, &before);
  work(f, 0, 3000);
  work(f, CORES, 10);
  traffic_core_totals(machine_traffic(f->m), 0, &after);
  assert_int_equal(read_msr(f, 0, FIXED), 3000 * BLOCK);
  assert_int_equal(read_msr(f, CORES, FIXED), 10 * BLOCK);
  assert_int_equal(read_msr(f, 0, FIXED + 1), after.cycles - before.cycles);
  assert_int_equal(read_msr(f, 0, FIXED + 2), after.reference_cycles - before.reference_cycles);
  assert_in_range(after.cycles - before.cycles, 3000 * BLOCK * 45 / 100 - 1, 3000 * BLOCK * 45 / 100 + 1);
  assert_int_equal(read_msr(f, 1, FIXED), 0);
}

/* The counter stops when any of its enable bits is cleared. */
static void test_disabled_counters_do_not_count(void **state)
{
  struct fixture *f = *state;
  write_msr(f, 0, SELECT, ENABLE | 0xc0);
  write_msr(f, 0, FIXED_CONTROL, 3);
  work(f, 0, 5); /* the global control is 0 */
  assert_int_equal(read_msr(f, 0, GENERAL) + read_msr(f, 0, FIXED), 0);
  write_msr(f, 0, CONTROL, ALL_ON);
  work(f, 0, 5);
  write_msr(f, 0, FIXED_CONTROL, 0x330);
  write_msr(f, 0, SELECT, 3 << 16 | 0xc0);
  work(f, 0, 5);
  write_msr(f, 0, SELECT, 1 << 22 | 0xc0);
  work(f, 0, 5);
  assert_int_equal(read_msr(f, 0, GENERAL), 5 * BLOCK);
  assert_int_equal(read_msr(f, 0, FIXED), 5 * BLOCK);
  write_msr(f, 0, CONTROL, 0);
  write_msr(f, 0, SELECT, ENABLE | 0xc0);
  work(f, 0, 5);
  assert_int_equal(read_msr(f, 0, GENERAL), 5 * BLOCK);
}

/* Each fixed counter depends only on its own bits in both controls. */
static void test_fixed_counters_are_enabled_separately(void **state)
{
  struct fixture *f = *state;
  for (unsigned on = 0; on < COUNTERS_FIXED; on++)
    for (unsigned enabled = 0; enabled < COUNTERS_FIXED; enabled++) {
      for (unsigned i = 0; i < COUNTERS_FIXED; i++)
        write_msr(f, 0, FIXED + i, 0);
      write_msr(f, 0, FIXED_CONTROL, 3u << 4 * on);
      write_msr(f, 0, CONTROL, UINT64_C(1) << (32 + enabled));
      work(f, 0, 100);
      for (unsigned i = 0; i < COUNTERS_FIXED; i++)
        assert_int_equal(read_msr(f, 0, FIXED + i) != 0, i == on && i == enabled);
    }
}

static void test_general_counters_count_three_events(void **state)
{
  struct fixture *f = *state;
  static const uint32_t events[COUNTERS_GENERAL] = {0xc0, 0x3c, 0x13c, 0x2d4};
  for (unsigned i = 0; i < COUNTERS_GENERAL; i++)
    write_msr(f, 0, SELECT + i, ENABLE | events[i]);
  write_msr(f, 0, FIXED_CONTROL, 0x333);
  write_msr(f, 0, CONTROL, ALL_ON);
  work(f, 0, 100);
  for (unsigned i = 0; i < COUNTERS_FIXED; i++) {
    assert_int_equal(read_msr(f, 0, GENERAL + i), read_msr(f, 0, FIXED + i));
    assert_int_not_equal(read_msr(f, 0, GENERAL + i), 0);
  }
  assert_int_equal(read_msr(f, 0, GENERAL + 3), 0);
}

static void test_counters_are_48_bits(void **state)
{
  struct fixture *f = *state;
  write_msr(f, 0, SELECT, ENABLE | 0xc0);
  write_msr(f, 0, CONTROL, ALL_ON);
  write_msr(f, 0, GENERAL, (uint32_t)-BLOCK); /* takes 32 bits, sign-extended */
  assert_int_equal(read_msr(f, 0, GENERAL), (UINT64_C(1) << 48) - BLOCK);
  work(f, 0, 2);
  assert_int_equal(read_msr(f, 0, GENERAL), BLOCK);
  assert_int_equal(read_msr(f, 0, STATUS), 0);
  write_msr(f, 0, STATUS_CLEAR, 1);
  assert_int_equal(read_msr(f, 0, SELECT), ENABLE | 0xc0);
}

static void test_other_registers_do_not_exist(void **state)
{
  struct fixture *f = *state;
  uint64_t value;
  for (uint32_t msr = 0; msr < 0x400; msr++)
    assert_int_equal(bus_msr_read(&f->bus, 0, msr, &value) == BUS_DONE,
                     msr - GENERAL < 4 || msr - SELECT < 4 || msr - FIXED < 3 || msr - FIXED_CONTROL < 4 ||
                         msr == 0x3fc || msr == 0x3fd || msr == 0x34 || msr == 0xe7 || msr == 0xe8 || msr == 0x3f8 ||
                         msr == 0x3f9 || msr == 0x3fa || msr == 0x3fe || msr == 0x19c || msr == 0x1a2 || msr == 0x1b1 ||
                         msr == 0x1ad); /* the PCU's, the core's, temperatures, turbo ratios */
  assert_int_equal(bus_msr_write(&f->bus, 0, 0x10, 0), BUS_ELSEWHERE);
  assert_int_equal(bus_msr_read(&f->bus, 2 * CORES, FIXED, &value), BUS_ELSEWHERE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_fixed_counters_count_the_core, counters_set_up, fixture_fini),
      cmocka_unit_test_setup_teardown(test_disabled_counters_do_not_count, counters_set_up, fixture_fini),
      cmocka_unit_test_setup_teardown(test_fixed_counters_are_enabled_separately, counters_set_up, fixture_fini),
      cmocka_unit_test_setup_teardown(test_general_counters_count_three_events, counters_set_up, fixture_fini),
      cmocka_unit_test_setup_teardown(test_counters_are_48_bits, counters_set_up, fixture_fini),
      cmocka_unit_test_setup_teardown(test_other_registers_do_not_exist, counters_set_up, fixture_fini),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
