/* SPDX-License-Identifier: MIT */
/*
 * `pmon stat` counts the regions of a program on a real host through shared memory: here a tree of files backed by the
 * machine, whose time advances as the program reports work. CHA's clock counts this time in each region.
 */
#include <jansson.h>
#include <pmon/region_channel.h>
#include <stdlib.h>
#include "tests/hardware/command.h"

static const char *program, *python, *module, *script;

/* Measures a command; the work file and `what` are appended to its arguments. */
static void measure(const char *backend, const char *command, const char *what, int status)
{
  char line[1000];
  if (!strncmp(backend, "perf", 4))
    begin_kernel(NULL);
  else
    begin();
  tree_work(&tree);
  snprintf(line, sizeof line, "stat -p emr --backend %s --json -e cha0/CLOCKTICKS/ -- %s %s/work %s", backend, command,
           tree.root, what);
  const int got = run(line);
  /* A kernel does not restore its counters' values. */
  if (got != status && (strcmp(backend, "perf") != 0 || got != 200 + status))
    fail_msg("%s, %s: %d: %s", backend, what, got, output);
}

static void measured(const char *backend, const char *what, int status)
{
  measure(backend, program, what, status);
}

struct result {
  unsigned found, calls, missing_ends, missing_begins;
  double ticks; /* counts in package 0; of a scaled value, before scaling */
  double fraction;
};

/* Returns the result of a region; thread -1: of all threads. Without a name: of the whole measurement. */
static struct result region_of(const char *name, int thread)
{
  struct result r = {0};
  static char copy[sizeof output];
  char *save = NULL;
  strcpy(copy, output);
  for (char *l = strtok_r(copy, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
    json_t *o = *l == '{' ? json_loads(l, 0, NULL) : NULL, *t = json_object_get(o, "thread");
    const char *region = json_string_value(json_object_get(o, "region"));
    if (o && (name ? region && !strcmp(region, name) &&
                         (thread < 0 ? json_is_null(t) : json_is_integer(t) && json_integer_value(t) == thread)
                   : !region)) {
      r.found++;
      r.calls = (unsigned)json_integer_value(json_object_get(o, "calls"));
      r.missing_ends = (unsigned)json_integer_value(json_object_get(o, "missing_ends"));
      r.missing_begins = (unsigned)json_integer_value(json_object_get(o, "missing_begins"));
      const json_t *value = json_array_get(json_object_get(o, "values"), 0);
      r.fraction = json_number_value(json_object_get(value, "fraction"));
      r.ticks = json_number_value(json_object_get(value, "value")) * r.fraction;
    }
    json_decref(o);
  }
  return r;
}

/* Returns the ticks of CHA's clock in `us` microseconds, by the whole measurement. */
static double ticks_of_us(double us)
{
  const struct result whole = region_of(NULL, -1);
  if (whole.found != 1 || whole.ticks <= 0)
    fail_msg("no whole measurement: %s", output);
  return whole.ticks / us;
}

static void check(const char *name, int thread, unsigned calls, double us, double ticks)
{
  const struct result r = region_of(name, thread);
  const double got = r.ticks / ticks;
  if (r.found != 1 || r.calls != calls || got < us - 0.01 || got > us + 0.01)
    fail_msg("%s, thread %d: %u results, %u calls, %.3f us, not %u and %.3f: %s", name, thread, r.found, r.calls, got,
             calls, us, output);
}

static const char *const backends[] = {"direct", "perf", "msr", "direct -I 60000", "direct --freeze none"};

static void test_regions_by_each_access_method(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
    measured(backends[i], "simple", 0);
    const double ticks = ticks_of_us(5200);
    check("first", -1, 1, 1000, ticks);
    check("first", 0, 1, 1000, ticks);
    check("second, with \"quotes\"", -1, 3, 3000, ticks);
    tree_end(&tree);
  }
}

static void test_nested_overlapping_and_recursive_regions(void **state)
{
  (void)state;
  measured("direct", "nested", 0);
  const double ticks = ticks_of_us(9000);
  check("outer", -1, 1, 3000, ticks);
  check("inner", -1, 1, 6000, ticks);
  check("recursive", -1, 1, 2000, ticks);
  tree_end(&tree);
}

static void test_a_long_name_is_cut(void **state)
{
  char name[PMON_REGION_NAME_MAX + 1];
  (void)state;
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = 0;
  measured("direct", "long", 0);
  check(name, -1, 1, 1000, ticks_of_us(1000));
  tree_end(&tree);
}

static void test_threads(void **state)
{
  (void)state;
  measured("direct", "threads", 0);
  const double ticks = ticks_of_us(5000);
  const struct result all = region_of("shared", -1), one = region_of("shared", 0), two = region_of("shared", 1);
  assert_true(all.calls == 2 && one.calls == 1 && two.calls == 1);
  /* The first may wait for its acknowledgement while the second is already working. */
  assert_true(one.ticks / ticks > 999 && two.ticks / ticks > 3999 && all.ticks / ticks > 4999 &&
              all.ticks / ticks < 5001);
  tree_end(&tree);
}

static void test_many_threads_at_once(void **state)
{
  (void)state;
  measured("direct", "busy", 0);
  const struct result all = region_of("busy", -1);
  unsigned calls = 0;
  for (int i = 0; i < 16; i++)
    calls += region_of("busy", i).calls;
  assert_true(all.calls == 800 && calls == 800 && !all.missing_ends && !all.missing_begins);
  tree_end(&tree);
}

static void test_a_thread_that_ends_in_a_region(void **state)
{
  (void)state;
  measured("direct", "thread-ends", 0);
  const double ticks = ticks_of_us(8000);
  check("never ends", -1, 1, 1000, ticks);
  check("later", -1, 1, 7000, ticks);
  assert_true(region_of("never ends", 0).missing_ends == 1);
  tree_end(&tree);
}

static void test_child_processes(void **state)
{
  (void)state;
  measured("direct", "forked", 0);
  const double ticks = ticks_of_us(8200);
  check("parent", -1, 1, 3000, ticks);
  check("child", -1, 1, 2000, ticks);
  check("first", -1, 1, 1000, ticks); /* after execve() */
  assert_true(region_of("child", 0).found == 0 && region_of("child", 1).found == 1);
  tree_end(&tree);
}

static void test_a_program_that_dies_in_a_region(void **state)
{
  (void)state;
  measured("direct", "killed", 1);
  check("never ends", -1, 1, 1000, ticks_of_us(1000));
  assert_true(region_of("never ends", -1).missing_ends == 1);
  assert_true(region_of("never began", -1).missing_begins == 1);
  assert_non_null(strstr(output, "signal 9"));
  tree_end(&tree);
}

static void test_closed_descriptors_are_left_alone(void **state)
{
  (void)state;
  measured("direct", "closes", 0);
  check("before", -1, 1, 1000, ticks_of_us(2000));
  assert_int_equal(region_of("after", -1).found, 0);
  tree_end(&tree);
}

static void test_regions_of_python(void **state)
{
  char command[600], name[PMON_REGION_NAME_MAX + 1] = "r\303\251gion";
  (void)state;
  if (!*python) {
    print_message("SKIPPED: no python3\n");
    skip();
  }
  memset(name + strlen(name), 'n', sizeof name - 1 - strlen(name));
  name[sizeof name - 1] = 0;
  snprintf(command, sizeof command, "%s %s %s", python, script, module);
  measure("perf", command, "", 0);
  const double ticks = ticks_of_us(5600);
  check("step", -1, 3, 3000, ticks);
  check(name, -1, 1, 2000, ticks);
  check("thread", 1, 1, 500, ticks);
  check("child", 2, 1, 100, ticks);
  tree_end(&tree);
}

/* Values of counters that were never frozen meanwhile are exact, and not scaled. */
static void test_counters_that_run_on_are_not_scaled(void **state)
{
  (void)state;
  measured("direct --freeze none", "nested", 0);
  assert_true(region_of("outer", -1).fraction == 1 && region_of(NULL, -1).fraction == 1);
  tree_end(&tree);
  measured("direct --freeze global", "nested", 0);
  assert_true(region_of("recursive", -1).fraction < 1 && region_of("recursive", -1).fraction > 0);
  tree_end(&tree);
}

/* The measurement ends with the program, and is printed, whatever the program does. */
static void test_a_hostile_program(void **state)
{
  (void)state;
  measured("direct", "requests", 0);
  check("valid", -1, 1, 1000, ticks_of_us(1000));
  assert_int_equal(region_of("(no name)", -1).found, 1);
  assert_non_null(strstr(output, "10 starts or ends of regions were not measured"));
  tree_end(&tree);
  measured("direct -o /dev/null", "many-threads", NO_VALUE);
  assert_non_null(
      strstr(output, "904 starts or ends of regions were not measured: too many threads, or malformed requests"));
  assert_non_null(strstr(output, " 1 start or end of regions was not measured: more than 4096 results, or no memory"));
  tree_end(&tree);
  measured("direct", "memory", NO_VALUE);
  assert_int_equal(region_of(NULL, -1).found, 1);
  tree_end(&tree);
  measured("direct", "socket", 0);
  assert_int_equal(region_of("after", -1).found, 0);
  assert_int_equal(region_of(NULL, -1).found, 1);
  tree_end(&tree);
  measured("direct", "slots", 0);
  assert_int_equal(region_of("none", -1).found, 0);
  assert_non_null(strstr(output, "2 starts or ends of regions were not measured"));
  tree_end(&tree);
}

static void test_a_program_outlives_who_measures_it(void **state)
{
  (void)state;
  measured("perf", "kills", -1);
  assert_non_null(strstr(output, "the program has ended\n"));
  tree_end(&tree);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_regions_by_each_access_method),
                                     cmocka_unit_test(test_nested_overlapping_and_recursive_regions),
                                     cmocka_unit_test(test_a_long_name_is_cut),
                                     cmocka_unit_test(test_threads),
                                     cmocka_unit_test(test_many_threads_at_once),
                                     cmocka_unit_test(test_a_thread_that_ends_in_a_region),
                                     cmocka_unit_test(test_child_processes),
                                     cmocka_unit_test(test_a_program_that_dies_in_a_region),
                                     cmocka_unit_test(test_closed_descriptors_are_left_alone),
                                     cmocka_unit_test(test_counters_that_run_on_are_not_scaled),
                                     cmocka_unit_test(test_regions_of_python),
                                     cmocka_unit_test(test_a_hostile_program),
                                     cmocka_unit_test(test_a_program_outlives_who_measures_it)};
  if (argc != 5)
    return 2;
  program = argv[1];
  python = argv[2];
  script = argv[3];
  module = argv[4];
  return cmocka_run_group_tests(tests, NULL, NULL);
}
