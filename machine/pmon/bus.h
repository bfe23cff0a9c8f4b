/* SPDX-License-Identifier: MIT */
/* Register accesses to the machine's PMON hardware, and the interrupt that an overflow requests. */
#ifndef MACHINE_PMON_BUS_H
#define MACHINE_PMON_BUS_H

#include <stdbool.h>
#include <stdint.h>
#include <pmon/access.h>

struct machine;

/* One register access, as a driver on that socket would make it. */
int machine_read(struct machine *m, const struct pmon_address *a, uint64_t *ret_value);
int machine_write(struct machine *m, const struct pmon_address *a, uint64_t value);

/* Returns text that says which access was refused last, and why; NULL: none. Valid until the next call. */
const char *machine_error(struct machine *m);

/* `on`: writes of an MSR's reserved bits fail from now on, as a processor answers them with a general protection fault
 * (SDM4 2.1): machine_write() records the violation, leaves the register as it is, and returns PMON_E_RANGE. Initially
 * off: the bits are ignored. Registers other than MSRs always ignore them. */
void machine_set_faults(struct machine *m, bool on);
/* `aside`: accesses from now on are pmon's own, not those of the software that runs, and do not count for hardware
 * faults that begin after a number of accesses (faults.h). Initially all accesses count. */
void machine_faults_aside(struct machine *m, bool aside);

/* The interrupt that an overflow requests: the UBox received a block's message, froze the socket and interrupts a core
 * (Emerald Rapids guide, 1.3.1 and 1.4.0.2; this revision has no field that selects the core or disables it). The
 * E5-2600 has none (its 2.1), so that no function is called there. */
struct machine_pmi {
  unsigned socket;
  uint64_t time_fs, global_status[2];
};
typedef void (*machine_pmi_fn)(void *arg, const struct machine_pmi *pmi);
/* Calls `fn` for each interrupt from now on, within machine_run() or an access; it may not run the machine. NULL: no
 * function. */
void machine_listen(struct machine *m, machine_pmi_fn fn, void *arg);
/* Returns the number of interrupts that a socket has sent. */
uint64_t machine_pmis(const struct machine *m, unsigned socket);

#endif
