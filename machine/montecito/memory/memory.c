/* SPDX-License-Identifier: MIT */
#include "machine/montecito/memory/memory.h"
#include <stdlib.h>
#include <string.h>

enum {
  L2I_TLB_RESERVED = 1,  /* 2.4.3.1.1 */
  L2D_TLB_RESERVED = 16, /* 2.4.3.1.2 */
  NONE = 255,
  HOST_LINE = 64, /* alignment of the sets: twelve ways span two lines of the host, not three */
  SPACE_SHIFT = 51
};

static bool cache_init(struct montecito_cache *c, uint32_t size, unsigned ways, unsigned line)
{
  c->ways = (uint8_t)ways;
  c->shift = (uint8_t)__builtin_ctz(line);
  c->sets = size / (line * ways);
  c->set_bits = (uint8_t)__builtin_ctz(c->sets);
  c->block = calloc((size_t)c->sets * ways + HOST_LINE, sizeof *c->lines);
  c->lines = c->block ? (uint64_t *)(((uintptr_t)c->block + HOST_LINE - 1) / HOST_LINE * HOST_LINE) : NULL;
  return c->lines != NULL;
}

static void cache_fini(struct montecito_cache *c)
{
  free(c->block);
}

static void tlb_init(struct montecito_tlb_array *t, unsigned n, unsigned reserved, unsigned page_shift);

bool memory_init(struct montecito_memory *m, const struct montecito_config *config)
{
  const uint32_t *v = config->value;
  const unsigned page = (unsigned)__builtin_ctz(v[MONTECITO_PAGE_SIZE]);
  tlb_init(&m->l1itlb, v[MONTECITO_L1ITLB], 0, page);
  tlb_init(&m->l2itlb, v[MONTECITO_L2ITLB], L2I_TLB_RESERVED, page);
  tlb_init(&m->l1dtlb, v[MONTECITO_L1DTLB], 0, page);
  tlb_init(&m->l2dtlb, v[MONTECITO_L2DTLB], L2D_TLB_RESERVED, page);
  return cache_init(&m->l1i, v[MONTECITO_L1I_SIZE], v[MONTECITO_L1I_WAYS], 64) &&
         cache_init(&m->l1d, v[MONTECITO_L1D_SIZE], v[MONTECITO_L1D_WAYS], 64) &&
         cache_init(&m->l2i, v[MONTECITO_L2I_SIZE], v[MONTECITO_L2I_WAYS], 128) &&
         cache_init(&m->l2d, v[MONTECITO_L2D_SIZE], v[MONTECITO_L2D_WAYS], 128) &&
         cache_init(&m->l3, v[MONTECITO_L3_SIZE], v[MONTECITO_L3_WAYS], 128) &&
         predict_init(&m->predictor, m->l1i.sets, m->l1i.ways, v[MONTECITO_PREDICTOR]);
}

void memory_fini(struct montecito_memory *m)
{
  struct montecito_cache *caches[] = {&m->l1i, &m->l1d, &m->l2i, &m->l2d, &m->l3};
  for (unsigned i = 0; i < 5; i++)
    cache_fini(caches[i]);
  predict_fini(&m->predictor);
}

/* Spaces differ in address bits that virtual addresses do not use. */
void memory_set_space(struct montecito_memory *m, uint16_t space)
{
  struct montecito_cache *caches[] = {&m->l1i, &m->l1d, &m->l2i, &m->l2d, &m->l3};
  for (unsigned i = 0; i < 5; i++)
    caches[i]->space = (uint64_t)space << SPACE_SHIFT;
}

/* Returns the way that holds the line, or the number of ways, which is a multiple of four. */
static inline unsigned cache_find_way(const struct montecito_cache *c, const uint64_t *set, uint64_t line)
{
  const unsigned ways = c->ways;
  for (unsigned w = 0; w < ways; w += 4) {
    if (cache_entry_is_line(set[w], line))
      return w;
    if (cache_entry_is_line(set[w + 1], line))
      return w + 1;
    if (cache_entry_is_line(set[w + 2], line))
      return w + 2;
    if (cache_entry_is_line(set[w + 3], line))
      return w + 3;
  }
  return ways;
}

__attribute__((hot)) void cache_prefetch_host(const struct montecito_cache *c, uint64_t address)
{
  const uint64_t *set = cache_set(c, address);
  __builtin_prefetch(set, 1);
  __builtin_prefetch(set + c->ways - 1, 1);
}

__attribute__((hot)) uint8_t cache_find_older(const struct montecito_cache *c, uint64_t *set, uint64_t line)
{
  const unsigned way = cache_find_way(c, set, line);
  if (way == c->ways)
    return 0;
  const uint64_t entry = set[way];
  for (unsigned w = way; w; w--)
    set[w] = set[w - 1];
  set[0] = entry;
  return entry & CACHE_STATE_MASK;
}

__attribute__((hot)) uint8_t cache_state(const struct montecito_cache *c, uint64_t address)
{
  const uint64_t *set = cache_set(c, address);
  const unsigned way = cache_find_way(c, set, cache_line(c, address));
  return way == c->ways ? 0 : set[way] & CACHE_STATE_MASK;
}

void cache_set_state(struct montecito_cache *c, uint64_t address, uint8_t state)
{
  uint64_t *set = cache_set(c, address);
  const unsigned way = cache_find_way(c, set, cache_line(c, address));
  if (way == c->ways)
    return;
  set[way] = cache_line(c, address) | state;
  if (state)
    return;
  memmove(&set[way], &set[way + 1], (c->ways - way - 1u) * sizeof *set);
  set[c->ways - 1] = 0;
}

__attribute__((hot)) uint8_t cache_modify(const struct montecito_cache *c, uint64_t address)
{
  uint64_t *set = cache_set(c, address);
  const uint64_t line = cache_line(c, address);
  const unsigned way = cache_find_way(c, set, line);
  if (way == c->ways)
    return 0;
  const uint8_t state = set[way] & CACHE_STATE_MASK;
  set[way] = line | MESI_M;
  return state;
}

__attribute__((hot)) struct montecito_victim cache_fill(struct montecito_cache *c, uint64_t address, uint8_t state)
{
  uint64_t *set = cache_set(c, address);
  const uint64_t last = set[c->ways - 1], number = address >> c->shift & (c->sets - 1);
  memmove(&set[1], set, (c->ways - 1u) * sizeof *set);
  set[0] = cache_line(c, address) | state;
  return (struct montecito_victim){.address =
                                       ((last >> CACHE_STATE_BITS << c->set_bits | number) << c->shift) ^ c->space,
                                   .state = last & CACHE_STATE_MASK};
}

static uint8_t tlb_bucket(uint64_t page)
{
  return (uint8_t)(page * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

static void tlb_chain_remove(struct montecito_tlb_array *t, uint8_t at)
{
  uint8_t *link = &t->bucket[tlb_bucket(t->page[at])];
  while (*link != at && *link != NONE)
    link = &t->chain[*link];
  if (*link == at)
    *link = t->chain[at];
}

static void tlb_chain_add(struct montecito_tlb_array *t, uint8_t at)
{
  uint8_t *bucket = &t->bucket[tlb_bucket(t->page[at])];
  t->chain[at] = *bucket;
  *bucket = at;
}

static void tlb_make_newest(struct montecito_tlb_array *t, uint8_t at)
{
  const uint8_t oldest = t->newer[t->newest];
  if (at == t->newest)
    return;
  if (at != oldest) { /* moved between the oldest and the newest entry of the ring */
    t->older[t->newer[at]] = t->older[at];
    t->newer[t->older[at]] = t->newer[at];
    t->newer[at] = oldest;
    t->older[oldest] = at;
    t->older[at] = t->newest;
    t->newer[t->newest] = at;
  }
  t->newest = at;
}

/* Returns the oldest entry (the ring is circular), but not one of those that are reserved for the other thread. */
static uint8_t tlb_victim(const struct montecito_tlb_array *t, unsigned thread)
{
  uint8_t at = t->newer[t->newest];
  while (t->page[at] && (t->page[at] >> 1 & 1) != thread && t->used[!thread] <= t->reserved)
    at = t->newer[at];
  return at;
}

/* Inserts an absent page. Returns its entry. */
static uint8_t tlb_insert(struct montecito_tlb_array *t, uint64_t page, unsigned thread)
{
  const uint8_t at = tlb_victim(t, thread);
  tlb_chain_remove(t, at);
  t->evicted = t->page[at];
  if (t->page[at])
    t->used[t->page[at] >> 1 & 1]--;
  t->used[thread]++;
  t->page[at] = page;
  tlb_chain_add(t, at);
  return at;
}

__attribute__((hot)) bool tlb_find_older(struct montecito_tlb_array *t, uint64_t page, unsigned thread)
{
  if (t->last_front)
    tlb_make_newest(t, t->older[t->newest]);
  uint8_t at = t->bucket[tlb_bucket(page)];
  while (at != NONE && t->page[at] != page)
    at = t->chain[at];
  const bool found = at != NONE;
  tlb_make_newest(t, found ? at : tlb_insert(t, page, thread));
  t->front[0] = page;
  t->front[1] = t->page[t->older[t->newest]];
  t->last_front = 0;
  return found;
}

static void tlb_init(struct montecito_tlb_array *t, unsigned n, unsigned reserved, unsigned page_shift)
{
  *t = (struct montecito_tlb_array){.n = (uint8_t)n, .reserved = (uint8_t)reserved, .page_shift = (uint8_t)page_shift};
  memset(t->bucket, NONE, sizeof t->bucket);
  for (unsigned i = 0; i < n; i++) {
    t->older[i] = (uint8_t)((i + 1) % n);
    t->newer[i] = (uint8_t)((i + n - 1) % n);
  }
}

void tlb_clear(struct montecito_tlb_array *t)
{
  tlb_init(t, t->n, t->reserved, t->page_shift);
}
