/* SPDX-License-Identifier: MIT */
/* Blocks of registers in memory whose addresses only the discovery page has. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "src/access/register.h"
#include "tests/hardware/frame.h"

/* Reads a quadword of the memory file. */
static uint64_t memory_at(uint64_t address)
{
  char path[128];
  uint64_t value = 0;
  snprintf(path, sizeof path, "%s/mem", tree.dev);
  FILE *f = fopen(path, "r");
  assert_true(f && !fseek(f, (long)address, SEEK_SET) && fread(&value, sizeof value, 1, f) == 1 && !fclose(f));
  return value;
}

/* Each register of a CXL port in the tables is at its place in the block that the page names. */
static void test_cxl_ports_are_placed_by_the_page(void **state)
{
  static const char *const units[] = {"cxlcm", "cxldp"};
  (void)state;
  frame_begin("emr");
  struct pmon_backend *b = frame_open();
  uint64_t n = 0;
  for (uint32_t k = 0; k < 2; k++) {
    struct pmon_register_info reg = {.size = sizeof reg};
    struct pmon_register_id id = {0};
    assert_int_equal(pmon_unit_find(platform, units[k], &id.unit), 0);
    for (; !pmon_register_describe(platform, id.unit, id.reg, &reg); id.reg++)
      for (id.index = 0; id.index < reg.count; id.index++) {
        struct pmon_address a, first;
        uint64_t value = 0;
        id.instance = k;
        const struct pmon_register_id block = {.unit = id.unit, .instance = k};
        assert_int_equal(pmon_register_address(platform, &id, &a), 0);
        assert_int_equal(pmon_register_address(platform, &block, &first), 0);
        a.package = 1;
        const uint64_t at = frame_block(b, 1, 12 + k, k);
        const uint64_t mine = (0x55aa33 + ++n) & access_writable(platform, &id);
        if (!at || b->ops->write(b, &a, mine))
          fail_msg("%s %s: %s", units[k], reg.name, at ? b->error_text : "not on the page");
        assert_int_equal(b->ops->read(b, &a, &value), 0);
        assert_int_equal(value, mine);
        assert_int_equal(memory_at(at + a.offset - first.offset) & UINT32_MAX, mine);
      }
  }
  assert_true(n >= 8 * 2 + 4 * 2 + 4);
  pmon_backend_close(b);
  frame_end();
}

/* Ports that do not exist, and a page with the registers at other places than the tables: nothing is written. */
static void test_cxl_ports_that_differ_from_the_page_are_refused(void **state)
{
  struct pmon_address a = {.space = PMON_SPACE_MMIO, .width_bits = 64, .device = 17, .offset = 7 * 0x8000};
  struct pmon_discovery *page = NULL;
  char path[160];
  uint64_t value = 0, words[8];
  (void)state;
  frame_begin("emr");
  struct pmon_backend *b = frame_open();
  assert_int_equal(b->ops->read(b, &a, &value), PMON_E_NO_DEVICE);
  assert_non_null(strstr(b->error_text, "lists no such CXL block"));
  assert_int_equal(b->ops->write(b, &a, 1), PMON_E_PERMISSION);
  value = 0;
  const uint64_t at = frame_block(b, 0, 12, 0);
  pmon_backend_close(b);
  snprintf(path, sizeof path, "%s/bus/pci/devices/0000:67:03.1/resource0", tree.sys);
  FILE *f = fopen(path, "r+");
  assert_non_null(f);
  long entry = -1;
  for (long i = 0; entry < 0 && fread(words, sizeof words, 1, f) == 1; i++)
    if (words[1] == at)
      entry = i;
  assert_true(entry >= 0);
  words[0] += UINT64_C(8) << 8; /* the controls' offset in the block, Table 1-14 */
  for (size_t i = 0; i < 8; i++)
    value |= words[i];
  assert_true(value && !fseek(f, entry * (long)sizeof words, SEEK_SET) && fwrite(words, sizeof words, 1, f) == 1 &&
              !fclose(f));
  b = frame_open();
  assert_int_equal(pmon_discovery_read(b, 0, NULL, NULL, &page), 0);
  pmon_discovery_free(page);
  a.offset = 0;
  a.width_bits = 32;
  assert_int_equal(b->ops->write(b, &a, 1), PMON_E_NO_DEVICE);
  assert_non_null(strstr(b->error_text, "pmon discover --repair"));
  assert_int_equal(memory_at(at), 0);
  pmon_backend_close(b);
  frame_end();
}

/* A platform made from the first package's page: in the second package its registers are where that package's page has
 * them. */
static void test_second_package_has_separate_blocks(void **state)
{
  struct pmon_address a = {.space = PMON_SPACE_MMIO, .width_bits = 32, .device = 18};
  (void)state;
  frame_begin("emr");
  struct pmon_backend *b = frame_open();
  const uint64_t first = frame_block(b, 0, 6, 0), second = frame_block(b, 1, 6, 0);
  uint64_t value = 0, before = memory_at(first + 8) & UINT32_MAX;
  assert_true(first && second && first != second);
  a.offset = first + 8;
  for (a.package = 0; a.package < 2; a.package++) {
    const uint64_t mine = 0x4711 + a.package;
    assert_int_equal(b->ops->write(b, &a, mine), 0);
    assert_int_equal(b->ops->read(b, &a, &value), 0);
    assert_int_equal(value, mine);
    assert_int_equal(memory_at(second + 8) & UINT32_MAX, a.package ? mine : before);
    assert_int_equal(memory_at(first + 8) & UINT32_MAX, 0x4711);
  }
  a.package = 1;
  a.offset = first + 0x100000;
  assert_int_equal(b->ops->read(b, &a, &value), PMON_E_NO_DEVICE);
  assert_non_null(strstr(b->error_text, "its address in this package is unknown"));
  assert_int_equal(b->ops->write(b, &a, 1), PMON_E_PERMISSION);
  assert_non_null(strstr(b->error_text, "by its discovery page"));
  pmon_backend_close(b);
  frame_end();
}

static uint64_t port_at(uint64_t offset)
{
  char path[200];
  uint64_t value = 0;
  snprintf(path, sizeof path, "%s/bus/pci/devices/0000:98:00.0/resource2", tree.sys);
  FILE *f = fopen(path, "r");
  assert_true(f && !fseek(f, (long)offset, SEEK_SET) && fread(&value, sizeof value, 1, f) == 1 && !fclose(f));
  return value;
}

/* Through the device's own file, with and without /dev/mem; an I/O port range is not memory. */
static void test_a_block_behind_a_devices_bar(void **state)
{
  const struct pmon_address a = {.space = PMON_SPACE_MMIO, .width_bits = 64, .device = 17, .offset = 0x48};
  (void)state;
  for (unsigned mem = 0; mem < 2; mem++) {
    uint64_t value = 0;
    frame_begin("emr");
    struct pmon_backend *b = frame_open();
    const uint64_t at = frame_block(b, 0, 12, 0);
    pmon_backend_close(b);
    if (!mem)
      tree_file(&tree, "dev/mem", NULL);
    frame_port(at, 0x101);
    b = frame_open();
    assert_int_equal(b->ops->write(b, &a, 0x35), mem ? 0 : PMON_E_NO_DEVICE);
    assert_int_equal(port_at(0x2048), 0);
    pmon_backend_close(b);
    frame_port(at, 0x40200);
    b = frame_open();
    assert_int_equal(b->ops->write(b, &a, 0x36), 0);
    assert_int_equal(b->ops->read(b, &a, &value), 0);
    assert_int_equal(value, 0x36);
    assert_int_equal(port_at(0x2048), 0x36);
    if (mem)
      assert_int_equal(memory_at(at + 0x48), 0x35);
    pmon_backend_close(b);
    frame_end();
  }
}

/* The block of a port whose device file cannot be mapped, or does not exist: through /dev/mem. */
static void test_a_devices_file_that_may_not_be_mapped(void **state)
{
  static const int errors[] = {EPERM, EINVAL, 0}; /* 0: the file does not exist */
  const struct pmon_address a = {.space = PMON_SPACE_MMIO, .width_bits = 64, .device = 17, .offset = 0x48};
  (void)state;
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    frame_begin("emr");
    struct pmon_backend *b = frame_open();
    const uint64_t at = frame_block(b, 0, 12, 0);
    pmon_backend_close(b);
    frame_port(at, 0x40200);
    if (errors[i]) {
      tree.unmapped[0].name = "resource2";
      tree.unmapped[0].error = errors[i];
    } else {
      tree_file(&tree, "sys/bus/pci/devices/0000:98:00.0/resource2", NULL);
    }
    b = frame_open();
    assert_int_equal(b->ops->write(b, &a, 0x37), 0);
    assert_int_equal(memory_at(at + 0x48), 0x37);
    if (errors[i])
      assert_int_equal(port_at(0x2048), 0);
    pmon_backend_close(b);
    tree.unmapped[errors[i] != 0].name = "mem"; /* then neither can be mapped */
    tree.unmapped[errors[i] != 0].error = EPERM;
    b = frame_open();
    assert_int_equal(b->ops->write(b, &a, 0x38), PMON_E_PERMISSION);
    assert_int_equal(memory_at(at + 0x48), 0x37);
    const char *first = strstr(b->error_text, "0000:98:00.0/resource2: "), *last = strstr(b->error_text, "/mem: ");
    if (!first || !last || first > last || !strstr(first, strerror(errors[i] ? errors[i] : ENOENT)) ||
        !strstr(last, "/mem: Operation not permitted; this needs CAP_SYS_RAWIO"))
      fail_msg("%s", b->error_text);
    pmon_backend_close(b);
    frame_end();
  }
}

/* Writes a mark after the discovery page's entries, in a file that shows the page from `at` on. */
enum { MARK_AT = 0x7fff8 };

static void mark(const char *name, uint64_t at, uint64_t word)
{
  char path[160];
  snprintf(path, sizeof path, "%s/%s", tree.root, name);
  FILE *f = fopen(path, "r+");
  assert_true(f && !fseek(f, (long)(at + MARK_AT), SEEK_SET) && fwrite(&word, sizeof word, 1, f) == 1 && !fclose(f));
}

/* Reads the discovery page through each of its files, with the earlier ones refused; then with all of them refused. */
static void test_each_path_to_the_discovery_page(void **state)
{
  static const char *const files[] = {"sys/bus/pci/devices/0000:67:03.1/resource0",
                                      "sys/bus/pci/devices/0000:67:03.1/resource0_wc", "dev/mem"};
  static const int errors[] = {EPERM, EINVAL, EACCES};
  enum { FILES = 3 };
  struct pmon_address a = {.space = PMON_SPACE_PCI, .width_bits = 32, .device = 7 << 8 | 3 << 3 | 1, .offset = 0x10};
  uint64_t base = 0, value = 0;
  (void)state;
  frame_begin("emr");
  assert_int_equal(machine_read(tree.machine, &a, &base), 0);
  base &= ~UINT64_C(0xf);
  tree_file(&tree, files[1], "");
  for (unsigned i = 0; i < FILES; i++)
    mark(files[i], i == FILES - 1 ? base : 0, i + 1);
  a = (struct pmon_address){.space = PMON_SPACE_MMIO, .width_bits = 32, .device = 16, .offset = MARK_AT};
  for (unsigned refused = 0; refused <= FILES; refused++) {
    struct pmon_backend *b = frame_open();
    assert_int_equal(b->ops->read(b, &a, &value), refused < FILES ? 0 : PMON_E_PERMISSION);
    if (refused < FILES) {
      assert_int_equal(value, refused + 1);
      tree.unmapped[refused].name = strrchr(files[refused], '/') + 1;
      tree.unmapped[refused].error = errors[refused];
    } else {
      for (unsigned i = 0; i < FILES; i++) {
        char part[120];
        snprintf(part, sizeof part, "%s: %s; ", files[i], strerror(errors[i]));
        if (!strstr(b->error_text, part))
          fail_msg("\"%s\" is not in: %s", part, b->error_text);
      }
      assert_non_null(strstr(b->error_text, "; this needs CAP_SYS_RAWIO, and a kernel without lockdown"));
    }
    pmon_backend_close(b);
  }
  frame_end();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cxl_ports_are_placed_by_the_page),
      cmocka_unit_test(test_cxl_ports_that_differ_from_the_page_are_refused),
      cmocka_unit_test(test_second_package_has_separate_blocks),
      cmocka_unit_test(test_a_block_behind_a_devices_bar),
      cmocka_unit_test(test_a_devices_file_that_may_not_be_mapped),
      cmocka_unit_test(test_each_path_to_the_discovery_page),
  };
  return cmocka_run_group_tests_name("blocks", tests, NULL, NULL);
}
