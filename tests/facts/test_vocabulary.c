/* SPDX-License-Identifier: MIT */
/* The vocabularies of fact files: each value has a distinct name, which is parsed back to the value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pmon/platform.h>
#include "src/facts/db.h"
#include "src/facts/vocabulary.h"

static void each_name_is_parsed_back_to_its_value(void **state)
{
  static const uint32_t counts[VOCABULARIES] = {[VOCABULARY_SPACES] = PMON_SPACE_RESCTRL + 1,
                                                [VOCABULARY_ROLES] = PMON_ROLE_N,
                                                [VOCABULARY_ACCESSES] = DB_VIRT + 1};
  (void)state;
  for (int list = 0; list < VOCABULARIES; list++) {
    assert_int_equal(vocabulary_count((enum vocabulary)list), counts[list]);
    for (uint32_t i = 0; i < counts[list]; i++) {
      const char *name = vocabulary_name((enum vocabulary)list, i);
      uint32_t value = UINT32_MAX;
      assert_non_null(name);
      assert_true(vocabulary_find((enum vocabulary)list, text_of(name), &value));
      assert_int_equal(value, i);
    }
  }
}

static void an_unknown_name_or_value_is_refused(void **state)
{
  (void)state;
  for (int list = 0; list < VOCABULARIES; list++) {
    static const char *const unknown[] = {"", "nosuch", "ms", "ct", "r", "msrs", "ctls", "rws"};
    uint32_t value = 77;
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
      assert_false(vocabulary_find((enum vocabulary)list, text_of(unknown[i]), &value));
    assert_int_equal(value, 77);
    assert_null(vocabulary_name((enum vocabulary)list, vocabulary_count((enum vocabulary)list)));
    assert_null(vocabulary_name((enum vocabulary)list, UINT32_MAX));
  }
}

static void the_names_belong_to_the_constants(void **state)
{
  (void)state;
  assert_string_equal(pmon_space_name(PMON_SPACE_MSR), "msr");
  assert_string_equal(pmon_space_name(PMON_SPACE_MMIO), "mmio");
  assert_string_equal(pmon_space_name(PMON_SPACE_DBR), "dbr");
  assert_string_equal(pmon_space_name(PMON_SPACE_RESCTRL), "resctrl");
  assert_string_equal(pmon_space_name(PMON_SPACE_RESCTRL + 1), "?");
  assert_string_equal(pmon_role_name(PMON_ROLE_UNIT_CTL), "unit_ctl");
  assert_string_equal(pmon_role_name(PMON_ROLE_FREERUNNING), "free");
  assert_string_equal(pmon_role_name(PMON_ROLE_INFO), "info");
  assert_string_equal(pmon_role_name(PMON_ROLE_N), "?");
  assert_string_equal(vocabulary_name(VOCABULARY_ACCESSES, DB_W1C), "w1c");
  assert_string_equal(vocabulary_name(VOCABULARY_ACCESSES, DB_IGN), "ign");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_name_is_parsed_back_to_its_value),
      cmocka_unit_test(an_unknown_name_or_value_is_refused),
      cmocka_unit_test(the_names_belong_to_the_constants),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
