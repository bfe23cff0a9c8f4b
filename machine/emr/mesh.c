/* SPDX-License-Identifier: MIT */
/*
 * The mesh: positions of the tiles. Cores and CHAs share tiles, which are numbered down the first column, then down the
 * next one: J. McCalpin found this order on Skylake's and Ice Lake's servers (Mapping Core and L3 Slice Numbering to
 * Die Location in Intel Xeon Scalable Processors, TACC, 2021). Which tiles of a die are unused differs from part to
 * part; the model spreads the tiles in use over the columns, and a core has the number of its CHA. Memory controllers
 * are at the left and right edges, links and I/O stacks at the upper and lower edges.
 */
#include "machine/emr/mesh.h"
#include "machine/common/register_keep.h"

#include <pmon/status.h>

/* Returns the `n`th of `all` stops of a column or a row; in a long one, several stops share a segment. */
static struct ring_stop stop_of(unsigned pair, unsigned n, unsigned all)
{
  const unsigned segment = all > RING_SEGMENTS ? n * RING_SEGMENTS / all : n;
  return (struct ring_stop){(UINT32_C(1) << segment) - 1,
                            {(uint8_t)(all - n), (uint8_t)n},
                            {(uint8_t)segment, (uint8_t)(segment - (segment > 0))},
                            (uint8_t)pair};
}

static void tile_put(struct socket *s, unsigned tile, unsigned column, unsigned line)
{
  struct emr_socket *emr = emr_socket(s);
  emr->column[tile] = (uint8_t)column;
  emr->line[tile] = (uint8_t)line;
}

static size_t rings_bytes(const struct mesh_rings *r)
{
  return 2 * (r->columns + r->lines) * sizeof *r->ring;
}

/* `columns` and `lines` include those of the edges. */
static int rings_init(const struct traffic *t, struct emr_socket *emr, unsigned columns, unsigned lines)
{
  struct mesh_rings *r = &emr->rings;
  r->columns = columns;
  r->lines = lines;
  r->hop = t->time.hop;
  r->step = ring_step_init(2 * t->time.uclk); /* a line of data is two transfers (guide 2.2.3.1) */
  for (unsigned i = 0; i < t->chas + t->imcs + t->links + t->stacks; i++)
    r->place[i] = (struct mesh_place){stop_of(emr->column[i], emr->line[i], lines),
                                      stop_of(columns + emr->line[i], emr->column[i], columns)};
  r->ring = pages_get(rings_bytes(r));
  return r->ring ? PMON_OK : PMON_E_MEMORY;
}

int mesh_init(struct traffic *t, struct socket *s)
{
  struct emr_socket *emr = emr_socket(s);
  unsigned columns = (unsigned)t->config.value[CONFIG_MESH_COLUMNS], lines = (t->chas + columns - 1) / columns,
           tile = 0;
  for (unsigned i = 0; i < t->chas; i++) {
    const unsigned column = i * columns / t->chas, first = (column * t->chas + columns - 1) / columns;
    tile_put(s, s->cha[i].tile = tile++, 1 + column, 1 + i - first);
  }
  for (unsigned i = 0; i < t->imcs; i++)
    tile_put(s, emr->m2m[i].tile = tile++, i & 1 ? columns + 1 : 0, 1 + (i >> 1) * (lines - 1));
  for (unsigned i = 0; i < t->links; i++)
    tile_put(s, emr->link[i].tile = tile++, 1 + (2 * i + 1) * columns / (2 * t->links), 0);
  for (unsigned i = 0; i < t->stacks; i++)
    tile_put(s, emr->iio[i].stack.tile = tile++, 1 + i * columns / t->stacks, lines + 1);
  return rings_init(t, emr, columns + 2, lines + 2);
}

void mesh_fini(struct socket *s)
{
  struct emr_socket *emr = emr_socket(s);
  pages_put(emr->rings.ring, rings_bytes(&emr->rings));
}

/* Passes a message that could enter at `at` from one stop to another of a column or row, whose two directions are a
 * pair of rings. Returns when it leaves its ring. */
static inline fs_t ring_pass(const struct mesh_rings *r, unsigned pair, const struct ring_stop *from,
                             const struct ring_stop *to, fs_t at)
{
  const bool back = to->lead[0] > from->lead[0];
  fs_t end = at + from->lead[back] * (fs_t)r->hop; /* when its place passes the far end */
  const uint64_t first = ring_steps(r->step, end);
  const uint64_t number =
      ring_place_take(&r->ring[2 * pair + back], first, from->before ^ to->before, from->enters[back]);
  if (number != first)
    end = number * r->step.fs;
  return end - to->lead[back] * (fs_t)r->hop;
}

fs_t mesh_pass(struct socket *s, unsigned from, unsigned to, fs_t at)
{
  const struct mesh_rings *r = &emr_socket(s)->rings;
  const struct mesh_place *source = &r->place[from], *goal = &r->place[to];
  REGISTER_KEEP(source);
  REGISTER_KEEP(goal);
  if (source->in_line.pair != goal->in_line.pair)
    at = ring_pass(r, source->in_column.pair, &source->in_column, &goal->in_column, at);
  if (source->in_column.pair != goal->in_column.pair)
    at = ring_pass(r, goal->in_line.pair, &source->in_line, &goal->in_line, at);
  return at;
}
