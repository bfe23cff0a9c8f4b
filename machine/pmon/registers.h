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

/* Bits for which a processor refuses to write its MSR: the reserved ones; all, if none can be written. 0: it accepts.
 */
uint64_t register_refused(const struct reg_write *w);
uint64_t register_read(const struct machine *m, const struct socket *s, const struct reg *r);
/* Records the violations of a write; it need not be made. */
void register_check_bits(struct machine *m, const struct reg_write *w);
void register_write(struct machine *m, const struct reg_write *w);
void violation_add(struct machine *m, const struct machine_violation *v);

#endif
