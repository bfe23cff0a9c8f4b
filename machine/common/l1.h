/* SPDX-License-Identifier: MIT */
/*
 * A first level: sets of at most sixteen lines in exact order of their use. Entries are line << 2 | flags. FIRST_NONE
 * is none, and 0 is none but in set 0, where it is line 0. The two most recent entries of each set stand apart, where
 * most look-ups end, close to those of other sets. Of each way stands when it became the most recent one, so that a
 * look-up moves no entries.
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
#define FIRST_USES INT16_MAX /* when uses have been counted so far, they are numbered anew */
#define FIRST_SECOND 1u      /* stored so that way 1 is 0 */
#define FIRST_NONE UINT64_MAX

/* used: a number for each way, the larger the later it was used; 0: it is empty. low: of each entry's line. The most
 * recent way's entry may be out of date, as `recent` has it. */
struct first_set {
  _Alignas(64) int16_t used[FIRST_WAYS];
  uint16_t low[FIRST_WAYS];
  uint64_t entry[FIRST_WAYS];
};
/* The most recent way of a set, and the one before, exclusive-ored with FIRST_SECOND. */
struct first_order {
  uint8_t first, second;
  uint16_t uses;
};
/* By set. second: the entry of the way before the most recent one. */
struct first_level {
  uint64_t *recent, *second;
  struct first_order *order;
  struct first_set *set;
  uint64_t mask;
  uint32_t ways, all;                      /* all: a bit for each way */
  _Alignas(16) int16_t beyond[FIRST_WAYS]; /* FIRST_USES for what is no way */
};

static inline uint64_t *first_recent(const struct first_level *l, uint64_t line)
{
  return &l->recent[line & l->mask];
}

/* The way of a set that holds the line; FIRST_WAYS: none. */
static inline uint32_t first_find(const struct first_level *l, const struct first_set *s, uint64_t line)
{
#ifdef __SSE2__
  const __m128i wanted = _mm_set1_epi16((int16_t)line), *low = (const __m128i *)(const void *)s->low;
  const __m128i ways = _mm_packs_epi16(_mm_cmpeq_epi16(low[0], wanted), _mm_cmpeq_epi16(low[1], wanted));
  for (unsigned same = (unsigned)_mm_movemask_epi8(ways) & l->all; same; same &= same - 1)
    if (s->entry[__builtin_ctz(same)] >> 2 == line)
      return (uint32_t)__builtin_ctz(same);
  return FIRST_WAYS;
#else
  for (uint32_t i = 0; i < l->ways; i++)
    if (s->entry[i] >> 2 == line)
      return i;
  return FIRST_WAYS;
#endif
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

/* l1.c: a level of `ways` ways in `sets` of those of `all`, from that one on. */
struct first_level first_part(const struct first_level *all, uint64_t from, uint64_t sets, uint32_t ways);
/* l1.c: the uses of the line's set get small numbers again. */
void first_number(const struct first_level *l, uint64_t line);
/* Whether they have to, before a way of it is used again. */
static inline bool first_tired(const struct first_level *l, uint64_t line)
{
  return __builtin_expect(l->order[line & l->mask].uses == FIRST_USES - 1, 0);
}

/* A way becomes the most recent one of its set, and the one that was it the one before. */
static inline void first_use(struct first_set *s, struct first_order *o, uint32_t way)
{
  o->second = o->first ^ FIRST_SECOND;
  o->first = (uint8_t)way;
  s->used[way] = (int16_t)++o->uses;
}

/* The same of a way whose line is not the most recent one. The set is not tired. */
static inline void first_again(const struct first_level *l, uint64_t line, uint32_t way)
{
  const uint64_t i = line & l->mask;
  struct first_order *o = &l->order[i];
  struct first_set *s = &l->set[i];
  l->second[i] = s->entry[o->first] = l->recent[i];
  l->recent[i] = s->entry[way];
  first_use(s, o, way);
}

/* Whether a line is there that is not the most recent one; it becomes that. */
static inline bool first_finds(const struct first_level *l, uint64_t line)
{
  if (first_tired(l, line))
    first_number(l, line);
  const uint32_t way = first_find(l, &l->set[line & l->mask], line);
  if (way == FIRST_WAYS)
    return false;
  first_again(l, line, way);
  return true;
}

/* A line that is not there takes the place of the least recent one, without flags. The set is not tired. */
static inline void first_fill(const struct first_level *l, uint64_t line)
{
  const uint64_t i = line & l->mask;
  struct first_order *o = &l->order[i];
  struct first_set *s = &l->set[i];
  const uint32_t way = first_oldest(l, s);
  s->entry[o->first] = l->recent[i];
  s->low[way] = (uint16_t)line;
  s->entry[way] = l->recent[i] = line << 2;
  l->second[i] = s->entry[o->first]; /* what was the most recent one, but where there is one way only */
  first_use(s, o, way);
}

/* Where a line is the second most recent one, it becomes the first. */
static inline bool first_swap(const struct first_level *l, uint64_t line)
{
  uint64_t i = line & l->mask;
  REGISTER_KEEP(i); /* else a compiler works out more for all than the few need that come here */
  if (l->second[i] >> 2 != line)
    return false;
  if (first_tired(l, line))
    first_number(l, line);
  struct first_order *o = &l->order[i];
  struct first_set *s = &l->set[i];
  const uint32_t way = o->second ^ FIRST_SECOND; /* the same as the first one in a set with one line */
  l->second[i] = s->entry[o->first] = l->recent[i];
  l->recent[i] = s->entry[way];
  first_use(s, o, way);
  return true;
}

/* Looks a line up that is none of the two most recent ones, and makes it the first; a missing line comes in. */
bool first_look_up(const struct first_level *l, uint64_t line);
/* The same of any line. */
bool first_touch(const struct first_level *l, uint64_t line);
/* Empties the way of a line, which becomes the least recent, or takes its flags; nothing where the line is not. */
void first_drop(const struct first_level *l, uint64_t line, bool invalidate);
/* Empties all of it. */
void first_clear(const struct first_level *l);

#endif
