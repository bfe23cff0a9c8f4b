/* SPDX-License-Identifier: MIT */
/*
 * A set-associative store of tags with exact least-recently-used order: the entries of a set are in order of use, most
 * recent first. An entry is line << 8 | state and flags; 0 is an empty one. The storage comes zeroed from the system
 * and is touched only where lines are stored.
 *
 * Look-ups wait for the host's memory, so a set spans as few of the host's cache lines as possible. It stores the tag
 * of each line, which is its number without the index of the set: first the low 16 bits of all tags, which are compared
 * eight at a time, then for each tag its higher bits with state and flags, in one, two or four bytes, as few as hold
 * all lines of the machine.
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
#define ENTRY_STATE 7u       /* not LINE_I, unless the entry is empty */
#define ENTRY_PREFETCHED 8u  /* L2, LLC: not accessed since its prefetch */
#define ENTRY_IN_L1 16u      /* L2: an L1 cache may hold it */
#define ENTRY_FLAGS_BITS 5u  /* number of these bits */
#define ENTRY_SHARED_BITS 4u /* number of those that the LLC has, too */
#define ENTRY_FLAGS ((1u << ENTRY_FLAGS_BITS) - 1)
#define ENTRY_SHARED ((1u << ENTRY_SHARED_BITS) - 1)

#define HOST_LINE 64u

/* What a cache stores. Lines that differ only above the lowest `line_bits` bits, at most 43, are the same to it. */
struct cache_form {
  uint64_t banks, sets; /* of each bank, a power of two */
  uint32_t ways;        /* at most 32 */
  uint8_t line_bits;
  bool in_l1; /* entries may have ENTRY_IN_L1 */
};

struct cache {
  unsigned char *sets;
  size_t bytes;
  uint64_t set_mask, line_mask;
  uint32_t ways, room, set_bytes, all; /* room: ways, rounded up to a multiple of four; all: a bit for each way */
  uint8_t set_bits, rest_bytes;        /* rest_bytes: 1 (without ENTRY_IN_L1), 2 or 4 */
};

/* The tags of a set. */
struct tags {
  uint16_t *low;
  const struct cache *cache;
  uint64_t index; /* of the set in its bank */
};

/* Returns PMON_OK or PMON_E_MEMORY. */
int cache_init(struct cache *c, const struct cache_form *form);
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

/* Returns set `number`, whose index in its bank is `index`. Who uses only this chooses the order of the sets. */
static inline struct tags cache_set_numbered(const struct cache *c, uint64_t number, uint64_t index)
{
  return (struct tags){(uint16_t *)(void *)(c->sets + number * c->set_bytes), c, index & c->set_mask};
}
static inline struct tags cache_set(const struct cache *c, uint64_t bank, uint64_t index)
{
  return cache_set_numbered(c, cache_number(c, bank, index), index);
}

/* Prefetches host memory. The empty asm statement is a side effect: without it, gcc removes calls of functions that
 * only prefetch. */
static inline void host_prefetch(const void *p)
{
  __asm__ volatile("" : : "r"(p));
  __builtin_prefetch(p);
}

/* Prefetches the host lines of a set. */
static inline void cache_ask(struct tags s)
{
  const unsigned char *place = (const unsigned char *)(const void *)s.low, *end = place + s.cache->set_bytes;
  do
    host_prefetch(place);
  while ((place += HOST_LINE) < end);
}

/* Stored tags have their low bits flipped: most programs use frames with low numbers, whose tags would otherwise match
 * the low bits of every empty way. */
#define TAG_FLIP 0xffffu
static inline uint64_t cache_tag(const struct cache *c, uint64_t line)
{
  return (line & c->line_mask) >> c->set_bits ^ TAG_FLIP;
}

static inline unsigned char *tags_rests(struct tags s)
{
  return (unsigned char *)(void *)(s.low + s.cache->room);
}

/* Returns the bits of a way's tag from bit 16 on, above state and flags. */
static inline uint32_t tags_rest(struct tags s, uint32_t way)
{
  const unsigned char *rests = tags_rests(s);
  if (s.cache->rest_bytes == 1)
    return (uint32_t)(rests[way] & ~ENTRY_SHARED) << (ENTRY_FLAGS_BITS - ENTRY_SHARED_BITS) |
           (rests[way] & ENTRY_SHARED);
  return s.cache->rest_bytes == 2 ? ((const uint16_t *)(const void *)rests)[way]
                                  : ((const uint32_t *)(const void *)rests)[way];
}

static inline void tags_rest_set(struct tags s, uint32_t way, uint32_t rest)
{
  unsigned char *rests = tags_rests(s);
  if (s.cache->rest_bytes == 1)
    rests[way] = (uint8_t)(rest >> ENTRY_FLAGS_BITS << ENTRY_SHARED_BITS | (rest & ENTRY_SHARED));
  else if (s.cache->rest_bytes == 2)
    ((uint16_t *)(void *)rests)[way] = (uint16_t)rest;
  else
    ((uint32_t *)(void *)rests)[way] = rest;
}

static inline enum line_state cache_state(struct tags s, uint32_t way)
{
  return (enum line_state)(tags_rest(s, way) & ENTRY_STATE);
}

/* Returns an entry; its line has the lowest `line_bits` bits. */
static inline uint64_t cache_get(struct tags s, uint32_t way)
{
  const uint64_t rest = tags_rest(s, way), tag = (s.low[way] ^ TAG_FLIP) | rest >> ENTRY_FLAGS_BITS << 16;
  return rest ? (tag << s.cache->set_bits | s.index) << 8 | (rest & ENTRY_FLAGS) : 0;
}

static inline uint64_t cache_line(struct tags s, uint32_t way)
{
  return cache_get(s, way) >> 8;
}

static inline void cache_put(struct tags s, uint32_t way, uint64_t entry)
{
  const uint64_t tag = cache_tag(s.cache, entry >> 8);
  s.low[way] = entry ? (uint16_t)tag : 0;
  tags_rest_set(s, way, entry ? (uint32_t)(tag >> 16 << ENTRY_FLAGS_BITS | (entry & ENTRY_FLAGS)) : 0);
}

/* True if a way is not empty and has the higher bits of the tag. */
static inline bool tags_match(struct tags s, uint32_t way, uint64_t tag)
{
  const uint32_t rest = tags_rest(s, way);
  return rest >> ENTRY_FLAGS_BITS == tag >> 16 && rest & ENTRY_STATE;
}

#ifdef __SSE2__
/* Compares the low bits of sixteen ways with `wanted`, giving a bit for each. */
static inline uint32_t tags_same(const uint16_t *low, __m128i wanted)
{
  const __m128i *ways = (const __m128i *)(const void *)low;
  return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(_mm_cmpeq_epi16(_mm_load_si128(ways), wanted),
                                                     _mm_cmpeq_epi16(_mm_load_si128(ways + 1), wanted)));
}
#endif

/* Returns the way that holds `line`; `ways`: no way holds it. */
static inline uint32_t cache_find(struct tags s, uint64_t line)
{
  const uint64_t tag = cache_tag(s.cache, line);
#ifdef __SSE2__
  const __m128i wanted = _mm_set1_epi16((int16_t)tag);
  uint32_t same = tags_same(s.low, wanted); /* reads beyond the ways, but not beyond the set */
  if (s.cache->ways > 16)
    same |= tags_same(s.low + 16, wanted) << 16;
  for (same &= s.cache->all; same; same &= same - 1)
    if (tags_match(s, (uint32_t)__builtin_ctz(same), tag))
      return (uint32_t)__builtin_ctz(same);
  return s.cache->ways;
#else
  uint32_t i = 0;
  while (i < s.cache->ways && !(s.low[i] == (uint16_t)tag && tags_match(s, i, tag)))
    i++;
  return i;
#endif
}

static inline bool cache_has(struct tags s, uint32_t way, uint64_t line)
{
  const uint64_t tag = cache_tag(s.cache, line);
  return s.low[way] == (uint16_t)tag && tags_match(s, way, tag);
}
/* True if the most recently used way holds `line`. */
static inline bool cache_recent(struct tags s, uint64_t line)
{
  return cache_has(s, 0, line);
}
/* As cache_find(), for a line that is mostly one of the two most recently used ones. */
static inline uint32_t cache_find_near(struct tags s, uint64_t line)
{
  return cache_has(s, 1, line) ? 1 : cache_has(s, 0, line) ? 0 : cache_find(s, line);
}

/* Moves `n` bytes, size to 2 * size, which may overlap: all are read before any is written. */
#define BYTES_MOVE(type, to, from, n)                                                                                  \
  do {                                                                                                                 \
    type first, last;                                                                                                  \
    memcpy(&first, (from), sizeof first);                                                                              \
    memcpy(&last, (from) + (n) - sizeof last, sizeof last);                                                            \
    memcpy((to), &first, sizeof first);                                                                                \
    memcpy((to) + (n) - sizeof last, &last, sizeof last);                                                              \
  } while (0)

/* Moves bytes, which may overlap. Inline, because for so few of them a call would cost more. */
static inline void bytes_move(unsigned char *to, const unsigned char *from, size_t n)
{
#ifdef __SSE2__
  if (n > 32 && n <= 64) {
    const __m128i *source = (const __m128i *)(const void *)from, *end = (const __m128i *)(const void *)(from + n);
    const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(end - 2), d = _mm_loadu_si128(end - 1);
    _mm_storeu_si128((__m128i *)(void *)to, a);
    _mm_storeu_si128((__m128i *)(void *)to + 1, b);
    _mm_storeu_si128((__m128i *)(void *)(to + n) - 2, c);
    _mm_storeu_si128((__m128i *)(void *)(to + n) - 1, d);
    return;
  }
  if (n >= 16 && n <= 32) {
    BYTES_MOVE(__m128i, to, from, n);
    return;
  }
#endif
  if (n > 15)
    memmove(to, from, n);
  else if (n >= 8)
    BYTES_MOVE(uint64_t, to, from, n);
  else if (n >= 4)
    BYTES_MOVE(uint32_t, to, from, n);
  else if (n >= 2)
    BYTES_MOVE(uint16_t, to, from, n);
  else if (n)
    *to = *from;
}

/* Moves `n` ways from way `from` on to way `to`. */
static inline void tags_move(struct tags s, uint32_t to, uint32_t from, uint32_t n)
{
  const uint32_t size = s.cache->rest_bytes;
  unsigned char *low = (unsigned char *)(void *)s.low, *rests = tags_rests(s);
  bytes_move(low + to * sizeof *s.low, low + from * sizeof *s.low, n * sizeof *s.low);
  bytes_move(rests + to * size, rests + from * size, n * size);
}

/* Stores `entry` in way `to`; the entries from `to` to before `from` move up by one way and overwrite `from`. */
static inline void cache_insert(struct tags s, uint32_t to, uint32_t from, uint64_t entry)
{
  if (from > to)
    tags_move(s, to + 1, to, from - to);
  cache_put(s, to, entry);
}

/* Moves `entry` to the front of the set (most recently used), replacing way `way`. */
static inline void cache_first(struct tags s, uint32_t way, uint64_t entry)
{
  cache_insert(s, 0, way, entry);
}

/* Makes a way the most recent one, and clears and sets bits of its state and flags. Composes no entry, as cache_first()
 * would. */
static inline void cache_use(struct tags s, uint32_t way, uint32_t clear, uint32_t set)
{
  const uint16_t low = s.low[way];
  const uint32_t rest = (tags_rest(s, way) & ~clear) | set;
  if (__builtin_expect(way == 1, 1)) {
    s.low[1] = s.low[0];
    tags_rest_set(s, 1, tags_rest(s, 0));
  } else if (way) {
    tags_move(s, 1, 0, way);
  }
  s.low[0] = low;
  tags_rest_set(s, 0, rest);
}

/* Empties a way and moves it to the end of the set (least recently used). */
static inline void cache_drop(struct tags s, uint32_t way)
{
  tags_move(s, way, way + 1, s.cache->ways - way - 1);
  cache_put(s, s.cache->ways - 1, 0);
}

#endif
