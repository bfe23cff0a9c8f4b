/* SPDX-License-Identifier: MIT */
#include "machine/core/memory.h"
#include <stdlib.h>
#include <string.h>

/* Sizes of the TLBs are those of the processor before, the guide gives none; pages of 16 KB. */
enum { L1_TLB_PAGES = 32, L2_TLB_PAGES = 128, PAGE_SHIFT = 14, PREDICTOR_SIZE = 4096, TARGETS = 256 };

static bool cache_init(struct core_cache *c, uint32_t size, unsigned ways, unsigned line)
{
  c->ways = (uint8_t)ways;
  c->shift = (uint8_t)__builtin_ctz(line);
  c->sets = size / (line * ways);
  c->tag = calloc((size_t)c->sets * ways, sizeof *c->tag);
  c->state = calloc((size_t)c->sets * ways, sizeof *c->state);
  c->used = calloc((size_t)c->sets * ways, sizeof *c->used);
  return c->tag && c->state && c->used;
}

static void cache_fini(struct core_cache *c)
{
  free(c->tag);
  free(c->state);
  free(c->used);
}

static bool tlb_init(struct core_tlb_array *t, uint32_t n)
{
  t->n = n;
  t->page = calloc(n, sizeof *t->page);
  t->used = calloc(n, sizeof *t->used);
  return t->page && t->used;
}

bool memory_init(struct core_memory *m)
{
  m->predictor = malloc(PREDICTOR_SIZE);
  m->targets = calloc(TARGETS, sizeof *m->targets);
  if (!m->predictor || !m->targets)
    return false;
  memset(m->predictor, 1, PREDICTOR_SIZE);                /* weakly not taken */
  return cache_init(&m->l1i, 16 << 10, 4, 64) && cache_init(&m->l1d, 16 << 10, 4, 64) &&
         cache_init(&m->l2i, 1 << 20, 8, 128) && cache_init(&m->l2d, 256 << 10, 8, 128) &&
         cache_init(&m->l3, 12 << 20, 12, 128) && tlb_init(&m->l1itlb, L1_TLB_PAGES) &&
         tlb_init(&m->l2itlb, L2_TLB_PAGES) && tlb_init(&m->l1dtlb, L1_TLB_PAGES) && tlb_init(&m->l2dtlb, L2_TLB_PAGES);
}

void memory_fini(struct core_memory *m)
{
  struct core_cache *caches[] = { &m->l1i, &m->l1d, &m->l2i, &m->l2d, &m->l3 };
  struct core_tlb_array *tlbs[] = { &m->l1itlb, &m->l2itlb, &m->l1dtlb, &m->l2dtlb };
  for (unsigned i = 0; i < 5; i++)
    cache_fini(caches[i]);
  for (unsigned i = 0; i < 4; i++) {
    free(tlbs[i]->page);
    free(tlbs[i]->used);
  }
  free(m->predictor);
  free(m->targets);
}

static size_t set_of(const struct core_cache *c, uint64_t address)
{
  return (address >> c->shift & (c->sets - 1)) * c->ways;
}

static int way_of(const struct core_cache *c, uint64_t address)
{
  const size_t set = set_of(c, address);
  for (unsigned w = 0; w < c->ways; w++)
    if (c->state[set + w] && c->tag[set + w] == address >> c->shift)
      return (int)w;
  return -1;
}

uint8_t cache_find(struct core_cache *c, uint64_t address)
{
  const int way = way_of(c, address);
  if (way < 0)
    return 0;
  c->used[set_of(c, address) + (unsigned)way] = ++c->clock;
  return c->state[set_of(c, address) + (unsigned)way];
}

uint8_t *cache_state(struct core_cache *c, uint64_t address)
{
  const int way = way_of(c, address);
  return way < 0 ? NULL : &c->state[set_of(c, address) + (unsigned)way];
}

struct core_victim cache_fill(struct core_cache *c, uint64_t address, uint8_t state)
{
  const size_t set = set_of(c, address);
  size_t at = set;
  for (unsigned w = 0; w < c->ways; w++) {
    if (!c->state[set + w]) {
      at = set + w;
      break;
    }
    if (c->used[set + w] < c->used[at])
      at = set + w;
  }
  struct core_victim v = { .address = c->tag[at] << c->shift, .state = c->state[at] };
  c->tag[at] = address >> c->shift;
  c->state[at] = state;
  c->used[at] = ++c->clock;
  return v;
}

/* Which place holds the page; n: none. Two loops that a compiler turns into wide comparisons. */
static uint32_t place_of(const struct core_tlb_array *t, uint64_t page)
{
  for (uint32_t i = 0; i < t->n; i += 8) {
    bool any = false;
    for (uint32_t k = 0; k < 8; k++)
      any |= t->page[i + k] == page;
    for (uint32_t k = 0; any && k < 8; k++)
      if (t->page[i + k] == page)
        return i + k;
  }
  return t->n;
}

static uint32_t oldest_of(const struct core_tlb_array *t)
{
  uint32_t least = UINT32_MAX, at = 0;
  for (uint32_t i = 0; i < t->n; i++)
    least = t->used[i] < least ? t->used[i] : least;
  while (t->used[at] != least)
    at++;
  return at;
}

bool tlb_find(struct core_tlb_array *t, uint64_t address, unsigned thread)
{
  const uint64_t page = (address >> PAGE_SHIFT) << 2 | thread << 1 | 1;
  uint32_t at = t->last;
  bool found = t->page[at] == page;
  if (!found) {
    at = place_of(t, page);
    found = at < t->n;
  }
  if (!found)
    at = oldest_of(t);
  t->page[at] = page;
  t->used[at] = ++t->clock;
  t->last = at;
  return found;
}

void tlb_clear(struct core_tlb_array *t)
{
  memset(t->page, 0, t->n * sizeof *t->page);
  memset(t->used, 0, t->n * sizeof *t->used);
}

static uint64_t predicted_target(struct core_memory *m, const struct core_branch *b)
{
  if (b->returns)
    return m->n_returns ? m->returns[--m->n_returns & 7] : 0;
  return b->indirect ? m->targets[b->ip >> 4 & (TARGETS - 1)] : b->target;
}

void predict_branch(struct core_memory *m, const struct core_branch *b, bool *ret_wrong_path, bool *ret_wrong_target)
{
  uint8_t *counter = &m->predictor[(b->ip >> 4 ^ b->ip >> 16) & (PREDICTOR_SIZE - 1)];
  const bool path = *counter >= 2;
  *ret_wrong_path = path != b->taken;
  *ret_wrong_target = b->taken && predicted_target(m, b) != b->target && !*ret_wrong_path;
  if (b->taken && *counter < 3)
    ++*counter;
  else if (!b->taken && *counter)
    --*counter;
  if (b->taken && b->indirect)
    m->targets[b->ip >> 4 & (TARGETS - 1)] = b->target;
  if (b->taken && b->call) {
    m->returns[m->n_returns & 7] = b->next;
    m->n_returns++;
  }
}
