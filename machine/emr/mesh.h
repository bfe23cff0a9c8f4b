/* SPDX-License-Identifier: MIT */
/* Messages between two tiles: their travel times and the reports of the stops they pass. */
#ifndef MACHINE_EMR_MESH_H
#define MACHINE_EMR_MESH_H

#include "machine/common/register_keep.h"
#include "machine/emr/socket.h"

/* A message's ring: requests, data, acknowledgements, core snoops, acknowledgements that return a credit. Flags:
 * MESH_OF_CORE: the tile's core sends, not its CHA; MESH_AWAITED: the receiver has requested the message. */
enum mesh_kind { MESH_AD, MESH_BL, MESH_AK, MESH_IV, MESH_AKC, MESH_RING = 7, MESH_OF_CORE = 8, MESH_AWAITED = 16 };

/* mesh_stops.c: reports a message at the mesh stops that it passes. PMON_E_MEMORY. */
struct mesh_way {
  unsigned from, to, kind;
  fs_t at;
};
int stops_init(struct traffic *t, struct socket *s, struct machine *m);
void stops_fini(struct socket *s);
/* Updates which parts a counter observes now. */
void stops_observed_update(struct traffic *t, struct socket *s);
void stops_report(const struct traffic *t, struct socket *s, const struct mesh_way *way);

/* mesh.c: positions of the parts, and the rings. PMON_E_MEMORY. */
int mesh_init(struct traffic *t, struct socket *s);
void mesh_fini(struct socket *s);

/* Reports a message that the simulation does not wait for: only the stops' counters see it. */
static inline void mesh_report(const struct traffic *t, struct socket *s, const struct mesh_way *way)
{
  if (emr_socket(s)->stops_observed)
    stops_report(t, s, way);
}

/* Moves data up or down their column, then left or right in the row of their destination; they wait for a gap on each
 * of these rings. Returns when they leave the last ring. */
fs_t mesh_pass(struct socket *s, unsigned from, unsigned to, fs_t at);

static inline uint32_t mesh_hops(const struct socket *s, unsigned from, unsigned to)
{
  int across = emr_socket(s)->column[from] - emr_socket(s)->column[to],
      down = emr_socket(s)->line[from] - emr_socket(s)->line[to];
  return (uint32_t)(across < 0 ? -across : across) + (uint32_t)(down < 0 ? -down : down);
}

/* Sends a message that enters the mesh at `at`; returns when it has left the mesh. Inline, so that its six parameters
 * cost nothing. */
static inline fs_t mesh_send(const struct traffic *t, struct socket *s, unsigned from, unsigned to, unsigned kind,
                             fs_t at)
{
  const bool data = (kind & MESH_RING) == MESH_BL;
  if (emr_socket(s)->stops_observed)
    stops_report(t, s, &(struct mesh_way){from, to, kind, at});
  const fs_t passed = data ? mesh_pass(s, from, to, at) : at + mesh_hops(s, from, to) * (fs_t)t->time.hop;
  const fs_t there = passed + t->time.enter;
  if (!data && to < t->chas) /* a CHA's pipeline accepts one request per cycle: the booked resource */
    return there;
  struct slots *ingress = &emr_socket(s)->ingress[to][data];
  REGISTER_KEEP(ingress);
  /* A line of data is two transfers (guide 2.2.3.1). */
  return slots_take(ingress, there, data ? 2 * t->time.uclk : t->time.uclk);
}

#endif
