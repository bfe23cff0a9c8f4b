/* SPDX-License-Identifier: MIT */
/*
 * Non-coherent traffic of the E5-2600: cores' accesses to device registers, and peer-to-peer accesses of devices
 * (messages to the UBox: snbep/ubox.c). A write is a non-coherent bypass message (NCB) with its line; a read is a
 * non-coherent standard message (NCS), answered by a data response (DRS). All use the data ring; the queues of R2PCIe
 * and R3QPI are organised by these classes. For a message from a link, R3QPI needs a credit of the I/O stop: one per
 * class.
 */
#include "machine/common/devices.h"
#include "machine/common/pcie.h"
#include "machine/common/request.h"
#include "machine/snbep/uncore.h"

/* Opcodes of the classes (Table 2-143). */
enum { NCWR = 0x0, NCP2PB = 0xe, NCRD_PTL = 0x4, NCP2PS = 0xd, DATA_NC = 0x3 };
#define DEVICE_FS UINT64_C(400000000) /* a device's register answers after 400 ns: a choice */

/* Sends a message from R3QPI to the I/O stop; returns when the stop has accepted it. */
static fs_t r3_send_to_io_stop(struct traffic *t, struct socket *s, uint64_t line, uint8_t class, fs_t at)
{
  struct snbep_socket *snb = snbep_socket(s);
  struct snb_link *l = &snb->link[qpi_stop(t, s, line) - snb->r3];
  const unsigned which = class == RING_NCB ? 0 : class == RING_NCS ? 1 : 2;
  const fs_t begin = l->io_until[which] > at ? l->io_until[which] : at;
  if (begin > at)
    block_pulse(l->r3, R3_IIO_CREDITS_REJECT, SNB_UMASK(class), 0, at, 1);
  block_pulse(l->r3, R3_IIO_CREDITS_ACQUIRED, SNB_UMASK(class), 0, begin, 1);
  const struct snb_move m = {qpi_stop(t, s, line), snb->r2, SNB_BL, SNB_CACHE, SNB_TID_PCIE};
  const fs_t taken = r2_receive(t, s, class, ring_send(t, s, &m, begin));
  block_span(l->r3, R3_IIO_CREDITS_USED, SNB_UMASK(class), 0, begin, taken, 1);
  return l->io_until[which] = taken;
}

/* Sends the device's answer to a CBo: a read's data, or a write's completion. */
static fs_t device_answer(struct traffic *t, const struct request *r, fs_t at)
{
  struct socket *s = t->socket[r->socket], *o = t->socket[r->home];
  struct snbep_socket *snb = snbep_socket(o);
  const bool read = r->op == OP_PRD || r->op == OP_UCRDF;
  const unsigned cbo = s->cha[r->cha].tile;
  struct snb_move home = {snb->r2, cbo, read ? SNB_BL : SNB_AK, SNB_CACHE, r->tid};
  if (s == o)
    return ring_send(t, s, &home, at);
  struct snb_trip trip = {r->line, snb->r2, read ? SNB_BL : SNB_AD, {QPI_NDR, 0, 0, false, false}, SNB_TID_PCIE,
                          0,       NULL};
  if (read)
    trip.packet = (struct snb_packet){QPI_DRS, DATA_NC, 0, true, false};
  home.from = qpi_stop(t, s, r->line);
  return ring_send(t, s, &home, qpi_send(t, o, &trip, at));
}

void noncoherent_request(struct traffic *t, const struct request *r, fs_t at, struct answer *a)
{
  struct socket *s = t->socket[r->socket], *o = t->socket[r->home];
  const bool read = r->op == OP_PRD || r->op == OP_UCRDF;
  const uint8_t class = read ? RING_NCS : RING_NCB;
  struct block *b = s->cha[r->cha].block;
  const unsigned cbo = s->cha[r->cha].tile;
  const struct snb_packet packet = {read ? QPI_NCS : QPI_NCB, read ? NCRD_PTL : NCWR, 0, !read, true};
  const struct snb_trip trip = {r->line, cbo, SNB_BL, packet, r->tid, CBO_RXR_IRQ_RETRY, b};
  const struct snb_move near = {cbo, snbep_socket(s)->r2, SNB_BL, SNB_CACHE, r->tid};
  fs_t taken;
  if (s == o)
    taken = r2_receive(t, s, class, ring_send(t, s, &near, at));
  else
    taken = r3_send_to_io_stop(t, o, r->line, class, qpi_send(t, s, &trip, at));
  a->missed = true;
  a->done = a->released = device_answer(t, r, read ? taken + DEVICE_FS : taken);
  if (read)
    a->done = ring_send(t, s, &(struct snb_move){cbo, r->tile, SNB_BL, SNB_TO_CORE, r->tid}, a->released);
}

static fs_t register_move(struct traffic *t, struct dma *d, fs_t at)
{
  struct request r = devices_register_request(t, d, at);
  struct answer a;
  r.cha = address_cha(&t->map, r.line);
  t->uncore->request(t, &r, &a);
  return a.done;
}

/* Devices of one socket communicate inside their I/O stop, devices of two sockets over a link. */
static fs_t device_move(struct traffic *t, struct dma *d, fs_t at)
{
  const struct dma_stream *m = &d->stream;
  struct socket *s = t->socket[m->socket], *o = t->socket[m->peer_socket];
  struct snbep_socket *snb = snbep_socket(s);
  const uint64_t line = d->base * 64 + d->offset / 64;
  const uint32_t bytes = m->write ? pcie_line_bytes(t, d->link, false) : pcie_asking_bytes(t, d->link);
  d->ready = pcie_send_up(t, d->link, bytes, at);
  const fs_t begin = slots_take(&s->stack[m->stack]->port[m->port], d->ready, t->time.uclk);
  const fs_t wait = m->write ? 0 : DEVICE_FS;
  struct snb_trip trip = {line, snb->r2, SNB_BL, {QPI_NCB, NCP2PB, 0, true, true}, SNB_TID_PCIE, 0, NULL};
  d->offset = d->offset + 64 < m->span_bytes ? d->offset + 64 : 0;
  if (s == o)
    return begin + wait;
  if (!m->write)
    trip.packet = (struct snb_packet){QPI_NCS, NCP2PS, 0, false, true};
  const fs_t taken =
      r3_send_to_io_stop(t, o, line, m->write ? RING_NCB : RING_NCS, qpi_send(t, s, &trip, begin)) + wait;
  trip.from = snbep_socket(o)->r2;
  if (!m->write) {
    trip.packet = (struct snb_packet){QPI_DRS, DATA_NC, 0, true, false};
    return r3_send_to_io_stop(t, s, line, RING_DRS, qpi_send(t, o, &trip, taken));
  }
  trip.ring = SNB_AD;
  trip.packet = (struct snb_packet){QPI_NDR, 0, 0, false, false};
  const struct snb_move home = {qpi_stop(t, s, line), snb->r2, SNB_AK, SNB_CACHE, SNB_TID_PCIE};
  return ring_send(t, s, &home, qpi_send(t, o, &trip, taken));
}

fs_t noncoherent_move(struct traffic *t, struct dma *d, fs_t at)
{
  switch (d->stream.action) {
  case DEVICE_CORE: return register_move(t, d, at);
  case DEVICE_PEER: return device_move(t, d, at);
  default: return ubox_system(t, d, at);
  }
}
