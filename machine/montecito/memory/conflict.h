/* SPDX-License-Identifier: MIT */
/* Adds the stalls of conflicting accesses in programs: conflict_access() for any access, conflict_secondary() for a
 * secondary miss, whose line arrives in cycle `arrives`. Private to machine/montecito/. */
#ifndef MACHINE_MONTECITO_MEMORY_CONFLICT_H
#define MACHINE_MONTECITO_MEMORY_CONFLICT_H

#include "machine/montecito/core/state.h"

void conflict_access(struct montecito_core *c, const struct montecito_slot *s);
void conflict_secondary(struct montecito_core *c, const struct montecito_slot *s, uint64_t arrives);

#endif
