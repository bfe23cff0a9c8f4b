/* SPDX-License-Identifier: MIT */
/* Where a line's tags are in the slices of a socket: in its LLC and in its snoop filter. */
#ifndef MACHINE_TRAFFIC_LLC_H
#define MACHINE_TRAFFIC_LLC_H

#include "machine/traffic/state.h"

static inline struct tags llc_set(const struct socket *s, uint64_t line, unsigned cha)
{
  return cache_set(&s->llc, cha, line);
}

/* Of a line: its entry, or way 0 of its set when it has none. */
struct filter_place { struct tags set; uint64_t *cores; uint32_t way; bool found; };

static inline uint64_t filter_index(uint64_t line) { return line >> 3 ^ line >> 17; }
static inline uint64_t filter_entry(struct filter_place p) { return cache_get(p.set, p.way); }

static inline uint64_t *filter_cores(const struct socket *s, unsigned cha, uint64_t line)
{
  const struct cache *c = &s->filter.tags;
  return s->filter.cores + (cha * (c->set_mask + 1) + (filter_index(line) & c->set_mask)) * c->ways;
}

static inline struct filter_place filter_find(const struct socket *s, unsigned cha, uint64_t line)
{
  struct filter_place p = { cache_set(&s->filter.tags, cha, filter_index(line)), filter_cores(s, cha, line), 0, false };
  uint32_t way = cache_find(p.set, line);
  if (way < p.set.ways) {
    p.cores += way;
    p.way = way;
    p.found = true;
  }
  return p;
}

/* Puts a line into the LLC, or leaves it there with the higher of the two states. */
void llc_insert(struct traffic *t, struct socket *s, const struct request *r, enum line_state state, fs_t at);
/* The same for a line that is known not to be there. */
void llc_put(struct traffic *t, struct socket *s, const struct request *r, enum line_state state, fs_t at);
/* Notes that `core` (of the socket) has the line; may throw out another line of all cores. */
void filter_add(struct traffic *t, struct socket *s, const struct request *r, const struct filter_place *p,
                enum line_state state);
void filter_remove(const struct filter_place *p, const struct request *r);
/* Takes a line from the cores in `cores` or lets them keep it shared; whether one had it modified. */
bool cores_snoop(struct traffic *t, struct socket *s, uint64_t line, uint64_t cores, bool invalidate);
/* Fetches into the host's caches what a request for the line will read. */
void tags_prefetch(const struct traffic *t, unsigned socket, uint64_t line);

#endif
