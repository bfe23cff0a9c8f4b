/* SPDX-License-Identifier: MIT */
/* Comparisons: the statistics against tables and simulated series, the choice of the method, the output. */
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/compare.h>
#include "src/output/welch.h"
#include "src/sample/sample.h"

static void near(double a, double b, double most)
{
  if (!(fabs(a - b) <= most))
    fail_msg("%.12g, not %.12g", a, b);
}

static void student_agrees_with_tables(void **state)
{
  static const struct {
    double t, freedom, p;
  } table[] = {{12.7062, 1, 0.05},         {2.7764, 4, 0.05},  {4.6041, 4, 0.01},
               {3.1693, 10, 0.01},         {2.0423, 30, 0.05}, {1.9840, 100, 0.05},
               {1.959964, INFINITY, 0.05}, {0, 7, 1},          {63.6567, 1, 0.01},
               {0.6745, INFINITY, 0.5},    {1, 1, 0.5}};
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    near(welch_student_p(table[i].t, table[i].freedom), table[i].p, 2e-5);
    near(welch_student_p(-table[i].t, table[i].freedom), table[i].p, 2e-5);
  }
}

/* The probability beyond the quantile is 5 %, also between whole degrees of freedom. */
static void quantile_agrees_with_probability(void **state)
{
  (void)state;
  for (double freedom = 1; freedom < 60; freedom *= 1.03)
    near(welch_student_p(1.959964 * sample_student(freedom), freedom), 0.05, 1e-4);
}

/* Two samples computed by hand: means 5 and 8, variances 2.5 and 10 of 5 values each; t = 3 / sqrt(2.5), 5.88 degrees
 * of freedom. */
static void welch_agrees_with_a_computed_example(void **state)
{
  static const double a[] = {3, 4, 5, 6, 7}, b[] = {4, 6, 8, 10, 12};
  (void)state;
  const struct welch_side sides[] = {welch_side_of(a, 5, false), welch_side_of(b, 5, false)};
  const struct welch_result r = welch_compare(&sides[0], &sides[1]);
  near(sides[0].error * sides[0].error, 0.5, 1e-12);
  near(r.freedom, 6.25 / (0.25 / 4 + 4.0 / 4), 1e-9);
  near(r.p, 0.1075, 5e-4);
  near(r.half, 2.459 * sqrt(2.5), 0.03);
}

static uint64_t random_state;

/* splitmix64, scaled to 0 to 1 */
static double uniform(void)
{
  uint64_t z = random_state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static double normal(void)
{
  double sum = -6;
  for (int i = 0; i < 12; i++)
    sum += uniform();
  return sum;
}

/* Returns the fraction of pairs of equal series that are called different at 5 %. */
static double false_alarms(uint32_t n, double correlation, bool serial)
{
  enum { PAIRS = 4000, LONGEST = 64 };
  uint32_t alarms = 0;
  for (uint32_t k = 0; k < PAIRS; k++) {
    struct welch_side sides[2];
    for (int s = 0; s < 2; s++) {
      double x[LONGEST], last = normal();
      for (uint32_t i = 0; i < n; i++) {
        x[i] = 100 + last;
        last = correlation * last + sqrt(1 - correlation * correlation) * normal();
      }
      sides[s] = welch_side_of(x, n, serial);
    }
    alarms += welch_compare(&sides[0], &sides[1]).p < 0.05;
  }
  return (double)alarms / PAIRS;
}

static void equal_runs_rarely_differ(void **state)
{
  (void)state;
  random_state = 1;
  for (uint32_t n = 3; n <= 20; n += n == 3 ? 2 : 5) {
    const double rate = false_alarms(n, 0, false);
    if (rate < 0.03 || rate > 0.06)
      fail_msg("%u runs: %.4f of equal pairs differ", n, rate);
  }
}

/* Without the correction a third of the pairs would be called different. */
static void neighbouring_intervals_are_no_evidence(void **state)
{
  (void)state;
  random_state = 2;
  assert_in_range((int)(false_alarms(64, 0, true) * 1000), 20, 70);
  assert_true(false_alarms(64, 0.7, true) < 0.09);
  assert_true(false_alarms(64, 0.7, false) > 0.3);
}

struct measured {
  const char *name, *unit;
  double number, sigma;
  bool count, absent;
};

static struct pmon_report *make_on(const char *machine, const struct measured *rows, size_t n, double seconds)
{
  struct pmon_report_head head = {.size = sizeof head,
                                  .platform = "emr",
                                  .backend = "machine",
                                  .machine = machine,
                                  .command = "prog",
                                  .seconds = seconds,
                                  .end_seconds = seconds};
  struct pmon_report *r;
  assert_int_equal(pmon_report_new(&head, &r), 0);
  for (size_t i = 0; i < n; i++) {
    struct pmon_report_row row = {.size = sizeof row,
                                  .name = rows[i].name,
                                  .unit = rows[i].unit,
                                  .package = PMON_ALL,
                                  .instance = PMON_ALL,
                                  .count = rows[i].count,
                                  .value = {.number = rows[i].number,
                                            .sigma = rows[i].sigma,
                                            .low = rows[i].number - 1.96 * rows[i].sigma,
                                            .high = rows[i].number + 1.96 * rows[i].sigma,
                                            .fraction = 1,
                                            .valid = !rows[i].absent}};
    snprintf(row.value.reason, sizeof row.value.reason, "%s", rows[i].absent ? "its unit is not there" : "");
    assert_int_equal(pmon_report_add(r, &row), 0);
  }
  return r;
}

static struct pmon_report *make(const struct measured *rows, size_t n, double seconds)
{
  return make_on("emr", rows, n, seconds);
}

static struct pmon_comparison_row row_of(const struct pmon_comparison *c, const char *name)
{
  struct pmon_comparison_row row = {.size = sizeof row};
  for (uint32_t i = 0; !pmon_comparison_get(c, i, &row); i++)
    if (!strcmp(row.name, name))
      return row;
  fail_msg("%s is not compared", name);
  return row;
}

static void errors_decide_about_single_measurements(void **state)
{
  static const struct measured before[] = {{"BW", "bytes/s", 1000, 10, false, false},
                                           {"NEAR", "bytes/s", 1000, 100, false, false},
                                           {"COUNT", "", 500, 0, true, false},
                                           {"SAME", "", 7, 0, true, false},
                                           {"GONE", "", 0, 0, true, true},
                                           {"OLD", "", 1, 0, true, false}};
  static const struct measured after[] = {{"NEW", "", 1, 0, true, false},
                                          {"BW", "bytes/s", 1200, 10, false, false},
                                          {"NEAR", "bytes/s", 1100, 100, false, false},
                                          {"COUNT", "", 501, 0, true, false},
                                          {"SAME", "", 7, 0, true, false},
                                          {"GONE", "", 4, 0, true, false}};
  struct pmon_report *reports[] = {make(before, 6, 1), make(after, 6, 2)};
  const struct pmon_side a = {.size = sizeof a, .name = "a", .whole = reports[0]},
                         b = {.size = sizeof b, .name = "b", .whole = reports[1]};
  struct pmon_comparison *c;
  (void)state;
  assert_int_equal(pmon_comparison_new(&a, &b, NULL, &c), 0);
  struct pmon_comparison_row row = row_of(c, "BW");
  assert_int_equal(row.method, PMON_COMPARED_BY_ERRORS);
  assert_true(row.significant);
  near(row.change, 200, 1e-9);
  near(row.high - row.low, 2 * 1.96 * sqrt(200), 1e-6);
  near(row.ratio, 1.2, 1e-9);
  row = row_of(c, "NEAR");
  assert_false(row.significant);
  near(row.p, 0.4795, 1e-4);
  row = row_of(c, "COUNT");
  assert_true(row.significant && row.p == 0 && row.low == row.high);
  assert_false(row_of(c, "SAME").significant);
  row = row_of(c, "GONE");
  assert_int_equal(row.method, PMON_NOT_COMPARED);
  assert_string_equal(row.a.reason, "its unit is not there");
  assert_string_equal(row_of(c, "NEW").a.reason, "only the second measurement has it");
  assert_string_equal(row_of(c, "OLD").b.reason, "only the first measurement has it");
  pmon_comparison_free(c);
  const struct pmon_comparison_options rates = {.size = sizeof rates, .per_second = true, .given_order = true};
  assert_int_equal(pmon_comparison_new(&a, &b, &rates, &c), 0);
  row = row_of(c, "COUNT");
  near(row.b.number, 250.5, 1e-9);
  assert_string_equal(row.unit, "/s");
  assert_int_equal(pmon_comparison_get(c, 0, &row), 0);
  assert_string_equal(row.name, "BW");
  assert_int_equal(pmon_comparison_get(c, 99, &row), PMON_E_RANGE);
  pmon_comparison_free(c);
  pmon_report_free(reports[0]);
  pmon_report_free(reports[1]);
}

enum { PARTS = 10 };

/* Fills in the parts of two sides: the ratio rises slightly, the volume is that of an interval. */
static void make_parts(struct pmon_report *parts[PARTS], double ratio)
{
  for (uint32_t i = 0; i < PARTS; i++) {
    const struct measured rows[] = {{"RATIO", "ratio", ratio + 0.01 * normal(), 0, false, false},
                                    {"VOLUME", "bytes", 10, 0, false, false}};
    parts[i] = make(rows, 2, 1);
  }
}

static void the_method_follows_from_the_parts(void **state)
{
  static const struct measured whole[] = {{"RATIO", "ratio", 0.5, 0, false, false},
                                          {"VOLUME", "bytes", 100, 0, false, false}};
  static const struct measured higher[] = {{"RATIO", "ratio", 0.6, 0, false, false},
                                           {"VOLUME", "bytes", 100, 0, false, false}};
  struct pmon_report *wholes[] = {make(whole, 2, PARTS), make(higher, 2, PARTS)}, *parts[2][PARTS];
  struct pmon_comparison *c;
  (void)state;
  random_state = 3;
  make_parts(parts[0], 0.5);
  make_parts(parts[1], 0.6);
  for (uint32_t runs = 0; runs < 2; runs++)
    for (uint32_t n = 1; n <= PARTS; n += 3) {
      const struct pmon_side a = {.size = sizeof a,
                                  .whole = wholes[0],
                                  .parts = (const struct pmon_report *const *)parts[0],
                                  .n_parts = n,
                                  .runs = runs},
                             b = {.size = sizeof b,
                                  .whole = wholes[1],
                                  .parts = (const struct pmon_report *const *)parts[1],
                                  .n_parts = n,
                                  .runs = runs};
      assert_int_equal(pmon_comparison_new(&a, &b, NULL, &c), 0);
      const struct pmon_comparison_row ratio = row_of(c, "RATIO"), volume = row_of(c, "VOLUME");
      const uint32_t expected = n < 2    ? PMON_COMPARED_BY_ERRORS
                                : runs   ? PMON_COMPARED_BY_RUNS
                                : n >= 8 ? PMON_COMPARED_BY_INTERVALS
                                         : PMON_COMPARED_BY_ERRORS;
      assert_int_equal(ratio.method, expected);
      assert_int_equal(volume.method, runs && n > 1 ? PMON_COMPARED_BY_RUNS : PMON_COMPARED_BY_ERRORS);
      assert_int_equal(ratio.n_a, expected == PMON_COMPARED_BY_ERRORS ? 0 : n);
      assert_true(ratio.significant);
      pmon_comparison_free(c);
    }
  /* a part whose rows differ from those of the whole */
  const struct measured other[] = {{"OTHER", "ratio", 0.5, 0, false, false}};
  struct pmon_report *strange = make(other, 1, 1);
  const struct pmon_report *const list[] = {strange};
  const struct pmon_side bad = {.size = sizeof bad, .whole = wholes[0], .parts = list, .n_parts = 1},
                         good = {.size = sizeof good, .whole = wholes[1]}, empty = {.size = sizeof empty};
  assert_int_equal(pmon_comparison_new(&bad, &good, NULL, &c), PMON_E_INVALID);
  assert_int_equal(pmon_comparison_new(&good, &empty, NULL, &c), PMON_E_INVALID);
  pmon_report_free(strange);
  for (uint32_t i = 0; i < PARTS; i++) {
    pmon_report_free(parts[0][i]);
    pmon_report_free(parts[1][i]);
  }
  pmon_report_free(wholes[0]);
  pmon_report_free(wholes[1]);
}

static int take(void *user, const char *bytes, size_t n)
{
  strncat(user, bytes, n);
  return 0;
}

/* Of many values that differ by chance only, some have p below 0.05 by themselves, but none after the adjustment. */
static void many_values_are_adjusted(void **state)
{
  enum { MANY = 200 };
  static struct measured rows[2][MANY];
  static char names[MANY][8];
  uint32_t alone = 0, among = 0;
  struct pmon_comparison *c;
  struct pmon_comparison_row row = {.size = sizeof row};
  (void)state;
  random_state = 4;
  for (int s = 0; s < 2; s++)
    for (uint32_t i = 0; i < MANY; i++) {
      snprintf(names[i], sizeof names[i], "V%u", i);
      rows[s][i] = (struct measured){names[i], "ns", 100 + normal(), 1, false, false};
    }
  struct pmon_report *reports[] = {make(rows[0], MANY, 1), make(rows[1], MANY, 1)};
  const struct pmon_side a = {.size = sizeof a, .whole = reports[0]}, b = {.size = sizeof b, .whole = reports[1]};
  assert_int_equal(pmon_comparison_new(&a, &b, NULL, &c), 0);
  double last = 0;
  for (uint32_t i = 0; !pmon_comparison_get(c, i, &row); i++) {
    alone += row.p < 0.05;
    among += row.significant;
    assert_true(row.p >= last && row.adjusted >= row.p);
    last = row.p;
  }
  assert_in_range(alone, 3, 20);
  assert_int_equal(among, 0);
  pmon_comparison_free(c);
  pmon_report_free(reports[0]);
  pmon_report_free(reports[1]);
}

static void formats_have_the_same_content(void **state)
{
  static const struct measured before[] = {{"MISS \"R\"", "ratio", 0.25, 0.001, false, false},
                                           {"READS", "", 1000, 0, true, false},
                                           {"SAME", "", 3, 0, true, false},
                                           {"LOST", "", 3, 0, true, true}};
  static const struct measured after[] = {{"MISS \"R\"", "ratio", 0.5, 0.001, false, false},
                                          {"READS", "", 3000, 0, true, false},
                                          {"SAME", "", 3, 0, true, false},
                                          {"LOST", "", 3, 0, true, false}};
  char text[4096] = "";
  struct pmon_report *reports[] = {make(before, 4, 1), make(after, 4, 2)};
  const struct pmon_side a = {.size = sizeof a, .name = "old\033[2J", .whole = reports[0]},
                         b = {.size = sizeof b, .name = "new", .whole = reports[1]};
  const struct pmon_comparison_options options = {.size = sizeof options, .columns = 200, .given_order = true};
  struct pmon_comparison *c;
  (void)state;
  assert_int_equal(pmon_comparison_new(&a, &b, &options, &c), 0);
  assert_int_equal(pmon_comparison_format(c, PMON_FORMAT_TEXT, take, text), 0);
  assert_non_null(strstr(text, "A  old\\x1b[2J: EMULATED: emr, 1 s of simulated time\n   prog\n"));
  assert_non_null(strstr(text, "* MISS \"R\"     25 %   50 %  +25.00 ±0.28 points"));
  assert_non_null(strstr(text, "* READS       1,000  3,000 "));
  assert_non_null(strstr(text, "+2,000"));
  assert_non_null(strstr(text, "+200 %  3.000   exact\n"));
  assert_non_null(strstr(text, "[1] its unit is not there\n"));
  assert_non_null(strstr(text, "1 value is equal on both sides\n"));
  *text = 0;
  assert_int_equal(pmon_comparison_format(c, PMON_FORMAT_JSON, take, text), 0);
  json_t *json = json_loads(text, 0, NULL), *values = json_object_get(json, "values"), *value;
  assert_int_equal(json_array_size(values), 4);
  value = json_array_get(values, 1);
  assert_string_equal(json_string_value(json_object_get(value, "name")), "READS");
  near(json_number_value(json_object_get(value, "change")), 2000, 0);
  near(json_number_value(json_object_get(value, "ratio")), 3, 0);
  near(json_number_value(json_object_get(json_object_get(value, "a"), "low")), 1000, 0);
  near(json_number_value(json_object_get(json_object_get(value, "b"), "high")), 3000, 0);
  assert_true(json_is_true(json_object_get(value, "significant")));
  assert_true(json_is_null(json_object_get(json_array_get(values, 3), "change")));
  assert_string_equal(json_string_value(json_object_get(json_object_get(json, "a"), "machine")), "emr");
  json_decref(json);
  *text = 0;
  assert_int_equal(pmon_comparison_format(c, PMON_FORMAT_CSV_HEADER, take, text), 0);
  assert_int_equal(pmon_comparison_format(c, PMON_FORMAT_CSV, take, text), 0);
  assert_non_null(
      strstr(text, ",new,READS,,,,,1000,1000,1000,3000,3000,3000,2000,2000,2000,3,0,0,errors,0,0,1,,emr,EMULATED\r\n"));
  uint32_t columns[2] = {0, 0}, line = 0;
  for (const char *s = text; *s && line < 2; s++) {
    columns[line] += *s == ',';
    line += *s == '\n';
  }
  assert_int_equal(columns[0], columns[1]);
  assert_int_equal(pmon_comparison_format(c, (enum pmon_format)77, take, text), PMON_E_INVALID);
  pmon_comparison_free(c);
  pmon_report_free(reports[0]);
  pmon_report_free(reports[1]);
}

/* CSV marks the sides whose values are emulated, and has no mark where both are of real hardware. */
static void each_emulated_side_is_marked(void **state)
{
  static const struct measured reads[] = {{"READS", "", 1000, 0, true, false}};
  static const struct {
    const char *a, *b, *marks;
  } sides[] = {{NULL, NULL, ",\r\n"},
               {"emr", NULL, ",EMULATED (a)\r\n"},
               {NULL, "emr", ",EMULATED (b)\r\n"},
               {"emr", "emr", ",EMULATED\r\n"}};
  (void)state;
  for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
    char text[1024] = "";
    struct pmon_report *reports[] = {make_on(sides[i].a, reads, 1, 1), make_on(sides[i].b, reads, 1, 1)};
    const struct pmon_side a = {.size = sizeof a, .name = "a", .whole = reports[0]},
                           b = {.size = sizeof b, .name = "b", .whole = reports[1]};
    const struct pmon_comparison_options options = {.size = sizeof options};
    struct pmon_comparison *c;
    assert_int_equal(pmon_comparison_new(&a, &b, &options, &c), 0);
    assert_int_equal(pmon_comparison_format(c, PMON_FORMAT_CSV, take, text), 0);
    assert_string_equal(text + strlen(text) - strlen(sides[i].marks), sides[i].marks);
    pmon_comparison_free(c);
    pmon_report_free(reports[0]);
    pmon_report_free(reports[1]);
  }
}

/* Successful copies of names before one fails; 0: none fails. */
static unsigned copies_left;
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);

char *__wrap_strdup(const char *text)
{
  return copies_left && !--copies_left ? NULL : __real_strdup(text);
}

static void no_memory_for_a_name_is_an_error(void **state)
{
  static const struct measured measured[] = {{"READS", "", 1000, 0, true, false}};
  struct pmon_report *reports[] = {make(measured, 1, 1), make(measured, 1, 2)};
  const struct pmon_side a = {.size = sizeof a, .name = "old", .whole = reports[0]},
                         b = {.size = sizeof b, .name = "new", .whole = reports[1]};
  struct pmon_comparison *c = NULL;
  unsigned failing = 0;
  int status;
  (void)state;
  do {
    copies_left = ++failing;
    status = pmon_comparison_new(&a, &b, NULL, &c);
    assert_true(copies_left ? status == PMON_OK : status == PMON_E_MEMORY);
  } while (status);
  copies_left = 0;
  assert_true(failing > 2); /* one of them copies a side's name */
  pmon_comparison_free(c);
  pmon_report_free(reports[0]);
  pmon_report_free(reports[1]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(student_agrees_with_tables),
      cmocka_unit_test(quantile_agrees_with_probability),
      cmocka_unit_test(welch_agrees_with_a_computed_example),
      cmocka_unit_test(equal_runs_rarely_differ),
      cmocka_unit_test(neighbouring_intervals_are_no_evidence),
      cmocka_unit_test(errors_decide_about_single_measurements),
      cmocka_unit_test(the_method_follows_from_the_parts),
      cmocka_unit_test(many_values_are_adjusted),
      cmocka_unit_test(formats_have_the_same_content),
      cmocka_unit_test(each_emulated_side_is_marked),
      cmocka_unit_test(no_memory_for_a_name_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
