/* SPDX-License-Identifier: MIT */
/*
 * A set-associative store of tags with exact least-recently-used order: the entries of a set stand most recent
 * first. An entry is line << 8 | state and flags; 0 is an empty one. Storage comes zeroed from the system and is
 * touched only where lines are.
 */
#ifndef MACHINE_TRAFFIC_CACHE_H
#define MACHINE_TRAFFIC_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* MESIF. In a core's L2: S, E, M. In the LLC: S (the socket may not own it), F, E, M. */
enum line_state { LINE_I, LINE_S, LINE_F, LINE_E, LINE_M };
#define ENTRY_STATE 7u
#define ENTRY_IN_L1 8u          /* L2: a first level may hold it */
#define ENTRY_PREFETCHED 16u    /* L2: not asked for since its prefetch */

struct cache {
  uint64_t *entry;
  size_t bytes;
  uint64_t set_mask;
  uint32_t ways;
};

/* `banks` times `size` bytes of lines. PMON_E_MEMORY. */
int cache_init(struct cache *c, uint64_t banks, uint64_t size, uint32_t ways);
void cache_fini(struct cache *c);
/* Zeroed memory that costs nothing until it is touched; NULL when there is none. */
void *pages_get(size_t bytes);
void pages_put(void *pages, size_t bytes);

static inline uint64_t *cache_set(const struct cache *c, uint64_t bank, uint64_t index)
{
  return c->entry + (bank * (c->set_mask + 1) + (index & c->set_mask)) * c->ways;
}

/* The way that holds `line`; `ways` when none does. */
static inline uint32_t cache_find(const uint64_t *set, uint32_t ways, uint64_t line)
{
  uint32_t i = 0;
  while (i < ways && set[i] >> 8 != line)
    i++;
  return i;
}

/* Makes `entry` the set's most recent, in place of way `way`. */
static inline void cache_first(uint64_t *set, uint32_t way, uint64_t entry)
{
  memmove(set + 1, set, way * sizeof *set);
  set[0] = entry;
}

/* Empties a way; the empty one becomes the least recent. */
static inline void cache_drop(uint64_t *set, uint32_t ways, uint32_t way)
{
  memmove(set + way, set + way + 1, (ways - way - 1) * sizeof *set);
  set[ways - 1] = 0;
}

#endif
