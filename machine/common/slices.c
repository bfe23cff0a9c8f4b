/* SPDX-License-Identifier: MIT */
#include "machine/common/slices.h"

#include <stdbool.h>
#include "machine/common/address.h"

#define SEQUENCE_BITS 6 /* where slices are no power of two, the sequence has each slice at least 2^6 times */

/* True if the last of `n` columns, without their lowest `shift` bits, is no XOR of others. */
static bool last_is_independent(const uint16_t *column, unsigned n, unsigned shift)
{
  uint32_t basis[16] = {0};
  for (unsigned i = 0; i < n; i++) {
    uint32_t v = (uint32_t)column[i] >> shift;
    while (v && basis[31 - __builtin_clz(v)])
      v ^= basis[31 - __builtin_clz(v)];
    if (v)
      basis[31 - __builtin_clz(v)] = v;
    else if (i == n - 1)
      return false;
  }
  return true;
}

/* Chooses what each bit of the address contributes to the index. The lowest bits contribute its highest ones, so that
 * consecutive lines spread over all slices. Of the others, adjacent ones are independent, both in the whole index and
 * in its highest bits, which almost determine the slice. */
static void columns_choose(uint16_t *column, unsigned bits, unsigned top, uint64_t seed)
{
  for (unsigned i = 0; i < top; i++)
    column[i] = (uint16_t)(1u << (bits - 1 - i));
  for (unsigned i = top; i < SLICE_LINE_BITS; i++) {
    const unsigned n = i + 1 < bits ? i + 1 : bits;
    do {
      seed = address_mix(seed + i);
      column[i] = (uint16_t)(seed >> 40 & ((1u << bits) - 1));
    } while (!last_is_independent(column + i + 1 - n, n, 0) ||
             !last_is_independent(column + i + 1 - top, top, bits - top));
  }
}

/* Returns how many bits number the slices. */
static unsigned slices_top(uint32_t slices)
{
  return slices == 1 ? 0 : 32 - (unsigned)__builtin_clz(slices - 1);
}

void slice_hash_init(struct slice_hash *hash, uint32_t slices, uint64_t seed)
{
  uint16_t column[SLICE_LINE_BITS] = {0};
  const bool power = !(slices & (slices - 1));
  const unsigned top = slices_top(slices);
  hash->slices = slices;
  hash->index_bits = power ? top : top + SEQUENCE_BITS;
  if (top)
    columns_choose(column, hash->index_bits, top, seed);
  for (unsigned i = 0; i < SLICE_BYTES; i++)
    for (unsigned value = 0; value < 256; value++) {
      uint16_t index = 0;
      for (unsigned bit = 0; bit < 8; bit++)
        index ^= value >> bit & 1 ? column[8 * i + bit] : 0;
      hash->index[i][value] = index;
    }
}

/* The slice that the middle of its indices selects gives the highest bits of an index, in reverse order: those that the
 * lowest bits of a line contribute (columns_choose()). */
void slice_order_init(struct slice_order *order, uint32_t slices)
{
  const unsigned top = slices_top(slices);
  *order = (struct slice_order){.slices = slices};
  for (uint32_t i = 0; i < slices; i++) {
    const uint32_t middle = (2 * i + 1) * (1u << top) / (2 * slices);
    for (unsigned bit = 0; bit < top; bit++)
      order->exchange[i] |= (uint8_t)((middle >> bit & 1) << (top - 1 - bit));
  }
}
