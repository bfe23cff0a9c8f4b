/* SPDX-License-Identifier: MIT */
/* Resources of a QPI link for messages (guide 2.7): credits of the receive buffer and time on the lanes; and the
 * link's power states. */
#include <stdlib.h>
#include "machine/snbep/uncore.h"

/* An idle link turns half of its lanes off after a while (L0p), and enters L1 much later. In L0p the first message
 * is sent at half the rate while the lanes wake; in L1 it waits. The times are choices; the guide gives none. */
#define L0P_AFTER_FS 1000000000ull /* 1 us */
#define L1_AFTER_FS 50000000000ull /* 50 us */
#define L1_EXIT_FS 2000000000ull

/* Selects shared credits (VNA), one per flit; if too few are free, the class's own credit on virtual network 0; else
 * the message waits for whichever is free first. */
fs_t credits_take(struct snb_link *l, struct snb_credits *c, uint32_t n, fs_t at)
{
  const fs_t shared = snb_queue_room(&l->vna, n, at);
  if (shared <= at)
    return at;
  block_pulse(l->r3, R3_VNA_REJECT, SNB_UMASK(c->ring), 0, at, 1);
  const fs_t own = at < l->vn0[c->class] ? l->vn0[c->class] : at;
  if (own > at)
    block_pulse(l->r3, R3_VN0_REJECT, SNB_UMASK(c->ring), 0, at, 1);
  c->vn0 = own < shared;
  return c->vn0 ? own : shared;
}

void credits_hold(struct snb_link *l, const struct snb_credits *c, uint32_t n, const fs_t span[2])
{
  fs_t first = span[0], out[2];
  if (c->vn0) {
    block_pulse(l->r3, R3_VN0_USED, SNB_UMASK(c->ring), 0, span[0], 1);
    l->vn0[c->class] = span[1];
    return;
  }
  for (uint32_t i = 0; i < n; i++)
    snb_queue_hold(&l->vna, snb_queue_take(&l->vna, &first), span);
  block_pulse(l->r3, R3_VNA_ACQUIRED, 0, 0, span[0], n);
  snb_state(l->r3, R3_VNA_CYCLES_USED, 0, &l->vna_used, span);
  if (snb_queue_full(&l->vna, span[0], out))
    block_span(l->r3, R3_VNA_CYCLES_OUT, 0, 0, out[0], out[1], 1);
}

enum link_width { LINK_FULL, LINK_HALF };

/* A width of the link until a time; off: when both sides enter L1. */
struct link_state {
  enum link_width width;
  fs_t until, off;
};

/* Reports the link's power state since the last report, on both sides. It changes at the receiver a flight time later
 * than at the sender, but ends on both sides when they enter L1. */
static void link_state_report(struct traffic *t, struct socket *s, unsigned i, struct link_state state)
{
  static const uint8_t codes[][2] = {
      [LINK_FULL] = {QPI_TXL0_POWER, QPI_RXL0_POWER}, [LINK_HALF] = {QPI_TXL0P_POWER, QPI_RXL0P_POWER}};
  struct snb_link *l = &snbep_socket(s)->link[i], *r = &snbep_socket(t->socket[1 - s->index])->link[i];
  if (state.until <= l->power_reported)
    return;
  block_span(l->qpi, codes[state.width][0], 0, 0, l->power_reported, state.until, 1);
  l->power_reported = state.until;
  const fs_t from = l->power_arrived ? l->power_arrived : t->time.flight;
  const fs_t to = state.until + t->time.flight < state.off ? state.until + t->time.flight : state.off;
  if (to <= from)
    return;
  block_span(r->qpi, codes[state.width][1], 0, 0, from, to, 1);
  l->power_arrived = to;
}

/* The time at which the link enters L1 if neither side sends. */
static fs_t off_from(const struct traffic *t, const struct socket *s, unsigned i)
{
  const fs_t here = snbep_socket(s)->link[i].busy_until,
             there = snbep_socket(t->socket[1 - s->index])->link[i].busy_until;
  return (here > there ? here : there) + L1_AFTER_FS;
}

/* Reports the link's idle power states from l->busy_until up to `until`. Flits that half-width lanes could not send
 * are recorded for the count of idle flits. */
static void link_idle(struct traffic *t, struct socket *s, unsigned i, fs_t until)
{
  struct snb_link *l = &snbep_socket(s)->link[i];
  if (!t->config.value[CONFIG_UPI_L0P]) {
    link_state_report(t, s, i, (struct link_state){LINK_FULL, until, UINT64_MAX});
    return;
  }
  const fs_t narrow = l->busy_until + L0P_AFTER_FS, off = off_from(t, s, i);
  fs_t from = l->power_reported > narrow ? l->power_reported : narrow;
  link_state_report(t, s, i, (struct link_state){LINK_FULL, until < narrow ? until : narrow, off});
  if (from < off && from < until)
    l->lost_half_fs += (until < off ? until : off) - from;
  link_state_report(t, s, i, (struct link_state){LINK_HALF, until < off ? until : off, off});
  if (until <= l->power_reported)
    return;
  from = l->power_reported;
  l->lost_half_fs += 2 * (until - from);
  if (s->index == 0) /* the link as a whole, from either side */
    for (unsigned k = 0; k < 2; k++)
      block_span(snbep_socket(t->socket[k])->link[i].qpi, QPI_L1_POWER, 0, 0, from, until, 1);
  l->power_reported = l->power_arrived = until;
}

struct snb_train link_begin(struct traffic *t, struct socket *s, unsigned i, uint32_t n, fs_t at)
{
  struct snb_link *l = &snbep_socket(s)->link[i];
  uint32_t duration = n * t->time.flit;
  if (t->config.value[CONFIG_UPI_L0P] && at > l->busy_until + L0P_AFTER_FS) {
    if (at > off_from(t, s, i)) { /* neither side leaves L1 before the other */
      at += L1_EXIT_FS;
      link_idle(t, t->socket[1 - s->index], i, at);
    }
    link_idle(t, s, i, at);
    duration *= 2;
    l->lost_half_fs += duration;
    link_state_report(t, s, i, (struct link_state){LINK_HALF, at + duration, UINT64_MAX});
  }
  const fs_t begin = snb_lane_take(&l->tx, at, duration);
  fs_t again = begin;
  if (l->damaged &&
      begin >= l->damaged_from) { /* the receiver's request takes one flight time, the retransmission another */
    l->damaged--;
    block_pulse(snbep_socket(t->socket[1 - s->index])->link[i].qpi, QPI_RXL_CRC_ERRORS, SNB_UMASK(0x02), 0,
                begin + duration + t->time.flight, 1);
    again = snb_lane_take(&l->tx, begin + duration + 2 * t->time.flight, duration);
  }
  l->busy_until = again + duration > l->busy_until ? again + duration : l->busy_until;
  return (struct snb_train){{begin, again + t->time.flight}, duration / n, n};
}

/* Cycles of the link's clock, of 8 transfers each, that have ended at `at`. */
static uint64_t link_cycles_ended(const struct traffic *t, fs_t at)
{
  return (uint64_t)((unsigned __int128)at * t->config.value[CONFIG_UPI_GT] / 8000000000u);
}

/* The time at which `cycle` cycles have ended. */
static fs_t link_cycle_end(const struct traffic *t, uint64_t cycle)
{
  const uint64_t rate = t->config.value[CONFIG_UPI_GT];
  return (fs_t)(((unsigned __int128)cycle * 8000000000u + rate - 1) / rate);
}

fs_t link_counts(const struct traffic *t, fs_t begin)
{
  return link_cycle_end(t, link_cycles_ended(t, begin) + 1) - 1;
}

uint32_t link_flits_left(const struct traffic *t, const struct snb_train *m, unsigned side, fs_t until)
{
  const fs_t over = link_cycle_end(t, link_cycles_ended(t, until));
  if (!m->n || m->at[side] >= over)
    return m->n;
  const fs_t begun = (over - m->at[side] + m->step - 1) / m->step;
  return begun < m->n ? m->n - (uint32_t)begun : 0;
}

/* True if flits of the message may come after `until`. */
static bool link_goes_on(const struct traffic *t, const struct snb_train *m, unsigned side, fs_t until)
{
  return m->at[side] + m->n * m->step + 2 * (fs_t)t->time.flit > until;
}

/* The last SNB_AHEAD messages are always kept. A core with independent loads sends thousands of requests ahead of
 * simulated time; of the earlier messages, those are kept that may have flits after the next advance. */
void link_keep(const struct traffic *t, struct snb_link *l, const struct snb_train *m)
{
  struct snb_train *place = &l->ahead[l->next_ahead];
  l->flits_sent += m->n;
  l->next_ahead = (l->next_ahead + 1) % SNB_AHEAD;
  if (place->n && link_goes_on(t, place, 1, block_horizon(l->qpi))) {
    const unsigned room = l->n_later < l->later_room ? l->later_room : 2 * l->later_room + SNB_AHEAD;
    struct snb_train *later = room > l->later_room ? realloc(l->later, room * sizeof *later) : l->later;
    if (later) {
      l->later = later;
      l->later_room = room;
      later[l->n_later++] = *place;
    } else {
      block_out_of_memory(l->qpi);
    }
  }
  *place = *m;
}

static uint64_t flits_left(const struct traffic *t, const struct snb_train *m, unsigned n, unsigned side, fs_t until)
{
  uint64_t left = 0;
  for (unsigned i = 0; i < n; i++)
    if (link_goes_on(t, &m[i], side, until))
      left += link_flits_left(t, &m[i], side, until);
  return left;
}

/* Reports the idle flits of one side, sending (0) or receiving (1), up to `until`: the flit slots without a message.
 * Some of the sent flits arrive later. Idle and message flits add up to exactly two per clock, apart from the time
 * in which lanes were off. */
static void idle_flits_report(struct traffic *t, struct snb_link *l, struct block *b, unsigned side, fs_t until)
{
  const uint64_t all = 2 * link_cycles_ended(t, until);
  uint64_t used = l->flits_sent + l->idle_reported[side] + l->lost_half_fs / (2 * t->time.flit);
  used -= flits_left(t, l->ahead, SNB_AHEAD, side, until) + flits_left(t, l->later, l->n_later, side, until);
  if (all <= used)
    return;
  l->idle_reported[side] += all - used;
  for (uint64_t left = all - used; left;) {
    const uint32_t n = left < UINT32_MAX ? (uint32_t)left : UINT32_MAX;
    block_pulse(b, side ? QPI_RXL_FLITS_G0 : QPI_TXL_FLITS_G0, SNB_UMASK(FLIT0_IDLE), 0, until - 1, n);
    left -= n;
  }
}

void qpi_advance(struct traffic *t, struct socket *s, fs_t until)
{
  for (unsigned i = 0; until && i < t->links && t->sockets > 1; i++) {
    struct snb_link *l = &snbep_socket(s)->link[i];
    if (until > l->power_reported)
      link_idle(t, s, i, until);
    idle_flits_report(t, l, l->qpi, 0, until);
    idle_flits_report(t, l, snbep_socket(t->socket[1 - s->index])->link[i].qpi, 1, until);
    unsigned left = 0;
    for (unsigned k = 0; k < l->n_later; k++)
      if (link_goes_on(t, &l->later[k], 1, until))
        l->later[left++] = l->later[k];
    l->n_later = left;
  }
}
