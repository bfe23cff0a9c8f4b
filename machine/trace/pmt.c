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
/* length_bytes packed into one number. The position of the next record depends on it, and a table in memory would be
 * slower. */
#define DECODED_LENGTHS 0x8532u

static const uint8_t length_bytes[4] = {2, 3, 5, 8};
static const uint8_t length_shift[4] = {48, 40, 24, 0}; /* moves the sign of the difference to bit 63 */

static int64_t pmt_difference(uint64_t to, uint64_t from)
{
  return (int64_t)((to - from) << 16) >> 16; /* addresses have 48 bits */
}

static uint64_t pmt_magnitude(int64_t d)
{
  return d < 0 ? ~(uint64_t)d : (uint64_t)d;
}

static unsigned length_code(uint64_t m)
{
  return m < 1u << 5 ? 0 : m < 1u << 13 ? 1 : m < 1u << 29 ? 2 : 3;
}

static uint8_t *encode_block(struct pmt_coder *c, uint64_t r, uint8_t *to)
{
  uint32_t place = (uint32_t)((r & RECORD_ADDRESS) * UINT64_C(0x9e3779b97f4a7c15) >> 50);
  bool known = c->block[place] == r;
  uint32_t tag = 1u | (known ? 0 : DEFINED) | place << 2;

  to[0] = (uint8_t)tag;
  to[1] = (uint8_t)(tag >> 8);
  c->fresh = true;
  if (known)
    return to + 2;
  c->block[place] = r;
  pmt_put64(to + 2, r);
  return to + 10;
}

static uint8_t *encode_access(struct pmt_coder *c, uint64_t r, uint8_t *to)
{
  uint64_t va = record_address(r), best_m = UINT64_MAX, word;
  unsigned best = 0, code;
  bool same = !c->fresh && record_ordinal(r) == c->ordinal;

  const uint32_t next = c->fresh ? 0 : (c->ordinal + 1) & RECORD_MAX_COUNT;

  c->numbered |= record_is_note(r);
  if (r & (RECORD_MANNER | RECORD_NOTE) || (c->numbered && !same && record_ordinal(r) != next)) {
    to[0] = 1 | DEFINED;
    to[1] = 0;
    pmt_put64(to + 2, r);
    c->ordinal = record_ordinal(r);
    c->fresh = false;
    return to + 10;
  }
  for (unsigned i = 0; i < PMT_BASES; i++) {
    uint64_t m = pmt_magnitude(pmt_difference(va, c->base[i]));

    if (m < best_m) {
      best_m = m;
      best = i;
    }
  }
  code = length_code(best_m);
  if (code == 3)
    best = c->victim++ % PMT_BASES;
  word = (record_is_store(r) ? STORE : 0) | (uint64_t)(record_size_log2(r) & 7) << SIZE_SHIFT | (same ? SAME : 0) |
         (uint64_t)best << BASE_SHIFT | (uint64_t)code << LENGTH_SHIFT |
         (uint64_t)pmt_difference(va, c->base[best]) << DELTA_SHIFT;
  c->base[best] = va;
  c->ordinal = record_ordinal(r);
  c->fresh = false;
  pmt_put64(to, word);
  return to + length_bytes[code];
}

size_t pmt_encode(struct pmt_coder *c, const uint64_t *record, size_t n, uint8_t *to)
{
  uint8_t *p = to;

  for (size_t i = 0; i < n; i++)
    p = record_is_block(record[i]) ? encode_block(c, record[i], p) : encode_access(c, record[i], p);
  return (size_t)(p - to);
}

/* Whether it is an access or a note, which are stored completely. */
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
      if (record_is_pages(r) ? !record_mark_is_valid(r)
                             : !record_is_mark(r) && (!record_is_block(r) || !record_count(r) || !record_bytes(r)))
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
