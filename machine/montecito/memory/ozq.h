/* SPDX-License-Identifier: MIT */
/* The queue of the L2D. */
#ifndef MACHINE_MONTECITO_MEMORY_OZQ_H
#define MACHINE_MONTECITO_MEMORY_OZQ_H

#include "machine/montecito/core/state.h"

/* Enters an access after its look-up in the L2D; records a victim, a snoop, an ordering instruction, an access to
 * uncached memory; signals the cycles with full queues. */
void ozq_insert(struct montecito_core *c, const struct montecito_instruction *v, unsigned outcome,
                const struct montecito_access *a);
void ozq_victim(struct montecito_core *c, uint64_t address);
void ozq_snoop(struct montecito_core *c, uint64_t address);
void ozq_order(struct montecito_core *c, const struct montecito_instruction *v);
void ozq_uncached(struct montecito_core *c, const struct montecito_instruction *v);
void ozq_levels(struct montecito_core *c);

#endif
