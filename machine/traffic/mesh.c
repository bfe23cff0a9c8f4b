/* SPDX-License-Identifier: MIT */
/* The mesh: where the tiles are, and how long a message is on its way. Cores and CHAs share tiles; memory controllers
 * stand at the left and right edge, links and I/O stacks at the upper and lower one. */
#include "machine/traffic/state.h"

static void tile_put(struct socket *s, unsigned tile, unsigned column, unsigned line)
{
  s->column[tile] = (uint8_t)column;
  s->line[tile] = (uint8_t)line;
}

void mesh_init(struct traffic *t, struct socket *s)
{
  unsigned columns = (unsigned)t->config.value[CONFIG_MESH_COLUMNS], lines = (t->chas + columns - 1) / columns,
           tile = 0;
  for (unsigned i = 0; i < t->chas; i++)
    tile_put(s, s->cha[i].tile = tile++, 1 + i % columns, 1 + i / columns);
  for (unsigned i = 0; i < t->imcs; i++)
    tile_put(s, s->m2m[i].tile = tile++, i & 1 ? columns + 1 : 0, 1 + (i >> 1) * (lines - 1));
  for (unsigned i = 0; i < t->links; i++)
    tile_put(s, s->link[i].tile = tile++, 1 + (2 * i + 1) * columns / (2 * t->links), 0);
  for (unsigned i = 0; i < t->stacks; i++)
    tile_put(s, s->iio[i].tile = tile++, 1 + i * columns / t->stacks, lines + 1);
}

fs_t mesh_send(const struct traffic *t, struct socket *s, unsigned from, unsigned to, unsigned kind, fs_t at)
{
  int across = s->column[from] - s->column[to], down = s->line[from] - s->line[to];
  uint32_t hops = (uint32_t)(across < 0 ? -across : across) + (uint32_t)(down < 0 ? -down : down);
  if (s->stops_heard)
    stops_report(t, s, &(struct mesh_way){ from, to, kind, at });
  fs_t there = at + t->time.enter + hops * t->time.hop;
  const bool data = (kind & MESH_RING) == MESH_BL;
  if (!data && to < t->chas)         /* a CHA's pipeline takes one request a cycle: that is what is booked */
    return there;
  /* A line of data is two transfers (guide 2.2.3.1). */
  return slots_take(&s->ingress[to][data], there, data ? 2 * t->time.uclk : t->time.uclk);
}
