/* SPDX-License-Identifier: MIT */
/*
 * Which pages programs asked for: parts of their memory, each 2 MB times a power of two and aligned to its size. The
 * latest part that has a page decides.
 */
#ifndef MACHINE_COMMON_PAGE_RANGES_H
#define MACHINE_COMMON_PAGE_RANGES_H

#include <stdint.h>

#define RANGE_UNIT_BITS 9u  /* 4 KB pages of the smallest part */
#define RANGE_MOST_LOG2 18u /* units of the largest: 512 GB */

struct page_range {
  uint64_t key; /* 0: none */
  uint32_t since;
  uint8_t page_bits; /* 4 KB of a page, as a power of two */
};

/* Zero: none has asked. */
struct page_ranges {
  struct page_range *table;
  uint64_t mask, n;
  uint32_t since;
};

/* From now on the 2^`log2` units from `unit` on are mapped by pages of 2^`page_bits` times 4 KB. PMON_E_MEMORY. */
int page_ranges_set(struct page_ranges *r, uint64_t unit, unsigned log2, unsigned page_bits);
/* The pages that map the 4 KB with that number; 0 where none has asked. */
unsigned page_ranges_bits(const struct page_ranges *r, uint64_t number);
void page_ranges_fini(struct page_ranges *r);

#endif
