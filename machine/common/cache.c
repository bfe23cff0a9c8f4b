/* SPDX-License-Identifier: MIT */
#include "machine/common/cache.h"

#include <pmon/status.h>
#include "machine/common/host_pages.h"

int cache_init(struct cache *c, const struct cache_form *form)
{
  const unsigned set_bits = (unsigned)__builtin_ctzll(form->sets);
  const unsigned high_bits = form->line_bits > set_bits + 16 ? form->line_bits - set_bits - 16 : 0;

  *c = (struct cache){.ways = form->ways,
                      .room = (form->ways + 3) & ~3u,
                      .all = UINT32_MAX >> (32 - form->ways),
                      .set_bits = (uint8_t)set_bits,
                      .set_mask = form->sets - 1,
                      .line_mask = (UINT64_C(1) << form->line_bits) - 1,
                      .set_bytes = HOST_LINE};
  c->rest_bytes = high_bits + ENTRY_FLAGS_BITS > 16 ? 4 : form->in_l1 || high_bits + ENTRY_SHARED_BITS > 8 ? 2 : 1;
  while (c->set_bytes < c->room * (sizeof(uint16_t) + c->rest_bytes))
    c->set_bytes *= 2;
  c->bytes = form->banks * form->sets * c->set_bytes;
  c->sets = pages_get(c->bytes);
  return c->sets ? PMON_OK : PMON_E_MEMORY;
}

void cache_fini(struct cache *c)
{
  pages_put(c->sets, c->bytes);
  c->sets = NULL;
}
