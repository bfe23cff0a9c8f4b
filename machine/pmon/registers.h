/* SPDX-License-Identifier: MIT */
/* One register of the map: a read, and a write of some of its bits. */
#ifndef MACHINE_PMON_REGISTERS_H
#define MACHINE_PMON_REGISTERS_H

#include "machine/pmon/map.h"
#include "machine/pmon/state.h"

struct reg_write {
  struct socket *socket;
  const struct reg *reg;
  const struct pmon_address *address; /* the address that software used, for the violation record */
  uint64_t value, mask;               /* mask: the bits that the access writes */
};

uint64_t register_read(const struct machine *m, const struct socket *s, const struct reg *r);
void register_write(struct machine *m, const struct reg_write *w);
void violation_add(struct machine *m, const struct machine_violation *v);

#endif
