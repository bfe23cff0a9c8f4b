/* SPDX-License-Identifier: MIT */
/*
 * A small register file whose counters count at a known rate: an event of code n counts n per nanosecond. A register is
 * created when it is first accessed, with a content of its own, so that a register that was not restored is noticed.
 */
#ifndef TESTS_ENGINE_FAKE_H
#define TESTS_ENGINE_FAKE_H

#include <pmon/access.h>
#include <pmon/platform.h>

enum { FAKE_REGISTERS = 4096 };

struct fake_register {
  struct pmon_address address;
  struct pmon_register_id id;
  uint64_t value, start;
  uint32_t role;
  bool written;
};

struct fake {
  struct pmon_backend backend;
  const struct pmon_platform *platform;
  struct fake_register regs[FAKE_REGISTERS];
  uint32_t n;
  uint64_t now_ns, end_ns; /* end_ns: the workload's end */
  bool frozen[2];
  uint32_t missing_unit;               /* this unit has instance 0 only; UINT32_MAX: no instance is missing */
  uint32_t still_unit, still_instance; /* this instance counts nothing; unit UINT32_MAX: all count */
  uint64_t steal_at_ns;                /* at this time other software writes every control register; 0: never */
  uint32_t steal_counter;              /* only those of this counter of each unit; UINT32_MAX: of all */
  uint64_t access_ns;                  /* duration of an access, which takes effect at its end */
  uint64_t closes;
  uint64_t reads, writes, freezes; /* freezes: writes that freeze counters */
};

void fake_init(struct fake *f, const struct pmon_platform *platform);

/* Returns the number of registers that do not hold their first content, plus 1 if a package is frozen; text: the
 * name of the first register. Counters that were never written are not compared: they count on for whoever
 * programmed them. */
uint32_t fake_changed(const struct fake *f, char *text, size_t size);

#endif
