/* SPDX-License-Identifier: MIT */
/*
 * A first level: sets of at most sixteen lines in exact order of their use. Entries are line << 2 | flags; 0: none. The
 * most recent entry of a set stands apart, where most look-ups end. The others stay where they are: their order is a
 * word of sixteen numbers of ways, most recent first, so that a look-up moves no entries.
 */
#ifndef MACHINE_COMMON_L1_H
#define MACHINE_COMMON_L1_H

#include <stdbool.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define FIRST_WAYS 16u
#define FIRST_NIBBLES UINT64_C(0x1111111111111111)
#define FIRST_ORDER UINT64_C(0xfedcba9876543210) /* as it begins: stored so that this is 0 */

/* low: of each entry's line; the most recent way's entry may be out of date, as `recent` has it. */
struct first_set {
  uint64_t order, entry[FIRST_WAYS];
  _Alignas(16) uint32_t low[FIRST_WAYS];
};
struct first_level {
  uint64_t *recent;
  struct first_set *set;
  uint64_t mask;
  uint32_t ways;
};

static inline uint64_t *first_recent(const struct first_level *l, uint64_t line)
{
  return &l->recent[line & l->mask];
}

/* The way of a set that holds the line; FIRST_WAYS: none. */
static inline uint32_t first_find(const struct first_set *s, uint32_t ways, uint64_t line)
{
#ifdef __SSE2__
  const __m128i wanted = _mm_set1_epi32((int)(uint32_t)line), *low = (const __m128i *)(const void *)s->low;
  const __m128i half = _mm_packs_epi32(_mm_cmpeq_epi32(low[0], wanted), _mm_cmpeq_epi32(low[1], wanted)),
                other = _mm_packs_epi32(_mm_cmpeq_epi32(low[2], wanted), _mm_cmpeq_epi32(low[3], wanted));
  unsigned same = (unsigned)_mm_movemask_epi8(_mm_packs_epi16(half, other)) & ((1u << ways) - 1);
  for (; same; same &= same - 1)
    if (s->entry[__builtin_ctz(same)] >> 2 == line)
      return (uint32_t)__builtin_ctz(same);
  return FIRST_WAYS;
#else
  for (uint32_t i = 0; i < ways; i++)
    if (s->entry[i] >> 2 == line)
      return i;
  return FIRST_WAYS;
#endif
}

/* The bits of an order that stand before a way's place. */
static inline uint64_t first_before(uint64_t order, uint32_t way)
{
  const uint64_t other = order ^ way * FIRST_NIBBLES, same = (other - FIRST_NIBBLES) & ~other & FIRST_NIBBLES << 3;
  return (UINT64_C(1) << (__builtin_ctzll(same) - 3)) - 1;
}

/* Where a line is the second most recent one, it becomes the first. */
static inline bool first_swap(const struct first_level *l, uint64_t line)
{
  struct first_set *s = &l->set[line & l->mask];
  const uint64_t order = s->order ^ FIRST_ORDER, second = s->entry[order >> 4 & 15];
  if (second >> 2 != line || l->ways < 2)
    return false;
  const uint64_t both = (order >> 4 ^ order) & 15;
  uint64_t *recent = first_recent(l, line);
  s->entry[order & 15] = *recent;
  s->order ^= both << 4 | both;
  *recent = second;
  return true;
}

/* Looks a line up and makes it the most recent; a missing line takes the place of the least recent, without flags.
 * Inline for the one that calls it most. */
static inline bool first_find_or_fill(const struct first_level *l, uint64_t line)
{
  uint64_t *recent = first_recent(l, line);
  struct first_set *s = &l->set[line & l->mask];
  if (*recent >> 2 == line)
    return true;
  const uint64_t order = s->order ^ FIRST_ORDER;
  s->entry[order & 15] = *recent;
  uint32_t way = first_find(s, l->ways, line);
  const bool found = way < FIRST_WAYS;
  if (!found) {
    way = order >> 4 * (l->ways - 1) & 15;
    s->low[way] = (uint32_t)line;
    s->entry[way] = line << 2;
  }
  const uint64_t before = first_before(order, way);
  *recent = s->entry[way];
  s->order = ((order & ~(before << 4 | 15)) | (order & before) << 4 | way) ^ FIRST_ORDER;
  return found;
}
bool first_touch(const struct first_level *l, uint64_t line);

/* Empties the way of a line, which becomes the least recent, or takes its flags; nothing where the line is not. */
static inline void first_drop(const struct first_level *l, uint64_t line, bool invalidate)
{
  uint64_t *recent = first_recent(l, line);
  struct first_set *s = &l->set[line & l->mask];
  const uint64_t order = s->order ^ FIRST_ORDER;
  s->entry[order & 15] = *recent;
  const uint32_t way = first_find(s, l->ways, line);
  if (way == FIRST_WAYS || !s->entry[way])
    return;
  if (invalidate) {
    const uint64_t before = first_before(order, way), used = UINT64_MAX >> 4 * (FIRST_WAYS - l->ways);
    s->entry[way] = 0;
    s->low[way] = 0;
    s->order = ((order & ~used) | (order & before) | (order & used & ~(before << 4 | 15)) >> 4 |
                (uint64_t)way << 4 * (l->ways - 1)) ^
               FIRST_ORDER;
    *recent = s->entry[(s->order ^ FIRST_ORDER) & 15];
    return;
  }
  s->entry[way] &= ~UINT64_C(3);
  *recent = s->entry[order & 15];
}

#endif
