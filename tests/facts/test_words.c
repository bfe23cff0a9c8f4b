/* SPDX-License-Identifier: MIT */
/* The vocabularies of fact files: each value has a distinct name, which is parsed back to the value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pmon/platform.h>
#include "src/facts/db.h"
#include "src/facts/words.h"

static void each_name_is_parsed_back_to_its_value(void **state)
{
  static const uint32_t counts[WORD_LISTS] = {
      [WORDS_SPACES] = PMON_SPACE_RESCTRL + 1, [WORDS_ROLES] = PMON_ROLE_N, [WORDS_ACCESSES] = DB_VIRT + 1};
  (void)state;
  for (int list = 0; list < WORD_LISTS; list++) {
    assert_int_equal(words_count((enum word_list)list), counts[list]);
    for (uint32_t i = 0; i < counts[list]; i++) {
      const char *name = words_name((enum word_list)list, i);
      uint32_t value = UINT32_MAX;
      assert_non_null(name);
      assert_true(words_find((enum word_list)list, text_of(name), &value));
      assert_int_equal(value, i);
    }
  }
}

static void an_unknown_name_or_value_is_refused(void **state)
{
  (void)state;
  for (int list = 0; list < WORD_LISTS; list++) {
    static const char *const unknown[] = {"", "nosuch", "ms", "ct", "r", "msrs", "ctls", "rws"};
    uint32_t value = 77;
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
      assert_false(words_find((enum word_list)list, text_of(unknown[i]), &value));
    assert_int_equal(value, 77);
    assert_null(words_name((enum word_list)list, words_count((enum word_list)list)));
    assert_null(words_name((enum word_list)list, UINT32_MAX));
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
  assert_string_equal(words_name(WORDS_ACCESSES, DB_W1C), "w1c");
  assert_string_equal(words_name(WORDS_ACCESSES, DB_IGN), "ign");
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
