/* SPDX-License-Identifier: MIT */
/*
 * Page sizes that programs request for parts of their memory. Each part is 2 MB times a power of two and aligned to its
 * size. The latest part that contains a page decides.
 */
#ifndef MACHINE_COMMON_PAGE_RANGES_H
#define MACHINE_COMMON_PAGE_RANGES_H

#include <stdint.h>

#define RANGE_UNIT_BITS 9u  /* log2 of the 4 KB pages in the smallest part */
#define RANGE_MOST_LOG2 18u /* log2 of the units in the largest part: 512 GB */

struct page_range {
  uint64_t key; /* 0: none */
  uint32_t since;
  uint8_t page_bits; /* log2 of the 4 KB pages in a page */
};

/* All zero: no program has requested any. */
struct page_ranges {
  struct page_range *table;
  uint64_t mask, n;
  uint32_t since;
};

/* From now on, the 2^`log2` units from `unit` on are mapped with pages of 2^`page_bits` times 4 KB. PMON_E_MEMORY. */
int page_ranges_set(struct page_ranges *r, uint64_t unit, unsigned log2, unsigned page_bits);
/* Returns the page_bits of the page that maps 4 KB page `number`; 0: no program has requested a size. */
unsigned page_ranges_bits(const struct page_ranges *r, uint64_t number);
void page_ranges_fini(struct page_ranges *r);

#endif
