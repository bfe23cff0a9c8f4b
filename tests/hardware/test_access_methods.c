/* SPDX-License-Identifier: MIT */
/* The access methods to registers, on a tree of files backed by the emulated machine. */
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "src/access/ecam.h"
#include "tests/hardware/frame.h"

/* Reads every described register in both ways. Returns the number of existing registers. */
static unsigned compare_all(struct pmon_backend *b, uint32_t package)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  struct pmon_register_info reg = {.size = sizeof reg};
  unsigned n = 0;
  for (uint32_t u = 0; !pmon_unit_describe(platform, u, &unit); u++)
    for (uint32_t r = 0; !pmon_register_describe(platform, u, r, &reg); r++)
      for (uint32_t i = 0; i < unit.instances; i++) {
        struct pmon_register_id id = {.unit = u, .reg = r, .instance = i};
        struct pmon_address a;
        uint64_t here = 1, there = 2;
        if (pmon_register_address(platform, &id, &a) || (a.space == PMON_SPACE_MMIO && (a.device || i)) ||
            a.space == PMON_SPACE_RESCTRL) /* the kernel's values: test_resctrl.c */
          continue;
        a.package = package;
        if (a.space == PMON_SPACE_PCI)
          a.width_bits = 32;
        int machine = machine_read(tree.machine, &a, &there), access_method = b->ops->read(b, &a, &here);
        if (machine != access_method)
          fail_msg("%s %s instance %u: %s", unit.name, reg.name, i, access_method ? b->error_text : "is there");
        if (!machine) {
          assert_int_equal(here, there);
          n++;
        }
      }
  return n;
}

static void test_all_registers_through_the_access_methods(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    unsigned least;
  } cases[] = {{"emr", 40}, {"snbep", 40}};
  for (size_t i = 0; i < 2; i++) {
    frame_begin(cases[i].name);
    struct pmon_backend *b = frame_open();
    assert_true(compare_all(b, 0) >= cases[i].least);
    assert_true(compare_all(b, 1) >= cases[i].least);
    pmon_backend_close(b);
    frame_end();
  }
}

static void test_configuration_space_as_memory(void **state)
{
  (void)state;
  struct pmon_address a = {.space = PMON_SPACE_PCI, .width_bits = 32, .device = 30 << 8 | 1 << 3 | 1, .offset = 0x350};
  for (int lies = 0; lies < 2; lies++) {
    uint64_t value = 0;
    frame_begin("emr");
    frame_ecam(lies ? 0x12345678 : 0x32418086);
    struct pmon_backend *b = frame_open();
    assert_int_equal(b->ops->read(b, &a, &value), 0);
    assert_int_equal(value, lies ? 0 : 0x1234);
    const uint64_t before = tree.accesses;
    assert_int_equal(b->ops->write(b, &a, 0x21), 0);
    assert_int_equal(b->ops->read(b, &a, &value), 0);
    assert_int_equal(value, 0x21);
    assert_int_equal(tree.accesses - before, lies ? 2 : 0); /* no system call */
    pmon_backend_close(b);
    frame_end();
  }
}

static void test_a_memory_mapped_function_disappears(void **state)
{
  (void)state;
  struct pmon_address a = {.space = PMON_SPACE_PCI, .width_bits = 32, .device = 30 << 8 | 1 << 3 | 1, .offset = 0x350};
  uint64_t value = 0;
  frame_begin("emr");
  frame_ecam(0x32418086);
  struct pmon_backend *b = frame_open();
  assert_false(pmon_backend_bus_error(b)); /* a signal that is not the backend's */
  frame_watch(b);
  assert_int_equal(b->ops->read(b, &a, &value), 0);
  frame_cut_memory(0);
  assert_int_equal(b->ops->read(b, &a, &value), PMON_E_NO_DEVICE);
  assert_non_null(strstr(b->error_text, "0000:7e:01.1 at 0x350: the device was removed"));
  assert_int_equal(b->ops->write(b, &a, 1), PMON_E_NO_DEVICE);
  a.device = 30 << 8 | 12 << 3; /* the adjacent device is accessed by system calls */
  assert_int_equal(b->ops->read(b, &a, &value), 0);
  frame_watch(NULL);
  pmon_backend_close(b);
  frame_end();
}

static void test_the_page_without_dev_mem(void **state)
{
  (void)state;
  frame_begin("emr");
  tree_file(&tree, "dev/mem", NULL);
  struct pmon_backend *b = frame_open();
  struct pmon_discovery *page = NULL;
  struct pmon_address a = {.space = PMON_SPACE_MMIO, .width_bits = 32, .offset = 0x22800};
  uint64_t value;
  assert_int_equal(pmon_discovery_read(b, 1, NULL, NULL, &page), 0);
  pmon_discovery_free(page);
  assert_int_equal(b->ops->read(b, &a, &value), PMON_E_NO_DEVICE);
  assert_non_null(strstr(b->error_text, "/mem: No such file"));
  pmon_backend_close(b);
  frame_end();
}

/* A bus in the system's numbering is equivalent to the bus in the guide's, of each package, and needs no UBox. */
static void test_buses_by_system_numbers(void **state)
{
  (void)state;
  uint64_t by_guide[2] = {0, 0}, value;
  for (int ubox = 1; ubox >= 0; ubox--) {
    frame_begin("emr");
    if (!ubox) {
      tree_file(&tree, "sys/bus/pci/devices/0000:7e:00.0/config", NULL);
      tree_file(&tree, "sys/bus/pci/devices/0000:fe:00.0/config", NULL);
    }
    struct pmon_backend *b = frame_open();
    struct pmon_address a = {.space = PMON_SPACE_PCI, .width_bits = 32, .offset = 0x350};
    for (a.package = 0; a.package < 2; a.package++) {
      const uint64_t mine = 0x21 + a.package;
      a.device = (PMON_BUS_OF_SYSTEM + 0x7e) << 8 | 1 << 3 | 1;
      assert_int_equal(b->ops->write(b, &a, mine), 0);
      a.device = 30 << 8 | 1 << 3 | 1; /* UPI 0 */
      assert_int_equal(machine_read(tree.machine, &a, &by_guide[a.package]), 0);
      assert_int_equal(by_guide[a.package], mine);
      assert_int_equal(b->ops->read(b, &a, &value), ubox ? 0 : PMON_E_NO_DEVICE);
    }
    pmon_backend_close(b);
    frame_end();
  }
}

/* A processor that has a discovery page and nothing else that is known. */
static void test_the_page_without_a_ubox(void **state)
{
  (void)state;
  frame_begin("emr");
  tree_file(&tree, "sys/bus/pci/devices/0000:7e:00.0/config", NULL);
  tree_file(&tree, "sys/bus/pci/devices/0000:fe:00.0/config", NULL);
  struct pmon_backend *b = frame_open();
  struct pmon_discovery *page = NULL;
  struct pmon_discovery_info info = {.size = sizeof info};
  assert_int_equal(pmon_discovery_read(b, 1, NULL, NULL, &page), 0);
  pmon_discovery_describe(page, &info);
  assert_true(info.units > 20);
  pmon_discovery_free(page);
  pmon_backend_close(b);
  frame_end();
}

static void test_hostile_tables_of_memory(void **state)
{
  (void)state;
  uint8_t table[76] = "MCFG";
  struct ecam_range ranges[ECAM_RANGES];
  uint64_t random = 88172645463325252u;
  table[4] = sizeof table;
  for (size_t n = 0; n <= sizeof table; n++)
    assert_int_equal(ecam_parse(table, n, ranges), 0); /* no base, no range */
  table[44 + 4] = 1;
  table[55] = 3;
  assert_int_equal(ecam_parse(table, sizeof table, ranges), 1);
  assert_int_equal(ranges[0].base, UINT64_C(1) << 32);
  assert_int_equal(ecam_parse(table, 59, ranges), 0);
  table[4] = 59; /* the table's length is shorter than its header */
  assert_int_equal(ecam_parse(table, sizeof table, ranges), 0);
  for (int i = 0; i < 2000; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    table[4 + random % 72] = (uint8_t)(random >> 32);
    const uint32_t n = ecam_parse(table, sizeof table, ranges);
    assert_true(n <= 2);
    for (uint32_t k = 0; k < n; k++)
      assert_true(ranges[k].first_bus <= ranges[k].last_bus && ranges[k].base % ECAM_PAGE == 0);
  }
}

/* Registers of another access method are missing; the message does not blame this method's own functions. */
static void test_registers_of_another_access_method_are_missing(void **state)
{
  const struct pmon_address msr = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x2ff0};
  struct pmon_reason reason;
  uint64_t value;
  (void)state;
  frame_begin("emr");
  tree.stays_shut = true;
  for (uint64_t i = 1; i <= 24; i++) { /* mostly opens of functions */
    struct pmon_backend *b = NULL;
    tree.fail_open = tree.opens + i;
    if (pmon_access_method_open(1, &tree.system, &reason, &b))
      continue;
    assert_int_equal(b->ops->read(b, &msr, &value), PMON_E_NO_DEVICE);
    assert_string_equal(b->error_text, "registers of msr need another access method than pci");
    pmon_backend_close(b);
    tree.fail_open = 0;
  }
  frame_end();
}

static void test_missing_devices_are_reported_with_a_remedy(void **state)
{
  (void)state;
  struct pmon_reason reason = {""};
  struct pmon_backend *b = NULL;
  struct pmon_system none = {
      .size = sizeof none, .dev = "/nonexistent", .sys = "/nonexistent", .proc = "/nonexistent", .end_fd = -1};
  assert_int_equal(pmon_backend_direct_open(&none, &reason, &b), PMON_E_NO_DEVICE);
  assert_null(b);
  assert_non_null(strstr(reason.text, "modprobe msr"));
}

static void test_an_unavailable_access_method_reports_its_reason(void **state)
{
  (void)state;
  frame_begin("emr");
  char path[128];
  snprintf(path, sizeof path, "%s/mem", tree.dev);
  unlink(path);
  struct pmon_backend *b = frame_open();
  struct pmon_address a = {.space = PMON_SPACE_MMIO, .width_bits = 32, .offset = 0x22800};
  uint64_t value;
  assert_int_equal(b->ops->read(b, &a, &value), PMON_E_NO_DEVICE);
  assert_non_null(strstr(b->error_text, "/mem"));
  pmon_backend_close(b);
  frame_end();
}

static void test_missing_privileges_are_reported_with_a_remedy(void **state)
{
  (void)state;
  frame_begin("emr");
  struct pmon_backend *b = frame_open();
  struct pmon_address a = {.space = PMON_SPACE_MMIO, .width_bits = 32, .device = 0, .offset = 0x200000};
  uint64_t value;
  assert_int_equal(b->ops->read(b, &a, &value), PMON_E_NO_DEVICE);
  assert_non_null(strstr(b->error_text, "past the BAR's end"));
  a = (struct pmon_address){.space = PMON_SPACE_PCI, .width_bits = 32, .device = 30 << 8 | 9 << 3};
  assert_int_equal(b->ops->read(b, &a, &value), PMON_E_NO_DEVICE);
  assert_non_null(strstr(b->error_text, "hide"));
  pmon_backend_close(b);
  frame_end();
}

static void test_end_of_workload_is_detected(void **state)
{
  (void)state;
  frame_begin("emr");
  tree.system.end_fd = eventfd(1, 0);
  struct pmon_backend *b = frame_open();
  uint64_t now = 0;
  bool ended = false;
  assert_int_equal(b->ops->wait(b, UINT64_MAX, &now, &ended), 0);
  assert_true(ended && now);
  close(tree.system.end_fd);
  pmon_backend_close(b);
  frame_end();
}

/* Without the NUMA tables of a system, a device is near all CPUs: pages are then assigned in the order of the
 * packages. */
static void test_pages_of_devices_that_are_near_all_cpus(void **state)
{
  static const char *const near[] = {"0-3\n", "0,2\n", "2-3\n"};
  (void)state;
  frame_begin("emr");
  for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
    struct pmon_address a = {.space = PMON_SPACE_MMIO, .width_bits = 32, .device = 16};
    uint64_t value = 0;
    tree_file(&tree, "sys/bus/pci/devices/0000:67:03.1/local_cpulist", near[i]);
    struct pmon_backend *b = frame_open();
    assert_int_equal(b->ops->read(b, &a, &value), i < 2 ? 0 : PMON_E_NO_DEVICE);
    a.package = 1;
    assert_int_equal(b->ops->read(b, &a, &value), 0);
    pmon_backend_close(b);
    tree_file(&tree, "sys/bus/pci/devices/0000:e7:03.1/local_cpulist", i ? "2-3\n" : near[0]);
  }
  frame_end();
}

/* A file shorter than a page says nothing about the length of the range: the page is read beyond it, from memory. */
static void test_a_resource_shorter_than_a_page(void **state)
{
  struct pmon_address a = {.space = PMON_SPACE_MMIO, .width_bits = 64, .device = PMON_BAR_DISCOVERY};
  char text[600] = "";
  uint64_t value = 0, whole = 0;
  (void)state;
  memset(text, ' ', sizeof text - 1);
  frame_begin("emr");
  for (int k = 0; k < 2; k++) {
    struct pmon_backend *b = frame_open();
    assert_int_equal(b->ops->read(b, &a, k ? &value : &whole), 0);
    pmon_backend_close(b);
    tree_file(&tree, "sys/bus/pci/devices/0000:67:03.1/resource0", text);
  }
  assert_true(whole && value == whole);
  frame_end();
}

/* A package whose UBox cannot be read is not reported as hidden: each access to its functions reports the reason. */
static void test_a_ubox_that_cannot_be_read(void **state)
{
  struct pmon_address a = {.space = PMON_SPACE_PCI, .width_bits = 32, .device = 30 << 8 | 1 << 3 | 1, .offset = 0x350};
  struct pmon_reason reason;
  struct pmon_backend *b;
  char path[160];
  uint64_t value;
  unsigned reported = 0;
  (void)state;
  frame_begin("emr");
  tree.fault = TREE_EPERM;
  const uint64_t before = tree.accesses;
  assert_int_equal(pmon_access_method_open(1, &tree.system, &reason, &b), 0);
  pmon_backend_close(b);
  const uint64_t n = tree.accesses - before;
  for (uint64_t i = 1; i <= n; i++) {
    tree.fail_access = tree.accesses + i;
    assert_int_equal(pmon_access_method_open(1, &tree.system, &reason, &b), 0);
    for (a.package = 0; a.package < 2; a.package++)
      if (b->ops->read(b, &a, &value)) {
        snprintf(path, sizeof path,
                 "package %u has no visible PCI function 30:1.1; configuration space of 0000:", a.package);
        if (strncmp(b->error_text, path, strlen(path)) || !strstr(b->error_text, "Operation not permitted"))
          fail_msg("access %u: %s", (unsigned)i, b->error_text);
        reported++;
      }
    pmon_backend_close(b);
  }
  assert_true(reported >= 6); /* two UBoxes: identity, own node, map; UPI 0's identity */
  frame_end();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_registers_through_the_access_methods),
      cmocka_unit_test(test_configuration_space_as_memory),
      cmocka_unit_test(test_a_memory_mapped_function_disappears),
      cmocka_unit_test(test_the_page_without_dev_mem),
      cmocka_unit_test(test_pages_of_devices_that_are_near_all_cpus),
      cmocka_unit_test(test_a_resource_shorter_than_a_page),
      cmocka_unit_test(test_a_ubox_that_cannot_be_read),
      cmocka_unit_test(test_buses_by_system_numbers),
      cmocka_unit_test(test_the_page_without_a_ubox),
      cmocka_unit_test(test_hostile_tables_of_memory),
      cmocka_unit_test(test_registers_of_another_access_method_are_missing),
      cmocka_unit_test(test_missing_devices_are_reported_with_a_remedy),
      cmocka_unit_test(test_an_unavailable_access_method_reports_its_reason),
      cmocka_unit_test(test_missing_privileges_are_reported_with_a_remedy),
      cmocka_unit_test(test_end_of_workload_is_detected),
  };
  return cmocka_run_group_tests_name("access_methods", tests, NULL, NULL);
}
