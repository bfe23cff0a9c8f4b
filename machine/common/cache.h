/* SPDX-License-Identifier: MIT */
/*
 * A set-associative store of tags with exact least-recently-used order: the entries of a set are in order of use, most
 * recent first. An entry is line << 8 | state and flags; 0 is an empty one. The storage comes zeroed from the system
 * and is touched only where lines are stored.
 *
 * Look-ups wait for the host's memory, so a set is small and spans as few host cache lines as possible: first the low
 * 32 bits of all lines, which are compared four at a time, then for each line its higher bits with state and flags.
 */
#ifndef MACHINE_COMMON_CACHE_H
#define MACHINE_COMMON_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* MESIF. In a core's L2: S, E, M. In the LLC: S (the socket may not own it), F, E, M. */
enum line_state { LINE_I, LINE_S, LINE_F, LINE_E, LINE_M };
#define ENTRY_STATE 7u
#define ENTRY_IN_L1 8u       /* L2: an L1 cache may hold it */
#define ENTRY_PREFETCHED 16u /* L2, LLC: not accessed since its prefetch */
#define ENTRY_FLAGS_BITS 5u  /* number of these bits; above them in `rest` are bits 32 to 42 of the line */
#define ENTRY_FLAGS ((1u << ENTRY_FLAGS_BITS) - 1)

#define HOST_LINE 64u

struct cache {
  unsigned char *sets;
  size_t bytes;
  uint64_t set_mask;
  uint32_t ways, room, set_bytes; /* room: ways, rounded up to a multiple of four */
};

/* The tags of a set. */
struct tags {
  uint32_t *low;
  uint32_t ways, room; /* as in struct cache */
};

static inline uint16_t *tags_rest(struct tags s)
{
  return (uint16_t *)(void *)(s.low + s.room);
}
/* Allocates `banks` banks of `sets` sets, a power of two, with `ways` ways. Returns PMON_OK or PMON_E_MEMORY. */
int cache_init(struct cache *c, uint64_t banks, uint64_t sets, uint32_t ways);
void cache_fini(struct cache *c);

/* Return a set's number among those of all banks, and the address of its tags. */
static inline uint64_t cache_number(const struct cache *c, uint64_t bank, uint64_t index)
{
  return bank * (c->set_mask + 1) + (index & c->set_mask);
}
static inline unsigned char *cache_place(const struct cache *c, uint64_t bank, uint64_t index)
{
  return c->sets + cache_number(c, bank, index) * c->set_bytes;
}

static inline struct tags cache_set(const struct cache *c, uint64_t bank, uint64_t index)
{
  return (struct tags){(uint32_t *)(void *)cache_place(c, bank, index), c->ways, c->room};
}

/* Prefetches host memory. The empty asm statement is a side effect: without it, gcc removes calls of functions that
 * only prefetch. */
static inline void host_prefetch(const void *p)
{
  __asm__ volatile("" : : "r"(p));
  __builtin_prefetch(p);
}

/* Prefetches the host lines of a set. */
static inline void cache_ask(const struct cache *c, uint64_t bank, uint64_t index)
{
  const unsigned char *place = cache_place(c, bank, index), *end = place + c->set_bytes;
  do
    host_prefetch(place);
  while ((place += HOST_LINE) < end);
}

static inline uint64_t cache_line(struct tags s, uint32_t way)
{
  return s.low[way] | (uint64_t)(tags_rest(s)[way] >> ENTRY_FLAGS_BITS) << 32;
}

static inline uint64_t cache_get(struct tags s, uint32_t way)
{
  return cache_line(s, way) << 8 | (tags_rest(s)[way] & ENTRY_FLAGS);
}

static inline void cache_put(struct tags s, uint32_t way, uint64_t entry)
{
  s.low[way] = (uint32_t)(entry >> 8);
  tags_rest(s)[way] = (uint16_t)(entry >> 40 << ENTRY_FLAGS_BITS | (entry & ENTRY_FLAGS));
}

#ifdef __SSE2__
/* Compare the low bits of four ways with `wanted`, giving 32 bits each, and of sixteen ways, giving a bit each. */
static inline __m128i tags_same(const uint32_t *low, __m128i wanted)
{
  return _mm_cmpeq_epi32(_mm_load_si128((const __m128i *)(const void *)low), wanted);
}

static inline unsigned tags_same_16(const uint32_t *low, __m128i wanted)
{
  return (unsigned)_mm_movemask_epi8(
      _mm_packs_epi16(_mm_packs_epi32(tags_same(low, wanted), tags_same(low + 4, wanted)),
                      _mm_packs_epi32(tags_same(low + 8, wanted), tags_same(low + 12, wanted))));
}

/* Returns the first of the ways that `same` marks (bit k: way from + k) whose higher bits are the line's; UINT32_MAX:
 * none. */
static inline uint32_t tags_match(struct tags s, uint32_t from, unsigned same, uint64_t line)
{
  for (; same; same &= same - 1) {
    uint32_t way = from + (uint32_t)__builtin_ctz(same);
    if (tags_rest(s)[way] >> ENTRY_FLAGS_BITS == line >> 32)
      return way;
  }
  return UINT32_MAX;
}
#endif

/* Returns the way that holds `line`, which is not 0 (address.h: no frame has line 0); `ways`: no way holds it. */
static inline uint32_t cache_find(struct tags s, uint64_t line)
{
  uint32_t i = 0;
#ifdef __SSE2__
  const __m128i wanted = _mm_set1_epi32((int)(uint32_t)line);
  for (unsigned same; i + 16 <= s.room; i += 16) {
    if ((same = tags_same_16(s.low + i, wanted)) != 0) {
      uint32_t way = tags_match(s, i, same, line);
      if (way < s.ways)
        return way;
    }
  }
  for (unsigned same; i < s.room; i += 4) {
    if ((same = (unsigned)_mm_movemask_ps(_mm_castsi128_ps(tags_same(s.low + i, wanted)))) != 0) {
      uint32_t way = tags_match(s, i, same, line);
      if (way < s.ways)
        return way;
    }
  }
  return s.ways;
#else
  while (i < s.ways && cache_line(s, i) != line)
    i++;
  return i;
#endif
}

/* True if the most recently used way holds `line`. */
static inline bool cache_recent(struct tags s, uint64_t line)
{
  return s.low[0] == (uint32_t)line && tags_rest(s)[0] >> ENTRY_FLAGS_BITS == line >> 32;
}

#ifdef __SSE2__
/* Load and store the low bits of four ways, or the remaining bits of eight. */
static inline __m128i ways_load(const void *from)
{
  return _mm_loadu_si128((const __m128i *)from);
}
static inline void ways_store(void *to, __m128i ways)
{
  _mm_storeu_si128((__m128i *)to, ways);
}
#endif

/* Moves `n` entries from way `to` on up by one way. Eight or more are moved several at a time from the end; the first
 * of them are read before any move, and written last. Inline, because a call would cost more. */
static inline void tags_up(struct tags s, uint32_t to, uint32_t n)
{
  uint32_t *low = s.low + to;
  uint16_t *rest = tags_rest(s) + to;
#ifdef __SSE2__
  if (n >= 8) {
    const __m128i first = ways_load(low), first_rest = ways_load(rest);
    for (uint32_t i = n; i > 4; i -= 4)
      ways_store(low + i - 3, ways_load(low + i - 4));
    ways_store(low + 1, first);
    for (uint32_t i = n; i > 8; i -= 8)
      ways_store(rest + i - 7, ways_load(rest + i - 8));
    ways_store(rest + 1, first_rest);
    return;
  }
  for (uint32_t i = n; i; i--) {
    low[i] = low[i - 1];
    rest[i] = rest[i - 1];
  }
#else
  memmove(low + 1, low, n * sizeof *low);
  memmove(rest + 1, rest, n * sizeof *rest);
#endif
}

/* Moves the `n` entries above way `to` down by one way, in the same manner from the beginning. */
static inline void tags_down(struct tags s, uint32_t to, uint32_t n)
{
  uint32_t *low = s.low + to;
  uint16_t *rest = tags_rest(s) + to;
#ifdef __SSE2__
  if (n >= 8) {
    const __m128i last = ways_load(low + n - 3), last_rest = ways_load(rest + n - 7);
    for (uint32_t i = 0; i + 4 < n; i += 4)
      ways_store(low + i, ways_load(low + i + 1));
    ways_store(low + n - 4, last);
    for (uint32_t i = 0; i + 8 < n; i += 8)
      ways_store(rest + i, ways_load(rest + i + 1));
    ways_store(rest + n - 8, last_rest);
    return;
  }
  for (uint32_t i = 0; i < n; i++) {
    low[i] = low[i + 1];
    rest[i] = rest[i + 1];
  }
#else
  memmove(low, low + 1, n * sizeof *low);
  memmove(rest, rest + 1, n * sizeof *rest);
#endif
}

/* Stores `entry` in way `to`; the entries from `to` to before `from` move up by one way and overwrite `from`. */
static inline void cache_insert(struct tags s, uint32_t to, uint32_t from, uint64_t entry)
{
  if (from > to)
    tags_up(s, to, from - to);
  cache_put(s, to, entry);
}

/* Moves `entry` to the front of the set (most recently used), replacing way `way`. */
static inline void cache_first(struct tags s, uint32_t way, uint64_t entry)
{
  cache_insert(s, 0, way, entry);
}

/* Empties a way and moves it to the end of the set (least recently used). */
static inline void cache_drop(struct tags s, uint32_t way)
{
  tags_down(s, way, s.ways - way - 1);
  cache_put(s, s.ways - 1, 0);
}

#endif
