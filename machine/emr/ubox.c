/* SPDX-License-Identifier: MIT */
/*
 * The UBox processes messages one at a time: interrupts of devices and between cores, legacy wires, doorbells, locks,
 * and cores' accesses to slow registers and to the random number generator (RACU). The guide has no section on it; the
 * events are those of the event files. Choices: its position at the first I/O stack, a queue of eight messages, and a
 * buffer of random numbers for a few instructions.
 */
#include "machine/emr/devices.h"

enum {
  EVENT_MSG = 0x42,
  PHOLD = 0x45,
  RACU_REQUESTS = 0x46,
  RACU_DRNG = 0x4c,
  M2U_MISC1 = 0x4d,
  M2U_MISC2 = 0x4e,
  QUEUE_FULL = 0x01,
  EMPTY_IN = 0x02,
  EMPTY_OUT = 0x70,
  TAKES_CYCLES = 16,
  QUEUE = 8,
  RDRAND = 0x01,
  RDSEED = 0x02,
  NO_NUMBERS = 0x04
};
#define NUMBER_FS UINT64_C(100000000) /* 100 ns to make a number */
#define LOCKED_FS UINT64_C(200000000) /* how long a lock is held */

/* Messages to the mesh leave at once: the egress queues are always empty. */
static void m2u_report(struct socket *s, unsigned code, unsigned umask, fs_t from, fs_t to)
{
  if (to > from)
    block_span(emr_socket(s)->ubox.block, (uint8_t)code, EMR_UMASK(umask), 0, from, to, 1);
}

/* Processes one message; `from`: the bit of M2U_MISC1 for its source and class. */
static fs_t ubox_take_message(const struct traffic *t, struct socket *s, unsigned from, fs_t at)
{
  struct emr_socket *emr = emr_socket(s);
  const fs_t cycles = TAKES_CYCLES * (fs_t)t->time.uclk;
  const fs_t begin = at > emr->ubox.busy ? at : emr->ubox.busy, done = begin + cycles;
  m2u_report(s, M2U_MISC2, EMPTY_IN | EMPTY_OUT, emr->ubox.busy, at);
  m2u_report(s, M2U_MISC2, EMPTY_OUT, begin, done);
  m2u_report(s, M2U_MISC1, from, begin, done);
  const fs_t room = done - at > QUEUE * cycles ? done - QUEUE * cycles : at;
  const fs_t full = at > emr->ubox.full ? at : emr->ubox.full;
  m2u_report(s, M2U_MISC2, QUEUE_FULL, full, room);
  emr->ubox.full = room > emr->ubox.full ? room : emr->ubox.full;
  emr->ubox.busy = done;
  return done;
}

fs_t ubox_message(struct traffic *t, struct socket *s, unsigned kind, fs_t at)
{
  block_pulse(emr_socket(s)->ubox.block, EVENT_MSG, EMR_UMASK(kind), 0, at, 1);
  return ubox_take_message(t, s, 0x01, at);
}

/* A message's path from a tile to the UBox of a socket. */
struct way {
  struct socket *from, *to;
  unsigned tile;
  uint64_t line;
  bool posted;
};

static fs_t ubox_send_message(struct traffic *t, const struct way *w, fs_t at)
{
  const struct io_way way = {w->from, w->to, w->tile, w->to->stack[0]->tile, w->line, w->posted};
  return ubox_take_message(t, w->to, (w->from == w->to ? 0x01u : 0x04u) << !w->posted, io_send(t, &way, at));
}

/* The master of a lock notifies every socket's UBox and grants the lock when all have acknowledged; the lock lasts a
 * fixed time. */
static fs_t ubox_lock_system(struct traffic *t, const struct way *w, fs_t at)
{
  struct socket *master = w->to;
  fs_t asked = ubox_send_message(t, w, at), granted = asked;
  for (unsigned i = 0; i < t->sockets; i++) {
    struct socket *s = t->socket[i];
    const struct way there = {master, s, master->stack[0]->tile, w->line, false};
    const struct io_way back = {s, master, s->stack[0]->tile, master->stack[0]->tile, w->line, false};
    const fs_t answered = s == master ? asked : io_send(t, &back, ubox_send_message(t, &there, asked));
    granted = answered > granted ? answered : granted;
  }
  m2u_report(master, PHOLD, 0x01, at, granted);
  return granted + LOCKED_FS;
}

/* Takes a number from the buffer, or waits for one. */
static fs_t ubox_take_random_number(struct socket *s, unsigned kind, fs_t at)
{
  struct emr_socket *emr = emr_socket(s);
  fs_t have = at;
  block_pulse(emr->ubox.block, RACU_DRNG, EMR_UMASK(kind), 0, at, 1);
  for (unsigned n = kind == RDSEED ? 2 : 1; n; n--) {
    const unsigned i = few_take(emr->ubox.number, UBOX_NUMBERS, &have);
    emr->ubox.number[i] = have + NUMBER_FS;
  }
  if (have > at)
    block_pulse(emr->ubox.block, RACU_DRNG, EMR_UMASK(NO_NUMBERS), 0, at, 1);
  return have;
}

fs_t system_move(struct traffic *t, struct dma *d, fs_t at)
{
  static const uint8_t events[SYSTEM_MESSAGES] = {[SYSTEM_WIRE] = 0x01,
                                                  [SYSTEM_MSI] = 0x02,
                                                  [SYSTEM_IPI] = 0x04,
                                                  [SYSTEM_DOORBELL] = 0x08,
                                                  [SYSTEM_PRIORITY] = 0x10};
  const struct dma_stream *m = &d->stream;
  struct socket *s = t->socket[m->socket], *o = t->socket[m->node];
  struct emr_socket *emr = emr_socket(o);
  const struct core *c = &t->core[m->socket * t->cores + d->offset / 64 % t->cores];
  const bool wire = m->message == SYSTEM_WIRE;
  const struct way w = {s, o, wire ? s->stack[m->stack]->tile : c->tile, d->base * 64 + d->offset / 64,
                        events[m->message] != 0};
  d->offset = d->offset + 64 < m->span_bytes ? d->offset + 64 : 0;
  if (m->message == SYSTEM_LOCK)
    return ubox_lock_system(t, &w, at);
  const fs_t there = ubox_send_message(t, &w, at);
  if (events[m->message]) {
    block_pulse(emr->ubox.block, EVENT_MSG, EMR_UMASK(events[m->message]), 0, there, 1);
    return there;
  }
  block_pulse(emr->ubox.block, RACU_REQUESTS, 0, 0, there, 1);
  const fs_t done = m->message == SYSTEM_REGISTER
                        ? there + LOCKED_FS
                        : ubox_take_random_number(o, m->message == SYSTEM_RDSEED ? RDSEED : RDRAND, there);
  return io_send(t, &(struct io_way){o, s, o->stack[0]->tile, c->tile, w.line, true}, done);
}

void ubox_advance(struct traffic *t, struct socket *s, fs_t until)
{
  struct emr_socket *emr = emr_socket(s);
  (void)t;
  if (until <= emr->ubox.busy)
    return;
  m2u_report(s, M2U_MISC2, EMPTY_IN | EMPTY_OUT, emr->ubox.busy, until);
  emr->ubox.busy = until;
}
