/* SPDX-License-Identifier: MIT */
#include "machine/common/cache.h"

#include <sys/mman.h>
#include <pmon/status.h>

#define HUGE_PAGE ((size_t)2 << 20)
#define HUGE_FROM ((size_t)512 << 10)

/* What is mapped for so many bytes: whole huge pages for all but little. */
static size_t pages_room(size_t bytes)
{
  return bytes < HUGE_FROM ? bytes : (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
}

void *pages_get(size_t bytes)
{
  const size_t room = pages_room(bytes), more = bytes < HUGE_FROM ? 0 : HUGE_PAGE;
  char *p = mmap(NULL, room + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    return NULL;
  if (!more)
    return p;
  const size_t before = -(uintptr_t)p & (HUGE_PAGE - 1); /* huge pages begin at multiples of their size */
  if (before)
    munmap(p, before);
  munmap(p + before + room, more - before);
  madvise(p + before, room, MADV_HUGEPAGE); /* the host walks page tables for most look-ups otherwise */
  return p + before;
}

void pages_put(void *pages, size_t bytes)
{
  if (pages)
    munmap(pages, pages_room(bytes));
}

int cache_init(struct cache *c, uint64_t banks, uint64_t sets, uint32_t ways, bool extra)
{
  c->ways = ways;
  c->room = (ways + 3) & ~3u;
  c->set_bytes = HOST_LINE;
  while (c->set_bytes < c->room * (sizeof(uint32_t) + sizeof(uint16_t) + extra))
    c->set_bytes *= 2;
  c->set_mask = sets - 1;
  c->bytes = banks * sets * c->set_bytes;
  c->sets = pages_get(c->bytes);
  return c->sets ? PMON_OK : PMON_E_MEMORY;
}

void cache_fini(struct cache *c)
{
  pages_put(c->sets, c->bytes);
  c->sets = NULL;
}
