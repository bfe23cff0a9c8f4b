/* SPDX-License-Identifier: MIT */
/* Where a line's tags are in the slices of a socket: in its LLC and in its snoop filter. */
#ifndef MACHINE_EMR_LLC_H
#define MACHINE_EMR_LLC_H

#include "machine/emr/coherence.h"

static inline struct tags llc_set(const struct socket *s, uint64_t line, unsigned cha)
{
  return cache_set(&emr_socket(s)->llc, cha, line);
}

/* Of a line: its entry, or way 0 of its set when it has none; `cores` of the whole set. */
struct filter_place {
  struct tags set;
  uint64_t *cores;
  uint32_t way;
  bool found;
};

/* Lines in a row go to sets in a row, as in the LLC; higher bits keep large strides from one set. */
static inline uint64_t filter_index(uint64_t line)
{
  return line ^ line >> 17;
}
static inline uint64_t filter_entry(struct filter_place p)
{
  return cache_get(p.set, p.way);
}

static inline uint64_t *filter_cores(const struct socket *s, unsigned cha, uint64_t line)
{
  const struct cache *c = &emr_socket(s)->filter.tags;
  return emr_socket(s)->filter.cores + (cha * (c->set_mask + 1) + (filter_index(line) & c->set_mask)) * c->ways;
}

static inline struct filter_place filter_find(const struct socket *s, unsigned cha, uint64_t line)
{
  const struct tags set = cache_set(&emr_socket(s)->filter.tags, cha, filter_index(line));
  const uint32_t way = cache_find(set, line);
  const bool found = way < set.ways;
  return (struct filter_place){set, filter_cores(s, cha, line), found ? way : 0, found};
}

#define SEVERAL 0xff

/* The cores that may have the line of an entry, a bit each. */
static inline uint64_t filter_who(const struct filter_place *p)
{
  const uint8_t one = tags_extra(p->set)[p->way];
  return one == SEVERAL ? p->cores[p->way] : 1ull << one;
}

static inline void filter_who_set(const struct filter_place *p, uint64_t cores)
{
  const bool one = !(cores & (cores - 1));
  tags_extra(p->set)[p->way] = one ? (uint8_t)__builtin_ctzll(cores) : SEVERAL;
  if (!one)
    p->cores[p->way] = cores;
}

/* What the socket has of a line before a request changes it. */
struct holding {
  struct tags set;
  uint32_t way;
  enum line_state llc, filter;
  uint64_t others; /* cores other than the requester that may have it */
  bool owned;
  struct filter_place place;
};

static inline void holding_find(const struct socket *s, const struct request *r, struct holding *h)
{
  const struct tags set = llc_set(s, r->line, r->cha);
  const uint32_t way = cache_find(set, r->line);
  h->set = set;
  h->way = way;
  h->llc = way < set.ways ? cache_get(set, way) & ENTRY_STATE : LINE_I;
  h->place = filter_find(s, r->cha, r->line);
  h->filter = LINE_I;
  h->others = 0;
  if (h->place.found) {
    h->filter = filter_entry(h->place) & ENTRY_STATE;
    h->others = filter_who(&h->place) & ~(r->core < MAX_CORES ? 1ull << r->core : 0);
  }
  h->owned = h->llc >= LINE_E || h->filter == LINE_E || h->filter == LINE_F;
}

/* The state that the look-up finds: the LLC's, else the snoop filter's, which tracks lines of any core, the
 * requester's too (817509 Table 2-74). */
static inline uint64_t holding_state(const struct holding *h)
{
  static const uint64_t llc[] = {0, LLC_STATE_S, LLC_STATE_F, LLC_STATE_E, LLC_STATE_M};
  if (h->llc)
    return llc[h->llc];
  return !h->place.found ? LLC_STATE_I : h->filter == LINE_E ? LLC_STATE_SF_E : LLC_STATE_SF_S;
}

/* Puts a line into the LLC, or leaves it there with the higher of the two states. */
void llc_insert(struct traffic *t, struct socket *s, const struct request *r, enum line_state state, fs_t at);
/* The same for a line that is known not to be there. */
void llc_put(struct traffic *t, struct socket *s, const struct request *r, enum line_state state, fs_t at);
/* A line that was prefetched into the LLC and no further, and is there. */
void llc_note_prefetch(const struct socket *s, const struct request *r);
/* Notes that `core` (of the socket) has the line; may throw out another line of all cores. */
void filter_add(struct traffic *t, struct socket *s, const struct request *r, const struct filter_place *p,
                enum line_state state);
void filter_remove(const struct filter_place *p, const struct request *r);
/* Invalidates or downgrades the line in the cores of `cores`; returns whether one had it modified. */
bool cores_snoop(struct traffic *t, struct socket *s, uint64_t line, uint64_t cores, bool invalidate);
/* Reports that the CHA snoops cores for a line. `why`: one of CORE_SNP_*. */
static inline void cores_asked(const struct cha *cha, uint64_t cores, uint64_t why, uint16_t tid, fs_t at)
{
  block_pulse(cha->block, CHA_CORE_SNP, why | (cores & (cores - 1) ? CORE_SNP_SEVERAL : CORE_SNP_ONE), tid, at, 1);
}
/* Prefetches into the host's caches the tags that a request for the line will read. */
void tags_prefetch(const struct traffic *t, unsigned socket, uint64_t line);

#endif
