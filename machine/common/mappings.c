/* SPDX-License-Identifier: MIT */
/* Changes of the pages that map programs' memory: cores forget what they know of the old pages. */
#include "machine/common/core.h"

#include <pmon/status.h>
#include "machine/common/queues.h"

static void first_forget(const struct first_level *l, uint64_t first, uint64_t end)
{
  for (uint64_t set = 0; set <= l->mask; set++)
    for (uint32_t way = 0; way < l->ways; way++) {
      const uint64_t line = l->set[set].entry[way] >> 2, number = line >> PAGE_LINES_SHIFT;
      if (number >= first && number < end)
        first_drop(l, line, true);
    }
}

/* L2 holds physical lines, which stay as they are. */
static void core_forget(struct core *c, uint64_t first, uint64_t end)
{
  first_forget(&c->front.l1d, first, end);
  first_forget(&c->front.l1i, first, end);
  c->front.fetch_line = UINT64_MAX;
  for (unsigned i = 0; i < L1_AHEAD; i++)
    if (c->ahead[i].line >> PAGE_LINES_SHIFT >= first && c->ahead[i].line >> PAGE_LINES_SHIFT < end)
      c->ahead[i].line = UINT64_MAX;
  for (unsigned i = 0; i < TRANSLATIONS; i++)
    if (~c->translation[i].complement >= first && ~c->translation[i].complement < end)
      c->translation[i].complement = 0;
  memset(c->dtlb_entry, 0, sizeof c->dtlb_entry);
  memset(c->large, 0, sizeof c->large);
  memset(c->walked, 0, sizeof c->walked);
}

int traffic_pages(struct traffic *t, const struct pages_asked *asked)
{
  static const unsigned kinds[PAGES_KIND_N] = {[PAGES_ADVISED] = 9, [PAGES_2M] = 9, [PAGES_1G] = GIGABYTE_BITS};
  unsigned bits = kinds[asked->kind];
  const uint64_t first = asked->unit << RANGE_UNIT_BITS, end = (asked->unit + (UINT64_C(1) << asked->log2))
                                                               << RANGE_UNIT_BITS;
  if (t->map.identity || end > CXL_PAGES || (!bits && !t->map.ranges.table))
    return PMON_OK;
  if (bits > RANGE_UNIT_BITS + asked->log2) /* the part is smaller than a 1 GB page */
    bits = RANGE_UNIT_BITS;
  const bool kept = asked->kind == PAGES_SMALL || asked->kind == PAGES_ADVISED;
  for (unsigned i = 0; !kept && i < t->n_cores; i++)
    stores_end(t, &t->core[i]); /* while the pages have their frames */
  if (!kept && address_drop(&t->map, first, end))
    for (unsigned i = 0; i < t->n_cores; i++)
      core_forget(&t->core[i], first, end);
  return page_ranges_set(&t->map.ranges, asked->unit, asked->log2, bits);
}
