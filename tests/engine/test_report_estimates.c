/* SPDX-License-Identifier: MIT */
/* Reports of runs that were simulated in detail only in part: errors, intervals, means over runs. */
#include <pmon/compare.h>
#include "tests/engine/report_rig.h"

/* Eight degrees of freedom: Student's t is 2.306. */
static const struct pmon_estimate nine_intervals = {.size = sizeof nine_intervals,
                                                    .fraction = 0.04,
                                                    .instructions = 9000000,
                                                    .intervals = 9,
                                                    .error = 0.04,
                                                    .bound = 0.08};

static struct pmon_report *report_of(double number, const char *unit)
{
  struct pmon_report_head head = {.size = sizeof head, .platform = "emr", .seconds = 1, .end_seconds = 1};
  const struct pmon_value exact = {.number = number, .low = number, .high = number, .fraction = 1, .valid = true};
  struct pmon_report *r;
  assert_int_equal(pmon_report_new(&head, &r), 0);
  report_add(r, "reads", unit, PMON_ALL, &exact);
  return r;
}

static void assert_value(const struct pmon_report *r, double sigma, double low, double high)
{
  const struct pmon_value *v = &r->rows[0].value;
  assert_true(v->valid && v->flags & PMON_VALUE_SAMPLED);
  if (!(fabs(v->sigma - sigma) < 1e-3 && fabs(v->low - low) < 1e-3 && fabs(v->high - high) < 1e-3))
    fail_msg("sigma %g, %g to %g; expected %g, %g to %g", v->sigma, v->low, v->high, sigma, low, high);
}

/* sigma covers the time's error only; the interval is 100 +- (8 + 2.306 * 4) */
static void bounds_are_in_the_interval_alone(void **state)
{
  struct pmon_report *r = report_of(100, "");
  (void)state;
  assert_int_equal(pmon_report_estimate(r, &nine_intervals), 0);
  assert_value(r, 4, 82.776, 117.224);
  pmon_report_free(r);
}

/* Nine intervals of five threads have four differences: Student's t is 2.776. */
static void threads_have_fewer_differences(void **state)
{
  struct pmon_report *r = report_of(100, "");
  struct pmon_estimate e = nine_intervals;
  (void)state;
  e.freedom = 4;
  assert_int_equal(pmon_report_estimate(r, &e), 0);
  assert_value(r, 4, 80.896, 119.104);
  pmon_report_free(r);
}

/* 16 equal runs: the errors of the time are independent, 4 / sqrt(16); the bound's 8 stay 8. */
static void means_keep_the_bound(void **state)
{
  static const struct {
    double number;
    const char *unit;
    double sigma, low, high;
  } rows[] = {
      {100, "", 1, 90.04, 109.96}, {-100, "", 1, -109.96, -90.04}, {0, "", 0, 0, 0}, {1, "ratio", 0.01, 0.9004, 1}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_report *runs[16], *mean;
    for (size_t k = 0; k < 16; k++) {
      runs[k] = report_of(rows[i].number, rows[i].unit);
      assert_int_equal(pmon_report_estimate(runs[k], &nine_intervals), 0);
    }
    assert_int_equal(pmon_report_new_mean((const struct pmon_report *const *)runs, 16, &mean), 0);
    assert_value(mean, rows[i].sigma, rows[i].low, rows[i].high);
    pmon_report_free(mean);
    for (size_t k = 0; k < 16; k++)
      pmon_report_free(runs[k]);
  }
}

static struct pmon_report *report_by_witness(double number, double sigma, double low, double high)
{
  struct pmon_report *r = report_of(number, "");
  struct pmon_value *v = &r->rows[0].value;
  v->flags = PMON_VALUE_SCALED | PMON_VALUE_WITNESS;
  v->sigma = sigma;
  v->low = low;
  v->high = high;
  return r;
}

/* A number at the upper end of its interval by time, which reaches 39 below it: a number 25 lower is within the
 * interval, which is no change; a number 25 higher exceeds what sigma, 10, allows. */
static void comparisons_know_the_interval_of_a_witness(void **state)
{
  static const struct {
    double other;
    bool significant;
    double low, high;
  } rows[] = {{75, false, -44.6, 14.2}, {125, true, 5.4, 64.2}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_report *reports[] = {report_of(rows[i].other, ""), report_by_witness(100, 10, 60.8, 100)};
    const struct pmon_side a = {.size = sizeof a, .whole = reports[1]}, b = {.size = sizeof b, .whole = reports[0]};
    struct pmon_comparison_row row = {.size = sizeof row};
    struct pmon_comparison *c;
    assert_int_equal(pmon_comparison_new(&a, &b, NULL, &c), 0);
    assert_int_equal(pmon_comparison_get(c, 0, &row), 0);
    if (row.significant != rows[i].significant || fabs(row.low - rows[i].low) > 1e-3 ||
        fabs(row.high - rows[i].high) > 1e-3)
      fail_msg("%g: %g to %g, p %g", rows[i].other, row.low, row.high, row.p);
    pmon_comparison_free(c);
    pmon_report_free(reports[0]);
    pmon_report_free(reports[1]);
  }
}

/* 100 and 115 are 15 apart. Errors of 4 % on each would explain that once in a hundred times by chance; with the
 * bound's 8 % in addition it is not significant. */
static void comparisons_know_the_bound(void **state)
{
  struct pmon_report *r[] = {report_of(100, ""), report_of(115, "")};
  const struct pmon_side a = {.size = sizeof a, .whole = r[0]}, b = {.size = sizeof b, .whole = r[1]};
  struct pmon_comparison_row row = {.size = sizeof row};
  struct pmon_comparison *c;
  (void)state;
  for (int i = 0; i < 2; i++)
    assert_int_equal(pmon_report_estimate(r[i], &nine_intervals), 0);
  assert_int_equal(pmon_comparison_new(&a, &b, NULL, &c), 0);
  assert_int_equal(pmon_comparison_get(c, 0, &row), 0);
  /* half widths 17.224 and 19.8076 */
  assert_true(!row.significant && fabs(row.high - row.change - 26.249) < 0.01);
  pmon_comparison_free(c);
  for (int i = 0; i < 2; i++)
    pmon_report_free(r[i]);
}

static void ranges_are_checked(void **state)
{
  static const struct {
    double fraction, error, bound;
    int status;
  } rows[] = {{0, 0.04, 0.08, PMON_E_INVALID},        {-0.04, 0.04, 0.08, PMON_E_INVALID},
              {1.01, 0.04, 0.08, PMON_E_INVALID},     {NAN, 0.04, 0.08, PMON_E_INVALID},
              {0.04, -0.01, 0.08, PMON_E_INVALID},    {0.04, NAN, 0.08, PMON_E_INVALID},
              {0.04, 0.04, -0.01, PMON_E_INVALID},    {0.04, 0.04, NAN, PMON_E_INVALID},
              {0.04, 0.04, INFINITY, PMON_E_INVALID}, {1, INFINITY, 0.08, PMON_OK}};
  struct pmon_report *r = report_of(100, "");
  char before[2048] = "", after[2048];
  (void)state;
  assert_int_equal(pmon_report_format(r, PMON_FORMAT_JSON, report_take, before), 0);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_estimate e = nine_intervals;
    e.fraction = rows[i].fraction;
    e.error = rows[i].error;
    e.bound = rows[i].bound;
    if (pmon_report_estimate(r, &e) != rows[i].status)
      fail_msg("row %zu: not %d", i, rows[i].status);
    *after = 0;
    assert_int_equal(pmon_report_format(r, PMON_FORMAT_JSON, report_take, after), 0);
    assert_string_equal(after, before);
  }
  pmon_report_free(r);
}

/* An unknown error is not printed as a number. */
static void errors_may_be_unknown(void **state)
{
  static const struct {
    uint64_t intervals;
    double error;
    const char *reason;
  } rows[] = {{7, 0.04, "only 7 of the 8 sampled intervals"},
              {1, INFINITY, "only 1 of the 8"},
              {8, INFINITY, "no error estimate of the time"}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_report *r = report_of(100, "");
    struct pmon_estimate e = nine_intervals;
    e.intervals = rows[i].intervals;
    e.error = rows[i].error;
    assert_int_equal(pmon_report_estimate(r, &e), 0);
    assert_false(r->rows[0].value.valid);
    assert_true(r->rows[0].value.flags & PMON_VALUE_UNKNOWN);
    assert_non_null(strstr(r->rows[0].value.reason, rows[i].reason));
    pmon_report_free(r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_are_in_the_interval_alone),
                                     cmocka_unit_test(threads_have_fewer_differences),
                                     cmocka_unit_test(means_keep_the_bound),
                                     cmocka_unit_test(comparisons_know_the_interval_of_a_witness),
                                     cmocka_unit_test(comparisons_know_the_bound),
                                     cmocka_unit_test(ranges_are_checked),
                                     cmocka_unit_test(errors_may_be_unknown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
