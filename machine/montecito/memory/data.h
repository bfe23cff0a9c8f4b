/* SPDX-License-Identifier: MIT */
/* Accesses to data (data.c, uncached.c). */
#ifndef MACHINE_MONTECITO_MEMORY_DATA_H
#define MACHINE_MONTECITO_MEMORY_DATA_H

#include "machine/montecito/core/state.h"

/* Returns the level that served the access, enum montecito_hit_level. */
uint8_t data_access(struct montecito_core *c, const struct montecito_instruction *v);
/* Makes a load or store of the register stack engine. */
void data_rse(struct montecito_core *c, uint64_t address, bool store);
/* Accesses uncached memory; writes all coalescing buffers to the bus. */
void uncached_access(struct montecito_core *c, const struct montecito_slot *s, bool write, uint32_t latency);
void uncached_drain(struct montecito_core *c);

#endif
