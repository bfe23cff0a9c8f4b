/* SPDX-License-Identifier: MIT */
/* Errors of reports and comparisons, in the way of test_errors.c. */
#include "tests/library/fails.h"

static int full_sink(void *user, const char *bytes, size_t n)
{
  (void)user;
  (void)bytes;
  return n ? PMON_E_IO : 0;
}

static void reports(void **state)
{
  (void)state;
  struct pmon_report *report, *other, *mean;
  struct pmon_report_head head = {.size = 0};
  struct pmon_report_row row = {.size = 0};
  struct pmon_invariant_violation violation = {.size = sizeof violation};
  FAILS_OUTSIDE(pmon_report_new(&head, &report), PMON_E_INVALID, "", "");
  head.size = sizeof head;
  head.platform = "emr";
  assert_int_equal(pmon_report_new(&head, &report), 0);
  assert_int_equal(pmon_report_new(&head, &other), 0);
  FAILS_OUTSIDE(pmon_report_add(report, &row), PMON_E_INVALID, "", "");
  FAILS_OUTSIDE(pmon_report_invariant_violation(report, 7, &violation), PMON_E_RANGE, "", "");
  const struct pmon_device nowhere = {.size = sizeof nowhere};
  FAILS_OUTSIDE(pmon_report_add_device(report, &nowhere), PMON_E_INVALID, "", "");
  FAILS_OUTSIDE(pmon_report_by_device(report), PMON_E_NO_DATA, "", "");
  FAILS_OUTSIDE(pmon_report_estimate(report, &(struct pmon_estimate){.size = 0}), PMON_E_INVALID, "", "");
  FAILS_OUTSIDE(pmon_report_arrange(report, (enum pmon_order)99, 0), PMON_E_INVALID, "", "");
  FAILS_OUTSIDE(pmon_report_add_session(report, NULL, NULL, 99), PMON_E_INVALID, "", "");
  FAILS_OUTSIDE(pmon_report_add_session_rows(report, NULL, NULL, 99, NULL), PMON_E_INVALID, "", "");
  const struct pmon_report_filter sizeless = {0}, empty = {.size = sizeof empty};
  FAILS_OUTSIDE(pmon_report_add_session_rows(report, NULL, NULL, PMON_BY_PACKAGE, &sizeless), PMON_E_INVALID, "", "");
  FAILS_OUTSIDE(pmon_report_add_session_rows(report, NULL, NULL, PMON_BY_PACKAGE, &empty), PMON_E_INVALID, "", "");
  FAILS_OUTSIDE(pmon_report_format(report, PMON_FORMAT_JSON, full_sink, NULL), PMON_E_IO, "", "");
  row.size = sizeof row;
  assert_int_equal(pmon_report_add(report, &row), 0);
  struct pmon_report_row unset = {.size = 0};
  char text[2][PMON_REPORT_TEXT];
  FAILS_OUTSIDE(pmon_report_row_text(&unset, text[0], text[1]), PMON_E_INVALID, "", "");
  FAILS_OUTSIDE(pmon_report_get(report, 1, &row), PMON_E_RANGE, "", "");
  FAILS_OUTSIDE(pmon_report_new_mean((const struct pmon_report *const[]){report, other}, 2, &mean), PMON_E_INVALID, "",
                "");
  FAILS_OUTSIDE(pmon_report_new_mean(NULL, 0, &mean), PMON_E_INVALID, "", "");
  pmon_report_free(report);
  pmon_report_free(other);
}

static void comparisons(void **state)
{
  (void)state;
  struct pmon_report *report;
  struct pmon_comparison *comparison;
  struct pmon_report_head head = {.size = sizeof head, .platform = "emr"};
  struct pmon_report_row row = {.size = sizeof row};
  struct pmon_comparison_row none = {.size = 0};
  struct pmon_side a = {.size = 0}, b = {.size = sizeof b};
  assert_int_equal(pmon_report_new(&head, &report), 0);
  assert_int_equal(pmon_report_add(report, &row), 0);
  FAILS_OUTSIDE(pmon_comparison_new(&a, &b, NULL, &comparison), PMON_E_INVALID, "", "");
  a = b = (struct pmon_side){.size = sizeof a, .whole = report};
  assert_int_equal(pmon_comparison_new(&a, &b, NULL, &comparison), 0);
  FAILS_OUTSIDE(pmon_comparison_get(comparison, 0, &none), PMON_E_INVALID, "", "");
  none.size = sizeof none;
  FAILS_OUTSIDE(pmon_comparison_get(comparison, 1, &none), PMON_E_RANGE, "", "");
  FAILS_OUTSIDE(pmon_comparison_format(comparison, PMON_FORMAT_JSON, full_sink, NULL), PMON_E_IO, "", "");
  pmon_comparison_free(comparison);
  pmon_report_free(report);
}

static int output_setup(void **state)
{
  (void)state;
  return pmon_context_new(&context);
}

static int output_teardown(void **state)
{
  (void)state;
  pmon_context_free(context);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(reports), cmocka_unit_test(comparisons)};
  return cmocka_run_group_tests(tests, output_setup, output_teardown);
}
