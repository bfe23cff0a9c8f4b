/* SPDX-License-Identifier: MIT */
/*
 * The snoop filter of a socket's slices: which cores may have each line. Eight ways of a set, with all their fields,
 * form a group, which fills one cache line of the host. The second group of a set is read only if the first group's
 * `more` is set: for nearly all programs it is empty, and look-ups wait for the host's memory.
 */
#ifndef MACHINE_EMR_FILTER_H
#define MACHINE_EMR_FILTER_H

#include "machine/common/cache.h"

enum { FILTER_GROUP = 8, FILTER_SEVERAL = 0xff };

/* Eight ways of a set, entries as in cache.h, in no order. who: the core's number, or FILTER_SEVERAL. more: a way of a
 * later group of the set has been used. */
struct filter_group {
  _Alignas(HOST_LINE) uint32_t low[FILTER_GROUP];
  uint16_t rest[FILTER_GROUP];
  uint8_t who[FILTER_GROUP];
  bool more;
};

/* The first groups of all sets, then the second groups, and so on, so that the groups in use lie in few of the host's
 * pages. spread: number of sets whose first group has `more`; if there are many, the other groups are prefetched,
 * too. */
struct filter {
  struct filter_group *group;
  uint64_t *cores; /* per way, for FILTER_SEVERAL: a bit per core */
  uint64_t set_mask, sets;
  uint32_t ways, groups; /* of a set */
  uint32_t spread;
  size_t bytes, first_bytes, cores_bytes;
};

/* Position of a line: way `way` of a group of its set; `found`: the entry there is the line's. */
struct filter_place {
  const struct filter *filter;
  struct filter_group *set, *group;
  uint32_t way;
  bool found;
};

/* `banks` times `sets` sets, a power of two, of `ways` ways. PMON_E_MEMORY. */
int filter_init(struct filter *f, uint64_t banks, uint64_t sets, uint32_t ways);
void filter_fini(struct filter *f);

/* Returns a number whose lowest bits are the index of a line's set in its slice. Consecutive lines map to consecutive
 * sets, as in the LLC; higher bits keep large strides from mapping to one set. */
static inline uint64_t filter_index(uint64_t line)
{
  return line ^ line >> 17;
}
/* Returns the ways of a group whose low tag bits match the line, one bit each. */
static inline unsigned filter_same(const struct filter_group *g, uint64_t line)
{
#ifdef __SSE2__
  const __m128i wanted = _mm_set1_epi32((int)(uint32_t)line), *low = (const __m128i *)(const void *)g->low;
  const __m128i same = _mm_packs_epi32(_mm_cmpeq_epi32(low[0], wanted), _mm_cmpeq_epi32(low[1], wanted));
  return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(same, _mm_setzero_si128()));
#else
  unsigned same = 0;
  for (unsigned i = 0; i < FILTER_GROUP; i++)
    same |= (unsigned)(g->low[i] == (uint32_t)line) << i;
  return same;
#endif
}

/* Returns the position of a line whose set begins with group `set`. */
static inline struct filter_place filter_place_of(const struct filter *f, struct filter_group *set, uint64_t line)
{
  for (struct filter_group *g = set;; g += f->sets) {
    for (unsigned same = filter_same(g, line); same; same &= same - 1) {
      const uint32_t i = (uint32_t)__builtin_ctz(same);
      if (g->rest[i] >> ENTRY_FLAGS_BITS == line >> 32)
        return (struct filter_place){f, set, g, i, true};
    }
    if (!g->more)
      return (struct filter_place){f, set, set, 0, false};
  }
}

/* Sets the position to a way of the whole set. */
static inline void filter_way_set(struct filter_place *p, uint32_t way)
{
  p->group = p->set + way / FILTER_GROUP * p->filter->sets;
  p->way = way % FILTER_GROUP;
}

static inline uint64_t filter_line(const struct filter_place *p)
{
  return p->group->low[p->way] | (uint64_t)(p->group->rest[p->way] >> ENTRY_FLAGS_BITS) << 32;
}
static inline uint64_t filter_entry(const struct filter_place *p)
{
  return filter_line(p) << 8 | (p->group->rest[p->way] & ENTRY_FLAGS);
}
static inline enum line_state filter_state(const struct filter_place *p)
{
  return (enum line_state)(p->group->rest[p->way] & ENTRY_STATE);
}
static inline void filter_put(const struct filter_place *p, uint64_t entry)
{
  p->group->low[p->way] = (uint32_t)(entry >> 8);
  p->group->rest[p->way] = (uint16_t)(entry >> 40 << ENTRY_FLAGS_BITS | (entry & ENTRY_FLAGS));
}

/* Where the cores of an entry are stored if there are several. */
static inline uint64_t *filter_cores(const struct filter_place *p)
{
  return p->filter->cores + (size_t)(p->group - p->filter->group) * FILTER_GROUP + p->way;
}

/* Returns the cores that may have the line of an entry, one bit each. */
static inline uint64_t filter_who(const struct filter_place *p)
{
  const uint8_t one = p->group->who[p->way];
  return one == FILTER_SEVERAL ? *filter_cores(p) : 1ull << one;
}

static inline void filter_who_set(const struct filter_place *p, uint64_t cores)
{
  const bool one = !(cores & (cores - 1));
  p->group->who[p->way] = one ? (uint8_t)__builtin_ctzll(cores) : FILTER_SEVERAL;
  if (!one)
    *filter_cores(p) = cores;
}

/* filter.c: filter_empty() for a set whose first group is full. */
bool filter_empty_behind(struct filter *f, struct filter_place *p);
/* Sets the position to the first empty way of its set, for immediate use. False: there is none. An entry's state is
 * not LINE_I, so its `rest` is not 0. */
static inline bool filter_empty(struct filter *f, struct filter_place *p)
{
  uint32_t i = 0;
#ifdef __SSE2__
  const __m128i rest = _mm_load_si128((const __m128i *)(const void *)p->set->rest);
  const unsigned empty = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi16(rest, _mm_setzero_si128()));
  i = empty ? (uint32_t)__builtin_ctz(empty) / 2 : FILTER_GROUP;
#else
  while (i < FILTER_GROUP && p->set->rest[i])
    i++;
#endif
  if (__builtin_expect(i >= FILTER_GROUP || i >= f->ways, 0))
    return filter_empty_behind(f, p);
  p->group = p->set;
  p->way = i;
  return true;
}

/* Prefetches the host's cache lines of a set. */
static inline void filter_prefetch(const struct filter *f, const struct filter_group *set)
{
  host_prefetch(set);
  if (f->spread > f->set_mask) /* more sets with `more` than a slice has sets */
    for (uint32_t i = 1; i < f->groups; i++)
      host_prefetch(set + i * f->sets);
}

#endif
