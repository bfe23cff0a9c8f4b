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

struct slice_hash {
  uint32_t slices, index_bits;
  uint16_t index[SLICE_BYTES][256]; /* by each byte of the line's number; their XOR is the index */
};

/* Makes a hash over `slices` slices, 1 to 64; each `seed` gives another one. A run of lines at a power-of-two stride,
 * with as many lines as the index has values and aligned to its length, has each index once: power-of-two numbers of
 * slices get the same number of lines each; other numbers differ by one line. */
void slice_hash_init(struct slice_hash *hash, uint32_t slices, uint64_t seed);

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
