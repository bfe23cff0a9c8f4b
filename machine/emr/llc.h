/* SPDX-License-Identifier: MIT */
/* A line's tags in a socket's slices: in the LLC and in the snoop filter. */
#ifndef MACHINE_EMR_LLC_H
#define MACHINE_EMR_LLC_H

#include "machine/emr/coherence.h"

static inline struct tags llc_set(const struct socket *s, uint64_t line, unsigned cha)
{
  const struct emr_socket *emr = emr_socket(s);
  return cache_set_numbered(&emr->llc, slice_order_number(&emr->order, cha, line, emr->llc.set_mask), line);
}

static inline struct filter_group *filter_set(const struct socket *s, unsigned cha, uint64_t line)
{
  const struct emr_socket *emr = emr_socket(s);
  return emr->filter.group + slice_order_number(&emr->order, cha, filter_index(line), emr->filter.set_mask);
}

static inline struct filter_place filter_find(const struct socket *s, unsigned cha, uint64_t line)
{
  return filter_place_of(&emr_socket(s)->filter, filter_set(s, cha, line), line);
}

/* Copies of a line in the socket before a request changes them. */
struct holding {
  struct tags set;
  uint32_t way;
  enum line_state llc, filter;
  uint64_t others; /* cores other than the requester that may have it */
  bool owned;
  struct filter_place place;
};

static inline __attribute__((always_inline)) void holding_find(const struct socket *s, const struct request *r,
                                                               struct holding *h)
{
  const struct tags set = llc_set(s, r->line, r->cha);
  const uint32_t way = cache_find(set, r->line);
  h->set = set;
  h->way = way;
  h->llc = way < set.cache->ways ? cache_state(set, way) : LINE_I;
  h->place = filter_find(s, r->cha, r->line);
  h->filter = LINE_I;
  h->others = 0;
  if (h->place.found) {
    h->filter = filter_state(&h->place);
    h->others = filter_who(&h->place) & ~(r->core < MAX_CORES ? 1ull << r->core : 0);
  }
  h->owned = h->llc >= LINE_E || h->filter == LINE_E || h->filter == LINE_F;
}

/* The state that the look-up finds: the LLC's, or else the snoop filter's, which tracks lines of all cores, the
 * requester included (817509 Table 2-74). */
static inline uint64_t holding_state(const struct holding *h)
{
  static const uint64_t llc[] = {0, LLC_STATE_S, LLC_STATE_F, LLC_STATE_E, LLC_STATE_M};
  if (h->llc)
    return llc[h->llc];
  return !h->place.found ? LLC_STATE_I : h->filter == LINE_E ? LLC_STATE_SF_E : LLC_STATE_SF_S;
}

/* Removes the line from the LLC, which has it. */
static inline void llc_drop(struct socket *s, const struct holding *h)
{
  cache_drop(h->set, h->way);
  emr_socket(s)->llc_lines--;
}

/* llc.c: handle an entry that is evicted from its full set. */
void llc_victim(struct traffic *t, struct socket *s, const struct request *cause, uint64_t entry, fs_t at);
void filter_victim(struct traffic *t, struct socket *s, const struct request *cause, const struct filter_place *p,
                   fs_t at);

/* Inserts a line that is known not to be in the LLC into its set. Inline, so that the six parameters cost nothing. */
static inline void llc_put(struct traffic *t, struct socket *s, const struct request *r, struct tags set,
                           enum line_state state, fs_t at)
{
  const uint32_t last = set.cache->ways - 1;
  const uint64_t out = cache_get(set, last);
  /* A device's writes fill few ways: they are inserted near the end of the replacement order. */
  const bool device = (r->op >= OP_ITOM && r->op <= OP_CXL_RFO) || r->op == OP_REMOTE_PUSH;
  const uint32_t place = device ? last + 1 - (uint32_t)t->config.value[CONFIG_LLC_IO_WAYS] : 0;
  cache_insert(set, place, last, r->line << 8 | state);
  emr_socket(s)->llc_lines += !out;
  if (out)
    llc_victim(t, s, r, out, at);
}
/* Inserts a line into the LLC; if the line is there, it gets the higher of the two states. */
void llc_insert(struct traffic *t, struct socket *s, const struct request *r, enum line_state state, fs_t at);
/* Marks a line in the LLC as prefetched into the LLC only. */
void llc_note_prefetch(const struct socket *s, const struct request *r);
/* Notes that the request's core has the line; may evict another line from all cores. */
static inline void filter_add(struct traffic *t, struct socket *s, const struct request *r,
                              const struct filter_place *p, enum line_state state)
{
  const uint64_t core = 1ull << r->core;
  struct filter_place at = *p;
  if (!p->found && !filter_empty(&emr_socket(s)->filter, &at)) {
    /* full: any entry may be replaced; a hash of the line selects one */
    filter_way_set(&at, (uint32_t)(r->line * 0x9e3779b1u >> 7) % p->filter->ways);
    filter_victim(t, s, r, &at, r->at);
  }
  filter_put(&at, r->line << 8 | state);
  filter_who_set(&at, p->found && state != LINE_E ? filter_who(&at) | core : core);
}
/* Removes the request's core from the line's cores; devices, write-combining writes and CLFLUSH remove all cores. */
static inline void filter_remove(const struct filter_place *p, const struct request *r)
{
  if (!p->found)
    return;
  uint64_t left = 0;
  if (r->core < MAX_CORES && r->op != OP_WCILF && r->op != OP_WCIL && r->op != OP_CLFLUSH)
    left = filter_who(p) & ~(1ull << r->core);
  if (left)
    filter_who_set(p, left);
  else
    filter_put(p, 0);
}
/* Invalidates or downgrades the line in the cores of `cores`; returns true if a core had it modified. */
bool cores_snoop(struct traffic *t, struct socket *s, uint64_t line, uint64_t cores, bool invalidate);
/* Reports that the CHA snoops cores for a line. `why`: one of CORE_SNP_*. */
static inline void cores_snoop_report(const struct cha *cha, uint64_t cores, uint64_t why, uint16_t tid, fs_t at)
{
  block_pulse(cha->block, CHA_CORE_SNP, why | (cores & (cores - 1) ? CORE_SNP_SEVERAL : CORE_SNP_ONE), tid, at, 1);
}
/* Prefetches into the host's caches the tags that a request for the line will read. */
void tags_prefetch(const struct traffic *t, unsigned socket, uint64_t line);

#endif
