/* SPDX-License-Identifier: MIT */
/*
 * Mesh stops (guide 2.1): what a message does on its way over the mesh, at each stop. It goes up or down its column
 * first, turns at a transgress into the row of its goal, and goes left or right there. Stops of units: CHAs share theirs
 * with cores; those of links are M3UPI's, those of I/O stacks M2PCIe's. Nothing waits for a ring here: an egress queue
 * holds a message as long as it takes to get onto the mesh.
 * Reports are made only while some counter listens to a stop: messages on their way when it begins are not seen.
 */
#include "machine/traffic/state.h"

enum { STOP_TXR_VERT_OCCUPANCY = 0x90, STOP_TXR_VERT_INSERTS = 0x92, STOP_VERT_IN_USE = 0xb0, STOP_HORZ_IN_USE = 0xb6,
       STOP_TXR_HORZ_OCCUPANCY = 0xa0, STOP_TXR_HORZ_INSERTS = 0xa1, STOP_RXR_OCCUPANCY = 0xe0, STOP_RXR_INSERTS = 0xe1,
       STOP_CRD_ACQUIRED = 0x80, STOP_CRD_OCCUPANCY = 0x82, STOP_CRD_BL = 0x08, STOP_FIRST = 0x80, STOP_LAST = 0xe6,
       STOP_CLOCK = 0xc0, CREDITED = 4 /* AD_CRD stands four bits above AD_UNCRD, BL likewise */ };

/* The order of classes in the codes of rings (Tables 2-1): AD, AK, BL. */
struct message { struct socket *s; unsigned from, to, class; fs_t at; uint32_t n, parity; };

static struct block *stop_at(const struct socket *s, unsigned column, unsigned line)
{
  unsigned tile = column < MESH_SIDE && line < MESH_SIDE ? s->tile_at[line][column] : 0;
  return tile ? s->stop[tile - 1] : NULL;
}

static void pulse(struct block *b, unsigned code, uint64_t umask, fs_t at, uint32_t n)
{
  if (b)
    block_pulse(b, (uint8_t)code, EMR_UMASK(umask), 0, at, n);
}

static void span(struct block *b, unsigned code, uint64_t umask, fs_t from, fs_t to)
{
  if (b)
    block_span(b, (uint8_t)code, EMR_UMASK(umask), 0, from, to, 1);
}

/* Each stop that it passes and the one where it leaves the ring; a line of data is two transfers. */
static fs_t along(const struct traffic *t, const struct message *m, bool vertical, unsigned steps, bool backwards)
{
  unsigned column = m->s->column[m->from], line = m->s->line[vertical ? m->from : m->to];
  fs_t at = m->at;
  for (unsigned i = 0; i < steps; i++) {
    unsigned *moves = vertical ? &line : &column;
    *moves = backwards ? *moves - 1 : *moves + 1;
    at += t->time.hop;
    pulse(stop_at(m->s, column, line), (vertical ? STOP_VERT_IN_USE : STOP_HORZ_IN_USE) + m->class,
          (uint64_t)1 << ((backwards ? 0 : 2) + m->parity), at, m->n);
  }
  return at;
}

/* The turn: a credit of the transgress, its ingress queue, the horizontal egress. */
static void turn(const struct traffic *t, const struct message *m, struct block *source, struct block *corner)
{
  unsigned row = m->s->line[m->to], upper = row >> 3 & 1, data = m->class == 2 ? STOP_CRD_BL : 0;
  uint64_t kind = (uint64_t)1 << (m->class == 1 ? 1 : m->class + CREDITED);
  fs_t leaves = m->at + t->time.hop;
  if (m->class != 1) {
    pulse(source, STOP_CRD_ACQUIRED + data + upper, (uint64_t)1 << (row & 7), m->at, 1);
    span(source, STOP_CRD_OCCUPANCY + data + upper, (uint64_t)1 << (row & 7), m->at, leaves);
  }
  pulse(corner, STOP_RXR_INSERTS, kind, m->at, 1);
  span(corner, STOP_RXR_OCCUPANCY, kind, m->at, leaves);
  pulse(corner, STOP_TXR_HORZ_INSERTS, kind, leaves, 1);
  span(corner, STOP_TXR_HORZ_OCCUPANCY, kind, leaves, leaves + t->time.hop);
}

void stops_report(const struct traffic *t, struct socket *s, const struct mesh_way *way)
{
  int down = s->line[way->to] - s->line[way->from], right = s->column[way->to] - s->column[way->from];
  /* What comes from memory on the address ring is an acknowledgement. */
  unsigned memory = way->from >= t->chas && way->from < t->chas + t->imcs;
  struct message m = { s, way->from, way->to, way->ring == MESH_BL ? 2 : memory, way->at, way->ring == MESH_BL ? 2 : 1,
                       (uint32_t)(way->at / t->time.uclk & 1) };
  struct block *source = s->stop[way->from];
  uint64_t agent = (uint64_t)1 << m.class;
  fs_t on = m.at + t->time.enter;
  if (down) {
    pulse(source, STOP_TXR_VERT_INSERTS, agent, m.at, 1);
    span(source, STOP_TXR_VERT_OCCUPANCY, agent, m.at, on);
    m.at = along(t, &m, true, (unsigned)(down < 0 ? -down : down), down < 0);
    if (right)
      turn(t, &m, source, stop_at(s, s->column[way->from], s->line[way->to]));
  } else if (right) {
    pulse(source, STOP_TXR_HORZ_INSERTS, agent, m.at, 1);
    span(source, STOP_TXR_HORZ_OCCUPANCY, agent, m.at, on);
  }
  along(t, &m, false, (unsigned)(right < 0 ? -right : right), right < 0);
}

/* Whether some counter of the socket counts what stops do. */
static bool heard(const struct traffic *t, const struct socket *s)
{
  for (unsigned i = 0; i < t->chas + t->imcs + t->links + t->stacks; i++) {
    const struct block_head *head = (const struct block_head *)(const void *)s->stop[i];
    for (unsigned code = STOP_FIRST; head && code <= STOP_LAST; code++)
      if (code != STOP_CLOCK && head->listen[code])
        return true;
  }
  return false;
}

void traffic_listen(struct traffic *t)
{
  for (unsigned i = 0; i < t->sockets; i++)
    t->socket[i]->stops_heard = t->socket[i]->stop[0] && heard(t, t->socket[i]);
}

/* The stops of M2M carry a bit of their own in their controls and are left out: what passes there is seen on the way. */
void stops_init(struct traffic *t, struct socket *s, struct machine *m)
{
  for (unsigned i = 0; i < t->chas; i++)
    s->stop[s->cha[i].tile] = machine_block(m, s->index, "cha", i);
  for (unsigned i = 0; i < t->links; i++)
    s->stop[s->link[i].tile] = s->link[i].stop = machine_block(m, s->index, "m3upi", i);
  for (unsigned i = 0; i < t->stacks; i++) {
    s->stop[s->iio[i].tile] = s->iio[i].stop = machine_block(m, s->index, "m2pcie", i);
    s->iio[i].ring_port = machine_block(m, s->index, "irp", i);
  }
  for (unsigned i = 0; i < t->chas + t->imcs + t->links + t->stacks; i++)
    if (s->line[i] < MESH_SIDE && s->column[i] < MESH_SIDE)
      s->tile_at[s->line[i]][s->column[i]] = (uint8_t)(i + 1);
}
