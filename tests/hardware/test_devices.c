/* SPDX-License-Identifier: MIT */
/* Values by device on a system: the kernel's files name root buses, the PCI tree has the devices, pci.ids their names.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/hardware/command.h"
#include "tests/hardware/kernel_pmus.h"

/* A PCI function where it is in the tree of devices, and the link to it by which it is found. */
static void add_function(const char *place, const char *class_code, const char *vendor, const char *device)
{
  char path[400], target[400];
  const char *const name = strrchr(place, '/') + 1;
  snprintf(path, sizeof path, "sys/devices/%s/class", place);
  tree_file(&tree, path, class_code);
  snprintf(path, sizeof path, "sys/devices/%s/vendor", place);
  tree_file(&tree, path, vendor);
  snprintf(path, sizeof path, "sys/devices/%s/device", place);
  tree_file(&tree, path, device);
  snprintf(target, sizeof target, "../../../devices/%s", place);
  snprintf(path, sizeof path, "%s/sys/bus/pci/devices/%s", tree.root, name);
  unlink(path);
  if (symlink(target, path))
    fail_msg("%s", path);
}

static void add_root_bus(const char *pmu, const char *die, const char *bus)
{
  char path[256];
  kernel_path(path, sizeof path, pmu, die);
  tree_file(&tree, path, bus);
}

/* Two sockets; on the first a network card, and a switch with two drives; on the second a card whose vendor the list
 * does not have, and an accelerator that is part of the processor. */
static void make_devices(void)
{
  char path[200];
  snprintf(path, sizeof path, "mkdir -p %s/sys/bus/pci/devices", tree.root);
  assert_int_equal(system(path), 0);
  tree_file(&tree, "usr/share/misc/pci.ids",
            "# a list\n8086  Intel Corporation\n\t1572  Ethernet Controller X710\n\t\t8086 0001  A card\n"
            "144d  Samsung\n\ta80a  Drive\n1572  Another\n"
            "C 01  Mass storage controller\n\t08  Non-Volatile memory controller\n"
            "C 02  Network controller\n\t00  Ethernet controller\n");
  add_root_bus("uncore_iio_1", "die0", "0000:15\n");
  add_root_bus("uncore_iio_2", "die0", "0000:26\n");
  add_root_bus("uncore_iio_1", "die1", "0000:97\n");
  add_root_bus("uncore_iio_2", "die1", "0000:a7\n");
  add_function("pci0000:15/0000:15:00.0", "0x088000\n", "0x8086\n", "0x09a2\n");
  add_function("pci0000:15/0000:15:01.0", "0x060400\n", "0x8086\n", "0x352a\n");
  add_function("pci0000:15/0000:15:01.0/0000:16:00.0", "0x020000\n", "0x8086\n", "0x1572\n");
  add_function("pci0000:26/0000:26:03.0", "0x060400\n", "0x8086\n", "0x352c\n");
  add_function("pci0000:26/0000:26:03.0/0000:27:00.0", "0x060400\n", "0x10b5\n", "0x8747\n");
  add_function("pci0000:26/0000:26:03.0/0000:27:00.0/0000:28:00.0", "0x060400\n", "0x10b5\n", "0x8747\n");
  add_function("pci0000:26/0000:26:03.0/0000:27:00.0/0000:28:00.0/0000:29:00.0", "0x010802\n", "0x144d\n", "0xa80a\n");
  add_function("pci0000:26/0000:26:03.0/0000:27:00.0/0000:28:01.0/0000:2a:00.0", "0x010802\n", "0x144d\n", "0xffff\n");
  add_function("pci0000:97/0000:97:08.0/0000:98:00.0", "0x120000\n", "0x1234\n", "0x5678\n");
  add_function("pci0000:a7/0000:a7:02.0", "0x020000\n", "0x8086\n", "0x1572\n");
  add_function("pci0000:77/0000:77:01.0/0000:78:00.0", "0x020000\n", "0x8086\n", "0x1572\n"); /* of no stack */
}

static const char card[] = "0000:16:00.0 Ethernet controller: Intel Corporation Ethernet Controller X710 (socket 0, "
                           "stack 1, port A)",
                  drives[] = "0000:29:00.0 Non-Volatile memory controller: Samsung Drive; 0000:2a:00.0 Non-Volatile "
                             "memory controller: Samsung 144d:ffff (socket 0, stack 2, port C)",
                  unknown[] = "0000:98:00.0 class 1200: 1234:5678 (socket 1, stack 1, port H)",
                  integrated[] = "0000:a7:02.0 Ethernet controller: Intel Corporation Ethernet Controller X710 (socket "
                                 "1, stack 2)";

static void test_devices_of_the_pci_tree(void **state)
{
  (void)state;
  begin_kernel(NULL);
  make_devices();
  expect("stat --backend perf --by device -- true", 0, card);
  assert_non_null(strstr(output, drives));
  assert_non_null(strstr(output, unknown));
  assert_null(strstr(output, "0000:78:00.0")); /* its root bus is of no stack */
  assert_null(strstr(output, "0000:a7:02.0")); /* its port is not known */
  assert_null(strstr(output, "0000:15:00.0")); /* part of the processor */
  assert_non_null(strstr(output, "IIO_PART2_MEM_READ_BANDWIDTH"));
  assert_null(strstr(output, "IIO_PART1_MEM_READ_BANDWIDTH")); /* nothing there, and nothing counted */
  expect("stat --backend perf --by device --csv -m IIO_PART0_MEM_READ_BANDWIDTH -- true", 0, card);
  expect("stat --backend perf --by device --json -m IIO_PART2_MEM_READ_BANDWIDTH -- true", 0, drives);
  /* Values of a whole stack are of all its devices, the one without a port among them. */
  expect("stat --backend perf --by device -m IIO_MEM_READ_BANDWIDTH -- true", 0, integrated);
  tree_end(&tree);
}

static void test_a_recording_has_the_devices(void **state)
{
  (void)state;
  char line[300];
  begin_kernel(NULL);
  make_devices();
  snprintf(line, sizeof line, "stat --backend perf -g IO_PORTS --record %s/r.db -- true", tree.root);
  expect(line, 0, "IIO_PART0_MEM_READ_BANDWIDTH");
  snprintf(line, sizeof line, "report --by device %s/r.db", tree.root);
  expect(line, 0, card);
  assert_non_null(strstr(output, drives));
  assert_non_null(strstr(output, unknown));
  snprintf(line, sizeof line, "report --by device --csv -m IIO_PART2_MEM_READ_BANDWIDTH %s/r.db", tree.root);
  expect(line, 0, drives);
  tree_end(&tree);
}

static void test_without_the_kernels_files(void **state)
{
  (void)state;
  begin_kernel(NULL);
  expect("stat --backend perf --by device -- true", 0,
         "warning: --by device: the kernel does not name the root buses of I/O stacks (files die* of its PMUs); values "
         "are by stack and port");
  expect("stat --backend perf --by device -e imc/CAS_COUNT.RD/ -- true", 2, "--by device: no value is of ports");
  expect("stat --by socket -- true", 2, "--by");
  expect("stat --backend perf --by device --csv=wide -- true", 2, "without --sort, --top and --by");
  tree_end(&tree);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_devices_of_the_pci_tree),
      cmocka_unit_test(test_a_recording_has_the_devices),
      cmocka_unit_test(test_without_the_kernels_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
