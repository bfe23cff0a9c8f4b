/* SPDX-License-Identifier: MIT */
#include "machine/common/page_ranges.h"

#include <stdlib.h>
#include <pmon/status.h>
#include "machine/common/address.h"

static uint64_t range_key(uint64_t unit, unsigned log2)
{
  return (unit >> log2) << 5 | (log2 + 1);
}

/* Returns the entry of a part, or the empty one where it would go. */
static struct page_range *range_find(const struct page_ranges *r, uint64_t key)
{
  uint64_t i = address_mix(key) >> 20 & r->mask;
  while (r->table[i].key && r->table[i].key != key)
    i = (i + 1) & r->mask;
  return &r->table[i];
}

static int page_ranges_grow(struct page_ranges *r)
{
  const struct page_ranges before = *r;
  const uint64_t size = r->table ? 2 * (r->mask + 1) : 64;
  struct page_range *table = calloc(size, sizeof *table);
  if (!table)
    return PMON_E_MEMORY;
  r->table = table;
  r->mask = size - 1;
  for (uint64_t i = 0; before.table && i <= before.mask; i++)
    if (before.table[i].key)
      *range_find(r, before.table[i].key) = before.table[i];
  free(before.table);
  return PMON_OK;
}

int page_ranges_set(struct page_ranges *r, uint64_t unit, unsigned log2, unsigned page_bits)
{
  if ((!r->table || 2 * r->n > r->mask) && page_ranges_grow(r))
    return PMON_E_MEMORY;
  struct page_range *range = range_find(r, range_key(unit, log2));
  r->n += !range->key;
  *range = (struct page_range){range_key(unit, log2), ++r->since, (uint8_t)page_bits};
  return PMON_OK;
}

unsigned page_ranges_bits(const struct page_ranges *r, uint64_t number)
{
  const struct page_range *latest = NULL;
  for (unsigned log2 = 0; r->table && log2 <= RANGE_MOST_LOG2; log2++) {
    const struct page_range *range = range_find(r, range_key(number >> RANGE_UNIT_BITS, log2));
    if (range->key && (!latest || range->since > latest->since))
      latest = range;
  }
  return latest ? latest->page_bits : 0;
}

void page_ranges_fini(struct page_ranges *r)
{
  free(r->table);
}
