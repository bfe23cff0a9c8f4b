/* SPDX-License-Identifier: MIT */
#include "machine/traffic/cache.h"

#include <sys/mman.h>
#include <pmon/status.h>

#define HUGE_FROM (8u << 20)

void *pages_get(size_t bytes)
{
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    return NULL;
  if (bytes >= HUGE_FROM)
    madvise(p, bytes, MADV_HUGEPAGE);      /* the host walks page tables for most look-ups otherwise */
  return p;
}

void pages_put(void *pages, size_t bytes)
{
  if (pages)
    munmap(pages, bytes);
}

int cache_init(struct cache *c, uint64_t banks, uint64_t sets, uint32_t ways, bool extra)
{
  uint32_t bytes = ((ways + 3) & ~3u) * (uint32_t)(sizeof(uint32_t) + sizeof(uint16_t) + extra);
  c->ways = ways;
  c->set_shift = 6;
  while (1u << c->set_shift < bytes)
    c->set_shift++;
  c->set_mask = sets - 1;
  c->bytes = banks * sets << c->set_shift;
  c->sets = pages_get(c->bytes);
  return c->sets ? PMON_OK : PMON_E_MEMORY;
}

void cache_fini(struct cache *c)
{
  pages_put(c->sets, c->bytes);
  c->sets = NULL;
}
