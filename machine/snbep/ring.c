/* SPDX-License-Identifier: MIT */
/*
 * The ring (guide 2.3.4.2): address, acknowledge, data and invalidate messages, clockwise and counter-clockwise; each
 * direction has even and odd slots. Order of the stops: R2PCIe, the two R3QPI, half of the CBos with their cores, the
 * home agent, the other half. A CBo without a slice remains, and counts the messages at its stop (2.3.1): there are as
 * many CBos as cores or slices, whichever are more; the first CBos have the slices. A message takes the shorter
 * direction. Every stop that it passes, and its destination, counts it. The message waits in its stop's egress queue
 * for an empty slot.
 */
#include "machine/snbep/uncore.h"

static void stop_init(struct socket *s, unsigned at, struct block *b, uint8_t code)
{
  struct snb_stop *stop = &snbep_socket(s)->stop[at];
  stop->block = b;
  stop->code = code;
  for (unsigned ring = 0; ring < SNB_RINGS; ring++)
    for (unsigned way = 0; way < 2; way++)
      snb_queue_init(&stop->egress[ring][way], stop->waiting[ring][way], SNB_EGRESS);
}

void ring_init(struct traffic *t, struct socket *s, struct machine *m)
{
  struct snbep_socket *n = snbep_socket(s);
  const unsigned cbos = s->tiles = t->cores > t->chas ? t->cores : t->chas, left = (cbos + 1) / 2;
  struct block *home = n->ha = traffic_block_find(t, m, s, "ha", 0);
  unsigned at = 0;
  stop_init(s, n->r2 = at++, traffic_block_find(t, m, s, "r2pcie", 0), RING_AD_USED);
  n->r3 = at;
  for (unsigned i = 0; i < SNB_LINKS; i++)
    stop_init(s, at++, n->link[i].r3 = traffic_block_find(t, m, s, "r3qpi", i), RING_AD_USED);
  for (unsigned i = 0; i < cbos; i++) {
    if (i == left) {
      n->home = at;
      stop_init(s, at++, home, HA_RING_AD_USED);
    }
    s->cha[i].tile = at;
    stop_init(s, at, s->cha[i].block = traffic_block_find(t, m, s, "cbo", i), CBO_RING_AD_USED);
    n->stop[at++].right = i >= left;
    for (unsigned queue = 0; queue < 2; queue++)
      n->cbo_ingress[i][queue].n = SNB_CBO_INGRESS;
  }
  if (cbos == left) { /* a single CBo is in the left half */
    n->home = at;
    stop_init(s, at++, home, HA_RING_AD_USED);
  }
  n->stops = at;
  for (unsigned i = 0; i < t->stacks; i++)
    s->stack[i]->tile = n->r2;
}

enum { CLOCKWISE, BACK };
struct run {
  struct traffic *t;
  struct socket *s;
  const struct snb_move *m;
  unsigned way;
  bool odd;
};

static uint16_t *ring_slot(const struct run *r, unsigned stop, uint64_t cycle)
{
  return &snbep_socket(r->s)->taken[r->m->ring][r->way][cycle % SNB_CYCLES][stop];
}

static uint16_t slot_round(uint64_t cycle)
{
  return (uint16_t)(cycle / SNB_CYCLES % UINT16_MAX + 1);
}

/* Returns the umask bit of a direction at a stop of the left or the right half. */
static uint64_t direction_umask(bool right, bool clockwise, bool odd)
{
  const bool up = clockwise != right;
  return SNB_UMASK(up ? (odd ? RING_UP_ODD : RING_UP_EVEN) : (odd ? RING_DOWN_ODD : RING_DOWN_EVEN));
}

/* Reports a full egress queue: the home agent's events are split by scheduler (one per direction), R2PCIe's by ring. */
static void full_report(const struct run *r, const fs_t span[2])
{
  static const uint8_t pcie[] = {R2_AD, R2_AK, R2_BL, 0}, agent[] = {HA_AD_FULL, HA_AK_FULL, HA_BL_FULL, 0};
  const struct snbep_socket *n = snbep_socket(r->s);
  const struct snb_stop *stop = &n->stop[r->m->from];
  if (r->m->from == n->home)
    block_span(n->ha, agent[r->m->ring], SNB_UMASK(1u << r->way), 0, span[0], span[1], 1);
  else if (stop->code == RING_AD_USED)
    block_span(stop->block, RING_TXR_CYCLES_FULL, r->m->from == n->r2 ? SNB_UMASK(pcie[r->m->ring]) : 0, 0, span[0],
               span[1], 1);
}

/* The home agent's events of its egress queues are split by scheduler, one per direction. */
static void home_egress_report(struct snb_stop *stop, const struct run *r, const fs_t wait[2])
{
  static const uint8_t inserts[] = {HA_AD_INSERTS, HA_AK_INSERTS, HA_BL_INSERTS};
  const uint64_t scheduler = SNB_UMASK(1u << r->way);
  if (r->m->ring > SNB_BL)
    return;
  const uint8_t code = inserts[r->m->ring];
  block_pulse(stop->block, code, scheduler, 0, wait[0], 1);
  block_span(stop->block, (uint8_t)(code + HA_EGRESS_OCCUPANCY), scheduler, 0, wait[0], wait[1], 1);
  snb_state(stop->block, (uint8_t)(code + HA_EGRESS_NE), scheduler, &stop->scheduler_ne[r->m->ring][r->way], wait);
}

/* Reports the messages that wait in the stop's egress queue. */
static void egress_report(struct snb_stop *stop, const struct run *r, const fs_t wait[2])
{
  const struct snb_move *const m = r->m;
  static const uint8_t cache[] = {CBO_AD_CACHE, CBO_AK_CACHE, CBO_BL_CACHE, CBO_IV_CACHE};
  static const uint8_t core[] = {CBO_AD_CORE, CBO_AK_CORE, CBO_BL_CORE, 0};
  static const uint8_t pcie[] = {R2_AD, R2_AK, R2_BL, 0};
  const bool r2 = stop->code == RING_AD_USED && m->from == 0;
  if (stop->code == HA_RING_AD_USED) {
    home_egress_report(stop, r, wait);
    return;
  }
  if (stop->code != RING_AD_USED) {
    block_pulse(stop->block, CBO_TXR_INSERTS, SNB_UMASK(m->side == SNB_OF_CORE ? core[m->ring] : cache[m->ring]),
                m->tid, wait[0], 1);
    if (m->ring == SNB_AD)
      block_pulse(stop->block, CBO_TXR_ADS_USED, 0, m->tid, wait[0], 1);
    return;
  }
  block_pulse(stop->block, RING_TXR_INSERTS, 0, m->tid, wait[0], 1);
  /* R3QPI's queues share one state; R2PCIe has one per ring. */
  snb_state(stop->block, RING_TXR_CYCLES_NE, r2 ? SNB_UMASK(pcie[m->ring]) : 0, &stop->ne[r2 ? m->ring : 0], wait);
}

/* Finds the first free slot of the ring at or after `at`; a line needs two slots of the same parity. Messages on the
 * ring have priority: a sender that waits for a slot is throttled. */
static fs_t slot_find(const struct run *r, fs_t at)
{
  const uint64_t first = at / r->t->time.uclk;
  struct snb_stop *stop = &snbep_socket(r->s)->stop[r->m->from];
  uint64_t cycle = first;
  while (*ring_slot(r, r->m->from, cycle) == slot_round(cycle) ||
         (r->m->ring == SNB_BL && *ring_slot(r, r->m->from, cycle + 2) == slot_round(cycle + 2)))
    cycle++;
  const fs_t entered = at + (cycle - first) * r->t->time.uclk;
  if (cycle > first && stop->code == CBO_RING_AD_USED)
    snb_state(stop->block, CBO_RING_SRC_THRTL, 0, &stop->held_back, (fs_t[]){at, entered});
  return entered;
}

/* Advances a message by `hops` stops; each stop that it passes and the last one count it. This loop dominates the
 * cost of the ring: stops are whole cycles apart, so that the loop needs no division. */
static fs_t ring_pass_stops(const struct run *r, unsigned stop, unsigned hops, fs_t at)
{
  struct snbep_socket *n = snbep_socket(r->s);
  const enum snb_ring ring = r->m->ring;
  const bool clockwise = r->way == CLOCKWISE;
  const bool line = ring == SNB_BL; /* two transfers, in slots of the same parity */
  const fs_t hop = r->t->time.hop, second = 2 * (fs_t)r->t->time.uclk;
  const uint64_t attr[2] = {direction_umask(false, clockwise, r->odd), direction_umask(true, clockwise, r->odd)};
  const uint64_t step = r->t->config.value[CONFIG_MESH_HOP];
  const unsigned last = n->stops - 1;
  uint16_t(*taken)[SNB_ROW] = n->taken[ring][r->way];
  for (uint64_t cycle = at / r->t->time.uclk; hops; hops--) {
    taken[cycle % SNB_CYCLES][stop] = slot_round(cycle);
    if (line)
      taken[(cycle + 2) % SNB_CYCLES][stop] = slot_round(cycle + 2);
    stop = clockwise ? (stop == last ? 0 : stop + 1) : stop ? stop - 1 : last;
    at += hop;
    cycle += step;
    const struct snb_stop *passed = &n->stop[stop];
    if (passed->code == HA_RING_AD_USED && ring > SNB_BL)
      continue; /* the home agent has no event of the invalidate ring */
    block_pulse(passed->block, (uint8_t)(passed->code + ring), attr[passed->right], r->m->tid, at, 1);
    if (line)
      block_pulse(passed->block, (uint8_t)(passed->code + SNB_BL), attr[passed->right], r->m->tid, at + second, 1);
  }
  return at;
}

static void bounce_report(const struct run *r, fs_t at)
{
  static const uint8_t core[] = {0, CBO_BOUNCE_AK, CBO_BOUNCE_BL, CBO_BOUNCE_IV};
  static const uint8_t pcie[] = {R2_AD, R2_AK, R2_BL, 0};
  const struct snbep_socket *n = snbep_socket(r->s);
  const struct snb_stop *source = &n->stop[r->m->from], *goal = &n->stop[r->m->to];
  if (r->m->to == n->r2)
    block_pulse(goal->block, R2_RXR_AK_BOUNCES, 0, 0, at, 1);
  else
    block_pulse(goal->block, CBO_RING_BOUNCES, SNB_UMASK(core[r->m->ring]), r->m->tid, at, 1);
  if (source->code == RING_AD_USED)
    block_pulse(source->block, R3_TXR_NACK, r->m->from == n->r2 ? SNB_UMASK(pcie[r->m->ring]) : 0, 0, at, 1);
}

/* A core, and the I/O stop for acknowledgements, accepts one message per ring and cycle (a line takes two cycles)
 * and buffers one more. A further message bounces and goes round the ring once more. (The guide does not give the
 * buffer's size.) */
static fs_t stop_sink_message(const struct run *r, fs_t at)
{
  struct snbep_socket *n = snbep_socket(r->s);
  struct slots *taker = &n->stop[r->m->to].sink[r->m->ring];
  const uint32_t long_it_takes = r->t->time.uclk * (r->m->ring == SNB_BL ? 2 : 1);
  const fs_t free = slots_take(taker, at, long_it_takes);
  while (free > at + long_it_takes) {
    bounce_report(r, at);
    at = ring_pass_stops(r, r->m->to, n->stops, at);
  }
  return free > at ? free : at;
}

fs_t ring_send(struct traffic *t, struct socket *s, const struct snb_move *m, fs_t at)
{
  struct snbep_socket *n = snbep_socket(s);
  const unsigned forth = m->to >= m->from ? m->to - m->from : m->to + n->stops - m->from;
  const unsigned back = forth ? n->stops - forth : 0;
  struct run r = {t, s, m, forth <= back ? CLOCKWISE : BACK, false};
  struct snb_queue *egress = &n->stop[m->from].egress[m->ring][r.way];
  fs_t accepted = at, full[2];
  const unsigned entry = snb_queue_take(egress, &accepted);
  const fs_t entered = slot_find(&r, accepted + t->time.enter);
  snb_queue_hold(egress, entry, (fs_t[]){accepted, entered});
  if (!snb_queue_ready(egress, accepted) && snb_queue_full(egress, accepted, full)) {
    full_report(&r, full);
    n->stop[m->from].full = full[1] > n->stop[m->from].full ? full[1] : n->stop[m->from].full;
  }
  egress_report(&n->stop[m->from], &r, (fs_t[]){accepted, entered});
  r.odd = entered / t->time.uclk & 1;
  const fs_t there = ring_pass_stops(&r, m->from, forth <= back ? forth : back, entered);
  if (m->side == SNB_TO_CORE || (m->to == n->r2 && m->ring == SNB_AK))
    return stop_sink_message(&r, there);
  if (m->ring == SNB_AK || m->ring == SNB_IV)
    return there;
  return slots_take(&n->ingress[m->to][m->ring == SNB_BL], there, m->ring == SNB_BL ? 2 * t->time.uclk : t->time.uclk);
}

fs_t ring_room(const struct socket *s, unsigned stop, fs_t at)
{
  const struct snbep_socket *snb = snbep_socket(s);
  fs_t room = at;
  for (unsigned ring = 0; ring < SNB_RINGS && at < snb->stop[stop].full; ring++)
    for (unsigned way = 0; way < 2; way++) {
      const fs_t free = snb_queue_room(&snb->stop[stop].egress[ring][way], 1, at);
      room = free > room ? free : room;
    }
  return room;
}
