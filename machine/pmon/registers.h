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

/* Returns the bits for which a processor refuses the write of an MSR: the reserved ones; all, if none can be written.
 * 0: it accepts the write. */
uint64_t register_refused(const struct reg_write *w);
uint64_t register_read(const struct machine *m, const struct socket *s, const struct reg *r);
/* Records the violations of a write, whether or not the write is performed. */
void register_check_bits(struct machine *m, const struct reg_write *w);
void register_write(struct machine *m, const struct reg_write *w);
void violation_add(struct machine *m, const struct machine_violation *v);

#endif
