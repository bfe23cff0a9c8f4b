/* SPDX-License-Identifier: MIT */
/*
 * A first-level cache: sets of at most sixteen lines in exact least-recently-used order. An entry is line << 2 |
 * flags. FIRST_NONE is an empty entry; so is 0, except in set 0, where it is line 0. The two most recently used entries
 * of each set, where most look-ups end, are in separate arrays, close to those of other sets. Each way records when it
 * became the most recent one, so that a look-up moves no entries.
 */
#ifndef MACHINE_COMMON_L1_H
#define MACHINE_COMMON_L1_H

#include <stdbool.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include "machine/common/register_keep.h"

#define FIRST_WAYS 16u
#define FIRST_USES INT16_MAX /* use count of a set at which its ways are renumbered */
#define FIRST_SECOND 1u      /* XORed into `second`, so that way 1 is stored as 0 */
#define FIRST_NONE UINT64_MAX

/* used: for each way, the larger the more recent its last use; 0: the way is empty. low: the low 16 bits of each
 * entry's line. The most recent way's entry may be out of date: first_level.recent has it. */
struct first_set {
  _Alignas(64) int16_t used[FIRST_WAYS];
  uint16_t low[FIRST_WAYS];
  uint64_t entry[FIRST_WAYS];
};
/* The most recently used way of a set; the second most recent one, XORed with FIRST_SECOND; the use count. */
struct first_order {
  uint8_t first, second;
  uint16_t uses;
};
/* recent, second: for each set, the entries of the most recently used way and of the one before. */
struct first_level {
  uint64_t *recent, *second;
  struct first_order *order;
  struct first_set *set;
  uint64_t mask;
  uint32_t ways, all;                      /* all: a bit for each way */
  _Alignas(16) int16_t beyond[FIRST_WAYS]; /* FIRST_USES for ways that the level does not have */
};

static inline uint64_t *first_recent(const struct first_level *l, uint64_t line)
{
  return &l->recent[line & l->mask];
}

/* Looks for the way of a set that holds the line; false: none does. */
static inline bool first_seek(const struct first_level *l, const struct first_set *s, uint64_t line, uint32_t *ret_way)
{
#ifdef __SSE2__
  const __m128i wanted = _mm_set1_epi16((int16_t)line), *low = (const __m128i *)(const void *)s->low;
  const __m128i ways = _mm_packs_epi16(_mm_cmpeq_epi16(low[0], wanted), _mm_cmpeq_epi16(low[1], wanted));
  for (unsigned same = (unsigned)_mm_movemask_epi8(ways) & l->all; same; same &= same - 1)
    if (s->entry[__builtin_ctz(same)] >> 2 == line) {
      *ret_way = (uint32_t)__builtin_ctz(same);
      return true;
    }
#else
  for (uint32_t i = 0; i < l->ways; i++)
    if (s->entry[i] >> 2 == line) {
      *ret_way = i;
      return true;
    }
#endif
  return false;
}

/* Returns the way of a set that holds the line; FIRST_WAYS: none. */
static inline uint32_t first_find(const struct first_level *l, const struct first_set *s, uint64_t line)
{
  uint32_t way;
  return first_seek(l, s, line, &way) ? way : FIRST_WAYS;
}

/* The least recently used way of a set. */
static inline uint32_t first_oldest(const struct first_level *l, const struct first_set *s)
{
#ifdef __SSE2__
  const __m128i *used = (const __m128i *)(const void *)s->used, *beyond = (const __m128i *)(const void *)l->beyond;
  const __m128i a = _mm_or_si128(used[0], beyond[0]), b = _mm_or_si128(used[1], beyond[1]);
  __m128i least = _mm_min_epi16(a, b);
  least = _mm_min_epi16(least, _mm_shuffle_epi32(least, 0x4e));
  least = _mm_min_epi16(least, _mm_shuffle_epi32(least, 0xb1));
  least = _mm_min_epi16(least, _mm_shufflehi_epi16(_mm_shufflelo_epi16(least, 0xb1), 0xb1));
  const __m128i same = _mm_packs_epi16(_mm_cmpeq_epi16(a, least), _mm_cmpeq_epi16(b, least));
  return (uint32_t)__builtin_ctz((unsigned)_mm_movemask_epi8(same));
#else
  uint32_t oldest = 0;
  for (uint32_t i = 1; i < l->ways; i++)
    if (s->used[i] < s->used[oldest])
      oldest = i;
  return oldest;
#endif
}

/* l1.c: returns a level of `ways` ways in `sets` of the sets of `all`, from set `from` on. */
struct first_level first_part(const struct first_level *all, uint64_t from, uint64_t sets, uint32_t ways);
/* l1.c: renumbers the uses of the line's set with small numbers. */
void first_number(const struct first_level *l, uint64_t line);
/* True if the line's set has to be renumbered before one of its ways is used again. */
static inline bool first_tired(const struct first_level *l, uint64_t line)
{
  return __builtin_expect(l->order[line & l->mask].uses == FIRST_USES - 1, 0);
}

/* Makes a way the most recently used one of its set, and the previous one the second. */
static inline void first_use(struct first_set *s, struct first_order *o, uint32_t way)
{
  o->second = o->first ^ FIRST_SECOND;
  o->first = (uint8_t)way;
  s->used[way] = (int16_t)++o->uses;
}

/* Makes a way of set `i` that is not the most recent one the most recent one, and moves the entries accordingly. The
 * set needs no renumbering. */
static inline void first_again(const struct first_level *l, uint64_t i, uint32_t way)
{
  struct first_order *o = &l->order[i];
  struct first_set *s = &l->set[i];
  l->second[i] = s->entry[o->first] = l->recent[i];
  l->recent[i] = s->entry[way];
  first_use(s, o, way);
}

/* Looks up a line that is not the most recent one, and makes it that. Returns whether it is there. */
static inline bool first_finds(const struct first_level *l, uint64_t line)
{
  if (first_tired(l, line))
    first_number(l, line);
  const uint32_t way = first_find(l, &l->set[line & l->mask], line);
  if (way == FIRST_WAYS)
    return false;
  first_again(l, line & l->mask, way);
  return true;
}

/* Inserts a missing line, without flags, in place of the least recently used one. The set needs no renumbering. */
static inline void first_fill(const struct first_level *l, uint64_t line)
{
  const uint64_t i = line & l->mask;
  struct first_order *o = &l->order[i];
  struct first_set *s = &l->set[i];
  const uint32_t way = first_oldest(l, s);
  s->entry[o->first] = l->recent[i];
  s->low[way] = (uint16_t)line;
  s->entry[way] = l->recent[i] = line << 2;
  l->second[i] = s->entry[o->first]; /* the previous most recent entry, unless there is one way only */
  first_use(s, o, way);
}

/* True if a line is the second most recently used one. */
static inline bool first_is_second(const struct first_level *l, uint64_t line)
{
  uint64_t i = line & l->mask;
  REGISTER_KEEP(i); /* otherwise compilers compute for all accesses what only the few that come here need */
  return l->second[i] >> 2 == line;
}

/* Makes the second most recently used way, whose line this is, the most recent one; returns its entry. The set needs no
 * renumbering. */
static inline uint64_t first_exchange(const struct first_level *l, uint64_t line)
{
  const uint64_t i = line & l->mask;
  struct first_order *o = &l->order[i];
  struct first_set *s = &l->set[i];
  const uint32_t way = o->second ^ FIRST_SECOND; /* the first one in a set with one line */
  l->second[i] = s->entry[o->first] = l->recent[i];
  const uint64_t entry = l->recent[i] = s->entry[way];
  first_use(s, o, way);
  return entry;
}

/* True if a line is the second most recently used one, which makes it the most recent one. */
static inline bool first_swap(const struct first_level *l, uint64_t line)
{
  if (!first_is_second(l, line))
    return false;
  if (first_tired(l, line))
    first_number(l, line);
  first_exchange(l, line);
  return true;
}

/* Looks up a line, and makes it the most recent one; inserts a missing line. Returns whether it was there. */
bool first_touch(const struct first_level *l, uint64_t line);
/* Empties the way of a line, which becomes the least recently used one; without `invalidate` clears its flags instead.
 * Does nothing if the line is not there. */
void first_drop(const struct first_level *l, uint64_t line, bool invalidate);

#endif
