/* SPDX-License-Identifier: MIT */
/*
 * Peer-to-peer accesses of devices, and devices' messages to the UBox (guide 2.4, 2.5, 2.8). A request to a peer needs
 * a credit of the destination's stack: a shared one, or else one dedicated to the destination. The credit returns when
 * the destination has accepted the request. Writes are bypass messages (NCB), reads standard ones (NCS), and their data
 * responses (DRS).
 */
#include "machine/common/pcie.h"
#include "machine/emr/coherence.h"
#include "machine/emr/devices.h"

enum { DWORDS = 16, PEER_STACKS = 6, PEER_LINKS = 3 }; /* stacks and links with separate events */
#define DEVICE_FS UINT64_C(200000000)                  /* a device answers a read after 200 ns: a choice */

/* Codes of M2PCIe and IRP (Tables 2-333, 2-205). */
enum {
  LOCAL_RETURNED = 0x17,
  REMOTE_RETURNED = 0x18,
  LOCAL_OWN_RETURNED = 0x19,
  REMOTE_OWN_RETURNED = 0x1b,
  CRD_OCCUPANCY = 0x14,
  SHARED_RECEIVED = 0x15,
  OWN_RECEIVED = 0x16,
  LOCAL_TAKEN = 0x40,
  REMOTE_TAKEN = 0x42,
  LOCAL_BACK = 0x44,
  REMOTE_BACK = 0x45,
  LOCAL_OWN_TAKEN = 0x46,
  REMOTE_OWN_TAKEN = 0x48,
  LOCAL_WAIT = 0x4a,
  REMOTE_WAIT = 0x4c,
  INSERTS_BL = 0x52,
  TXC_NCB = 0x03,
  TXC_NCS = 0x04,
  TXC_OCCUPANCY = 6,
  BL_STALL = 0x1d,
  P2P_TRANSACTIONS = 0x13,
  P2P_INSERTS = 0x14,
  P2P_OCCUPANCY = 0x15
};

struct peers {
  struct traffic *t;
  const struct dma_stream *m;
  struct socket *asker, *target; /* their sockets */
  struct iio *from, *to;
  uint64_t line;
  unsigned link;
  bool remote;
};

static void peer_pulse(struct block *b, unsigned code, uint64_t umask, fs_t at)
{
  if (b)
    block_pulse(b, (uint8_t)code, EMR_UMASK(umask), 0, at, 1);
}

static void peer_span(struct block *b, unsigned code, uint64_t umask, fs_t from, fs_t to)
{
  if (b && to > from)
    block_span(b, (uint8_t)code, EMR_UMASK(umask), 0, from, to, 1);
}

/* The event and umask bit of a destination: stacks 0-3 and 4-5, NCB and NCS; or links 0-1 and 2, DRS, NCB, NCS.
 * `reported`: the destination has an event. */
struct goal {
  bool reported;
  unsigned second;
  uint64_t umask;
};

static struct goal peer_goal(const struct peers *p, bool posted)
{
  unsigned n = p->remote ? p->link : p->m->peer_stack;
  if (n >= (p->remote ? (unsigned)PEER_LINKS : (unsigned)PEER_STACKS))
    return (struct goal){.reported = false};
  if (p->remote)
    return (struct goal){true, n >> 1, (posted ? 2u : 4u) << 3 * (n & 1)};
  return (struct goal){true, n >> 2, (posted ? 1u : 2u) << 2 * (n & 3)};
}

/* The requesting stack takes a credit, which returns when the other stack has accepted the request. */
struct credit {
  fs_t at;
  fs_t *entry;
  bool own;
};

static struct credit credit_take(const struct peers *p, bool posted, fs_t at)
{
  struct block *b = p->from->stop;
  struct goal g = peer_goal(p, posted);
  fs_t shared = at, own = at;
  fs_t *pool = p->from->shared[posted], *kept = p->from->reserved[p->m->peer_stack % MAX_STACKS][posted];
  unsigned i = few_take(pool, IO_CREDITS, &shared), k = few_take(kept, IO_CREDITS, &own);
  struct credit c = {.own = shared > at && own < shared};
  c.at = c.own ? own : shared;
  c.entry = c.own ? &kept[k] : &pool[i];
  if (!g.reported)
    return c;
  if (shared > at)
    peer_span(b, (p->remote ? REMOTE_WAIT : LOCAL_WAIT) + g.second, g.umask, at, c.at > at ? c.at : shared);
  unsigned taken = c.own ? p->remote ? REMOTE_OWN_TAKEN : LOCAL_OWN_TAKEN : p->remote ? REMOTE_TAKEN : LOCAL_TAKEN;
  peer_pulse(b, taken + g.second, g.umask, c.at);
  return c;
}

static void credit_return(const struct peers *p, const struct credit *c, bool posted, fs_t at)
{
  const unsigned where = (p->remote ? 4u : 1u) << !posted;
  const unsigned agent = 1u << p->m->stack % (p->remote ? 3 : 6), asked = 1u << p->m->peer_stack % 3;
  struct block *from = p->from->stop, *to = p->to->stop;
  *c->entry = at;
  peer_pulse(to, p->remote ? REMOTE_BACK : LOCAL_BACK, agent, at); /* returned and received */
  peer_span(from, CRD_OCCUPANCY, where | 0x10, c->at, at);
  peer_pulse(from, c->own ? OWN_RECEIVED : SHARED_RECEIVED, where | 0x10, at);
  if (!c->own)
    peer_pulse(from, p->remote ? REMOTE_RETURNED : LOCAL_RETURNED, asked, at);
  else if (p->remote && p->link < PEER_LINKS)
    peer_pulse(from, REMOTE_OWN_RETURNED, (posted ? 1u : 2u) << 2 * p->link, at);
  else if (!p->remote && p->m->peer_stack < PEER_STACKS)
    peer_pulse(from, LOCAL_OWN_RETURNED + (p->m->peer_stack >> 2), (posted ? 1u : 2u) << 2 * (p->m->peer_stack & 3),
               at);
}

/* A ring port's egress queue of a class (DRS, NCB, NCS) has a few entries; it is full while all of them wait. */
void egress_keep(struct iio *iio, unsigned class, fs_t from, fs_t to)
{
  enum { FULL = 0x05 };
  fs_t first = UINT64_MAX;
  iio->egress[class][iio->next_egress[class]++ % PORT_EGRESS] = to;
  for (unsigned i = 0; i < PORT_EGRESS; i++)
    first = iio->egress[class][i] < first ? iio->egress[class][i] : first;
  const fs_t since = from > iio->egress_full[class] ? from : iio->egress_full[class];
  peer_span(iio->ring_port, FULL + class, 0, since, first);
  if (first > since)
    iio->egress_full[class] = first;
}

/* Reports the events of the ring port of either stack. */
static void ring_port(const struct peers *p, struct block *b, unsigned kind, const fs_t times[2])
{
  peer_pulse(b, P2P_INSERTS, 0, times[0]);
  peer_span(b, P2P_OCCUPANCY, 0, times[0], times[1]);
  peer_pulse(b, P2P_TRANSACTIONS, kind | (p->remote ? 0x30 : 0xc0), times[1]);
  peer_pulse(b, IRP_ALL, 0x01, times[0]);
  peer_pulse(b, IRP_ALL, 0x04, times[1]);
}

static void peer_report_request(const struct peers *p, fs_t at)
{
  const struct dma_stream *m = p->m;
  const uint64_t part = IIO_PART(m->port), flow = m->write ? IIO_FC_POSTED : IIO_FC_NONPOSTED;
  const uint64_t kind = (m->write ? IIO_PEER_WRITE : IIO_PEER_READ) | flow | part;
  const unsigned target = p->remote ? 0x10 : m->peer_stack == m->stack ? 0x40 : 0x20;
  struct block *b = p->from->block;
  block_pulse(b, IIO_DATA_REQ_OF_CPU, kind, 0, at, DWORDS);
  block_pulse(b, IIO_TXN_REQ_OF_CPU, kind, 0, at, 1);
  block_pulse(b, IIO_NUM_REQ_OF_CPU_BY_TGT, EMR_UMASK(target) | part | flow, 0, at, 1);
  block_pulse(b, IIO_NUM_TGT_MATCHED, 0, 0, at, 1);
  if (m->write)
    iio_bandwidth(p->t, p->from, IIO_FREERUNNING_BW_IN + m->port, DWORDS, at);
}

/* Reports the events at the device that receives the request. */
static void peer_report_service(const struct peers *p, fs_t from, fs_t to)
{
  const struct dma_stream *m = p->m;
  const uint64_t part = IIO_PART(m->peer_port), flow = m->write ? IIO_FC_POSTED : IIO_FC_NONPOSTED;
  const uint64_t kind = (m->write ? IIO_PEER_WRITE : IIO_PEER_READ) | flow | part;
  struct block *b = p->to->block;
  block_pulse(b, IIO_DATA_REQ_BY_CPU, kind, 0, from, DWORDS);
  block_pulse(b, IIO_TXN_REQ_BY_CPU, kind, 0, from, 1);
  block_span(b, IIO_NUM_OUTSTANDING_REQ_FROM_CPU, EMR_UMASK(0x08) | part | flow, 0, from, to, 1);
  if (!m->write) {
    block_pulse(b, IIO_DATA_REQ_OF_CPU, IIO_CMPD | IIO_FC_CMPL | part, 0, to, DWORDS);
    block_pulse(b, IIO_TXN_REQ_OF_CPU, IIO_CMPD | IIO_FC_CMPL | part, 0, to, 1);
    iio_bandwidth(p->t, p->to, IIO_FREERUNNING_BW_IN + m->peer_port, DWORDS, to);
  } else {
    iio_bandwidth(p->t, p->to, IIO_FREERUNNING_BW_OUT + m->peer_port, DWORDS, to);
  }
}

/* Data to the other socket also need a credit of the link: a shared one, or one dedicated to the link. */
static fs_t *data_credit(const struct peers *p, fs_t *at)
{
  struct block *b = p->to->stop;
  fs_t shared = *at, own = *at;
  fs_t *pool = p->to->data_shared, *kept = p->to->data_reserved[p->link % MAX_LINKS];
  const unsigned i = few_take(pool, IO_CREDITS, &shared), k = few_take(kept, IO_CREDITS, &own);
  const bool reserved = shared > *at && own < shared;
  const fs_t have = reserved ? own : shared;
  if (p->link < PEER_LINKS) {
    const unsigned second = p->link >> 1, bit = 1u << 3 * (p->link & 1);
    if (shared > *at)
      peer_span(b, REMOTE_WAIT + second, bit, *at, have > *at ? have : shared);
    peer_pulse(b, (reserved ? REMOTE_OWN_TAKEN : REMOTE_TAKEN) + second, bit, have);
  }
  *at = have;
  return reserved ? &kept[k] : &pool[i];
}

/* Sends the request, with the data of a write, over the mesh to the other stack. Returns when it is accepted there. */
static fs_t peer_send_request(const struct peers *p, fs_t begin)
{
  struct traffic *t = p->t;
  const bool write = p->m->write;
  const unsigned txc = write ? TXC_NCB : TXC_NCS;
  struct credit c = credit_take(p, write, begin);
  peer_pulse(p->from->stop, INSERTS_BL, write ? 0x02 : 0x04, c.at);
  peer_pulse(p->from->ring_port, txc, 0, begin); /* its egress, until there is a credit */
  peer_span(p->from->ring_port, txc + TXC_OCCUPANCY, 0, begin, c.at);
  peer_span(p->from->ring_port, BL_STALL, 0, begin, c.at);
  egress_keep(p->from, write ? 1 : 2, begin, c.at);
  const struct io_way way = {p->asker, p->target, p->from->stack.tile, p->to->stack.tile, p->line, write};
  const fs_t there = io_send(t, &way, c.at);
  const fs_t taken = stack_credit(p->to, write ? IO_NCB : IO_NCS, there, there + t->time.enter);
  stack_ingress(p->to, (p->remote ? 0x08u : 0x20u) << !write, there, taken);
  credit_return(p, &c, write, taken);
  if (write) {
    const unsigned back = p->remote ? emr_socket(p->target)->link[p->link].tile : p->from->stack.tile;
    const struct stack_ack ack = {p->target, p->to, STACK_RESPONSE, back, p->line};
    (p->remote ? stack_answer : stack_acknowledge)(t, &ack, taken);
  }
  ring_port(p, p->from->ring_port, write ? 0x02 : 0x01, (const fs_t[]){begin, c.at});
  ring_port(p, p->to->ring_port, write ? 0x02 : 0x01, (const fs_t[]){there, taken});
  return taken;
}

/* Sends the data of a read back over the mesh. Returns when they are accepted. */
static fs_t peer_send_data(const struct peers *p, fs_t at)
{
  fs_t *credit = p->remote ? data_credit(p, &at) : NULL;
  peer_pulse(p->to->stop, INSERTS_BL, 0x01, at); /* the data */
  const struct io_way way = {p->target, p->asker, p->to->stack.tile, p->from->stack.tile, p->line, true};
  const fs_t back = io_send(p->t, &way, at);
  if (credit)
    *credit = back;
  const fs_t taken = stack_credit(p->from, IO_DRS, back, back + p->t->time.enter);
  stack_ingress(p->from, (p->remote ? 0x08u : 0x20u), back, taken);
  ring_port(p, p->from->ring_port, 0x08, (const fs_t[]){back, taken});
  return taken;
}

/* Returns the bytes of a request on a link, with the data of a write. */
static uint32_t request_bytes(const struct traffic *t, unsigned link, bool write)
{
  return write ? pcie_line_bytes(t, link, false) : pcie_asking_bytes(t, link);
}

fs_t peer_move(struct traffic *t, struct dma *d, fs_t at)
{
  const struct dma_stream *m = &d->stream;
  struct socket *s = t->socket[m->socket], *o = t->socket[m->peer_socket];
  const uint64_t line = d->base * 64 + d->offset / 64;
  const struct peers p = {.t = t,
                          .m = m,
                          .asker = s,
                          .target = o,
                          .from = &emr_socket(s)->iio[m->stack],
                          .to = &emr_socket(o)->iio[m->peer_stack],
                          .line = line,
                          .link = s == o ? 0 : upi_of(t, line),
                          .remote = s != o};
  d->offset = d->offset + 64 < m->span_bytes ? d->offset + 64 : 0;
  d->ready = pcie_send_up(t, d->link, request_bytes(t, d->link, m->write), at);
  const fs_t begin = slots_take(&p.from->stack.port[m->port], d->ready, t->time.uclk);
  peer_report_request(&p, begin);
  const fs_t there = p.from == p.to ? begin : peer_send_request(&p, begin);
  const fs_t asked = pcie_send_down(t, d->peer_link, request_bytes(t, d->peer_link, m->write), there);
  fs_t done =
      m->write ? there : pcie_send_up(t, d->peer_link, pcie_line_bytes(t, d->peer_link, true), asked + DEVICE_FS);
  peer_report_service(&p, there, done);
  if (m->write)
    return done;
  if (p.from != p.to)
    done = peer_send_data(&p, done);
  iio_bandwidth(t, p.from, IIO_FREERUNNING_BW_OUT + m->port, DWORDS, done); /* the response, to the requester */
  return done;
}

/* A message of a device to the UBox: an interrupt. */
fs_t message_move(struct traffic *t, struct dma *d, fs_t at)
{
  const struct dma_stream *m = &d->stream;
  struct socket *s = t->socket[m->socket];
  struct iio *iio = &emr_socket(s)->iio[m->stack];
  const uint64_t part = IIO_PART(m->port);
  d->ready = pcie_send_up(t, d->link, PCIE_REQUEST_BYTES + 4, at); /* a write of one word */
  fs_t begin = iommu_interrupt(t, d, slots_take(&iio->stack.port[m->port], d->ready, t->time.uclk));
  block_pulse(iio->block, IIO_DATA_REQ_OF_CPU, IIO_MSG | IIO_FC_POSTED | part, 0, begin, 1);
  block_pulse(iio->block, IIO_TXN_REQ_OF_CPU, IIO_MSG | IIO_FC_POSTED | part, 0, begin, 1);
  iio_bandwidth(t, iio, IIO_FREERUNNING_BW_IN + m->port, 1, begin);
  block_pulse(iio->block, IIO_NUM_REQ_OF_CPU_BY_TGT, EMR_UMASK(0x04) | part | IIO_FC_POSTED, 0, begin, 1);
  peer_pulse(iio->stop, INSERTS_BL, 0x02, begin);
  peer_pulse(iio->ring_port, P2P_TRANSACTIONS, 0x04 | 0xc0, begin);
  peer_pulse(iio->ring_port, IRP_TRANSACTIONS, 0x20, begin); /* neither read nor write nor atomic */
  return ubox_message(t, s, 0x02, begin + t->time.enter);
}
