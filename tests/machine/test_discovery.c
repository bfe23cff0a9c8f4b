/* SPDX-License-Identifier: MIT */
/*
 * Discovery as by a driver that knows only the guide's 1.9 and 1.10: the discovery device among all devices, its page,
 * the buses, the memory BARs; then each block is programmed through the addresses of the page.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/platform.h>
#include "machine/config.h"
#include "machine/machine.h"

struct driver {
  struct machine *m;
  uint32_t package, buses[2], bus_numbers[2];
};

static int discovery_set_up(void **state)
{
  static struct driver d;
  char error[200];
  memset(&d, 0, sizeof d);
  assert_int_equal(machine_new(NULL, error, sizeof error, &d.m), 0);
  *state = &d;
  return 0;
}

static int discovery_tear_down(void **state)
{
  machine_free(((struct driver *)*state)->m);
  return 0;
}

static uint32_t config(struct driver *d, uint32_t bus, uint32_t dev, uint32_t fn, uint32_t offset)
{
  struct pmon_address a = {.package = d->package,
                           .space = PMON_SPACE_PCI,
                           .width_bits = 32,
                           .device = bus << 8 | dev << 3 | fn,
                           .offset = offset};
  uint64_t value;
  return machine_read(d->m, &a, &value) ? UINT32_MAX : (uint32_t)value;
}

static uint64_t mmio(struct driver *d, uint32_t bar, uint64_t offset, uint8_t width)
{
  struct pmon_address a = {
      .package = d->package, .space = PMON_SPACE_MMIO, .width_bits = width, .device = bar, .offset = offset};
  uint64_t value;
  return machine_read(d->m, &a, &value) ? UINT64_MAX : value;
}

/* Returns the offset of the DVSEC that refers to the discovery table, or 0. */
static uint32_t discovery_capability(struct driver *d, uint32_t bus, uint32_t dev, uint32_t fn)
{
  for (uint32_t at = 0x100; at; at = config(d, bus, dev, fn, at) >> 20)
    if ((config(d, bus, dev, fn, at) & 0xfffff) == 0x10023 && (config(d, bus, dev, fn, at + 4) & 0xffff) == 0x8086 &&
        (config(d, bus, dev, fn, at + 8) & 0xffff) == 1)
      return at;
  return 0;
}

struct unit {
  unsigned regs, width, access, type, id, position;
  uint64_t ctl, ctr, status, address;
};

static struct unit parse(struct driver *d, uint64_t at)
{
  uint64_t w0 = mmio(d, 16, at, 64), w1 = mmio(d, 16, at + 8, 64), w2 = mmio(d, 16, at + 16, 64);
  return (struct unit){.regs = w0 & 0xff,
                       .ctl = w0 >> 8 & 0xff,
                       .width = w0 >> 16 & 0xff,
                       .ctr = w0 >> 24 & 0xff,
                       .status = w0 >> 32 & 0xff,
                       .access = (unsigned)(w0 >> 62),
                       .address = w1,
                       .type = w2 & 0xffff,
                       .id = w2 >> 16 & 0xffff,
                       .position = w2 >> 32 & 0xffff};
}

/* Translates an address of the page into an address of the machine, by the buses and BARs of this socket. */
static struct pmon_address locate(struct driver *d, const struct unit *u, uint64_t offset, uint8_t width)
{
  struct pmon_address a = {.package = d->package, .width_bits = width};
  uint64_t base = (uint64_t)(config(d, 30, 0, 1, 0xd0) & 0x1fffffff) << 23;
  if (u->access == 0) {
    a.space = PMON_SPACE_MSR;
    a.width_bits = 64;
    a.offset = u->address + offset;
  } else if (u->access == 2) {
    uint32_t bus = u->address >> 20 & 0xff;
    assert_true(u->address >> 31 & 1);
    a.space = PMON_SPACE_PCI;
    a.device = (bus == 0x7e || bus == 0xfe ? 30u : 31u) << 8 | (u->address >> 12 & 0xff);
    a.offset = (u->address & 0xfff) + offset;
  } else {
    a.space = PMON_SPACE_MMIO;
    a.device = 17;
    a.offset = u->address - base - 0x2000000;
    for (uint32_t i = 0; i < 4; i++) {
      uint64_t bar = base + ((uint64_t)(config(d, 30, 0, 1, 0xd8 + 4 * i) & 0x7ff) << 12);
      if (u->address >= bar && u->address < bar + 0x100000) {
        a.device = i;
        a.offset = u->address - bar;
      }
    }
    a.offset += offset;
  }
  return a;
}

static void discovery_program(struct driver *d, const struct unit *u)
{
  const bool narrow = u->type == 6; /* drivers know that the iMC's controls are 4 bytes apart */
  const uint64_t ctl_step = u->access == 0 ? 1 : narrow ? 4 : 8, ctr_step = u->access == 0 ? 1 : 8;
  uint64_t value;
  for (unsigned i = 0; i < u->regs; i++) {
    struct pmon_address ctl = locate(d, u, u->ctl + i * ctl_step, narrow ? 32 : 64);
    struct pmon_address ctr = locate(d, u, u->ctr + i * ctr_step, 64);
    assert_int_equal(machine_write(d->m, &ctl, 0x101 + i), 0);
    assert_int_equal(machine_write(d->m, &ctr, 1000 + i), 0);
    assert_int_equal(machine_read(d->m, &ctl, &value), 0);
    assert_int_equal(value, 0x101 + i);
    assert_int_equal(machine_read(d->m, &ctr, &value), 0);
    assert_int_equal(value, 1000 + i);
  }
  struct pmon_address status = locate(d, u, u->status, 32), control = locate(d, u, 0, 32);
  assert_int_equal(machine_read(d->m, &status, &value), 0);
  assert_int_equal(value, 0);
  assert_int_equal(machine_write(d->m, &control, 0x300), 0);
  struct pmon_address first = locate(d, u, u->ctr, 64);
  assert_int_equal(machine_read(d->m, &first, &value), 0);
  assert_int_equal(value, 0);
}

/* Tables 1-9 and 1-12, and the type ids that drivers know. */
static const struct {
  unsigned type, units, regs;
} known[] = {
    {0, 64, 4}, {1, 10, 4}, {2, 10, 2}, {3, 10, 4},  {4, 1, 4},  {5, 1, 2},  {6, 8, 4},
    {7, 4, 4},  {8, 4, 4},  {9, 4, 4},  {11, 14, 4}, {12, 6, 8}, {13, 6, 4},
};

static void walk_page(struct driver *d)
{
  uint64_t w0 = mmio(d, 16, 0, 64);
  unsigned stride = w0 >> 8 & 0xff, units = w0 >> 16 & 0x3ff, seen[16] = {0};
  assert_int_equal(mmio(d, 16, 8, 64), 0x2ff0);
  assert_int_equal(mmio(d, 16, 16, 64) & 0xff, 2);
  for (unsigned i = 0; i < units; i++) {
    struct unit u = parse(d, (uint64_t)(i + 1) * stride * 8);
    assert_true(u.type < 16);
    assert_int_equal(u.width, 48);
    assert_in_range(u.position, 2, 127);
    assert_int_equal(u.id, seen[u.type]++);
    discovery_program(d, &u);
  }
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
    assert_int_equal(seen[known[i].type], known[i].units);
    units -= known[i].units;
  }
  assert_int_equal(units, 0);
  assert_int_equal(mmio(d, 16, (uint64_t)(w0 >> 16 & 0x3ff) * stride * 8 + stride * 8, 64), UINT64_MAX);
}

static void test_page(void **state)
{
  struct driver *d = *state;
  for (d->package = 0; d->package < 2; d->package++) {
    unsigned found = 0;
    for (uint32_t bus = 0; bus < 32; bus++)
      for (uint32_t devfn = 0; devfn < 256; devfn++) {
        uint32_t id = config(d, bus, devfn >> 3, devfn & 7, 0);
        if (id == UINT32_MAX)
          continue;
        assert_int_equal(id & 0xffff, 0x8086);
        if (!discovery_capability(d, bus, devfn >> 3, devfn & 7))
          continue;
        assert_int_equal(id >> 16, 0x09a7);
        assert_int_not_equal(config(d, bus, devfn >> 3, devfn & 7, 0x10) & ~0xfffu, 0);
        found++;
      }
    assert_int_equal(found, 1);
    walk_page(d);
  }
}

/* The words that other software expects for the first blocks of each type (register offsets in one word). */
static void test_words(void **state)
{
  struct driver *d = *state;
  static const struct {
    unsigned type;
    uint64_t word0, address;
  } want[] = {
      {0, 0x0000000108300204, 0x2000},
      {2, 0x0000000108300202, 0x3400},
      {4, 0x0000000108300204, 0x2fc0},
      {6, 0x4000005c08304004, 0},
      {7, 0x8000007008303004, 0x80000000 + (0x7eu << 20) + (12u << 15) + 0x438},
      {8, 0x8000007408303804, 0x80000000 + (0x7eu << 20) + (1u << 15) + 0x1318},
      {9, 0x8000005808303804, 0x80000000 + (0x7eu << 20) + (5u << 15) + 0x10a0},
  };
  for (unsigned k = 0; k < sizeof want / sizeof *want; k++) {
    unsigned i = 1;
    while ((mmio(d, 16, i * 64 + 16, 64) & 0xffff) != want[k].type)
      i++;
    assert_int_equal(mmio(d, 16, i * 64, 64), want[k].word0);
    if (want[k].address)
      assert_int_equal(mmio(d, 16, i * 64 + 8, 64), want[k].address);
  }
}

/* 1.7.1, 1.10.2 */
static void test_capabilities(void **state)
{
  struct driver *d = *state;
  for (d->package = 0; d->package < 2; d->package++) {
    assert_int_equal(config(d, 31, 30, 3, 0), 0x325b8086);
    assert_int_equal(config(d, 31, 30, 3, 0x9c), UINT32_MAX);
    assert_int_equal(config(d, 31, 30, 3, 0xa0), UINT32_MAX);
    assert_int_equal(config(d, 31, 30, 3, 0x94) >> 23 & 0x3f, 0xf);
    assert_int_equal(config(d, 30, 0, 0, 0), 0x32508086);
    assert_int_equal(config(d, 30, 0, 0, 0xd4) >> 3 * d->package & 7, config(d, 30, 0, 0, 0xc0) & 7);
  }
}

/* The list in the library's facts for a large die of that processor model, and its first number. */
static const char *stacks_of_buses(struct pmon_context *context, const char *platform, const char *model)
{
  const struct pmon_platform *p;
  struct pmon_unit_info iio = {.size = sizeof iio};
  assert_int_equal(pmon_platform_find(context, platform, &p), 0);
  uint32_t unit;
  assert_int_equal(pmon_unit_find(p, "iio", &unit), 0);
  assert_int_equal(pmon_unit_describe(p, unit, &iio), 0);
  const char *list = strstr(iio.root_buses, model);
  assert_non_null(list);
  return strchr(list, '=') + 1;
}

/* The bus numbers of device 09A6 are in the order that Intel PCM knows for each processor, by which pmon reads them. */
static void test_bus_numbers(void **state)
{
  static const struct {
    const char *platform, *model;
  } processors[] = {{"emr", "cf.3"}, {"spr", "8f.3"}};
  (void)state;
  for (unsigned i = 0; i < 2; i++) {
    struct driver d = {.package = 1};
    struct machine_config c;
    struct pmon_context *context;
    char error[200], *end;
    unsigned named = 0;
    assert_int_equal(machine_config_preset(&c, processors[i].platform), 0);
    assert_int_equal(machine_new(&c, error, sizeof error, &d.m), 0);
    assert_int_equal(pmon_context_new(&context), 0);
    for (unsigned stack = 0; stack < 10; stack++)
      machine_set_root_bus(d.m, 1, stack, 0x40 + stack);
    const char *at = stacks_of_buses(context, processors[i].platform, processors[i].model);
    for (unsigned number = 0; number < 12; number++, at += strcspn(at, ", "), at += *at == ',') {
      const unsigned long stack = strtoul(at, &end, 10);
      const uint32_t bus = config(&d, 7, 3, 0, 0x190 + (number & ~3u)) >> 8 * (number % 4) & 0xff;
      assert_int_equal(config(&d, 7, 3, 0, 0x1a0) >> number & 1, end > at);
      assert_int_equal(bus, end > at ? 0x40 + stack : 0);
      named += end > at;
    }
    assert_int_equal(named, 10);
    d.package = 0;
    assert_int_equal(config(&d, 7, 3, 0, 0x1a0), 0);
    pmon_context_free(context);
    machine_free(d.m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bus_numbers),
      cmocka_unit_test_setup_teardown(test_page, discovery_set_up, discovery_tear_down),
      cmocka_unit_test_setup_teardown(test_words, discovery_set_up, discovery_tear_down),
      cmocka_unit_test_setup_teardown(test_capabilities, discovery_set_up, discovery_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
