/* SPDX-License-Identifier: MIT */
/* Values by device on a system: the kernel's files give the root buses, the PCI tree the devices, pci.ids their
 * names. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/target/devices.h"
#include "tests/hardware/command.h"
#include "tests/hardware/kernel_pmus.h"

/* Adds a PCI function in the tree of devices, and the link under which it is listed. */
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

/* Two sockets: on the first a network card, and a switch with two drives; on the second a card of an unlisted vendor,
 * and an accelerator that is part of the processor. */
static void make_pci_tree(void)
{
  char path[200];
  snprintf(path, sizeof path, "mkdir -p %s/sys/bus/pci/devices", tree.root);
  assert_int_equal(system(path), 0);
  tree_file(&tree, "usr/share/misc/pci.ids",
            "# a list\n8086  Intel Corporation\n\t1572  Ethernet Controller X710\n\t\t8086 0001  A card\n"
            "144d  Samsung\n\ta80a  Drive\n1572  Another\n"
            "C 01  Mass storage controller\n\t08  Non-Volatile memory controller\n"
            "C 02  Network controller\n\t00  Ethernet controller\n");
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

/* Makes the PCI tree and the kernel's files of root buses. */
static void make_devices(void)
{
  make_pci_tree();
  add_root_bus("uncore_iio_1", "die0", "0000:15\n");
  add_root_bus("uncore_iio_2", "die0", "0000:26\n");
  add_root_bus("uncore_iio_1", "die1", "0000:97\n");
  add_root_bus("uncore_iio_2", "die1", "0000:a7\n");
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
  assert_null(strstr(output, "0000:78:00.0")); /* its root bus belongs to no stack */
  assert_null(strstr(output, "0000:a7:02.0")); /* its port is not known */
  assert_null(strstr(output, "0000:15:00.0")); /* part of the processor */
  assert_non_null(strstr(output, "IIO_PART2_MEM_READ_BANDWIDTH"));
  assert_null(strstr(output, "IIO_PART1_MEM_READ_BANDWIDTH")); /* no device, and no counts */
  expect("stat --backend perf --by device --csv -m IIO_PART0_MEM_READ_BANDWIDTH -- true", 0, card);
  expect("stat --backend perf --by device --json -m IIO_PART2_MEM_READ_BANDWIDTH -- true", 0, drives);
  /* Values of a whole stack belong to all its devices, including the device without a port. */
  expect("stat --backend perf --by device -m IIO_MEM_READ_BANDWIDTH -- true", 0, integrated);
  tree_end(&tree);
}

/* The bandwidth of the link at a device's root port: up to 5 GT/s 8 of 10 bits are data, up to 32 GT/s 128 of 130. */
static void test_rates_of_links(void **state)
{
  static const struct {
    const char *speed, *width;
    double bytes_per_second;
  } links[] = {{"2.5 GT/s PCIe\n", "8\n", 2e9},     {"5.0 GT/s PCIe\n", "1\n", 500e6},
               {"8.0 GT/s PCIe\n", "13\n", 12.8e9}, {"32.0 GT/s PCIe\n", "13\n", 51.2e9},
               {"64.0 GT/s PCIe\n", "16\n", 128e9}, {"Unknown\n", "16\n", 0}};
  struct pmon_context *context;
  const struct pmon_platform *emr;
  (void)state;
  assert_int_equal(pmon_context_new(&context), 0);
  assert_int_equal(pmon_platform_find(context, "emr", &emr), 0);
  begin_kernel(NULL);
  make_devices();
  for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
    struct device_list list = {0};
    struct hardware hardware;
    hardware_init(&hardware, tree.root);
    tree_file(&tree, "sys/devices/pci0000:15/0000:15:01.0/current_link_speed", links[i].speed);
    tree_file(&tree, "sys/devices/pci0000:15/0000:15:01.0/current_link_width", links[i].width);
    assert_true(devices_read_host(&hardware, emr, &list));
    assert_true(list.n > 1);
    assert_string_equal(list.devices[0].address, "0000:16:00.0");
    if (fabs(list.devices[0].link_bytes_per_second - links[i].bytes_per_second) > 1)
      fail_msg("%s: %.0f bytes a second", links[i].speed, list.devices[0].link_bytes_per_second);
    assert_true(list.devices[1].link_bytes_per_second <= 0); /* behind another root port */
    devices_free(&list);
    hardware_fini(&hardware);
  }
  tree_end(&tree);
  pmon_context_free(context);
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

/* Writes a file of `size` bytes with the words {offset, value}, up to {0, 0}. */
static void put_config(const char *function, const uint32_t (*words)[2], off_t size)
{
  char name[120], path[256];
  snprintf(name, sizeof name, "sys/bus/pci/devices/%s/config", function);
  tree_file(&tree, name, "");
  snprintf(path, sizeof path, "%s/%s", tree.root, name);
  FILE *f = fopen(path, "r+");
  assert_non_null(f);
  for (; (*words)[0]; words++)
    assert_true(!fseek(f, (long)(*words)[0], SEEK_SET) && fwrite(&(*words)[1], 4, 1, f) == 1);
  assert_true(!fclose(f) && !truncate(path, size));
}

static void put_function(const char *function, const char *device, const char *cpus)
{
  char name[120];
  snprintf(name, sizeof name, "sys/bus/pci/devices/%s/vendor", function);
  tree_file(&tree, name, "0x8086\n");
  snprintf(name, sizeof name, "sys/bus/pci/devices/%s/device", function);
  tree_file(&tree, name, device);
  snprintf(name, sizeof name, "sys/bus/pci/devices/%s/local_cpulist", function);
  tree_file(&tree, name, cpus);
}

/* Sapphire and Emerald Rapids, for which Linux 6.1 makes no dieN files: a register has the bus numbers of each package.
 * The first package has number 1 at bus 15h and 2 at bus 26h, the second 1 at 97h. */
static void make_bus_registers(uint32_t capid4, off_t size)
{
  const uint32_t power[][2] = {{0x94, capid4}, {0, 0}}, first[][2] = {{0x1a0, 0x7}, {0x190, 0x00261500}, {0, 0}},
                 second[][2] = {{0x1a0, 0x2}, {0x190, 0x00009700}, {0, 0}};
  put_function("0000:1f:1e.3", "0x325b\n", "0-1\n");
  put_config("0000:1f:1e.3", power, 4096);
  put_function("0000:0d:03.0", "0x09a6\n", "0-1\n");
  put_config("0000:0d:03.0", first, size);
  put_function("0000:4d:03.0", "0x09a6\n", "2-3\n");
  put_config("0000:4d:03.0", second, size);
}

/* The same devices by the processor's own bus numbers: number 1 is stack 2 on Sapphire Rapids' large die, and stack 1
 * on its small die and on Emerald Rapids. */
static void test_by_the_processors_bus_numbers(void **state)
{
  (void)state;
  static const char large[] = "Controller X710 (socket 0, stack 2, port A)",
                    small[] = "X710 (socket 0, stack 1, port A)";
  static const char unsure[] = "Intel PCM's table for this processor; PCM has two tables, which differ";
  for (unsigned i = 0; i < 4; i++) {
    begin_kernel_as(i < 2 ? "spr" : "emr", NULL);
    make_pci_tree();
    make_bus_registers(i == 1 ? 0x40 : 0xc0, i == 3 ? 64 : 4096);
    if (i < 3) {
      expect("stat --backend perf --by device -g IO_PORTS -- true", 0, i ? small : large);
      assert_non_null(strstr(output, i == 0 ? "Samsung 144d:ffff (socket 0, stack 4, port C)"
                                            : "Samsung 144d:ffff (socket 0, stack 2, port C)"));
      assert_non_null(
          strstr(output, i == 0 ? "1234:5678 (socket 1, stack 2, port H)" : "1234:5678 (socket 1, stack 1, port H)"));
      assert_true(!strstr(output, unsure) == (i < 2));
      expect("capture", 0,
             i ? "\ndevice 0 iio 1 0 0000:16:00.0 0x8086 0x1572 0x20000 Ethernet"
               : "\ndevice 0 iio 2 0 0000:16:00.0 0x8086 0x1572 0x20000 Ethernet");
    } else { /* without privileges the kernel shows only 64 bytes */
      expect("stat --backend perf --by device -- true", 0, "reading them from the processor requires root");
    }
    tree_end(&tree);
  }
}

static void test_without_the_kernels_files(void **state)
{
  (void)state;
  begin_kernel(NULL);
  expect("stat --backend perf --by device -- true", 0,
         "warning: --by device: the kernel does not name the root buses of I/O stacks (files die* of its PMUs); values "
         "are by stack and port");
  expect("stat --backend perf --by device -e imc/CAS_COUNT.RD/ -- true", 2,
         "--by device: no value is counted at ports");
  expect("stat --by socket -- true", 2, "--by");
  expect("stat --backend perf --by device --csv=wide -- true", 2, "omit --sort, --top and --by");
  tree_end(&tree);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_devices_of_the_pci_tree),     cmocka_unit_test(test_rates_of_links),
      cmocka_unit_test(test_a_recording_has_the_devices), cmocka_unit_test(test_by_the_processors_bus_numbers),
      cmocka_unit_test(test_without_the_kernels_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
