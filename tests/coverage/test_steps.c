/* SPDX-License-Identifier: MIT */
/*
 * The size of time steps changes nothing: a scenario run in one step, in 7 and in 1000 makes the same reports with the
 * same counts and durations, and ends at the same time. Arguments: scenario files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "machine/trace/scenario.h"
#include "tests/coverage/recorder.h"

static char **scenarios;
static int n_scenarios;

/* Accepts every name: lines with an event do not change the traffic. */
static int steps_resolve(struct scenario_inject *in)
{
  in->resolved = true;
  in->ctl = 1;
  return 0;
}

static int by_place(const void *x, const void *y)
{
  const struct record *a = x, *b = y;
  const int unit = strcmp(a->unit, b->unit);
  if (unit || a->code != b->code)
    return unit ? unit : a->code - b->code;
  return a->attr < b->attr ? -1 : a->attr > b->attr;
}

/* Returns a sorted copy of the records without those that lasted no time. */
static struct record *sorted(const struct recorder *r, size_t *ret_n)
{
  size_t n, k = 0;
  const struct record *all = recorder_records(r, &n);
  struct record *list = malloc((n + 1) * sizeof *list);
  assert_non_null(list);
  for (size_t i = 0; i < n; i++)
    if (all[i].amount > 0)
      list[k++] = all[i];
  qsort(list, k, sizeof *list, by_place);
  *ret_n = k;
  return list;
}

static unsigned steps_compare(const char *path, unsigned steps, const struct recorder *once,
                              const struct recorder *often)
{
  size_t n, k, i = 0, j = 0;
  struct record *a = sorted(once, &n), *b = sorted(often, &k);
  unsigned apart = 0;
  assert_true(n > 100);
  while (i < n || j < k) {
    const int order = i == n ? 1 : j == k ? -1 : by_place(&a[i], &b[j]);
    const struct record *of = order > 0 ? &b[j] : &a[i];
    const double in_one = order > 0 ? 0 : a[i].amount, in_steps = order < 0 ? 0 : b[j].amount;
    if (in_one != in_steps && apart++ < 8)
      print_error("%s: %s 0x%02x 0x%llx: %.0f in one go, %.0f in %u steps\n", path, of->unit, of->code,
                  (unsigned long long)of->attr, in_one, in_steps, steps);
    i += order <= 0;
    j += order >= 0;
  }
  free(a);
  free(b);
  return apart;
}

static void test_steps(void **state)
{
  static const unsigned steps[] = {7, 1000};
  unsigned apart = 0;
  (void)state;
  for (int i = 0; i < n_scenarios; i++) {
    struct recorder *once = recorder_new();
    const uint64_t end = recorder_run_in_steps(once, scenarios[i], steps_resolve, UINT64_MAX);
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
      struct recorder *often = recorder_new();
      const uint64_t at = recorder_run_in_steps(often, scenarios[i], steps_resolve, end / steps[k] + 1);
      if (at != end)
        print_error("%s: ends at %llu fs in one go, at %llu in %u steps\n", scenarios[i], (unsigned long long)end,
                    (unsigned long long)at, steps[k]);
      apart += (at != end) + steps_compare(scenarios[i], steps[k], once, often);
      recorder_free(often);
    }
    recorder_free(once);
  }
  assert_int_equal(apart, 0);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps)};
  if (argc < 2) {
    fprintf(stderr, "usage: %s SCENARIO...\n", argv[0]);
    return EXIT_FAILURE;
  }
  scenarios = argv + 1;
  n_scenarios = argc - 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
