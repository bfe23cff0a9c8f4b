/* SPDX-License-Identifier: MIT */
/* A core's time: stretches of cycles, and events that take effect in a later one (cycles.c, deferred.c). */
#ifndef MACHINE_MONTECITO_CORE_CYCLES_H
#define MACHINE_MONTECITO_CORE_CYCLES_H

#include "machine/montecito/core/state.h"

/* Ends the open cycle, and passes the pending stalls that follow it. */
void montecito_end_cycle(struct montecito_core *c);
static inline void montecito_close_cycle(struct montecito_core *c)
{
  if (c->open || c->n_pending)
    montecito_end_cycle(c);
}
/* Advances the core by `cycles`. reason: enum montecito_stall, or -1 for idle cycles, which CPU_OP_CYCLES does not
 * count. */
void montecito_pass_cycles(struct montecito_core *c, int reason, uint64_t cycles);
/* Advances the core by the cycles for which a bundle waits before it issues. Returns false when the wait ends early
 * because the thread should be switched out. */
bool montecito_pass_wait(struct montecito_core *c, unsigned reason, uint64_t cycles);
/* Adds a stall that starts after the open cycle. reason: enum montecito_stall. */
void montecito_stall_add(struct montecito_core *c, unsigned reason, uint32_t cycles);

/* Adds an event that takes effect in a later cycle. */
void montecito_deferred_add(struct montecito_core *c, const struct montecito_deferred *d);
/* Delivers all deferred events before cycle `end`. A request that leaves a queue unobserved is removed when the queue
 * is read next. */
void deferred_deliver(struct montecito_core *c, uint64_t end);
static inline void montecito_deferred_deliver(struct montecito_core *c, uint64_t end)
{
  c->delivered = end > c->delivered ? end : c->delivered;
  if (c->observed_at < end)
    deferred_deliver(c, end);
}
/* Returns the cycle of the first deferred event or, if earlier, of the first request that leaves a queue. UINT64_MAX:
 * there is neither. */
uint64_t deferred_next(struct montecito_core *c);
/* Updates observed_at after deliveries or a new selection. */
void deferred_update_observed(struct montecito_core *c);

#endif
