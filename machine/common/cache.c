/* SPDX-License-Identifier: MIT */
#include "machine/common/cache.h"

#include <pmon/status.h>
#include "machine/common/host_pages.h"

int cache_init(struct cache *c, uint64_t banks, uint64_t sets, uint32_t ways)
{
  c->ways = ways;
  c->room = (ways + 3) & ~3u;
  c->set_bytes = HOST_LINE;
  while (c->set_bytes < c->room * (sizeof(uint32_t) + sizeof(uint16_t)))
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
