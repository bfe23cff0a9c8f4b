/* SPDX-License-Identifier: MIT */
/*
 * A first level: sets of at most sixteen lines in exact order of their use. Entries are line << 2 | flags; 0: none. The
 * most recent entry of a set stands apart, where most look-ups end. Of each way stands when it became the most recent
 * one, so that a look-up moves no entries.
 */
#ifndef MACHINE_COMMON_L1_H
#define MACHINE_COMMON_L1_H

#include <stdbool.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define FIRST_WAYS 16u
#define FIRST_USES INT16_MAX /* when uses have been counted so far, they are numbered anew */
#define FIRST_SECOND 1u      /* stored so that way 1 is 0 */

/* used: a number for each way, the larger the later it was used; 0: it is empty. low: of each entry's line. The most
 * recent way's entry may be out of date, as `recent` has it. */
struct first_set {
  _Alignas(64) int16_t used[FIRST_WAYS];
  uint32_t low[FIRST_WAYS];
  uint64_t entry[FIRST_WAYS];
  uint32_t uses, first, second; /* the most recent way, and the one before, exclusive-ored with FIRST_SECOND */
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

/* The least recently used way of a set. */
static inline uint32_t first_oldest(const struct first_set *s, uint32_t ways)
{
#ifdef __SSE2__
  static const int16_t beyond[2 * FIRST_WAYS] = {[FIRST_WAYS... 2 * FIRST_WAYS - 1] = FIRST_USES};
  const __m128i *used = (const __m128i *)(const void *)s->used;
  const __m128i *other = (const __m128i *)(const void *)(beyond + FIRST_WAYS - ways);
  const __m128i a = _mm_or_si128(used[0], _mm_loadu_si128(other)),
                b = _mm_or_si128(used[1], _mm_loadu_si128(other + 1));
  __m128i least = _mm_min_epi16(a, b);
  least = _mm_min_epi16(least, _mm_shuffle_epi32(least, 0x4e));
  least = _mm_min_epi16(least, _mm_shuffle_epi32(least, 0xb1));
  least = _mm_min_epi16(least, _mm_shufflehi_epi16(_mm_shufflelo_epi16(least, 0xb1), 0xb1));
  const __m128i same = _mm_packs_epi16(_mm_cmpeq_epi16(a, least), _mm_cmpeq_epi16(b, least));
  return (uint32_t)__builtin_ctz((unsigned)_mm_movemask_epi8(same));
#else
  uint32_t oldest = 0;
  for (uint32_t i = 1; i < ways; i++)
    if (s->used[i] < s->used[oldest])
      oldest = i;
  return oldest;
#endif
}

/* l1.c: the uses of a set get small numbers again. */
void first_number(struct first_set *s);

/* A way other than the most recent one, whose entry is up to date, becomes that. */
static inline void first_use(struct first_set *s, uint64_t *recent, uint32_t way)
{
  *recent = s->entry[way];
  s->second = s->first ^ FIRST_SECOND;
  s->first = way;
  s->used[way] = (int16_t)++s->uses;
  if (__builtin_expect(s->uses == FIRST_USES - 1, 0))
    first_number(s);
}

/* Where a line is the second most recent one, it becomes the first. */
static inline bool first_swap(const struct first_level *l, uint64_t line)
{
  struct first_set *s = &l->set[line & l->mask];
  uint64_t *recent = first_recent(l, line);
  const uint32_t way = s->second ^ FIRST_SECOND;
  if (s->entry[way] >> 2 != line)
    return false;
  s->entry[s->first] = *recent;
  first_use(s, recent, way);
  return true;
}

/* Looks a line up that is not the most recent one, and makes it that; a missing line takes the place of the least
 * recent, without flags. Inline for those that call it most. */
static inline bool first_find_other(const struct first_level *l, uint64_t line)
{
  struct first_set *s = &l->set[line & l->mask];
  uint64_t *recent = first_recent(l, line);
  s->entry[s->first] = *recent;
  uint32_t way = first_find(s, l->ways, line);
  const bool found = way < FIRST_WAYS;
  if (!found) {
    way = first_oldest(s, l->ways);
    s->low[way] = (uint32_t)line;
    s->entry[way] = line << 2;
  }
  first_use(s, recent, way);
  return found;
}
/* The same of any line. */
bool first_touch(const struct first_level *l, uint64_t line);
/* Empties the way of a line, which becomes the least recent, or takes its flags; nothing where the line is not. */
void first_drop(const struct first_level *l, uint64_t line, bool invalidate);

#endif
