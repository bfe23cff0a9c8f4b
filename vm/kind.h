/* SPDX-License-Identifier: MIT */
/* How the machine's processor appears to a guest. */
#ifndef VM_KIND_H
#define VM_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "machine/common/guest.h"

enum { KIND_SOCKETS = 2 };

/* The running part of the machine: up to KIND_SOCKETS sockets. A socket's running processors are those with its lowest
 * numbers. */
struct guest_shape {
  unsigned sockets, cores, running;
}; /* the last two of each socket */

/* Returns the kind of the processor model with that name (machine/model.h); NULL: no guest can run on it. */
const struct guest_kind *guest_kind_named(const char *platform);
/* Returns how many processors of a socket with `cores` cores must run for a kernel of that release (as `uname -r`
 * prints it; "": Debian 12's) to use all units. */
unsigned guest_kind_processors(const struct guest_kind *kind, const char *release, unsigned cores);

struct pmon_address;
/* Formats the place at which the guest sees a register: `7f:0e.1 0xf4` for PCI configuration space, `physical
 * 0xe8022840` for memory, "" for an MSR, which has the same number there, and for registers that the guest cannot
 * see. */
void guest_kind_address(const struct guest_kind *kind, const struct pmon_address *a, char *text, size_t size);

#endif
