/* SPDX-License-Identifier: MIT */
/* Instruction fetch. */
#ifndef MACHINE_MONTECITO_FRONT_FETCH_H
#define MACHINE_MONTECITO_FRONT_FETCH_H

#include "machine/montecito/core/state.h"

enum { FETCH_BYTES = 32 };
/* Fetches the block of a bundle, from the level that its record states or that the caches give. */
void fetch_demand(struct montecito_core *c, const struct montecito_bundle *b);
bool fetch_is_hit(struct montecito_core *c, const struct montecito_bundle *b);
static inline bool fetch_is_needed(const struct montecito_core *c, const struct montecito_bundle *b)
{
  return b->address / FETCH_BYTES != c->fetch_line || c->fetch_again || b->where != WHERE_ANY || b->tlb != TLB_ANY;
}
static inline void fetch_bundle(struct montecito_core *c, const struct montecito_bundle *b)
{
  if (fetch_is_needed(c, b))
    fetch_demand(c, b);
}
/* True if the bundle lies in the block fetched last or hits the L1I, so that it can join the open cycle. */
static inline bool fetch_is_quiet(struct montecito_core *c, const struct montecito_bundle *b)
{
  return !fetch_is_needed(c, b) || fetch_is_hit(c, b);
}
/* Prefetches the two lines after that of a branch's target, and starts streaming from there; the line that brp
 * names. */
void fetch_prefetch(struct montecito_core *c, uint64_t target, bool uncached);
void fetch_hint(struct montecito_core *c, uint64_t target);
void fetch_deferred(struct montecito_core *c, const struct montecito_deferred *d);

#endif
