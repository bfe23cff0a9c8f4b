/* SPDX-License-Identifier: MIT */
/*
 * The E5-2600's UBox (guide 2.2). It receives inter-processor interrupts, legacy wires, doorbells and priority changes.
 * It is also the master of system locks, which stop and resume every socket. Its ring stop is that of the I/O stop (a
 * choice: the guide has no map of the ring).
 */
#include "machine/snbep/uncore.h"

enum { TAKES_CYCLES = 16 };           /* a message at the UBox: as on Emerald Rapids, a choice */
#define LOCKED_FS UINT64_C(200000000) /* how long a lock is held: a choice */

/* Each message's event at the UBox, and its class and opcode on a link (Table 2-143). The table's interrupt rows are
 * damaged; 2.7.3.3 allows opcodes 8 to 11 of the bypass class for them. */
enum { NCMSGB = 0x8, INT = 0xa, INT_PRIORITY = 0xb, NCMSGS = 0xc };
static const struct {
  uint8_t event, class, opcode;
} messages[SYSTEM_MESSAGES] = {
    [SYSTEM_WIRE] = {UBOX_VLW, QPI_NCB, NCMSGB},
    [SYSTEM_MSI] = {UBOX_MSI, QPI_NCB, NCMSGB},
    [SYSTEM_IPI] = {UBOX_IPI, QPI_NCB, INT},
    [SYSTEM_DOORBELL] = {UBOX_DOORBELL, QPI_NCB, NCMSGB},
    [SYSTEM_PRIORITY] = {UBOX_INT_PRIO, QPI_NCB, INT_PRIORITY},
    [SYSTEM_LOCK] = {0, QPI_NCS, NCMSGS},
};

/* A path from a stop of socket `s` to the UBox of `o`; `from` is the I/O stop when a UBox or a device sends. */
struct way {
  struct socket *s, *o;
  unsigned from;
  uint16_t tid;
  uint64_t line;
};

static fs_t ubox_send_message(struct traffic *t, const struct way *w, enum system_message kind, fs_t at)
{
  struct snb_trip trip = {w->line,
                          w->from,
                          SNB_BL,
                          {.class = messages[kind].class,
                           .opcode = messages[kind].opcode,
                           .data = messages[kind].class == QPI_NCB,
                           .for_io = true},
                          w->tid,
                          0,
                          NULL};
  struct snb_move m = {w->from, snbep_socket(w->o)->r2, SNB_BL, SNB_CACHE, w->tid};
  if (w->s != w->o) {
    at = qpi_send(t, w->s, &trip, at);
    m.from = qpi_stop(t, w->o, w->line);
  }
  return m.from == m.to ? at : ring_send(t, w->o, &m, at);
}

/* The UBox of w->o sends a completion to the sender. Over a link the completion is a response: it continues over the
 * address ring to a UBox, because that stop accepts acknowledgements only for devices, and over the acknowledge ring
 * to a core. */
static fs_t ubox_send_completion(struct traffic *t, const struct way *w, fs_t at)
{
  const unsigned here = snbep_socket(w->o)->r2;
  const bool ubox = w->from == snbep_socket(w->s)->r2;
  struct snb_trip trip = {w->line, here, SNB_AD, {.class = QPI_NDR, .for_io = ubox}, w->tid, 0, NULL};
  struct snb_move m = {here, w->from, ubox ? SNB_AD : SNB_AK, ubox ? SNB_CACHE : SNB_TO_CORE, w->tid};
  if (w->s != w->o) {
    at = qpi_send(t, w->o, &trip, at);
    m.from = qpi_stop(t, w->s, w->line);
  }
  return m.from == m.to ? at : ring_send(t, w->s, &m, at);
}

/* The UBox processes one message at a time. */
static fs_t ubox_take_message(struct traffic *t, struct socket *o, fs_t at)
{
  fs_t *busy = &snbep_socket(o)->ubox_busy;
  *busy = fs_later(at, *busy) + TAKES_CYCLES * (fs_t)t->time.uclk;
  return *busy;
}

/* The master sends stop or resume to every socket; returns when all have acknowledged. */
static fs_t lock_notify_sockets(struct traffic *t, struct socket *master, uint64_t line, fs_t at)
{
  fs_t last = at;
  for (unsigned i = 0; i < t->sockets; i++) {
    const struct way w = {master, t->socket[i], snbep_socket(master)->r2, SNB_TID_PCIE, line};
    if (t->socket[i] == master)
      continue;
    const fs_t notified =
        ubox_send_completion(t, &w, ubox_take_message(t, t->socket[i], ubox_send_message(t, &w, SYSTEM_LOCK, at)));
    last = notified > last ? notified : last;
  }
  return last;
}

/* A core locks and unlocks the system. Other cores' accesses are not delayed: the machine assumes that the lock is
 * short. */
static fs_t ubox_lock_system(struct traffic *t, const struct way *w, fs_t at)
{
  const fs_t begin = ubox_take_message(t, w->o, at);
  block_pulse(snbep_socket(w->o)->ubox, UBOX_LOCK_CYCLES, 0, 0, begin, 1);
  const fs_t granted = ubox_send_completion(t, w, lock_notify_sockets(t, w->o, w->line, begin)) + LOCKED_FS;
  const fs_t freed = ubox_take_message(t, w->o, ubox_send_message(t, w, SYSTEM_LOCK, granted));
  return ubox_send_completion(t, w, lock_notify_sockets(t, w->o, w->line, freed));
}

fs_t ubox_system(struct traffic *t, struct dma *d, fs_t at)
{
  const struct dma_stream *m = &d->stream;
  struct socket *s = t->socket[m->socket], *o = t->socket[m->node];
  struct snbep_socket *snb = snbep_socket(o);
  const uint64_t step = d->offset / 64;
  const struct core *c = &t->core[s->index * t->cores + step % t->cores];
  const bool device = m->message == SYSTEM_WIRE || m->message == SYSTEM_MSI;
  const struct way w = {s, o, device ? snbep_socket(s)->r2 : c->tile, device ? SNB_TID_PCIE : c->tid,
                        d->base * 64 + step};
  d->offset = d->offset + 64 < m->span_bytes ? d->offset + 64 : 0;
  const fs_t there = ubox_send_message(t, &w, m->message,
                                       device ? slots_take(&s->stack[m->stack]->port[m->port], at, t->time.uclk) : at);
  if (m->message == SYSTEM_LOCK)
    return ubox_lock_system(t, &w, there);
  block_pulse(snb->ubox, UBOX_EVENT_MSG, SNB_UMASK(messages[m->message].event), 0, there, 1);
  const fs_t taken = ubox_take_message(t, o, there);
  if (m->message != SYSTEM_IPI)
    return taken;
  const unsigned goal = t->core[o->index * t->cores + (step + 1) % t->cores].tile;
  return ring_send(t, o, &(struct snb_move){snb->r2, goal, SNB_BL, SNB_TO_CORE, SNB_TID_PCIE}, taken);
}
