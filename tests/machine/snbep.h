/* SPDX-License-Identifier: MIT */
/* Shared by the tests of the E5-2600's boxes: bits of the registers, and a machine for each test. */
#ifndef TESTS_MACHINE_SNBEP_H
#define TESTS_MACHINE_SNBEP_H

#include <pmon/access.h>
#include "machine/config.h"
#include "machine/pmon/block.h"
#include "machine/pmon/state.h"
#include "machine/snbep/attr.h"
#include "machine/snbep/units.h"
#include "tests/machine/access.h"

enum { EN = 1 << 22, EDGE = 1 << 18, INVERT = 1 << 23, TID_EN = 1 << 19, FRZ_EN = 1 << 16, FRZ = 1 << 8 };
#define THRESH(n) ((uint64_t)(n) << 24)
#define NS UINT64_C(1000000)

static inline int set_up(void **state)
{
  struct machine_config config;
  struct machine *m = NULL;
  char error[200];
  assert_int_equal(machine_config_preset(&config, "snbep"), 0);
  config.value[CONFIG_UNCORE_GHZ] = 1000; /* a cycle is a nanosecond */
  assert_int_equal(machine_new(&config, error, sizeof error, &m), 0);
  *state = m;
  return 0;
}

static inline int tear_down(void **state)
{
  machine_free(*state);
  return 0;
}

static inline struct pmon_address pci(unsigned dev, unsigned fn, uint64_t offset, uint8_t width)
{
  return wide(PMON_SPACE_PCI, SNBEP_DEVICE(dev, fn), offset, width);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
