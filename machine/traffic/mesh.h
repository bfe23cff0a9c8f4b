/* SPDX-License-Identifier: MIT */
/* How long a message is on its way between two tiles. */
#ifndef MACHINE_TRAFFIC_MESH_H
#define MACHINE_TRAFFIC_MESH_H

#include "machine/traffic/state.h"

static inline uint32_t mesh_hops(const struct socket *s, unsigned from, unsigned to)
{
  int across = s->column[from] - s->column[to], down = s->line[from] - s->line[to];
  return (uint32_t)(across < 0 ? -across : across) + (uint32_t)(down < 0 ? -down : down);
}

/* Sends a message that enters the mesh at `at`; when it has left it. */
static inline fs_t mesh_send(const struct traffic *t, struct socket *s, unsigned from, unsigned to, unsigned kind,
                             fs_t at)
{
  const bool data = (kind & MESH_RING) == MESH_BL;
  if (s->stops_heard)
    stops_report(t, s, &(struct mesh_way){ from, to, kind, at });
  fs_t there = at + t->time.enter + mesh_hops(s, from, to) * t->time.hop;
  if (!data && to < t->chas)         /* a CHA's pipeline takes one request a cycle: that is what is booked */
    return there;
  /* A line of data is two transfers (guide 2.2.3.1). */
  return slots_take(&s->ingress[to][data], there, data ? 2 * t->time.uclk : t->time.uclk);
}

#endif
