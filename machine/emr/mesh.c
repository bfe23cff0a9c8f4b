/* SPDX-License-Identifier: MIT */
/* The mesh: positions of the tiles. Cores and CHAs share tiles; memory controllers are at the left and right edges,
 * links and I/O stacks at the upper and lower edges. */
#include "machine/emr/mesh.h"

static void tile_put(struct socket *s, unsigned tile, unsigned column, unsigned line)
{
  struct emr_socket *emr = emr_socket(s);
  emr->column[tile] = (uint8_t)column;
  emr->line[tile] = (uint8_t)line;
}

void mesh_init(struct traffic *t, struct socket *s)
{
  struct emr_socket *emr = emr_socket(s);
  unsigned columns = (unsigned)t->config.value[CONFIG_MESH_COLUMNS], lines = (t->chas + columns - 1) / columns,
           tile = 0;
  for (unsigned i = 0; i < t->chas; i++)
    tile_put(s, s->cha[i].tile = tile++, 1 + i % columns, 1 + i / columns);
  for (unsigned i = 0; i < t->imcs; i++)
    tile_put(s, emr->m2m[i].tile = tile++, i & 1 ? columns + 1 : 0, 1 + (i >> 1) * (lines - 1));
  for (unsigned i = 0; i < t->links; i++)
    tile_put(s, emr->link[i].tile = tile++, 1 + (2 * i + 1) * columns / (2 * t->links), 0);
  for (unsigned i = 0; i < t->stacks; i++)
    tile_put(s, emr->iio[i].stack.tile = tile++, 1 + i * columns / t->stacks, lines + 1);
}

fs_t mesh_enter(const struct traffic *t, struct socket *s, unsigned from, unsigned to, fs_t at)
{
  struct emr_socket *emr = emr_socket(s);
  const int down = emr->line[to] - emr->line[from], right = emr->column[to] - emr->column[from];
  const unsigned ring = down ? down > 0 : 2u + (right > 0);
  return slots_take(&emr->egress[from][ring], at, 2 * t->time.uclk);
}
