/* SPDX-License-Identifier: MIT */
/* Registers that show a state: the uncore's frequency and its limit, read on a system. */
#include <math.h>
#include <stdlib.h>
#include "tests/hardware/command.h"

/* Returns the value of a metric in a package from the CSV. */
static double gauge_in_csv(const char *metric, unsigned package)
{
  char key[100];
  snprintf(key, sizeof key, ",%s,%u,", metric, package);
  const char *at = strstr(output, key);
  if (!at)
    fail_msg("no %s in %s", metric, output);
  at += strlen(key);
  for (int commas = 0; commas < 2; at++)
    commas += *at == ',';
  return strtod(at, NULL);
}

static void test_the_ratio_is_a_mean_of_states(void **state)
{
  (void)state;
  begin();
  for (unsigned i = 0; i < 2; i++) { /* one reading, or a reading at the end of each interval */
    expect(
        i ? "stat --backend direct --csv --per-socket -I 1 --duration 3 -m UNCORE_FREQUENCY_NOW,UNCORE_FREQUENCY_LIMIT"
          : "stat --backend direct --csv --per-socket --duration 1 -m UNCORE_FREQUENCY_NOW,UNCORE_FREQUENCY_LIMIT",
        0, "UNCORE_FREQUENCY_NOW,1,");
    for (unsigned package = 0; package < 2; package++) {
      assert_true(gauge_in_csv("UNCORE_FREQUENCY_NOW", package) > 2.199e9);
      assert_true(gauge_in_csv("UNCORE_FREQUENCY_NOW", package) < 2.201e9);
      assert_true(gauge_in_csv("UNCORE_FREQUENCY_LIMIT", package) > 2.499e9);
      assert_true(gauge_in_csv("UNCORE_FREQUENCY_LIMIT", package) < 2.501e9);
    }
  }
  tree_end(&tree);
}

/* An idle machine has the model's temperatures (docs/design/014-power.md): 48 degrees, with a limit of 95. */
static void test_temperatures_are_levels(void **state)
{
  (void)state;
  begin();
  for (unsigned i = 0; i < 2; i++) {
    expect(i ? "stat --backend direct --csv --per-socket -I 1 --duration 3 -m PKG_TEMPERATURE,PKG_TEMPERATURE_MARGIN"
             : "stat --backend direct --csv --per-socket --duration 1 -m PKG_TEMPERATURE,PKG_TEMPERATURE_MARGIN",
           0, "PKG_TEMPERATURE,1,");
    for (unsigned package = 0; package < 2; package++) {
      assert_true(fabs(gauge_in_csv("PKG_TEMPERATURE", package) - 48) < 0.1);
      assert_true(fabs(gauge_in_csv("PKG_TEMPERATURE_MARGIN", package) - 47) < 0.1);
    }
  }
  expect("stat --backend direct --csv --duration 1 -m CORE_TEMPERATURE_MARGIN", 0, "CORE_TEMPERATURE_MARGIN,");
  tree_end(&tree);
}

/* The kernel's drivers do not have this event: other metrics are measured without it. */
static void test_linux_has_no_such_event(void **state)
{
  (void)state;
  begin_kernel(NULL);
  kernel.host_time = true;
  expect("stat --backend perf --csv -m MEM_READ_BANDWIDTH,UNCORE_FREQUENCY_NOW -- true", 0, ",MEM_READ_BANDWIDTH,0,");
  assert_non_null(strstr(output, ",UNCORE_FREQUENCY_NOW,0,ufreq,,,Hz,"));
  expect("stat --backend perf --csv -m UNCORE_FREQUENCY_NOW -- true", 3, "--backend direct");
  tree_end(&tree);
}

/* Metrics of cores are counted on each CPU of a package, by the kernel's other drivers. */
static void test_metrics_of_cores_through_linux_perf(void **state)
{
  (void)state;
  begin_kernel(NULL);
  kernel.host_time = true;
  expect("stat --backend perf --csv -g FREQ -- true", 0, ",CORE_FREQUENCY,0,core,");
  assert_non_null(strstr(output, ",UNCORE_FREQUENCY,0,m2m,,")); /* Linux has no PMU of the UBox of a real one */
  expect("stat --backend perf --csv -g IPC -- true", 0, ",INSTRUCTIONS,1,core,");
  tree_end(&tree);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_metrics_of_cores_through_linux_perf),
      cmocka_unit_test(test_the_ratio_is_a_mean_of_states),
      cmocka_unit_test(test_temperatures_are_levels),
      cmocka_unit_test(test_linux_has_no_such_event),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
