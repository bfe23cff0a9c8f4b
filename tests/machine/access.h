/* SPDX-License-Identifier: MIT */
/* Register accesses for tests: every access must succeed. Include after cmocka. */
#ifndef TESTS_MACHINE_ACCESS_H
#define TESTS_MACHINE_ACCESS_H

#include "machine/machine.h"

static inline void msr_put(struct machine *m, uint32_t package, uint64_t number, uint64_t value)
{
  struct pmon_address a = {.package = package, .space = PMON_SPACE_MSR, .width_bits = 64, .offset = number};
  assert_int_equal(machine_write(m, &a, value), 0);
}

static inline uint64_t msr_get(struct machine *m, uint32_t package, uint64_t number)
{
  struct pmon_address a = {.package = package, .space = PMON_SPACE_MSR, .width_bits = 64, .offset = number};
  uint64_t value = 0;
  assert_int_equal(machine_read(m, &a, &value), 0);
  return value;
}

static inline struct pmon_address wide(uint8_t space, uint32_t device, uint64_t offset, uint8_t width)
{
  return (struct pmon_address){.space = space, .width_bits = width, .device = device, .offset = offset};
}

static inline void put_at(struct machine *m, struct pmon_address a, uint64_t value)
{
  assert_int_equal(machine_write(m, &a, value), 0);
}

static inline uint64_t get_at(struct machine *m, struct pmon_address a)
{
  uint64_t value = 0;
  assert_int_equal(machine_read(m, &a, &value), 0);
  return value;
}

static inline void run_to(struct machine *m, uint64_t fs)
{
  char error[200];
  bool ended;
  assert_int_equal(machine_run(m, fs, &ended, error, sizeof error), 0);
}

#endif
