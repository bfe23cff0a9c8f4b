/* SPDX-License-Identifier: MIT */
/*
 * CXL devices behind the I/O stacks (guide 2.12): memory that cores reach through the stack (CXL.mem), and devices that
 * cache lines of the host's memory (CXL.cache). CXLDP is the mesh side, CXLCM the link side. A flit contains a header
 * with up to 16 bytes; a line follows in a flit without header. Buffers keep a message until its flit is sent, or a
 * received message until the mesh's clock takes it. The link's rate is that of 16 lanes at 32 GT/s; depths are choices.
 */
#include <stdlib.h>
#include "machine/emr/coherence.h"
#include "machine/emr/devices.h"
#include "machine/emr/mesh.h"

enum {
  CM_TX_BUFFER = 0x02,
  CM_TX_FLITS = 0x05,
  CM_RX_MISC = 0x40,
  CM_RX_BUFFER = 0x41,
  CM_RX_NE = 0x42,
  CM_RX_AGF = 0x43,
  CM_RX_FLITS = 0x4b,
  CM_RX_FULL = 0x52,
  DP_TX_AGF = 0x02,
  CREDITS_AFTER = 8
};
enum { RX_RETRY = 0x02, RX_CRC_ERROR = 0x08 };
enum {
  FLIT_VALID = 0x01,
  FLIT_PROTOCOL = 0x02,
  FLIT_CONTROL = 0x04,
  FLIT_NO_HEADER = 0x08,
  FLIT_ACK = 0x10,
  FLIT_BYTES = 0x20,
  FLIT_SIZE = 0x40,
  FLIT_MESSAGE = 0x80
};
#define FLIT_FS 1062500u /* 68 bytes at 64 GB/s */
#define CXL_FLIGHT_FS UINT64_C(20000000)
#define DEVICE_FS UINT64_C(150000000)

/* Messages, by class: their bits in CXLDP's and CXLCM's events. */
enum cxl_class { CXL_CACHE_REQ, CXL_CACHE_RSP, CXL_CACHE_DATA, CXL_MEM_REQ, CXL_MEM_DATA, CXL_CLASSES };
static const struct {
  uint8_t mesh[2], sent[2], received[2], buffer;
  bool data;
} classes[CXL_CLASSES] = {[CXL_CACHE_REQ] = {{0x01, 0x01}, {0x01, 0x40}, {0x01, 0x02}, 0x01, false},
                          [CXL_CACHE_RSP] = {{0x02, 0x04}, {0x02, 0x20}, {0x04, 0x40}, 0x02, false},
                          [CXL_CACHE_DATA] = {{0x08, 0x08}, {0x04, 0x04}, {0x08, 0x08}, 0x04, true},
                          [CXL_MEM_REQ] = {{0x10, 0x10}, {0x08, 0x08}, {0x10, 0x10}, 0x08, false},
                          [CXL_MEM_DATA] = {{0x20, 0x20}, {0x10, 0x10}, {0x20, 0x20}, 0x10, true}};

struct cxl_state {
  struct slots out, in, taken;
  fs_t buffer[CXL_CLASSES][8], not_empty[CXL_CLASSES], full[CXL_CLASSES];
  uint32_t received;
};

struct cxl_port {
  struct traffic *t;
  struct cxl *link;
  struct cxl_state *state;
  bool partial;
};

static void cxl_pulse(struct block *b, unsigned code, unsigned umask, fs_t at)
{
  if (b)
    block_pulse(b, (uint8_t)code, EMR_UMASK(umask), 0, at, 1);
}

static void state_span(struct block *b, unsigned code, unsigned umask, fs_t *until, const fs_t time[2])
{
  fs_t from = time[0] > *until ? time[0] : *until;
  if (time[1] <= from)
    return;
  if (b)
    block_span(b, (uint8_t)code, EMR_UMASK(umask), 0, from, time[1], 1);
  *until = time[1];
}

/* parts: part of a line, with byte enables in the header. */
struct flit {
  bool data, answers, parts;
};

static void cxl_flits_report(struct block *b, unsigned code, const struct flit *f, fs_t at)
{
  const bool data = f->data;
  cxl_pulse(b, code,
            FLIT_VALID | FLIT_PROTOCOL | (f->answers ? FLIT_ACK : 0) | (data ? FLIT_SIZE : 0) |
                (data && f->parts ? FLIT_BYTES : 0),
            at);
  if (code == CM_RX_FLITS)
    cxl_pulse(b, code, FLIT_MESSAGE, at);
  if (data)
    cxl_pulse(b, code, FLIT_VALID | FLIT_PROTOCOL | FLIT_NO_HEADER, at + FLIT_FS);
}

/* Sends a message from the mesh to the device; returns its arrival. which: the sub-channel, by line. */
static fs_t to_device(const struct cxl_port *p, enum cxl_class class, unsigned which, fs_t at)
{
  const bool data = classes[class].data;
  cxl_pulse(p->link->mesh, DP_TX_AGF, classes[class].mesh[which], at);
  cxl_pulse(p->link->block, CM_TX_BUFFER, classes[class].sent[which], at);
  fs_t begin = slots_take(&p->state->out, at, (data ? 2 : 1) * FLIT_FS);
  cxl_flits_report(p->link->block, CM_TX_FLITS,
                   &(struct flit){data, class == CXL_CACHE_RSP, p->partial && class == CXL_MEM_DATA}, begin);
  return begin + (data ? 2 : 1) * FLIT_FS + CXL_FLIGHT_FS;
}

/* Flits with a wrong checksum are requested again and sent once more, after the flits of the retry protocol. */
static fs_t cxl_retry_flits(const struct cxl_port *p, fs_t there, uint32_t length)
{
  struct link_errors *e = &p->link->errors;
  struct block *b = p->link->block;
  while (e->n && there >= e->from) {
    e->n--;
    cxl_pulse(b, CM_RX_MISC, RX_CRC_ERROR, there);
    cxl_pulse(b, CM_TX_FLITS, FLIT_VALID | FLIT_CONTROL, there);
    const fs_t again = slots_take(&p->state->in, there + CXL_FLIGHT_FS, FLIT_FS + length);
    there = again + FLIT_FS + length + CXL_FLIGHT_FS;
    cxl_pulse(b, CM_RX_MISC, RX_RETRY, there - length);
    cxl_pulse(b, CM_RX_FLITS, FLIT_VALID | FLIT_CONTROL, there - length);
  }
  return there;
}

/* Sends a message from the device; returns when the mesh's side has taken it. */
static fs_t from_device(const struct cxl_port *p, enum cxl_class class, unsigned which, fs_t at)
{
  const bool data = classes[class].data;
  struct cxl_state *s = p->state;
  struct block *b = p->link->block;
  const uint32_t length = (data ? 2 : 1) * FLIT_FS;
  fs_t there = slots_take(&s->in, at, length) + length + CXL_FLIGHT_FS;
  if (p->link->errors.n)
    there = cxl_retry_flits(p, there, length);
  fs_t place = there;
  cxl_flits_report(b, CM_RX_FLITS, &(struct flit){data, class == CXL_MEM_REQ, p->partial && class == CXL_CACHE_DATA},
                   there);
  unsigned entry = few_take(s->buffer[class], 8, &place);
  fs_t gone = slots_take(&s->taken, place, p->t->time.uclk) + p->t->time.uclk, first = UINT64_MAX;
  s->buffer[class][entry] = gone;
  for (unsigned i = 0; i < 8; i++)
    first = s->buffer[class][i] < first ? s->buffer[class][i] : first;
  cxl_pulse(b, CM_RX_BUFFER, classes[class].buffer, place);
  state_span(b, CM_RX_NE, classes[class].buffer, &s->not_empty[class], (fs_t[]){place, gone});
  state_span(b, CM_RX_FULL, classes[class].buffer, &s->full[class], (fs_t[]){place, first});
  cxl_pulse(b, CM_RX_AGF, classes[class].received[which], gone);
  if (++s->received % CREDITS_AFTER == 0) { /* the device returns credits, and so does this side */
    cxl_pulse(b, CM_RX_MISC, 0x01, there);
    cxl_pulse(b, CM_RX_FLITS, FLIT_VALID | FLIT_CONTROL, there);
    cxl_pulse(b, CM_TX_FLITS, FLIT_VALID | FLIT_CONTROL, gone);
  }
  return gone;
}

static bool cxl_port_find(struct traffic *t, struct socket *s, unsigned number, fs_t at, struct cxl_port *ret)
{
  struct cxl *link = &emr_socket(s)->cxl[number];
  if (!link->state) { /* the first message: the link is set up */
    link->state = calloc(1, sizeof *link->state);
    cxl_pulse(link->block, CM_RX_MISC, 0x04, at);
  }
  *ret = (struct cxl_port){t, link, link->state, false};
  return link->state;
}

/* A core reads a line of the device's memory, or fetches it for ownership and writes it back. */
fs_t cxl_memory_move(struct traffic *t, struct dma *d, fs_t at)
{
  const struct dma_stream *m = &d->stream;
  struct socket *s = t->socket[m->socket];
  struct iio *iio = &emr_socket(s)->iio[m->stack];
  const struct core *c = &t->core[m->socket * t->cores];
  struct request r = {.line = d->base * 64 + d->offset / 64,
                      .socket = m->socket,
                      .tile = c->tile,
                      .core = c->index,
                      .tid = c->tid,
                      .op = m->port    ? (m->write ? OP_ACC_RFO : OP_ACC_DRD)
                            : m->write ? OP_EXP_RFO
                                       : OP_EXP_DRD,
                      .at = at,
                      .home = m->socket};
  struct cxl_port p;
  d->offset = d->offset + 64 < m->span_bytes ? d->offset + 64 : 0;
  if (!cxl_port_find(t, s, m->stack, m->from, &p))
    return at;
  p.partial = m->partial;
  struct cha_entry e = cha_pass(t, s, &r);
  fs_t out = mesh_send(t, s, e.cha->tile, iio->stack.tile, MESH_AD, e.accepted + t->time.cha_pipe);
  mesh_report(t, s, &(struct mesh_way){iio->stack.tile, e.cha->tile, MESH_AKC, out}); /* the message's entry is free */
  fs_t read = to_device(&p, CXL_MEM_REQ, 0, out) + DEVICE_FS, back = from_device(&p, CXL_MEM_DATA, 0, read);
  if (iio->stop)
    block_pulse(iio->stop, M2PCIE_TXC_INSERTS_BL, EMR_UMASK(0x10), 0, back, 1);
  fs_t done = mesh_send(t, s, iio->stack.tile, c->tile, MESH_BL | MESH_AWAITED, back);
  if (m->write) {
    fs_t sent = mesh_send(t, s, c->tile, iio->stack.tile, MESH_BL | MESH_OF_CORE, done);
    fs_t written = from_device(&p, CXL_MEM_REQ, 0, to_device(&p, CXL_MEM_DATA, 0, sent) + DEVICE_FS);
    stack_acknowledge(t, &(struct stack_ack){s, iio, STACK_CXL_MEMORY, e.cha->tile, r.line}, written);
  }
  cha_release(t, &e, &r, done, true);
  return done;
}

static struct iio *stack_of(const struct traffic *t, struct socket *s, unsigned device)
{
  return &emr_socket(s)->iio[(device - 1) % CXL_DEVICES % t->stacks];
}

struct fetched cxl_fetch(struct traffic *t, struct socket *s, unsigned device, unsigned from_tile, fs_t at)
{
  struct iio *iio = stack_of(t, s, device);
  struct cxl_port p;
  fs_t out = mesh_send(t, s, from_tile, iio->stack.tile, MESH_AD, at);
  if (!cxl_port_find(t, s, (device - 1) % CXL_DEVICES, out, &p))
    return (struct fetched){out, iio->stack.tile};
  mesh_report(t, s, &(struct mesh_way){iio->stack.tile, from_tile, MESH_AKC, out});
  const fs_t back = from_device(&p, CXL_MEM_DATA, 0, to_device(&p, CXL_MEM_REQ, 0, out) + DEVICE_FS);
  if (iio->stop)
    block_pulse(iio->stop, M2PCIE_TXC_INSERTS_BL, EMR_UMASK(0x10), 0, back, 1);
  return (struct fetched){back, iio->stack.tile};
}

void cxl_store(struct traffic *t, struct socket *s, unsigned device, unsigned from_tile, fs_t at)
{
  struct iio *iio = stack_of(t, s, device);
  struct cxl_port p;
  fs_t out = mesh_send(t, s, from_tile, iio->stack.tile, MESH_BL, at);
  if (!cxl_port_find(t, s, (device - 1) % CXL_DEVICES, out, &p))
    return;
  const fs_t written = from_device(&p, CXL_MEM_REQ, 0, to_device(&p, CXL_MEM_DATA, 0, out) + DEVICE_FS);
  stack_acknowledge(t, &(struct stack_ack){s, iio, STACK_CXL_MEMORY, from_tile, 0}, written);
}

/* A device fetches a line of host memory into its cache; a modified line is written back later. */
fs_t cxl_cache_move(struct traffic *t, struct dma *d, fs_t at)
{
  const struct dma_stream *m = &d->stream;
  struct socket *s = t->socket[m->socket];
  struct iio *iio = &emr_socket(s)->iio[m->stack];
  const uint64_t byte = d->offset;
  struct page *page = address_page(&t->map, d->base + (byte >> 12), m->socket, (int)m->node);
  struct cxl_port p;
  d->offset = byte + 64 < m->span_bytes ? byte + 64 : 0;
  if (!page || !cxl_port_find(t, s, m->stack, m->from, &p))
    return at;
  const unsigned which = byte >> 6 & 1;
  p.partial = m->partial;
  struct request r = {.line = page->frame << PAGE_LINES_SHIFT | (byte >> 6 & 63),
                      .page = page,
                      .socket = m->socket,
                      .tile = iio->stack.tile,
                      .core = MAX_CORES,
                      .tid = EMR_TID_STACK,
                      .at = from_device(&p, CXL_CACHE_REQ, which, at),
                      .op = m->write ? OP_CXL_RFO : OP_CXL_RDCUR};
  struct answer a;
  request_place(t, &r);
  t->uncore->request(t, &r, &a);
  to_device(&p, CXL_CACHE_RSP, which, a.done);
  fs_t have = to_device(&p, CXL_CACHE_DATA, which, a.done);
  if (iio->stop) {
    block_pulse(iio->stop, M2PCIE_TXC_INSERTS_AD, EMR_UMASK(0x01u << 3 * which), 0, r.at, 1);
    block_pulse(iio->stop, M2PCIE_TXC_INSERTS_BL, EMR_UMASK(0x08), 0, have, 1);
  }
  if (!m->write)
    return have;
  /* The host requests the line after the device has modified it. */
  fs_t asked = to_device(&p, CXL_CACHE_REQ, which, have);
  const fs_t answered = from_device(&p, CXL_CACHE_RSP, which, asked);
  stack_acknowledge(t, &(struct stack_ack){s, iio, STACK_CXL, s->cha[r.cha].tile, r.line}, answered);
  return from_device(&p, CXL_CACHE_DATA, which, asked);
}

void cxl_fini(struct socket *s)
{
  for (unsigned i = 0; i < CXL_DEVICES; i++)
    free(emr_socket(s)->cxl[i].state);
}
