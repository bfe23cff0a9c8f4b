/* SPDX-License-Identifier: MIT */
/*
 * What a message does on its way over the mesh, at each stop. It goes up or down its column first, turns at a
 * transgress into the row of its goal, and goes left or right there. Stops of units: CHAs share theirs with cores,
 * memory controllers have M2M's, links M3UPI's, I/O stacks M2PCIe's. Whose the two agents of a stop are is not in the
 * guide: what a stop sends goes through both in turn. What passes a stop has the ring, what wants to get on it waits
 * for a gap (stop_queue.c).
 * Reports are made only while some counter listens to a stop: messages on their way when it begins are not seen.
 */
#include "machine/traffic/reject.h"
#include "machine/traffic/state.h"
#include "machine/traffic/stops.h"

enum { VERT_IN_USE = 0xb0, HORZ_IN_USE = 0xb6, HORZ_AKC_IN_USE = 0xbb, EGRESS_ORDERING = 0xba, CODE_FIRST = 0x80,
       CODE_LAST = 0xe6, CODE_CLOCK = EMR_CMS_CLOCKTICKS };
#define STOPS_SIZE (MAX_TILES * sizeof(struct stop) + BRIDGES * sizeof(struct bridge))
enum { UP, DOWN, LEFT = UP, RIGHT = DOWN, VERTICAL = 0, HORIZONTAL = 1 };

/* A message, as far as it has come. */
struct message {
  const struct traffic *t;
  struct socket *s;
  struct stop *source;
  unsigned from, to, class, agent, kind;      /* kind: of horizontal queues; credited AD and BL stand last */
  fs_t at;
  uint32_t n, parity;
};

static struct stop *stop_at(const struct socket *s, unsigned column, unsigned line)
{
  unsigned tile = column < MESH_SIDE && line < MESH_SIDE ? s->tile_at[line][column] : 0;
  return tile ? &s->stop[tile - 1] : NULL;
}

static unsigned in_use(unsigned class, unsigned orientation)
{
  return orientation == VERTICAL ? VERT_IN_USE + class : class == STOP_AKC ? HORZ_AKC_IN_USE : HORZ_IN_USE + class;
}

/* Passes the stops of a column or row, the one where it leaves the ring included. */
static void along(struct message *m, unsigned orientation, int steps)
{
  unsigned column = m->s->column[m->from], line = m->s->line[orientation == VERTICAL ? m->from : m->to];
  unsigned *moves = orientation == VERTICAL ? &line : &column, direction = steps < 0 ? UP : DOWN;
  uint32_t one_ring = m->class == STOP_IV ? 0 : m->parity;      /* IV has no even and odd */
  for (unsigned i = (unsigned)(steps < 0 ? -steps : steps); i; i--) {
    *moves = steps < 0 ? *moves - 1 : *moves + 1;
    m->at += m->t->time.hop;
    struct stop *stop = stop_at(m->s, column, line);
    if (orientation == HORIZONTAL && column == m->t->half + (steps < 0 ? 0 : 1))
      bridge_cross(&(struct bridge_way){ &m->s->bridge[line % BRIDGES], m->class, m->kind, steps < 0, m->at, m->n,
                                         m->t->time.uclk });
    if (!stop)
      continue;
    slots_take(&stop->ring[orientation][direction][m->class], m->at, m->n * m->t->time.uclk);
    stop_pulse(stop, in_use(m->class, orientation), UINT64_C(1) << (2 * direction + one_ring), m->at, m->n);
  }
}

static struct stop_pass pass_of(const struct message *m, struct stop *stop)
{
  return (struct stop_pass){ .stop = stop, .class = m->class, .agent = m->agent, .kind = m->kind, .at = m->at,
                             .leave = m->at, .cycle = m->t->time.uclk };
}

static fs_t gap(const struct message *m, struct stop *stop, unsigned orientation, unsigned direction)
{
  return slots_take(&stop->ring[orientation][direction][m->class], m->at, m->n * m->t->time.uclk);
}

/* Onto the vertical ring. A snoop (IV) does not overtake the grants (AK) that its CHA gave before. */
static void leave_vertical(struct message *m, unsigned direction)
{
  struct stop *stop = m->source;
  fs_t granted = stop->vertical[m->agent][STOP_AK].not_empty, asked = m->at;
  struct stop_pass p = pass_of(m, stop);
  p.leave = gap(m, stop, VERTICAL, direction);
  if (m->class == STOP_IV && granted > asked) {
    stop_span(stop, EGRESS_ORDERING, direction == UP ? 0x01 : 0x04, asked, granted);
    p.leave = granted > p.leave ? granted : p.leave;
  }
  m->at = stop_egress_vertical(&p);
}

static void leave_horizontal(struct message *m, struct stop *stop, unsigned direction)
{
  struct stop_pass p = pass_of(m, stop);
  p.leave = gap(m, stop, HORIZONTAL, direction);
  m->at = stop_egress_horizontal(&p);
}

/* A credit goes back to where it was taken, on the ring for it. */
static void credit_back(const struct message *m, int steps)
{
  struct message back = *m;
  back.class = STOP_TGC;
  back.n = 1;
  back.from = m->to;
  unsigned column = m->s->column[m->from], line = m->s->line[m->to];
  for (unsigned i = (unsigned)(steps < 0 ? -steps : steps); i; i--) {
    line = steps < 0 ? line + 1 : line - 1;
    back.at += m->t->time.hop;
    stop_pulse(stop_at(m->s, column, line), in_use(STOP_TGC, VERTICAL),
               UINT64_C(1) << (2 * (unsigned)(steps < 0 ? DOWN : UP) + m->parity), back.at, 1);
  }
}

/* From the vertical into the horizontal ring, at the row of its goal. */
static void turn(struct message *m, unsigned direction)
{
  struct stop *corner = stop_at(m->s, m->s->column[m->from], m->s->line[m->to]);
  if (!corner)
    return;
  struct stop_pass p = pass_of(m, corner);
  m->at = stop_ingress(&p);
  leave_horizontal(m, corner, direction);
}

static void arrive(const struct message *m, bool horizontal)
{
  struct stop *goal = &m->s->stop[m->to];
  struct stop_pass p = pass_of(m, goal);
  p.leave = slots_take(&goal->sink[horizontal][m->class], m->at, m->n * m->t->time.uclk);
  stop_sink(&p, horizontal);
}

static struct message message_of(const struct traffic *t, struct socket *s, const struct mesh_way *way)
{
  static const uint8_t classes[] = { [MESH_AD] = STOP_AD, [MESH_BL] = STOP_BL, [MESH_AK] = STOP_AK, [MESH_IV] = STOP_IV,
                                     [MESH_AKC] = STOP_AKC };
  struct stop *source = &s->stop[way->from];
  struct message m = { t, s, source, way->from, way->to, classes[way->kind & MESH_RING], 0, 0, way->at, 1,
                       (uint32_t)(way->at / t->time.uclk & 1) };
  m.agent = source->turn++ & 1;
  m.n = m.class == STOP_BL ? 2 : 1;                    /* a line of data is two transfers (guide 2.2.3.1) */
  m.kind = m.class;
  /* Answers have room kept for them, and a core's requests may be sent back: neither needs credits of its goal. */
  bool credited = !(way->kind & MESH_AWAITED) && !(m.class == STOP_AD && way->kind & MESH_OF_CORE);
  if (credited && (m.class == STOP_AD || m.class == STOP_BL))
    m.kind = m.class == STOP_AD ? 5 : 6;
  return m;
}

void stops_report(const struct traffic *t, struct socket *s, const struct mesh_way *way)
{
  int down = s->line[way->to] - s->line[way->from], right = s->column[way->to] - s->column[way->from];
  struct message m = message_of(t, s, way);
  unsigned row = s->line[way->to] & (STOP_ROWS - 1);
  bool paid = down && right && (m.class == STOP_AD || m.class == STOP_BL);
  struct stop_pass source = pass_of(&m, m.source);
  struct stop_credit credit = { 0 };
  if (!down && !right)
    return;
  if (paid) {
    credit = stop_credit_take(&source, row);
    m.at = credit.at;
  }
  if (down) {
    leave_vertical(&m, down < 0 ? UP : DOWN);
    along(&m, VERTICAL, down);
  } else {
    slots_take(&m.source->port, m.at, t->time.uclk);
    leave_horizontal(&m, m.source, right < 0 ? LEFT : RIGHT);
  }
  if (down && right)
    turn(&m, right < 0 ? LEFT : RIGHT);
  if (paid) {
    stop_credit_return(&source, row, &credit, m.at);
    credit_back(&m, down);
  }
  if (right)
    along(&m, HORIZONTAL, right);
  m.agent = way->to < t->chas && way->kind & MESH_AWAITED;      /* whose it is there */
  arrive(&m, right);
}

/* Whether some counter of the block counts anything but its clock, which needs nobody to tell. */
static bool any(const struct block *b)
{
  const struct block_head *head = (const struct block_head *)(const void *)b;
  for (unsigned code = 0; head && code < sizeof head->listen / sizeof *head->listen; code++)
    if (code != EMR_CLOCKTICKS && code != CODE_CLOCK && head->listen[code])
      return true;
  return false;
}

/* Whether some counter of the socket counts what stops and bridges do. */
static bool heard(const struct traffic *t, const struct socket *s)
{
  for (unsigned i = 0; i < t->chas + t->imcs + t->links + t->stacks; i++) {
    const struct block_head *head = (const struct block_head *)(const void *)s->stop[i].block;
    for (unsigned code = CODE_FIRST; head && code <= CODE_LAST; code++)
      if (code != CODE_CLOCK && head->listen[code])
        return true;
  }
  for (unsigned i = 0; i < BRIDGES; i++)
    if (any(s->bridge[i].block))
      return true;
  return false;
}

void traffic_listen(struct traffic *t)
{
  for (unsigned i = 0; i < t->sockets; i++) {
    struct socket *s = t->socket[i];
    s->stops_heard = s->stop && heard(t, s);
    s->links_heard = s->memory_heard = false;
    for (unsigned k = 0; s->stop && k < t->imcs; k++)
      s->memory_heard |= any(s->m2m[k].block);
    s->rejects_heard = s->rejects && rejects_heard(t, s);
    for (unsigned k = 0; s->stop && k < t->links; k++)
      s->links_heard |= any(s->link[k].block) || any(s->link[k].stop);
  }
}

int stops_init(struct traffic *t, struct socket *s, struct machine *m)
{
  if (!(s->stop = pages_get(STOPS_SIZE)))
    return PMON_E_MEMORY;
  s->bridge = (struct bridge *)(void *)(s->stop + MAX_TILES);
  for (unsigned i = 0; i < BRIDGES; i++)
    s->bridge[i].block = machine_block(m, s->index, "mdf", i);
  for (unsigned i = 0; i < t->chas; i++)
    s->stop[s->cha[i].tile].block = machine_block(m, s->index, "cha", i);
  for (unsigned i = 0; i < t->imcs; i++) {
    s->stop[s->m2m[i].tile].block = machine_block(m, s->index, "m2m", i);
    s->stop[s->m2m[i].tile].mesh = M2M_MESH;
  }
  for (unsigned i = 0; i < t->links; i++)
    s->stop[s->link[i].tile].block = s->link[i].stop = s->link[i].queues.block = machine_block(m, s->index, "m3upi", i);
  for (unsigned i = 0; i < t->stacks; i++) {
    s->stop[s->iio[i].tile].block = s->iio[i].stop = machine_block(m, s->index, "m2pcie", i);
    s->iio[i].ring_port = machine_block(m, s->index, "irp", i);
  }
  for (unsigned i = 0; i < t->chas + t->imcs + t->links + t->stacks; i++)
    if (s->line[i] < MESH_SIDE && s->column[i] < MESH_SIDE)
      s->tile_at[s->line[i]][s->column[i]] = (uint8_t)(i + 1);
  return PMON_OK;
}

void stops_fini(struct socket *s)
{
  pages_put(s->stop, STOPS_SIZE);
}
