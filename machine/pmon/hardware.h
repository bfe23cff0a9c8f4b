/* SPDX-License-Identifier: MIT */
/* The PMON hardware of a processor: its units, registers and clocks, as tables and a few functions. */
#ifndef MACHINE_PMON_HARDWARE_H
#define MACHINE_PMON_HARDWARE_H

#include <stdbool.h>
#include <stdint.h>
#include <pmon/access.h>
#include "machine/pmon/unit.h"

/* Maximum number of sockets; I/O stacks of a socket whose root buses the machine's registers can name, and the bus
 * numbers there. */
enum { MACHINE_SOCKETS = 8, MACHINE_STACKS = 16, MACHINE_BUSES = 16 };

struct machine;
struct machine_config; /* machine/common/config.h */

/* A clock and its rate: hz, or parameter `config` in MHz divided by `divide` when that is not 0. */
struct platform_clock {
  const char *name;
  uint64_t hz;
  unsigned config, divide;
};

struct machine_platform {
  const char *name;               /* as in the parameter "platform" */
  const struct pmon_unit *units;  /* ends with name NULL */
  const struct reg_rows *globals; /* registers of a socket that belong to no block; ends with name NULL */
  const struct pmon_rules *rules;
  const struct platform_clock *clocks; /* ends with name NULL; a unit whose clock is not there has the last one */
  /* Returns the number of a unit's blocks on a machine with this configuration. */
  unsigned (*present)(const struct machine_config *config, const struct pmon_unit *u);
  /* Reads a read-only register other than PMON registers: one dword (or MSR). False: nothing there. */
  bool (*info)(const struct machine *m, const struct pmon_address *a, uint64_t *ret_value);
  /* The I/O stack of each of the package's bus numbers; MACHINE_STACKS: none. NULL: the platform has no such
   * numbers. */
  const uint8_t *stack_of_bus; /* MACHINE_BUSES */
};

#endif
