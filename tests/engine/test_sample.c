/* SPDX-License-Identifier: MIT */
/* Raw values to counts: width, wrap, flags, and scaling whose interval holds the truth. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "src/sample/sample.h"

#define END48 ((UINT64_C(1) << 48) - 1)

static void deltas(void **state)
{
  static const struct { struct sample_reading r; uint64_t delta; uint32_t flags; } rows[] = {
    {{.before = 5, .after = 9, .width_bits = 48}, 4, 0},
    {{.before = 9, .after = 9, .width_bits = 48}, 0, 0},
    {{.before = END48, .after = 0, .width_bits = 48}, 1, PMON_VALUE_WRAPPED},
    {{.before = END48 - 1, .after = 7, .width_bits = 48, .overflowed = true}, 9, PMON_VALUE_WRAPPED},
    {{.before = 100, .after = 90, .width_bits = 48, .rate_max = 1e9, .seconds = 1}, 0, PMON_VALUE_BACKWARDS},
    {{.before = 100, .after = 90, .width_bits = 32, .rate_max = 1e10, .seconds = 1}, UINT32_MAX - 9,
     PMON_VALUE_WRAPPED | PMON_VALUE_LOST},
    {{.before = 3, .after = 10, .width_bits = 44, .overflowed = true}, 7, PMON_VALUE_LOST},
    {{.before = 0, .after = 17, .width_bits = 20, .rate_max = 1e9, .seconds = 1}, 17, PMON_VALUE_LOST},
    {{.before = 0, .after = UINT64_MAX, .width_bits = 48}, 0, PMON_VALUE_UNAVAILABLE},
    {{.before = 1, .after = UINT64_MAX, .width_bits = 64}, UINT64_MAX - 1, 0},
    {{.before = UINT64_MAX, .after = 1, .width_bits = 64}, 2, PMON_VALUE_WRAPPED}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint64_t delta = 77;
    uint32_t flags = sample_delta(&rows[i].r, &delta);
    if (flags != rows[i].flags || delta != rows[i].delta)
      fail_msg("row %zu: delta %llu, flags %u", i, (unsigned long long)delta, flags);
  }
}

static void whole_time_is_exact(void **state)
{
  struct sample_total t = {0};
  struct pmon_value v;
  (void)state;
  sample_add(&t, 10, 0.5, 0);
  sample_add(&t, 32, 0.5, PMON_VALUE_WRAPPED);
  sample_finish(&t, 1, &v);
  assert_true(v.valid && v.number == 42 && v.sigma == 0 && v.fraction == 1 && v.flags == PMON_VALUE_WRAPPED);
}

static void no_turn_is_no_zero(void **state)
{
  struct sample_total t = {0};
  struct pmon_value v;
  (void)state;
  sample_finish(&t, 1, &v);
  assert_false(v.valid);
  assert_string_equal(v.reason, "its turn on the counters did not come");
  sample_add(&t, 0, 1, PMON_VALUE_STOLEN);
  sample_finish(&t, 1, &v);
  assert_false(v.valid);
  assert_non_null(strstr(v.reason, "control register"));
}

static void one_slice_is_uncertain(void **state)
{
  struct sample_total t = {0};
  struct pmon_value v;
  (void)state;
  sample_add(&t, 100, 0.25, 0);
  sample_finish(&t, 1, &v);
  assert_true(v.valid && v.number == 400 && v.fraction == 0.25 && v.sigma == 400);
  assert_int_equal(v.flags, PMON_VALUE_SCALED | PMON_VALUE_UNCERTAIN);
}

static double uniform(uint64_t *seed)
{
  *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (double)(*seed >> 33) / 2147483648.0;
}

/* Many runs whose truth is known: rates change from slice to slice, one slice in `rounds` is seen. */
static double coverage(uint32_t slices, uint32_t rounds, double change, uint64_t seed)
{
  enum { RUNS = 1000 };
  uint32_t inside = 0;
  for (uint32_t run = 0; run < RUNS; run++) {
    struct sample_total t = {0};
    double truth = 0;
    for (uint32_t s = 0; s < slices; s++)
      for (uint32_t r = 0; r < rounds; r++) {
        double c = floor(1e6 * (1 + change * uniform(&seed)));
        truth += c;
        if (r == 0)
          sample_add(&t, (uint64_t)c, 1, 0);
      }
    struct pmon_value v;
    sample_finish(&t, slices * rounds, &v);
    inside += fabs(v.number - truth) <= 1.96 * v.sigma;
  }
  return (double)inside / RUNS;
}

static void interval_holds_the_truth(void **state)
{
  static const struct { uint32_t slices, rounds; double change; } rows[] = {{4, 3, 1}, {10, 2, 4}, {40, 5, 0.5}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double c = coverage(rows[i].slices, rows[i].rounds, rows[i].change, 7 + i);
    if (c < 0.92 || c > 0.985)
      fail_msg("row %zu: the 95 %% interval holds the truth in %.1f %% of the runs", i, 100 * c);
  }
}

static void sums_keep_reasons(void **state)
{
  struct pmon_value a = {.number = 1, .sigma = 2, .fraction = 1, .valid = true}, b = a, c = {.reason = "gone"};
  (void)state;
  value_add(&a, &b);
  assert_true(a.valid && a.number == 2 && a.sigma == 4);
  value_add(&a, &c);
  assert_false(a.valid);
  value_add(&a, &b);
  assert_string_equal(a.reason, "gone");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(deltas), cmocka_unit_test(whole_time_is_exact), cmocka_unit_test(no_turn_is_no_zero),
    cmocka_unit_test(one_slice_is_uncertain), cmocka_unit_test(interval_holds_the_truth),
    cmocka_unit_test(sums_keep_reasons)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
