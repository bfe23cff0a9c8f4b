/* SPDX-License-Identifier: MIT */
/* A host's own limits while Linux perf counts: MSRs and configuration space are read in addition. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include <pmon/hardware.h>
#include "cli/target/hardware.h"
#include "cli/target/limits.h"
#include "tests/hardware/command.h"

static struct pmon_context *context;
static const struct pmon_platform *emr;

/* Reads the limits through Linux perf, or without a backend. */
static struct limit_list limits_of(bool perf)
{
  struct limit_list list = {0};
  struct pmon_reason reason = {""};
  struct pmon_backend *b = NULL;
  struct hardware h;
  hardware_init(&h, tree.root);
  if (perf && pmon_backend_perf_open(&h.system, &reason, &b))
    fail_msg("%s", reason.text);
  limits_read_host(&h, emr, b, &list);
  pmon_backend_close(b);
  hardware_fini(&h);
  return list;
}

/* Fails unless both packages have this limit; 0: neither has one. */
static void expect_limit(const struct limit_list *list, const char *name, double number)
{
  double found[2] = {0};
  for (uint32_t i = 0; i < list->n; i++)
    if (!strcmp(list->limit[i].name, name)) {
      assert_true(list->limit[i].package < 2);
      found[list->limit[i].package] = list->limit[i].number;
    }
  for (int package = 0; package < 2; package++)
    if (fabs(found[package] - number) > 1e-6 * number)
      fail_msg("%s of package %d: %g, expected %g", name, package, found[package], number);
}

/* A copy of Linux' cpuid device, with the bus's frequency in leaf 16h. */
static void add_bus(const char *cpu, uint8_t mhz)
{
  const uint8_t leaf[16] = {[8] = mhz};
  char name[80], path[200];
  snprintf(name, sizeof name, "dev/cpu/%s/cpuid", cpu);
  tree_file(&tree, name, "");
  snprintf(path, sizeof path, "%s/%s", tree.root, name);
  FILE *f = fopen(path, "w");
  assert_true(f && !fseek(f, 0x16, SEEK_SET) && fwrite(leaf, 1, sizeof leaf, f) == sizeof leaf);
  assert_int_equal(fclose(f), 0);
}

static void registers_are_read_beside_perf(void **state)
{
  (void)state;
  begin_kernel(NULL);
  struct limit_list list = limits_of(true);
  expect_limit(&list, "uncore", 2.5e9); /* MSR 620h: 25 of 100 MHz */
  expect_limit(&list, "core", 3e9);     /* MSR 1ADh: 30 */
  expect_limit(&list, "link", 20e9);    /* configuration space of the link */
  list = limits_of(false);
  expect_limit(&list, "uncore", 0);
  expect_limit(&list, "link", 0);
  add_bus("0", 50);
  add_bus("2", 50);
  list = limits_of(true);
  expect_limit(&list, "uncore", 1.25e9);
  expect_limit(&list, "link", 20e9); /* the bus frequency is not used */
  tree_end(&tree);
}

/* Registers that cannot be read give no limit and no error, as Linux perf does the counting. */
static void without_the_devices_there_is_no_limit(void **state)
{
  (void)state;
  static const char *const cpus[] = {"0", "1", "2", "3"};
  char name[60];
  begin_kernel(NULL);
  for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++) {
    snprintf(name, sizeof name, "dev/cpu/%s/msr", cpus[i]);
    tree_file(&tree, name, NULL);
  }
  struct limit_list list = limits_of(true);
  expect_limit(&list, "uncore", 0);
  expect_limit(&list, "core", 0);
  expect_limit(&list, "link", 20e9);
  expect("stat --backend perf --csv -e cha/CLOCKTICKS/ -- true", 0, ",cha/CLOCKTICKS/,");
  assert_null(strstr(output, "msr"));
  tree_end(&tree);
  begin_kernel(NULL);
  tree.gone_from = 1; /* each access to MSRs and configuration space fails */
  list = limits_of(true);
  expect_limit(&list, "core", 0);
  expect_limit(&list, "link", 0);
  tree_end(&tree);
}

/* If a register and a kernel file give the same limit, the higher number is used. */
static void the_highest_source_counts(void **state)
{
  (void)state;
  static const char file[] = "sys/devices/system/cpu/intel_uncore_frequency/package_0%d_die_00/max_freq_khz";
  static const struct {
    const char *khz;
    double hz;
  } cases[] = {{"800000\n", 2.5e9}, {"2600000\n", 2.6e9}, {"nothing\n", 2.5e9}};
  char name[120];
  begin_kernel(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int package = 0; package < 2; package++) {
      snprintf(name, sizeof name, file, package);
      tree_file(&tree, name, cases[i].khz);
    }
    const struct limit_list list = limits_of(true);
    expect_limit(&list, "uncore", cases[i].hz);
  }
  tree_end(&tree);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(registers_are_read_beside_perf),
      cmocka_unit_test(without_the_devices_there_is_no_limit),
      cmocka_unit_test(the_highest_source_counts),
  };
  if (pmon_context_new(&context) || pmon_platform_find(context, "emr", &emr))
    return 2;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  pmon_context_free(context);
  return failed;
}
