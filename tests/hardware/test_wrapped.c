/* SPDX-License-Identifier: MIT */
/* Single calls on a backend with few registers: a dry run changes nothing, and which BARs have an address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <pmon/hardware.h>
#include <pmon/pmon.h>

enum { REGISTERS = 0x200, BASE = 0xd0, BAR_2 = 0xe0 };

struct registers {
  struct pmon_backend backend;
  uint64_t value[REGISTERS]; /* by offset */
  unsigned writes;
  char line[160];
};

static int registers_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  *ret_value = ((struct registers *)(void *)b)->value[a->offset];
  return PMON_OK;
}

static int registers_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  struct registers *r = (struct registers *)(void *)b;
  r->value[a->offset] = value;
  r->writes++;
  return PMON_OK;
}

static void registers_close(struct pmon_backend *b)
{
  (void)b;
}

static void registers_init(struct registers *r)
{
  static const struct pmon_backend_ops ops = {.size = sizeof ops,
                                              .name = "registers",
                                              .read = registers_read,
                                              .write = registers_write,
                                              .close = registers_close};
  *r = (struct registers){.backend = {.ops = &ops, .packages = 1}};
}

static void keep_line(void *user, const char *line)
{
  struct registers *r = user;
  snprintf(r->line, sizeof r->line, "%s", line);
}

static void a_dry_run_reads_back_what_it_would_have_written(void **state)
{
  struct pmon_address a = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x10};
  struct registers r;
  struct pmon_backend *dry;
  uint64_t value = 0;
  (void)state;
  registers_init(&r);
  r.value[0x10] = 3;
  assert_int_equal(pmon_backend_dry_new(&r.backend, keep_line, &r, &dry), PMON_OK);
  assert_int_equal(dry->ops->read(dry, &a, &value), PMON_OK);
  assert_int_equal(value, 3);
  assert_string_equal(r.line, "");
  assert_int_equal(dry->ops->write(dry, &a, 4), PMON_OK);
  assert_string_equal(r.line, "write 0 msr 0x10 64 0x4");
  assert_int_equal(dry->ops->read(dry, &a, &value), PMON_OK);
  assert_int_equal(value, 4);
  assert_int_equal(r.value[0x10], 3);
  assert_int_equal(r.writes, 0);
  a.offset++;
  assert_int_equal(dry->ops->read(dry, &a, &value), PMON_OK);
  assert_int_equal(value, 0);
  pmon_backend_close(dry);
}

/* MMIO_BASE and MEM2_BAR of 817509 1.10.3: an address needs both registers. */
static void a_bar_without_base_or_range_has_no_address(void **state)
{
  struct registers r;
  uint64_t address = 0, size = 0;
  (void)state;
  registers_init(&r);
  r.value[BAR_2] = UINT64_C(0x12) << 13 | 0x10;
  assert_int_equal(pmon_bar_address(&r.backend, 0, 2, &address, &size), PMON_E_NO_DEVICE);
  r.value[BASE] = 0x97;
  assert_int_equal(pmon_bar_address(&r.backend, 0, 2, &address, &size), PMON_OK);
  assert_int_equal(address, UINT64_C(0x97) << 23 | 0x10 << 12);
  assert_int_equal(size, 3 << 12);
  r.value[BAR_2] = 0;
  assert_int_equal(pmon_bar_address(&r.backend, 0, 2, &address, &size), PMON_E_NO_DEVICE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_dry_run_reads_back_what_it_would_have_written),
                                     cmocka_unit_test(a_bar_without_base_or_range_has_no_address)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
