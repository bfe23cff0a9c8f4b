/* SPDX-License-Identifier: MIT */
/* Every register of the cores walked with ones, zeros and a pattern, against the fact files; reset values; PAL. */
#include <pmon/pmon.h>
#include "tests/montecito/bench.h"

struct masks {
  uint64_t rw, ro, rsvd, reset;
};

static struct masks masks_of(const struct pmon_platform *p, uint32_t unit, uint32_t reg)
{
  struct masks k = {0};
  struct pmon_field_info f = {.size = sizeof f};
  for (uint32_t i = 0; !pmon_field_describe(p, unit, reg, i, &f); i++) {
    const uint64_t ones = f.hi - f.lo == 63 ? UINT64_MAX : (UINT64_C(1) << (f.hi - f.lo + 1)) - 1;
    if (*f.overlay)
      continue;
    if (!strcmp(f.access, "rw"))
      k.rw |= ones << f.lo;
    else if (!strcmp(f.access, "ro"))
      k.ro |= ones << f.lo;
    else if (!strcmp(f.access, "rsvd"))
      k.rsvd |= ones << f.lo;
    else
      assert_string_equal(f.access, "ign");
    k.reset |= f.reset << f.lo;
  }
  return k;
}

static uint64_t extended(uint64_t count)
{
  return (count & UINT64_C(1) << 46 ? UINT64_MAX << 47 : 0) | (count & ((UINT64_C(1) << 47) - 1));
}

/* Returns the value of a read after `value` was written. */
static uint64_t expected(const struct pmon_register_info *info, const struct masks *k, uint64_t value)
{
  if (!strcmp(info->layout, "COUNTER"))
    return extended(value);
  return (value & k->rw) | (k->reset & k->ro);
}

static void walk_one(struct bench *b, const struct pmon_register_info *info, const struct masks *k,
                     const struct pmon_address *at)
{
  static const uint64_t values[] = {UINT64_MAX, 0, 0xa5a5a5a5a5a5a5a5, 0x5a5a5a5a5a5a5a5a, 0x0123456789abcdef};
  struct pmon_address a = *at;
  uint64_t reset, value;
  for (a.package = 0; a.package < MONTECITO_THREADS; a.package++) {
    assert_int_equal(montecito_machine_read(b->m, &a, &reset), 0);
    if (strcmp(info->layout, "OVERFLOW_STATUS") && reset != k->reset)
      fail_msg("%s: 0x%llx after reset, 0x%llx in the facts", info->name, (unsigned long long)reset,
               (unsigned long long)k->reset);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
      const uint64_t before = montecito_machine_violations_total(b->m);
      assert_int_equal(montecito_machine_write(b->m, &a, values[i] | (a.space == PMON_SPACE_PMC && !a.offset)), 0);
      assert_int_equal(montecito_machine_read(b->m, &a, &value), 0);
      if (value != expected(info, k, values[i] | (a.space == PMON_SPACE_PMC && !a.offset)))
        fail_msg("%s: 0x%llx written, 0x%llx read, facts: 0x%llx", info->name, (unsigned long long)values[i],
                 (unsigned long long)value, (unsigned long long)expected(info, k, values[i]));
      if (((values[i] ^ k->reset) & k->ro && strcmp(info->layout, "COUNTER")) || (values[i] & k->rsvd))
        assert_true(montecito_machine_violations_total(b->m) > before);
    }
    assert_int_equal(montecito_machine_write(b->m, &a, reset), 0);
  }
}

static void test_walk(void **state)
{
  struct bench *b = *state;
  struct pmon_context *context;
  const struct pmon_platform *p;
  struct pmon_register_info info = {.size = sizeof info};
  struct pmon_register_id id = {0};
  unsigned met = 0;
  assert_int_equal(pmon_context_new(&context), 0);
  assert_int_equal(pmon_platform_find(context, "montecito", &p), 0);
  for (b->thread = 0; b->thread < MONTECITO_THREADS; b->thread++)
    bench_set_pmc(b, 0, 1); /* contents of EARs and trace buffer are read while frozen */
  for (id.reg = 0; !pmon_register_describe(p, 0, id.reg, &info); id.reg++) {
    const struct masks k = masks_of(p, 0, id.reg);
    for (id.index = 0; id.index < info.count; id.index++, met++) {
      struct pmon_address a;
      assert_int_equal(pmon_register_address(p, &id, &a), 0);
      walk_one(b, &info, &k, &a);
    }
  }
  assert_int_equal(met, 27 + 12 + 7 + 16 + 2 * 8);
  pmon_context_free(context);
}

static void test_nonexistent_registers_are_refused(void **state)
{
  struct bench *b = *state;
  struct pmon_address a = bench_address(b, PMON_SPACE_PMD, 37);
  uint64_t value;
  assert_int_equal(montecito_machine_read(b->m, &a, &value), PMON_E_NO_DEVICE);
  a = bench_address(b, PMON_SPACE_PMC, 16);
  assert_int_equal(montecito_machine_write(b->m, &a, 0), PMON_E_NO_DEVICE);
  a = bench_address(b, PMON_SPACE_MSR, 4);
  assert_int_equal(montecito_machine_read(b->m, &a, &value), PMON_E_NO_DEVICE);
  a = bench_address(b, PMON_SPACE_PMC, 4);
  a.width_bits = 32;
  assert_int_equal(montecito_machine_read(b->m, &a, &value), PMON_E_INVALID);
  a = bench_address(b, PMON_SPACE_PMC, 4);
  a.package = 4;
  assert_int_equal(montecito_machine_read(b->m, &a, &value), PMON_E_NO_DEVICE);
}

/* Table 3-5: the instruction set must be selected where the counter counts (PMCn.plm); otherwise the field is
 * unconstrained. */
static void test_fields_matter_where_a_counter_counts(void **state)
{
  struct bench *b = *state;
  bench_set_pmc(b, 4, 0);
  assert_int_equal(bench_blamed(b, "PMC4", "ism"), 0);
  bench_set_pmc(b, 4, 1);
  assert_int_equal(bench_blamed(b, "PMC4", "ism"), 1);
}

static void test_ears_are_read_frozen(void **state)
{
  struct bench *b = *state;
  bench_set_pmd(b, 32, 0x1234);
  assert_true(bench_pmd(b, 32) != 0x1234);
  assert_int_equal(bench_blamed(b, "PMD32", "-"), 1);
  bench_set_pmc(b, 0, 1);
  assert_int_equal(bench_pmd(b, 32), 0x1234);
  assert_int_equal(montecito_machine_violations_total(b->m), 1);
}

static void test_pal(void **state)
{
  const struct montecito_pal_info info = montecito_pal_info();
  (void)state;
  assert_int_equal(info.retired_event, 0x08);
  assert_int_equal(info.cycles_event, 0x12);
  assert_int_equal(info.width, 48);
  assert_int_equal(info.pairs, 12);
  assert_int_equal(info.pmc_mask, 0x7ff0000ffff);
  assert_int_equal(info.pmd_mask, 0xffff00df0000fff0);
  assert_int_equal(info.cycles_mask, 0xfff0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_walk, bench_set_up, bench_tear_down),
      cmocka_unit_test_setup_teardown(test_nonexistent_registers_are_refused, bench_set_up, bench_tear_down),
      cmocka_unit_test_setup_teardown(test_fields_matter_where_a_counter_counts, bench_set_up, bench_tear_down),
      cmocka_unit_test_setup_teardown(test_ears_are_read_frozen, bench_set_up, bench_tear_down),
      cmocka_unit_test(test_pal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
