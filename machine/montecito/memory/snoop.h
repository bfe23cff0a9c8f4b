/* SPDX-License-Identifier: MIT */
/* The bus and the other core (bus.c, snoop.c). */
#ifndef MACHINE_MONTECITO_MEMORY_SNOOP_H
#define MACHINE_MONTECITO_MEMORY_SNOOP_H

#include "machine/montecito/core/state.h"

void bus_deferred(struct montecito_core *c, const struct montecito_deferred *d);
/* Another agent's transaction snooped this core. found: 0 miss, 1 hit, 2 hitm. */
void bus_snooped(struct montecito_core *c, uint64_t address, unsigned found);
/* Snoops the other core's caches for a read or an invalidation. Returns 0: no cache has the line; 1: it is clean; 2: it
 * is modified. */
unsigned snoop_other_core(struct montecito_core *c, uint64_t address, bool invalidate);
void snoop_record(struct montecito_core *c, const struct montecito_record *r);
/* fc: removes the line from all caches of the processor, and writes a modified one to memory. */
void flush_line(struct montecito_core *c, uint64_t address);

#endif
