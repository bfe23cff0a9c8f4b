/* SPDX-License-Identifier: MIT */
/* The I/O stack to which a root bus of the PCI tree belongs. */
#ifndef CLI_TARGET_ROOT_BUSES_H
#define CLI_TARGET_ROOT_BUSES_H

#include <pmon/platform.h>
#include "cli/target/hardware.h"

struct root_bus {
  unsigned domain, bus;
  uint32_t package, instance;
};

enum root_bus_source {
  ROOT_BUSES_NONE,      /* not known: `denied` when the registers cannot be read */
  ROOT_BUSES_KERNEL,    /* the kernel's files of the stacks' PMUs */
  ROOT_BUSES_PROCESSOR, /* the processor's registers, and the facts */
};

struct root_buses {
  enum root_bus_source source;
  bool unsure; /* the facts have no second source for the stacks' numbers */
  bool denied; /* there are registers, but reading them takes privileges */
  uint32_t n;
  struct root_bus bus[256];
};

/* Reads the root buses from the kernel's files (uncore_iio_N/dieK), or without those from the processor's device of bus
 * numbers (8086:09A6 of Sapphire and Emerald Rapids). */
void root_buses_read(const struct hardware *h, const struct pmon_unit_info *unit, struct root_buses *ret_buses);

/* NULL: the bus belongs to no stack. */
const struct root_bus *root_buses_find(const struct root_buses *buses, unsigned domain, unsigned bus);

#endif
