/* SPDX-License-Identifier: MIT */
#include "machine/trace/pmt.h"

#include "machine/trace/ring.h"

/*
 * Access: bit 0 = 0, 1 store, 4:2 log2 size, 5 same instruction as the previous access, 7:6 base, 9:8 length code, then
 * the signed difference to the base. Block: bit 0 = 1, 1 defined here, 15:2 index in the table; a definition is
 * followed by the block's record. A "definition" of a record that is not a block is a note, or an access stored
 * completely (with its manner, or with an ordinal that does not follow); it changes nothing in the coder's state except
 * the ordinal.
 */
#define STORE 0x2u
#define SIZE_SHIFT 2
#define SAME 0x20u
#define BASE_SHIFT 6
#define LENGTH_SHIFT 8
#define DELTA_SHIFT 10
#define DEFINED 0x2u
/* Bytes of an access by its length code, four bits each. The position of the next record depends on them, and a table
 * in memory would be slower. */
#define DECODED_LENGTHS 0x8532u

static const uint8_t length_shift[4] = {48, 40, 24, 0}; /* moves the sign of the difference to bit 63 */

/* True for an access or a note, which are stored completely. */
static bool is_whole_access(uint64_t r)
{
  if (record_is_note(r))
    return record_note_is_valid(r);
  if ((r & RECORD_MANNER) == RECORD_SLEEP && record_address(r) > PMT_SLEEP_NS)
    return false;
  return !(r & RECORD_BLOCK) && record_size_log2(r) <= RING_SIZE_LOG2_MOST;
}

bool pmt_decode(struct pmt_coder *c, const uint8_t *from, size_t bytes, uint64_t *record, size_t n)
{
  const uint8_t *p = from, *end = from + bytes;
  uint64_t ordinal = c->ordinal, bad = 0;

  for (size_t i = 0; i < n; i++) {
    uint64_t w, r;

    if (p >= end)
      return false;
    w = pmt_get64(p);
    if (w & 1) {
      uint32_t place = (uint32_t)(w >> 2) & (PMT_BLOCKS - 1);

      p += 2;
      if (w & DEFINED) {
        r = pmt_get64(p);
        p += 8;
        if (is_whole_access(r)) {
          ordinal = record_ordinal(r);
          record[i] = r;
          c->slept_ns += (r & (RECORD_MANNER | RECORD_NOTE)) == RECORD_SLEEP ? record_address(r) : 0;
          continue;
        }
        c->block[place] = r;
      }
      r = c->block[place];
      if (record_is_mark(r) ? !record_mark_is_recorded(r) : !record_is_block(r) || !record_count(r) || !record_bytes(r))
        return false;
      ordinal = RECORD_MAX_COUNT;
    } else {
      unsigned code = (unsigned)(w >> LENGTH_SHIFT) & 3, base = (unsigned)(w >> BASE_SHIFT) & 3;
      uint64_t size = w >> SIZE_SHIFT & 7;
      int64_t delta = (int64_t)(w << length_shift[code]) >> (length_shift[code] + DELTA_SHIFT);
      uint64_t va = c->base[base] + (uint64_t)delta;

      p += DECODED_LENGTHS >> (w >> (LENGTH_SHIFT - 2) & 12) & 15;
      va &= RECORD_ADDRESS;
      c->base[base] = va;
      bad |= size == 7;
      ordinal = (ordinal + !(w & SAME)) & RECORD_MAX_COUNT;
      r = va | size << RECORD_SIZE_SHIFT | ((w & STORE) ? RECORD_STORE : 0) | ordinal << RECORD_ORDINAL_SHIFT;
    }
    record[i] = r;
  }
  c->ordinal = (uint32_t)ordinal;
  return p == end && !bad;
}

/* Multiplies and folds eight bytes at a time; the last bytes are padded with zeros. */
static uint64_t pmt_mix(uint64_t h, uint64_t word)
{
  h = (h ^ word) * UINT64_C(0x9fb21c651e98df25);
  return h ^ h >> 32;
}

uint64_t pmt_checksum(const uint8_t header[16], const uint8_t *payload, size_t bytes)
{
  uint64_t h = pmt_mix(pmt_mix(0, pmt_get64(header)), pmt_get64(header + 8));
  uint8_t last[8] = {0};
  size_t i;

  for (i = 0; i + 8 <= bytes; i += 8)
    h = pmt_mix(h, pmt_get64(payload + i));
  for (size_t k = 0; i < bytes; i++, k++)
    last[k] = payload[i];
  return pmt_mix(h, pmt_get64(last));
}
