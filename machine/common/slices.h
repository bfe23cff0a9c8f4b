/* SPDX-License-Identifier: MIT */
/*
 * The hash from a line's address to the slice of its socket. It has the form of published reconstructions of Xeons'
 * hashes: each bit of an index is the parity of some bits of the address, and, where the number of slices is not a
 * power of two, the index selects from a sequence of slices. The bits are the model's own: those of the emulated
 * processors are not published.
 */
#ifndef MACHINE_COMMON_SLICES_H
#define MACHINE_COMMON_SLICES_H

#include <stdint.h>

enum { SLICE_BYTES = 6, SLICE_LINE_BITS = 8 * SLICE_BYTES }; /* of a line's number */
enum { MAX_SLICES = 64 };

struct slice_hash {
  uint32_t slices, index_bits;
  uint16_t index[SLICE_BYTES][256]; /* by each byte of the line's number; their XOR is the index */
};

/* Makes a hash over `slices` slices, 1 to 64; each `seed` gives another one. A run of lines at a power-of-two stride,
 * with as many lines as the index has values and aligned to its length, has each index once: power-of-two numbers of
 * slices get the same number of lines each; other numbers differ by one line. */
void slice_hash_init(struct slice_hash *hash, uint32_t slices, uint64_t seed);

/*
 * The order of the sets of all slices in the host's memory. The lines of a page lie in many slices, in sets whose
 * numbers differ in the lowest six bits: if each slice's sets were contiguous, tags of one page would be in as many
 * pages of the host. Instead, sets with the same number are contiguous, and each slice exchanges its sets such that the
 * lines of a page have the same number. This is exact for 64 slices; where the number of slices is not a power of two,
 * it is so for most lines of a page.
 */
struct slice_order {
  uint32_t slices;
  uint8_t exchange[MAX_SLICES]; /* XORed with the numbers of the slice's sets */
};

void slice_order_init(struct slice_order *order, uint32_t slices);

/* Returns the number in this order of a slice's set: the lowest bits of `index`, which are those in `set_mask`. */
static inline uint64_t slice_order_number(const struct slice_order *order, unsigned slice, uint64_t index,
                                          uint64_t set_mask)
{
  return ((index ^ order->exchange[slice]) & set_mask) * order->slices + slice;
}

/* Returns a line's index. The index of a number with several bits set is the XOR of the indices of the single bits. */
static inline uint16_t slice_index(const struct slice_hash *hash, uint64_t line)
{
  uint32_t index = 0;
  for (unsigned i = 0; i < SLICE_BYTES; i++)
    index ^= hash->index[i][line >> 8 * i & 255];
  return (uint16_t)index;
}

/* Returns the slice that an index selects. */
static inline unsigned slice_select(const struct slice_hash *hash, uint32_t index)
{
  return index * hash->slices >> hash->index_bits;
}

#endif
