/* SPDX-License-Identifier: MIT */
/* Unusual systems that the kernel allows: numbers with gaps, lists with ranges, functions in other domains, more
 * functions than usual. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "src/access/function.h"
#include "src/access/perf_pmu.h"
#include "src/access/system.h"
#include "tests/hardware/frame.h"
#include "tests/hardware/kernel.h"

/* CPUs 0 and 1 belong to the first package, 2 and 3 to the second. */
static void test_a_mask_of_reading_cpus_that_is_a_range(void **state)
{
  static const struct {
    const char *mask;
    uint32_t cpu[2];
  } cases[] = {{"0,2", {0, 2}}, {"1-2", {1, 2}}, {"0-3", {0, 2}}, {"0-1,3", {0, 3}}, {"2-3,0", {0, 2}}};
  struct pmon_reason reason;
  struct perf_pmu pmu;
  struct system s;
  char path[128];
  (void)state;
  frame_begin("snbep");
  kernel_make(&tree, platform, NULL);
  assert_int_equal(system_init(&s, &tree.system, NULL), 0);
  assert_int_equal(perf_pmu_find(&s, "uncore_ha", 0, &pmu, &reason), 0);
  kernel_path(path, sizeof path, "uncore_ha", "cpumask");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tree_file(&tree, path, cases[i].mask);
    for (uint32_t package = 0; package < 2; package++) {
      uint32_t cpu = 99;
      if (perf_pmu_cpu(&pmu, package, &cpu, &reason) || cpu != cases[i].cpu[package])
        fail_msg("%s: package %u is read on %u", cases[i].mask, package, cpu);
    }
  }
  tree_file(&tree, path, "2-3\n");
  uint32_t cpu;
  assert_int_equal(perf_pmu_cpu(&pmu, 0, &cpu, &reason), PMON_E_NO_DEVICE);
  frame_end();
}

/* CPU numbers that alternate between the sockets: a range begins and ends in one package, and includes both. */
static void test_a_range_of_cpus_of_both_packages(void **state)
{
  static const struct {
    const char *list;
    int package;
  } cases[] = {{"0-2", -1}, {"0,2", 0}, {"1", 1}, {"1,3", 1}, {"0-1", -1}, {"", -1}, {"9", -1}};
  struct system s;
  char path[80];
  (void)state;
  frame_begin("snbep");
  for (int by_list = 0; by_list < 2; by_list++) { /* by the package's list of CPUs, and without one */
    for (unsigned cpu = 0; cpu < 4; cpu++) {
      snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/topology/physical_package_id", cpu);
      tree_file(&tree, path, cpu % 2 ? "1\n" : "0\n");
      snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/topology/package_cpus_list", cpu);
      if (by_list)
        tree_file(&tree, path, cpu % 2 ? "1,3\n" : "0,2\n");
    }
    assert_int_equal(system_init(&s, &tree.system, NULL), 0);
    assert_int_equal(s.n_packages, 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
      if (system_package_of_all(&s, cases[i].list) != cases[i].package)
        fail_msg("\"%s\" is not of %d", cases[i].list, cases[i].package);
  }
  frame_end();
}

/* Functions behind a volume management device are in domains of five digits. */
static void test_names_of_functions(void **state)
{
  static const struct {
    struct function f;
    const char *name;
  } cases[] = {{{.domain = 0, .bus = 0x7e, .devfn = 0x0d}, "0000:7e:01.5"},
               {{.domain = 0x12, .bus = 0xff, .devfn = 0xff}, "0012:ff:1f.7"},
               {{.domain = 0x10000, .bus = 0xe1, .devfn = 0}, "10000:e1:00.0"},
               {{.domain = UINT32_MAX, .bus = 0xff, .devfn = 0xff}, "ffffffff:ff:1f.7"}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char name[FUNCTION_NAME];
    function_name(&cases[i].f, name);
    assert_string_equal(name, cases[i].name);
  }
}

/* Each socket has a PCI segment of its own. */
static void test_packages_in_other_segments(void **state)
{
  struct pmon_address a = {.space = PMON_SPACE_PCI, .width_bits = 32, .device = 30 << 8 | 1 << 3 | 1, .offset = 0x350};
  char command[400];
  (void)state;
  frame_begin("emr");
  snprintf(command, sizeof command, "cd %s/bus/pci/devices && for f in 0000:[ef]*; do mv $f 0001${f#0000}; done",
           tree.sys);
  assert_int_equal(system(command), 0);
  struct pmon_backend *b = frame_open();
  for (a.package = 0; a.package < 2; a.package++) {
    uint64_t value = 0;
    assert_int_equal(b->ops->write(b, &a, 0x21 + a.package), 0);
    assert_int_equal(machine_read(tree.machine, &a, &value), 0);
    assert_int_equal(value, 0x21 + a.package);
  }
  struct pmon_discovery *page;
  assert_int_equal(pmon_discovery_read(b, 1, NULL, NULL, &page), 0);
  pmon_discovery_free(page);
  pmon_backend_close(b);
  frame_end();
}

/* Privileges are dropped before registers are written: of any number of functions, those of the uncore are open by
 * then. */
static void test_all_of_the_uncore_is_open_among_many_functions(void **state)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  struct pmon_register_id id = {.unit = 0};
  unsigned n = 0;
  (void)state;
  frame_begin("emr");
  for (int i = 0; i < 500; i++) {
    char name[80];
    snprintf(name, sizeof name, "sys/bus/pci/devices/0000:%02x:%02x.%x/config", i / 64, i / 8 % 8, i % 8);
    tree_file(&tree, name, "\x86\x80\x01\x02 a bridge");
  }
  struct pmon_backend *b = frame_open();
  const uint64_t opens = tree.opens;
  for (; !pmon_unit_describe(platform, id.unit, &unit); id.unit++)
    for (id.instance = 0; id.instance < unit.instances; id.instance++) {
      struct pmon_address a;
      uint64_t value;
      if (pmon_register_address(platform, &id, &a) || a.space != PMON_SPACE_PCI)
        continue;
      a.width_bits = 32;
      for (a.package = 0; a.package < 2; a.package++)
        n += !b->ops->read(b, &a, &value);
    }
  assert_true(n > 4);
  assert_int_equal(tree.opens, opens);
  pmon_backend_close(b);
  frame_end();
}

/* The CPU went offline, and its replacement cannot be opened: both are reported, not only the file that failed last. */
static void test_failed_cpu_migration_reports_the_reason(void **state)
{
  struct pmon_address a = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x2002};
  uint64_t value;
  (void)state;
  for (int alone = 0; alone < 2; alone++) {
    frame_begin("emr");
    tree_file(&tree, "dev/cpu/1/msr", NULL);
    struct pmon_backend *b = frame_open();
    tree_file(&tree, "dev/cpu/1/msr", "");
    tree_file(&tree, "sys/devices/system/cpu/online", alone ? "2-3\n" : "1-3\n");
    tree.offline_cpu = 0;
    tree.fail_open = tree.opens + 3; /* the list of CPUs, msr-safe's device, the msr module's */
    assert_int_equal(b->ops->read(b, &a, &value), PMON_E_NO_DEVICE);
    if (!strstr(b->error_text, "MSR 0x2002 on CPU 0: the CPU went offline") ||
        !strstr(b->error_text,
                alone ? "no other CPU of its package is online" : "/dev/cpu/1/msr: Operation not permitted"))
      fail_msg("%s", b->error_text);
    pmon_backend_close(b);
    frame_end();
  }
}

/* An address before the start of a BAR does not belong to it. */
static void test_offsets_that_wrap_around(void **state)
{
  struct pmon_address a = {.space = PMON_SPACE_MMIO, .width_bits = 32, .offset = UINT64_MAX & ~UINT64_C(4095)};
  uint64_t value;
  (void)state;
  frame_begin("emr");
  struct pmon_backend *b = frame_open();
  for (; a.device < 20; a.device += 18) {
    assert_int_equal(b->ops->read(b, &a, &value), PMON_E_NO_DEVICE);
    assert_non_null(strstr(b->error_text, "past the BAR's end"));
    assert_int_equal(b->ops->write(b, &a, 0), PMON_E_PERMISSION);
  }
  pmon_backend_close(b);
  frame_end();
}

/* Whatever lengths the pages state, reading them leaves room for the registers. */
static void test_pages_of_the_greatest_length(void **state)
{
  struct pmon_address a = {.space = PMON_SPACE_MMIO, .width_bits = 32, .offset = 0x22800};
  const uint64_t first = UINT64_C(1023) << 16 | UINT64_C(64) << 8 | UINT64_C(5);
  struct pmon_discovery *page;
  uint64_t value;
  char path[160];
  (void)state;
  frame_begin("emr");
  for (unsigned socket = 0; socket < 2; socket++) {
    snprintf(path, sizeof path, "%s/bus/pci/devices/0000:%02x:03.1/resource0", tree.sys, 0x67 + 0x80 * socket);
    FILE *f = fopen(path, "r+");
    assert_true(f && fwrite(&first, sizeof first, 1, f) == 1 && !fclose(f));
  }
  struct pmon_backend *b = frame_open();
  for (uint32_t package = 0; package < 2; package++) {
    assert_int_equal(pmon_discovery_read(b, package, NULL, NULL, &page), 0);
    pmon_discovery_free(page);
  }
  for (; a.package < 2; a.package++)
    if (b->ops->read(b, &a, &value))
      fail_msg("%s", b->error_text);
  pmon_backend_close(b);
  frame_end();
}

/* A wide write of a 32-bit register does not change the register after it. */
static void test_a_wide_write_of_a_narrow_register(void **state)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  struct pmon_register_id id = {.unit = 0};
  struct pmon_backend *b;
  struct pmon_address a;
  unsigned n = 0;
  (void)state;
  frame_begin("emr");
  assert_int_equal(pmon_backend_allow_new(frame_open(), platform, &b), 0);
  for (; !pmon_unit_describe(platform, id.unit, &unit); id.unit++)
    for (id.reg = 0; !pmon_register_address(platform, &id, &a); id.reg++) {
      if (a.space != PMON_SPACE_MMIO || a.width_bits != 32 || a.device)
        continue;
      assert_int_equal(b->ops->write(b, &a, 0), 0);
      a.width_bits = 64;
      assert_int_equal(b->ops->write(b, &a, 0), PMON_E_PERMISSION);
      assert_non_null(strstr(b->error_text, "32 bits"));
      n++;
    }
  assert_true(n > 1);
  pmon_backend_close(b);
  frame_end();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_mask_of_reading_cpus_that_is_a_range),
      cmocka_unit_test(test_a_range_of_cpus_of_both_packages),
      cmocka_unit_test(test_a_wide_write_of_a_narrow_register),
      cmocka_unit_test(test_names_of_functions),
      cmocka_unit_test(test_packages_in_other_segments),
      cmocka_unit_test(test_all_of_the_uncore_is_open_among_many_functions),
      cmocka_unit_test(test_failed_cpu_migration_reports_the_reason),
      cmocka_unit_test(test_offsets_that_wrap_around),
      cmocka_unit_test(test_pages_of_the_greatest_length),
  };
  return cmocka_run_group_tests_name("odd", tests, NULL, NULL);
}
