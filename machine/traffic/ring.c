/* SPDX-License-Identifier: MIT */
/*
 * The ring (guide 2.3.4.2): address, acknowledge, data and invalidate messages, clockwise and counter-clockwise, each
 * direction in even and odd slots. Stops in order: R2PCIe, the two R3QPI, half of the CBos with their cores, the home
 * agent, the other half. A message takes the shorter way; the stops that it passes and the one it reaches see it.
 */
#include "machine/traffic/snb.h"

static void stop_put(struct socket *s, unsigned at, struct block *b, uint8_t code)
{
  s->snb->stop[at] = (struct snb_stop){ .block = b, .code = code };
}

void ring_init(struct traffic *t, struct socket *s, struct machine *m)
{
  struct snb *n = s->snb;
  const unsigned left = (t->chas + 1) / 2;
  unsigned at = 0;
  stop_put(s, n->r2 = at++, traffic_block_find(t, m, s, "r2pcie", 0), RING_AD_USED);
  n->r3 = at;
  for (unsigned i = 0; i < SNB_LINKS; i++)
    stop_put(s, at++, n->link[i].r3 = traffic_block_find(t, m, s, "r3qpi", i), RING_AD_USED);
  for (unsigned i = 0; i < t->chas; i++) {
    if (i == left) {
      n->home = at;
      stop_put(s, at++, NULL, 0);
    }
    s->cha[i].tile = at;
    stop_put(s, at, s->cha[i].block = traffic_block_find(t, m, s, "cbo", i), CBO_RING_AD_USED);
    n->stop[at++].right = i >= left;
  }
  if (t->chas == left) {                       /* one CBo: all of them stand on the left */
    n->home = at;
    stop_put(s, at++, NULL, 0);
  }
  n->stops = at;
  for (unsigned i = 0; i < t->stacks; i++)
    s->iio[i].tile = n->r2;
}

/* What waits to get onto the ring at its stop. */
static void egress_report(struct snb_stop *stop, const struct snb_move *m, const fs_t wait[2])
{
  static const uint8_t cache[] = { CBO_AD_CACHE, CBO_AK_CACHE, CBO_BL_CACHE, CBO_IV_CACHE };
  static const uint8_t core[] = { CBO_AD_CORE, CBO_AK_CORE, CBO_BL_CORE, 0 };
  static const uint8_t pcie[] = { R2_AD, R2_AK, R2_BL, 0 };
  const bool r2 = stop->code == RING_AD_USED && m->from == 0;
  if (!stop->block)
    return;
  if (stop->code != RING_AD_USED) {
    block_pulse(stop->block, CBO_TXR_INSERTS, SNB_UMASK(m->core ? core[m->ring] : cache[m->ring]), m->tid, wait[0], 1);
    if (m->ring == SNB_AD)
      block_pulse(stop->block, CBO_TXR_ADS_USED, 0, m->tid, wait[0], 1);
    return;
  }
  block_pulse(stop->block, RING_TXR_INSERTS, 0, m->tid, wait[0], 1);
  /* R3QPI's queues are one state, R2PCIe's one a ring. */
  snb_state(stop->block, RING_TXR_CYCLES_NE, r2 ? SNB_UMASK(pcie[m->ring]) : 0, &stop->ne[r2 ? m->ring : 0], wait);
}

static uint64_t way_of(const struct snb_stop *stop, bool clockwise, bool odd)
{
  const bool up = clockwise != stop->right;
  return SNB_UMASK(up ? (odd ? RING_UP_ODD : RING_UP_EVEN) : (odd ? RING_DOWN_ODD : RING_DOWN_EVEN));
}

fs_t ring_send(struct traffic *t, struct socket *s, const struct snb_move *m, fs_t at)
{
  struct snb *n = s->snb;
  const unsigned forth = (m->to + n->stops - m->from) % n->stops, back = (n->stops - forth) % n->stops;
  const bool clockwise = forth <= back;
  const fs_t entered = at + t->time.enter;
  const bool odd = entered / t->time.uclk & 1;
  unsigned stop = m->from, hops = clockwise ? forth : back;
  fs_t there = entered;
  egress_report(&n->stop[m->from], m, (fs_t[]){ at, entered });
  for (; hops; hops--) {
    const struct snb_stop *passed;
    stop = (stop + (clockwise ? 1 : n->stops - 1)) % n->stops;
    there += t->time.hop;
    passed = &n->stop[stop];
    if (!passed->block)
      continue;
    block_pulse(passed->block, (uint8_t)(passed->code + m->ring), way_of(passed, clockwise, odd), m->tid, there, 1);
    if (m->ring == SNB_BL)                     /* a line is two transfers, in slots of the same kind */
      block_pulse(passed->block, (uint8_t)(passed->code + SNB_BL), way_of(passed, clockwise, odd), m->tid,
                  there + 2 * t->time.uclk, 1);
  }
  if (m->ring == SNB_AK || m->ring == SNB_IV)
    return there;
  return slots_take(&s->ingress[m->to][m->ring == SNB_BL], there, m->ring == SNB_BL ? 2 * t->time.uclk : t->time.uclk);
}
