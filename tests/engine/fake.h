/* SPDX-License-Identifier: MIT */
/*
 * A tiny register file with counters that count at a known rate: event code n counts n times a nanosecond. Registers
 * come into being when they are first touched, with a content of their own, so that what is not restored is found.
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
  uint64_t now_ns, end_ns; /* the workload ends there */
  bool frozen[2];
  uint32_t missing_unit;               /* instances above 0 of it are not there; UINT32_MAX: all are */
  uint32_t still_unit, still_instance; /* counts nothing; unit UINT32_MAX: all count */
  uint64_t steal_at_ns;                /* then other software writes every control register; 0: never */
  uint32_t steal_counter;              /* those of one counter of each unit; UINT32_MAX: of all */
  uint64_t access_ns;                  /* time that an access takes; it has its effect at the end of it */
  uint64_t closes;
  uint64_t reads, writes, freezes; /* freezes: writes of registers that hold counters still */
};

void fake_init(struct fake *f, const struct pmon_platform *platform);

/* How many registers do not hold what they held at first; the name of the first of them in text. Counters that no event
 * wrote count on for whoever programmed them. */
uint32_t fake_changed(const struct fake *f, char *text, size_t size);

#endif
