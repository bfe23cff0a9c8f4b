/* SPDX-License-Identifier: MIT */
/*
 * A message's path over the mesh, stop by stop. A message first travels up or down its column, turns at a transgress
 * into the row of its destination, and travels left or right there. CHAs share their stops with cores; memory
 * controllers use M2M's stops, links M3UPI's, I/O stacks M2PCIe's. The guide does not assign the two agents of a stop,
 * so a stop's messages use them alternately. A message on the ring has priority; a message that enters the ring waits
 * for a gap (mesh_stop_queue.c).
 *
 * Reports are made only while a counter observes a stop: messages in flight at that moment are not reported.
 */
#include "machine/emr/devices.h"
#include "machine/emr/m2m.h"
#include "machine/emr/mesh.h"
#include "machine/emr/reject.h"
#include "machine/emr/mesh_stops.h"

enum {
  VERT_IN_USE = 0xb0,
  HORZ_IN_USE = 0xb6,
  HORZ_AKC_IN_USE = 0xbb,
  EGRESS_ORDERING = 0xba,
  CODE_FIRST = 0x80,
  CODE_LAST = 0xe6,
  CODE_CLOCK = EMR_CMS_CLOCKTICKS
};
enum { UP, DOWN, LEFT = UP, RIGHT = DOWN, VERTICAL = 0, HORIZONTAL = 1 };

/* A message on its path; at: the time at the point that it has reached. */
struct message {
  const struct traffic *t;
  struct emr_socket *emr;
  struct stop *source;
  unsigned from, to, class, agent, kind; /* kind: index of horizontal queues; credited AD and BL are last */
  fs_t at;
  uint32_t n, parity;
};

static struct stop *stop_at(const struct emr_socket *emr, unsigned column, unsigned line)
{
  unsigned tile = column < MESH_SIDE && line < MESH_SIDE ? emr->tile_at[line][column] : 0;
  return tile ? &emr->stops->stop[tile - 1] : NULL;
}

static unsigned use_event_code(unsigned class, unsigned orientation)
{
  return orientation == VERTICAL ? VERT_IN_USE + class : class == STOP_AKC ? HORZ_AKC_IN_USE : HORZ_IN_USE + class;
}

/* Returns a stop's place in its lanes. */
static unsigned place_of(const struct stops *s, unsigned orientation, unsigned column, unsigned line)
{
  return orientation == VERTICAL ? column * s->lines + line : line * s->columns + column;
}

static fs_t ring_take(const struct message *m, unsigned orientation, unsigned direction, unsigned place, fs_t at)
{
  struct stops *s = m->emr->stops;
  struct stop_lane *lane = &s->lane[orientation][direction][m->class];
  return slots_book(&lane->run[place], &lane->bucket[place], s->places, at, m->n * m->t->time.uclk);
}

/* `n` steps along a row or column, from `place`; each adds `step` to the place. direction: the lane's. */
struct stop_steps {
  unsigned direction, step, n, place;
};

/* True if a pass at `at` must be reported: a counter observes it, or may do so by then. */
static bool pass_observed(const struct message *m, unsigned orientation, unsigned class, fs_t at)
{
  const struct block_head *head = (const struct block_head *)(const void *)m->emr->base.cha[0].block;
  return m->emr->stops->use_observed[orientation][class] || at >= head->horizon;
}

static void pass_report(const struct message *m, unsigned orientation, const struct stop_steps *w)
{
  struct stop *const *stops = m->emr->stops->at[orientation];
  const uint32_t one_ring = m->class == STOP_IV ? 0 : m->parity; /* IV has no even and odd */
  const uint64_t umask = UINT64_C(1) << (2 * w->direction + one_ring);
  const unsigned code = use_event_code(m->class, orientation);
  unsigned place = w->place;
  fs_t at = m->at;
  for (unsigned i = 0; i < w->n; i++) {
    place += w->step;
    at += m->t->time.hop;
    stop_pulse(stops[place], code, umask, at, m->n);
  }
}

/* Passes the stops of a column or row, including the stop at which the message leaves the ring. */
static void message_pass_stops(struct message *m, unsigned orientation, int steps)
{
  const unsigned column = m->emr->column[m->from], line = m->emr->line[orientation == VERTICAL ? m->from : m->to];
  struct stops *s = m->emr->stops;
  const struct stop_steps w = {steps < 0 ? UP : DOWN, steps < 0 ? UINT32_MAX : 1,
                               (unsigned)(steps < 0 ? -steps : steps), place_of(s, orientation, column, line)};
  struct stop_lane *lane = &s->lane[orientation][w.direction][m->class];
  const uint32_t hop = m->t->time.hop, duration = m->n * m->t->time.uclk;
  const size_t places = s->places;
  unsigned place = w.place;
  fs_t at = m->at;
  for (unsigned i = 0; i < w.n; i++) {
    place += w.step;
    at += hop;
    slots_book(&lane->run[place], &lane->bucket[place], places, at, duration);
  }
  /* The number of steps to the first column beyond the bridge. */
  const unsigned before = steps < 0 ? column - s->half : s->half + 1 - column;
  if (orientation == HORIZONTAL && before - 1 < w.n)
    bridge_cross(&(struct bridge_way){&s->bridge[line % BRIDGES], m->class, m->kind, steps < 0, m->at + before * hop,
                                      m->n, m->t->time.uclk});
  if (pass_observed(m, orientation, m->class, at))
    pass_report(m, orientation, &w);
  m->at = at;
}

static struct stop_pass stop_pass_init(const struct message *m, struct stop *stop)
{
  return (struct stop_pass){.stop = stop,
                            .class = m->class,
                            .agent = m->agent,
                            .kind = m->kind,
                            .at = m->at,
                            .leave = m->at,
                            .cycle = m->t->time.uclk};
}

/* Returns when the ring has a gap at the stop where the message enters it. */
static fs_t ring_find_gap(const struct message *m, unsigned orientation, unsigned direction)
{
  const unsigned column = m->emr->column[m->from], line = m->emr->line[orientation == VERTICAL ? m->from : m->to];
  return ring_take(m, orientation, direction, place_of(m->emr->stops, orientation, column, line), m->at);
}

/* Enters the vertical ring. A snoop (IV) does not overtake the grants (AK) that its CHA sent before. */
static void leave_vertical(struct message *m, unsigned direction)
{
  struct stop *stop = m->source;
  fs_t granted = stop->vertical[m->agent][STOP_AK].not_empty, asked = m->at;
  struct stop_pass p = stop_pass_init(m, stop);
  p.leave = ring_find_gap(m, VERTICAL, direction);
  if (m->class == STOP_IV && granted > asked) {
    stop_span(stop, EGRESS_ORDERING, direction == UP ? 0x01 : 0x04, asked, granted);
    p.leave = granted > p.leave ? granted : p.leave;
  }
  m->at = stop_egress_vertical(&p);
}

static void leave_horizontal(struct message *m, struct stop *stop, unsigned direction)
{
  struct stop_pass p = stop_pass_init(m, stop);
  p.leave = ring_find_gap(m, HORIZONTAL, direction);
  m->at = stop_egress_horizontal(&p);
}

/* Returns a credit to the stop that took it, on the ring for such credits. */
static void credit_back(const struct message *m, int steps)
{
  const unsigned n = (unsigned)(steps < 0 ? -steps : steps), column = m->emr->column[m->from];
  const uint64_t umask = UINT64_C(1) << (2 * (unsigned)(steps < 0 ? DOWN : UP) + m->parity);
  unsigned line = m->emr->line[m->to];
  if (!pass_observed(m, VERTICAL, STOP_TGC, m->at + n * (fs_t)m->t->time.hop))
    return;
  for (unsigned i = 1; i <= n; i++) {
    line = steps < 0 ? line + 1 : line - 1;
    stop_pulse(stop_at(m->emr, column, line), use_event_code(STOP_TGC, VERTICAL), umask,
               m->at + i * (fs_t)m->t->time.hop, 1);
  }
}

/* Turns from the vertical onto the horizontal ring, in the row of the destination. */
static void message_turn(struct message *m, unsigned direction)
{
  struct stop *corner = stop_at(m->emr, m->emr->column[m->from], m->emr->line[m->to]);
  if (!corner)
    return;
  struct stop_pass p = stop_pass_init(m, corner);
  m->at = stop_ingress(&p);
  leave_horizontal(m, corner, direction);
}

static void message_arrive(const struct message *m, bool horizontal)
{
  struct stop *goal = &m->emr->stops->stop[m->to];
  struct stop_pass p = stop_pass_init(m, goal);
  p.leave = slots_take(&goal->sink[horizontal][m->class], m->at, m->n * m->t->time.uclk);
  stop_sink(&p, horizontal);
}

static struct message message_of(const struct traffic *t, struct emr_socket *emr, const struct mesh_way *way)
{
  static const uint8_t classes[] = {
      [MESH_AD] = STOP_AD, [MESH_BL] = STOP_BL, [MESH_AK] = STOP_AK, [MESH_IV] = STOP_IV, [MESH_AKC] = STOP_AKC};
  struct stop *source = &emr->stops->stop[way->from];
  struct message m = {t,
                      emr,
                      source,
                      way->from,
                      way->to,
                      classes[way->kind & MESH_RING],
                      0,
                      0,
                      way->at,
                      1,
                      (uint32_t)(way->at / t->time.uclk & 1)};
  m.agent = source->turn++ & 1;
  m.n = m.class == STOP_BL ? 2 : 1; /* a line of data is two transfers (guide 2.2.3.1) */
  m.kind = m.class;
  /* Responses have reserved room, and a core's requests can be rejected: neither needs credits of its destination. */
  bool credited = !(way->kind & MESH_AWAITED) && !(m.class == STOP_AD && way->kind & MESH_OF_CORE);
  if (credited && (m.class == STOP_AD || m.class == STOP_BL))
    m.kind = m.class == STOP_AD ? 5 : 6;
  return m;
}

void stops_report(const struct traffic *t, struct socket *s, const struct mesh_way *way)
{
  struct emr_socket *emr = emr_socket(s);
  int down = emr->line[way->to] - emr->line[way->from], right = emr->column[way->to] - emr->column[way->from];
  struct message m = message_of(t, emr, way);
  unsigned row = emr->line[way->to] & (STOP_ROWS - 1);
  bool paid = down && right && (m.class == STOP_AD || m.class == STOP_BL);
  struct stop_pass source = stop_pass_init(&m, m.source);
  struct stop_credit credit = {0};
  if (!down && !right)
    return;
  if (paid) {
    credit = stop_credit_take(&source, row);
    m.at = credit.at;
  }
  if (down) {
    leave_vertical(&m, down < 0 ? UP : DOWN);
    message_pass_stops(&m, VERTICAL, down);
  } else {
    slots_take(&m.source->port, m.at, t->time.uclk);
    leave_horizontal(&m, m.source, right < 0 ? LEFT : RIGHT);
  }
  if (down && right)
    message_turn(&m, right < 0 ? LEFT : RIGHT);
  if (paid) {
    stop_credit_return(&source, row, &credit, m.at);
    credit_back(&m, down);
  }
  if (right)
    message_pass_stops(&m, HORIZONTAL, right);
  const struct stop *goal = &emr->stops->stop[way->to];
  if (paid && goal->mesh && goal->block) /* M2M also grants credits to transgresses */
    block_pulse(goal->block, m.class == STOP_AD ? M2M_TGR_AD_CREDITS : M2M_TGR_BL_CREDITS, 0, 0, m.at, 1);
  m.agent = way->to < t->chas && way->kind & MESH_AWAITED; /* the agent that receives it */
  message_arrive(&m, right);
}

/* True if a counter of the block observes any event other than the clock, which needs no report. */
static bool block_is_observed(const struct block *b)
{
  for (unsigned code = 0; b && code <= UINT8_MAX; code++)
    if (code != EMR_CLOCKTICKS && code != CODE_CLOCK && block_code_enabled(b, (uint8_t)code))
      return true;
  return false;
}

/* True if a counter of the socket observes events of stops or bridges. */
static bool stops_are_observed(const struct traffic *t, const struct socket *s)
{
  const struct emr_socket *emr = emr_socket(s);
  for (unsigned i = 0; i < t->chas + t->imcs + t->links + t->stacks; i++) {
    const struct block *b = emr->stops->unit[i].block;
    for (unsigned code = CODE_FIRST; b && code <= CODE_LAST; code++)
      if (code != CODE_CLOCK && block_code_enabled(b, (uint8_t)code))
        return true;
    if (b && emr->stops->unit[i].mesh &&
        (block_code_enabled(b, M2M_TGR_AD_CREDITS) || block_code_enabled(b, M2M_TGR_BL_CREDITS)))
      return true;
  }
  for (unsigned i = 0; i < BRIDGES; i++)
    if (block_is_observed(emr->stops->bridge_block[i]))
      return true;
  return false;
}

static void use_observed_update(const struct traffic *t, struct stops *s)
{
  for (unsigned k = 0; k < 2 * STOP_CLASSES; k++) {
    const unsigned orientation = k / STOP_CLASSES, class = k % STOP_CLASSES;
    s->use_observed[orientation][class] = false;
    for (unsigned i = 0; i < t->chas + t->imcs + t->links + t->stacks; i++) {
      const struct block *b = s->unit[i].block;
      s->use_observed[orientation][class] |= b && block_code_enabled(b, (uint8_t)use_event_code(class, orientation));
    }
  }
}

static void stops_units_set(struct stops *s)
{
  for (unsigned i = 0; i < MAX_TILES; i++) {
    s->stop[i].block = s->unit[i].block;
    s->stop[i].mesh = s->unit[i].mesh;
  }
  for (unsigned i = 0; i < BRIDGES; i++)
    s->bridge[i].block = s->bridge_block[i];
}

void stops_observed_update(struct traffic *t, struct socket *s)
{
  struct emr_socket *emr = emr_socket(s);
  emr->stops_observed = stops_are_observed(t, s);
  if (emr->stops_observed) {
    stops_units_set(emr->stops);
    use_observed_update(t, emr->stops);
  }
  emr->links_observed = emr->memory_observed = false;
  for (unsigned k = 0; k < t->imcs; k++)
    emr->memory_observed |= m2m_observed(&emr->m2m[k]);
  emr->rejects_observed = rejects_observed(t, s);
  emr->write_caches_observed = write_caches_observed(t, s);
  for (unsigned k = 0; k < t->links; k++)
    emr->links_observed |= block_is_observed(emr->link[k].block) || block_is_observed(emr->link[k].stop);
}

int stops_init(struct traffic *t, struct socket *s, struct machine *m)
{
  struct emr_socket *emr = emr_socket(s);
  unsigned columns = 0, lines = 0;
  if (!(emr->stops = pages_get(sizeof *emr->stops)))
    return PMON_E_MEMORY;
  for (unsigned i = 0; i < BRIDGES; i++)
    emr->stops->bridge_block[i] = machine_block(m, s->index, "mdf", i);
  for (unsigned i = 0; i < t->chas; i++)
    emr->stops->unit[s->cha[i].tile].block = machine_block(m, s->index, "cha", i);
  for (unsigned i = 0; i < t->imcs; i++) {
    emr->stops->unit[emr->m2m[i].tile].block = machine_block(m, s->index, "m2m", i);
    emr->stops->unit[emr->m2m[i].tile].mesh = M2M_MESH;
  }
  for (unsigned i = 0; i < t->links; i++) {
    emr->link[i].stop = emr->link[i].queues.block = machine_block(m, s->index, "m3upi", i);
    emr->stops->unit[emr->link[i].tile].block = emr->link[i].stop;
  }
  for (unsigned i = 0; i < t->stacks; i++) {
    emr->stops->unit[emr->iio[i].stack.tile].block = emr->iio[i].stop = machine_block(m, s->index, "m2pcie", i);
    emr->iio[i].ring_port = machine_block(m, s->index, "irp", i);
  }
  for (unsigned i = 0; i < t->chas + t->imcs + t->links + t->stacks; i++) {
    if (emr->line[i] < MESH_SIDE && emr->column[i] < MESH_SIDE)
      emr->tile_at[emr->line[i]][emr->column[i]] = (uint8_t)(i + 1);
    lines = emr->line[i] >= lines ? emr->line[i] + 1u : lines;
    columns = emr->column[i] >= columns ? emr->column[i] + 1u : columns;
  }
  emr->stops->columns = columns;
  emr->stops->lines = lines;
  emr->stops->half = (unsigned)t->config.value[CONFIG_MESH_COLUMNS] / 2;
  emr->stops->places = (size_t)columns * lines;
  for (unsigned i = 0; i < columns * lines; i++) {
    emr->stops->at[HORIZONTAL][i] = stop_at(emr, i % columns, i / columns);
    emr->stops->at[VERTICAL][i] = stop_at(emr, i / lines, i % lines);
  }
  return PMON_OK;
}

void stops_fini(struct socket *s)
{
  struct emr_socket *emr = emr_socket(s);
  pages_put(emr->stops, sizeof *emr->stops);
}
