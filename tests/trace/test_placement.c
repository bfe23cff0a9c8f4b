/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/trace/placement.h"

/* Checks the cores that `n` threads are placed on, as text. */
static void expect_placement(const char *policy, unsigned n, const char *expected)
{
  struct placement *p;
  char error[256], text[256] = "";

  assert_int_equal(placement_new(policy, 2, 64, error, sizeof error, &p), 0);
  for (unsigned i = 0; i < n; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", i ? " " : "", placement_take(p));
  placement_free(p);
  assert_string_equal(text, expected);
}

static void test_policies(void **state)
{
  (void)state;
  expect_placement(NULL, 3, "0 1 2");
  expect_placement("compact", 3, "0 1 2");
  expect_placement("spread", 5, "0 64 1 65 2");
  expect_placement("5,64,7-9", 7, "5 64 7 8 9 5 64");
  expect_placement("99", 2, "99 99");
}

static void test_ended_threads_are_removed(void **state)
{
  struct placement *p;
  char error[256];

  (void)state;
  assert_int_equal(placement_new("compact", 1, 4, error, sizeof error, &p), 0);
  assert_int_equal(placement_take(p), 0);
  assert_int_equal(placement_take(p), 1);
  placement_release(p, 0);
  assert_int_equal(placement_take(p), 0);
  assert_int_equal(placement_take(p), 2);
  placement_free(p);
}

static void test_wishes_come_before_the_policy(void **state)
{
  static const int wishes[] = {3, -1, 0};
  static const unsigned cores[] = {3, 0, 0, 1};
  struct placement *p;
  char error[256];

  (void)state;
  assert_int_equal(placement_new("compact", 1, 4, error, sizeof error, &p), 0);
  for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++)
    assert_int_equal(placement_wish(p, wishes[i]), 0);
  assert_int_equal(placement_wish(p, 4), PMON_E_RANGE);
  for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
    assert_int_equal(placement_take(p), cores[i]);
  placement_free(p);
}

static void test_wrong_lists_are_refused(void **state)
{
  static const struct {
    const char *text;
    int status;
  } wrong[] = {
      {"", PMON_E_SYNTAX},       {"compactly", PMON_E_SYNTAX}, {"1,", PMON_E_SYNTAX},
      {"-1", PMON_E_SYNTAX},     {"3-1", PMON_E_SYNTAX},       {"1 2", PMON_E_SYNTAX},
      {"128", PMON_E_RANGE},     {"0-128", PMON_E_RANGE},      {"99999999999999999999", PMON_E_RANGE},
      {"0-127,0", PMON_E_RANGE}, {"0,0", PMON_E_RANGE},        {"3,1-5", PMON_E_RANGE},
      {"1-5,3", PMON_E_RANGE},
  };
  struct placement *p;
  char error[256];

  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    error[0] = 0;
    assert_int_equal(placement_new(wrong[i].text, 2, 64, error, sizeof error, &p), wrong[i].status);
    assert_non_null(strstr(error, "placement"));
  }
}

int main(void)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_policies),
      cmocka_unit_test(test_ended_threads_are_removed),
      cmocka_unit_test(test_wishes_come_before_the_policy),
      cmocka_unit_test(test_wrong_lists_are_refused),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
