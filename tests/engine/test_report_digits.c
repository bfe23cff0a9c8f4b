/* SPDX-License-Identifier: MIT */
/* Digits of a report: as many as the uncertainty allows; zeros with their upper bound; unit prefixes. */
#include "tests/engine/report_rig.h"

/* A number has as many digits as its uncertainty allows, and counts are whole. */
static void digits_follow_the_uncertainty(void **state)
{
  static const struct {
    double number, low, high;
    bool count;
    const char *unit, *want;
  } rows[] = {{6.3461, 4.4, 8.3, true, "", " 6 ±3\n"},
              {6.3461, 3.2, 15, true, "", " 6 +9 -3\n"},
              {0.4, 0, 1.6, true, "", " unknown, below 2\n"},
              {9621, 5003, 14239, true, "", " 9,600 ±4,600\n"},
              {999.5, 997.5, 1001.5, true, "", " 1,000 ±3\n"},
              {0, 0, 2618, true, "", " unknown, below 2,618\n"},
              {6.3461, 4.4, 8.3, false, "ns", " 6.3 ns ±2.0\n"},
              {1, 0.43, 1, false, "ratio", " 100 % -57\n"},
              {0.9382, 0.9262, 0.9502, false, "ratio", " 93.8 % ±1.2\n"},
              {123456, 123455.5, 123456.5, false, "", " 123,456.00 ±0.50\n"},
              {4194304, 4194304 - 10e6, 4194304 + 10e6, false, "bytes", " unknown, below 14.19 MB\n"},
              {-3.2, -4.2, -2.2, false, "", " -3.2 ±1.0\n"},
              /* one number for both sides would reach below 0, or above 100 % */
              {0.006145, 0.000193, 0.014073, false, "ratio", " 0.61 % +0.79 -0.60\n"},
              {0.98, 0.955, 1, false, "ratio", " 98.0 % +2.0 -2.5\n"},
              {2, 0.2, 5, true, "", " 2 +3 -2\n"},
              {5, 0.2, 10, true, "", " 5 ±5\n"}};
  const struct pmon_report_head head = {.size = sizeof head, .platform = "emr", .seconds = 1, .end_seconds = 1};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_report_row row = {.size = sizeof row,
                                  .name = "N",
                                  .unit = rows[i].unit,
                                  .package = PMON_ALL,
                                  .instance = PMON_ALL,
                                  .count = rows[i].count};
    row.value = (struct pmon_value){.number = rows[i].number,
                                    .low = rows[i].low,
                                    .high = rows[i].high,
                                    .sigma = 1,
                                    .fraction = 0.5,
                                    .flags = PMON_VALUE_SCALED,
                                    .valid = true};
    struct pmon_report *r;
    static char text[4096];
    text[0] = 0;
    assert_int_equal(pmon_report_new(&head, &r), 0);
    assert_int_equal(pmon_report_add(r, &row), 0);
    assert_int_equal(pmon_report_format(r, PMON_FORMAT_TEXT, report_take, text), 0);
    pmon_report_free(r);
    if (!strstr(text, rows[i].want))
      fail_msg("%s lacks %s", text, rows[i].want);
  }
}

/* A witness has moved the number to an end of its interval by time: on this side the uncertainty is unknown. */
static void an_end_that_a_witness_reaches_is_open(void **state)
{
  static const struct {
    double number, low, high, share;
    const char *unit, *want;
  } rows[] = {{9621, 5003, 9621, 0.5, "", " 9,600 +? -4,600\n"},
              {9621, 5003, 9630, 0.5, "", " 9,600 +? -4,600\n"},
              {5003, 5003, 9621, 0.9, "", " 5,000 +4,600 -?\n"},
              {5003, 5003, 9621, 1, "", " 5,000 +4,600\n"}, /* counted all the time */
              {9621, 5003, 14239, 0.5, "", " 9,600 ±4,600\n"},
              {1, 0.43, 1, 0, "ratio", " 100 % -57\n"},
              {0.8, 0.43, 0.8, 0, "ratio", " 80 % +? -37\n"}};
  const struct pmon_report_head head = {.size = sizeof head, .platform = "emr", .seconds = 1, .end_seconds = 1};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct pmon_report_row row = {.size = sizeof row,
                                        .name = "N",
                                        .unit = rows[i].unit,
                                        .package = PMON_ALL,
                                        .instance = PMON_ALL,
                                        .count = !*rows[i].unit,
                                        .share = rows[i].share,
                                        .value = {.number = rows[i].number,
                                                  .low = rows[i].low,
                                                  .high = rows[i].high,
                                                  .sigma = 1,
                                                  .fraction = 0.5,
                                                  .flags = PMON_VALUE_SCALED | PMON_VALUE_WITNESS,
                                                  .valid = true}};
    struct pmon_report *r;
    char text[4096] = "";
    assert_int_equal(pmon_report_new(&head, &r), 0);
    assert_int_equal(pmon_report_add(r, &row), 0);
    assert_int_equal(pmon_report_format(r, PMON_FORMAT_TEXT, report_take, text), 0);
    pmon_report_free(r);
    if (!strstr(text, rows[i].want))
      fail_msg("%s lacks %s", text, rows[i].want);
  }
}

/* A zero estimate has an upper bound. */
static void a_zero_is_uncertain(void **state)
{
  const struct pmon_report_head head = {.size = sizeof head, .platform = "emr", .seconds = 1, .end_seconds = 1};
  const struct pmon_value zero = {
      .sigma = 1.25, .high = 2.45, .fraction = 0.5, .valid = true, .flags = PMON_VALUE_SCALED};
  char text[1024] = "";
  struct pmon_report *r;
  (void)state;
  assert_int_equal(pmon_report_new(&head, &r), 0);
  report_add(r, "reads", "", 0, &zero);
  report_add(r, "bandwidth", "bytes/s", 0, &zero);
  assert_int_equal(pmon_report_format(r, PMON_FORMAT_TEXT, report_take, text), 0);
  pmon_report_free(r);
  assert_string_equal(text, "emr: 1 s measured\n\n           socket 0\nreads      unknown, below 2.450\n"
                            "bandwidth  unknown, below 2.450 B/s\n");
}

/* Where only 0 to 100 % is known about a share, that is no interval: after the number only the note follows. */
static void unknown_uncertainty_is_not_printed(void **state)
{
  const struct pmon_report_head head = {.size = sizeof head, .platform = "emr", .seconds = 1, .end_seconds = 1};
  const struct pmon_value all = {.number = 1,
                                 .sigma = 1,
                                 .high = 1,
                                 .fraction = 0.5,
                                 .valid = true,
                                 .flags = PMON_VALUE_SCALED | PMON_VALUE_UNCERTAIN};
  char text[1024] = "";
  struct pmon_report *r;
  (void)state;
  assert_int_equal(pmon_report_new(&head, &r), 0);
  report_add(r, "hits", "ratio", 0, &all);
  assert_int_equal(pmon_report_format(r, PMON_FORMAT_TEXT, report_take, text), 0);
  pmon_report_free(r);
  assert_string_equal(text, "emr: 1 s measured\n\n      socket 0\nhits     100 % [1]\n\n"
                            "[1] its uncertainty is unknown: measured in too few time slices\n");
}

static void numbers_are_readable(void **state)
{
  static const struct {
    double number;
    const char *unit, *want;
  } rows[] = {{0, "", "0"},
              {999, "", "999"},
              {1000, "", "1,000"},
              {-1234567, "", "-1,234,567"},
              {12.3456, "", "12.35"},
              {1e18, "", "1.000000e+18"},
              {0.00001, "", "1.000e-05"},
              {0.5, "ratio", "50 %"},
              {0.12345, "ratio", "12.35 %"},
              {999, "bytes", "999 B"},
              {1500, "bytes", "1.500 kB"},
              {2.5e9, "bytes/s", "2.500 GB/s"},
              {95.25, "ns", "95.25 ns"},
              {2.2e9, "Hz", "2.200 GHz"},
              {123456.7, "ns", "123,457 ns"},
              {3e18, "bytes", "3,000 PB"}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[64];
    report_number(rows[i].number, rows[i].unit, text, sizeof text);
    assert_string_equal(text, rows[i].want);
  }
}

static void times_have_a_unit_of_their_size(void **state)
{
  static const struct {
    double seconds;
    const char *want;
  } rows[] = {{0, "0 ns"},    {2e-10, "0.2000 ns"},    {95.25e-9, "95.25 ns"},
              {1e-6, "1 us"}, {0.0096182, "9.618 ms"}, {0.5, "500 ms"},
              {1, "1 s"},     {75.25, "75.25 s"},      {86400, "86,400 s"}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[PMON_REPORT_TEXT];
    pmon_report_time_text(rows[i].seconds, text);
    assert_string_equal(text, rows[i].want);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(digits_follow_the_uncertainty), cmocka_unit_test(an_end_that_a_witness_reaches_is_open),
      cmocka_unit_test(a_zero_is_uncertain),           cmocka_unit_test(unknown_uncertainty_is_not_printed),
      cmocka_unit_test(numbers_are_readable),          cmocka_unit_test(times_have_a_unit_of_their_size)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
