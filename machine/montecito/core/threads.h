/* SPDX-License-Identifier: MIT */
/* Hardware threads of a core (threads.c, urgency.c). */
#ifndef MACHINE_MONTECITO_CORE_THREADS_H
#define MACHINE_MONTECITO_CORE_THREADS_H

#include "machine/montecito/core/state.h"

void switch_record(struct montecito_core *c, const struct montecito_record *r);
void halt_record(struct montecito_core *c, const struct montecito_record *r);
/* The register stack: loads and stores of its engine; an instruction that changes it. */
void rse_record(struct montecito_core *c, const struct montecito_record *r);
void rse_event(struct montecito_core *c, const struct montecito_instruction *v);
/* Events that may make the core switch its threads. */
void urgency_l3_miss(struct montecito_core *c, unsigned thread, uint64_t returns_at);
void urgency_deferred(struct montecito_core *c, const struct montecito_deferred *d);
void urgency_interrupt(struct montecito_core *c, unsigned thread);
/* The active thread yields the core; quiesce: enters low power. */
void urgency_pause(struct montecito_core *c, bool quiesce);
void urgency_switched(struct montecito_core *c);
/* Returns the cycles that the active thread can wait before it is switched out. 0: it is switched out at once;
 * UINT64_MAX: no switch is planned. */
uint64_t urgency_cycles_left(const struct montecito_core *c);

#endif
