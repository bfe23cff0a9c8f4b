/* SPDX-License-Identifier: MIT */
/*
 * The caches and TLBs of a core, for accesses whose level the stream does not state (Table 2-9, 2.4.3). Addresses are
 * treated as physical. Both threads share all structures; TLB entries carry the thread's number.
 */
#ifndef MACHINE_MONTECITO_MEMORY_MEMORY_H
#define MACHINE_MONTECITO_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include "machine/montecito/config.h"
#include "machine/montecito/front/predict.h"

enum montecito_mesi { MESI_I = 1, MESI_S = 2, MESI_E = 4, MESI_M = 8 }; /* the encoding of PMC.MESI: bit 27 is I */

/*
 * Each set of the cache has least-recently-used replacement: the most recent line comes first, empty ways come last. An
 * entry is the line's address above the set number, with its state (enum montecito_mesi) in the low byte; 0: empty.
 */
enum { CACHE_STATE_BITS = 8, CACHE_STATE_MASK = 0xff };
struct montecito_cache {
  uint64_t *lines;
  void *block; /* the allocation that contains `lines` */
  uint32_t sets;
  uint8_t ways, shift, set_bits;
  uint64_t space; /* distinguishes equal addresses of different address spaces */
};
struct montecito_victim {
  uint64_t address;
  uint8_t state;
}; /* state 0: no line was displaced */

/* A TLB: a hash table of pages, and a ring from the most to the least recently used entry. 255: no entry. Programs
 * often alternate between two pages: `front` holds the pages of the ring's first two entries, of which
 * front[last_front] was used last. The ring is reordered only when a third page is used. */
enum { TLB_MOST = 128, TLB_BUCKETS = 256 };
struct montecito_tlb_array {
  uint64_t front[2];
  uint64_t page[TLB_MOST];
  uint8_t newer[TLB_MOST], older[TLB_MOST], chain[TLB_MOST], bucket[TLB_BUCKETS], newest, n;
  uint8_t page_shift, last_front;
  uint64_t evicted;          /* the entry that was replaced last, as in `page`; 0: none */
  uint8_t reserved, used[2]; /* entries reserved for each thread, and entries used by each */
};

struct montecito_memory {
  struct montecito_cache l1i, l1d, l2i, l2d, l3;
  struct montecito_tlb_array l1itlb, l2itlb, l1dtlb, l2dtlb;
  struct montecito_predictor predictor;
};

/* The result of an access: enum montecito_hit_level and montecito_tlb_level; latency in cycles. */
struct montecito_access {
  uint8_t where, tlb, state;
  uint32_t latency;
};

/* Sets the address space of the accesses that follow. */
void memory_set_space(struct montecito_memory *m, uint16_t space);
bool memory_init(struct montecito_memory *m, const struct montecito_config *config);
void memory_fini(struct montecito_memory *m);

static inline uint64_t *cache_set(const struct montecito_cache *c, uint64_t address)
{
  return &c->lines[(address >> c->shift & (c->sets - 1)) * c->ways];
}

static inline uint64_t cache_line(const struct montecito_cache *c, uint64_t address)
{
  return (address ^ c->space) >> c->shift >> c->set_bits << CACHE_STATE_BITS;
}

/* True if the entry is valid and holds the line, in any state. */
static inline bool cache_entry_is_line(uint64_t entry, uint64_t line)
{
  return entry - line - 1 < CACHE_STATE_MASK;
}

/* Returns the line's state, or 0 when the line is absent. A hit becomes the most recent line. */
uint8_t cache_find_older(const struct montecito_cache *c, uint64_t *set,
                         uint64_t line); /* for a line that is not the most recent one */
static inline uint8_t cache_find(struct montecito_cache *c, uint64_t address)
{
  uint64_t *set = cache_set(c, address);
  const uint64_t line = cache_line(c, address);
  return cache_entry_is_line(*set, line) ? *set & CACHE_STATE_MASK : cache_find_older(c, set, line);
}

uint8_t cache_state(const struct montecito_cache *c, uint64_t address); /* as cache_find(), but recency is unchanged */
void cache_set_state(struct montecito_cache *c, uint64_t address,
                     uint8_t state); /* sets the state of a present line; 0: invalidates it */
/* Marks a present line as modified; recency is unchanged. Returns its previous state, or 0 when it is absent. */
uint8_t cache_modify(const struct montecito_cache *c, uint64_t address);
void cache_prefetch_host(const struct montecito_cache *c,
                         uint64_t address); /* prefetches the set into the host's caches */
/* Inserts an absent line into an empty way, or replaces the oldest line. */
struct montecito_victim cache_fill(struct montecito_cache *c, uint64_t address, uint8_t state);
/* True if the page is present; inserts it when it is not. */
bool tlb_find_older(struct montecito_tlb_array *t, uint64_t page,
                    unsigned thread); /* for a page that is not in `front` */
static inline bool tlb_find(struct montecito_tlb_array *t, uint64_t address, unsigned thread)
{
  const uint64_t page = (address >> t->page_shift) << 2 | thread << 1 | 1;
  if (page != t->front[t->last_front]) {
    if (page != t->front[!t->last_front])
      return tlb_find_older(t, page, thread);
    t->last_front = !t->last_front;
  }
  return true;
}
void tlb_clear(struct montecito_tlb_array *t);

#endif
