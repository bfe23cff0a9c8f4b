/* SPDX-License-Identifier: MIT */
/* The firmware's flush of whole caches: modified lines go to memory over the bus; it takes no time. */
#include "machine/montecito/core/state.h"

/* A line of the L2D is usually in the L3 as well, which then takes the modified data. */
static void flush_write_back(struct montecito_core *c, const struct montecito_cache *cache, uint64_t address)
{
  if (cache != &c->memory.l3 && cache_state(&c->memory.l3, address))
    cache_set_state(&c->memory.l3, address, MESI_M);
  else
    bus_transaction(c, &(struct bus_request){.kind = BUS_WRITE_LINE, .thread = c->active, .address = address});
}

/* Lines are removed from the end of a set, so that the earlier lines keep their places. */
static void flush_cache(struct montecito_core *c, struct montecito_cache *cache, bool invalidate)
{
  for (uint32_t set = 0; set < cache->sets; set++)
    for (unsigned way = cache->ways; way--;) {
      const uint64_t entry = cache->lines[set * cache->ways + way], number = entry >> CACHE_STATE_BITS;
      const uint64_t address = ((number << cache->set_bits | set) << cache->shift) ^ cache->space;
      const uint8_t state = entry & CACHE_STATE_MASK;
      if (state == MESI_M)
        flush_write_back(c, cache, address);
      if (state == MESI_M && !invalidate)
        cache_set_state(cache, address, MESI_E);
      if (state && invalidate && cache == &c->memory.l1i)
        predict_drop_line(&c->memory, address);
      else if (state && invalidate)
        cache_set_state(cache, address, 0);
    }
}

void montecito_cache_flush(struct montecito_machine *m, unsigned thread, enum montecito_cache_name name,
                           bool invalidate)
{
  struct montecito_core *c = &m->cores[thread / 2];
  struct montecito_cache *const caches[MONTECITO_CACHES] = {&c->memory.l1i, &c->memory.l2i, &c->memory.l1d,
                                                            &c->memory.l2d, &c->memory.l3};
  flush_cache(c, caches[name], invalidate);
}
