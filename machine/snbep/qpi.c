/* SPDX-License-Identifier: MIT */
/* The QPI links (guide 2.7) and their ring stops: a flit carries 8 bytes; a message without data is one flit, one with
 * a line nine, of which the first is its header, and one with a part of a line eleven. */
#include "machine/snbep/uncore.h"

enum { LINE_FLITS = 8, PART_FLITS = 10 };

static unsigned line_link(const struct traffic *t, uint64_t line)
{
  return (unsigned)((address_mix(line + 0x5bd1e995) >> 32) * t->links >> 32);
}

unsigned qpi_stop(const struct traffic *t, const struct socket *s, uint64_t line)
{
  return snbep_socket(s)->r3 + line_link(t, line);
}

void qpi_init(struct traffic *t, struct socket *s, struct machine *m)
{
  for (unsigned i = 0; i < t->links; i++) {
    struct snb_link *l = &snbep_socket(s)->link[i];
    l->qpi = traffic_block_find(t, m, s, "qpi", i);
    snb_queue_init(&l->vna, l->lent, SNB_VNA);
    l->vna.reserved = true;
    for (unsigned k = 0; k < 2; k++) {
      snb_queue_init(&l->ingress[k], l->entered[k], SNB_INGRESS);
      l->ingress[k].reserved = true;
    }
  }
}

/* A class's umask bits in flits of groups 1 and 2 (header, data), its number in the receive buffer, and its umask bit
 * at the ring stop. */
struct class
{
  uint8_t group, header, data, buffer, ring;
};

static struct class class_of(const struct snb_packet *p)
{
  static const struct class classes[16] = {
      [QPI_HOM0] = {1, FLIT1_HOM_REQ, 0, 3, RING_HOM},
      [QPI_HOM1] = {1, FLIT1_HOM_NONREQ, 0, 3, RING_HOM},
      [QPI_SNP] = {1, FLIT1_SNP, 0, 4, RING_SNP},
      [QPI_NDR] = {2, FLIT2_NDR_AK, 0, 5, RING_NDR},
      [QPI_DRS] = {1, FLIT1_DRS_NONDATA, FLIT1_DRS_DATA, 0, RING_DRS},
      [QPI_NCS] = {2, FLIT2_NCS, 0, 2, RING_NCS},
      [QPI_NCB] = {2, FLIT2_NCB_NONDATA, FLIT2_NCB_DATA, 1, RING_NCB},
  };
  struct class k = classes[p->class];
  if (p->class == QPI_NDR && p->for_io) /* continues on the address ring */
    k.header = FLIT2_NDR_AD;
  return k;
}

/* Codes of each direction, receiving and sending: groups 0 to 2. */
static const struct {
  uint8_t code[3];
  uint64_t ext[3];
} flits[2] = {
    {{QPI_RXL_FLITS_G0, QPI_RXL_FLITS_G1, QPI_RXL_FLITS_G2}, {0, SNB_EXT, SNB_EXT}},
    {{QPI_TXL_FLITS_G0, QPI_TXL_FLITS_G1, QPI_TXL_FLITS_G2}, {0, SNB_EXT, SNB_EXT}},
};

/* Reports a message's flits on one side: a header, then its data. */
static void flits_report(const struct traffic *t, struct block *b, bool sends, const struct class *k,
                         const struct snb_train *m)
{
  const uint8_t all = flits[sends].code[0], code = flits[sends].code[k->group];
  const uint64_t ext = flits[sends].ext[k->group];
  fs_t at = m->at[!sends];
  const fs_t end = at + m->n * m->step + 2 * (fs_t)t->time.flit;
  if (!block_wants_report(b, all, end) && !block_wants_report(b, code, end))
    return;
  for (uint32_t i = 0; i < m->n; i++, at += m->step) {
    const fs_t counts = link_counts(t, at);
    block_pulse(b, all, SNB_UMASK(i ? FLIT0_DATA : FLIT0_NON_DATA), 0, counts, 1);
    block_pulse(b, code, ext | SNB_UMASK(i ? k->data : k->header), 0, counts, 1);
  }
}

/* Reports that the ring stop at the sending end of the link accepts the message from the ring. */
static void stop_report(struct snb_link *l, const struct class *k, const fs_t span[2])
{
  block_pulse(l->r3, R3_RXR_INSERTS, SNB_UMASK(k->ring), 0, span[0], 1);
  if (span[1] > span[0]) {
    block_span(l->r3, R3_RXR_OCCUPANCY, SNB_UMASK(k->ring), 0, span[0], span[1], 1);
    snb_state(l->r3, RING_RXR_CYCLES_NE, SNB_UMASK(k->ring), &l->ingress_ne[k->buffer], span);
  } else if (k->ring != RING_DRS) {
    block_pulse(l->r3, R3_RXR_BYPASSED, SNB_UMASK(0x01), 0, span[0], 1);
  }
}

/* The receive buffer holds a message while the previous message is being forwarded and while the ring stop behind
 * the link has no room. Returns the time at which the message is forwarded. */
static fs_t link_receive(struct traffic *t, struct snb_link *l, const struct class *k, uint32_t n, const fs_t there[2])
{
  const uint8_t insert = (uint8_t)(QPI_RXL_INSERTS_DRS + k->buffer),
                inside = (uint8_t)(QPI_RXL_OCCUPANCY_DRS + k->buffer);
  const fs_t passed = slots_take(&l->rx, there[1], n * t->time.uclk);
  if (passed > there[0]) {
    block_pulse(l->qpi, QPI_RXL_INSERTS, 0, 0, there[0], n);
    block_pulse(l->qpi, insert, SNB_EXT, 0, there[0], n);
    block_span(l->qpi, QPI_RXL_OCCUPANCY, 0, 0, there[0], passed, n);
    block_span(l->qpi, inside, SNB_EXT, 0, there[0], passed, n);
    snb_state(l->qpi, QPI_RXL_CYCLES_NE, 0, &l->rx_ne, (fs_t[]){there[0], passed});
  } else {
    block_pulse(l->qpi, QPI_RXL_BYPASSED, 0, 0, there[0], n);
  }
  return passed;
}

/* Reports credits that the receiver returns; they need the link's flight time. */
static void credits_return(struct traffic *t, struct snb_link *l, const struct snb_credits *c, uint32_t n,
                           const fs_t span[2])
{
  const unsigned class = c->vn0 ? c->class : 0;
  if (c->vn0) {
    block_pulse(l->qpi, QPI_RXL_CREDITS_CONSUMED_VN0, SNB_EXT | SNB_UMASK(1u << class), 0, span[0], 1);
    return;
  }
  block_pulse(l->qpi, QPI_RXL_CREDITS_CONSUMED_VNA, SNB_EXT, 0, span[0], n);
  block_span(l->qpi, QPI_VNA_CREDIT_RETURN_OCCUPANCY, SNB_EXT, 0, span[1], span[1] + t->time.flight, n);
  block_pulse(l->qpi, QPI_VNA_CREDIT_RETURNS, SNB_EXT, 0, span[1] + t->time.flight, n);
}

static void buffer_report(struct snb_link *l, uint32_t n, const fs_t wait[2])
{
  if (wait[1] > wait[0]) {
    block_pulse(l->qpi, QPI_TXL_INSERTS, 0, 0, wait[0], n);
    block_span(l->qpi, QPI_TXL_OCCUPANCY, 0, 0, wait[0], wait[1], n);
    snb_state(l->qpi, QPI_TXL_CYCLES_NE, 0, &l->tx_ne, wait);
  } else {
    block_pulse(l->qpi, QPI_TXL_BYPASSED, 0, 0, wait[0], n);
  }
}

/* Reports a message to the packet filter, which is at the receiving side: Table 2-95 computes received messages from
 * it. It sees a packet when the packet leaves the port for the ring (2.7.2). */
static void packet_report(struct block *qpi, const struct snb_trip *trip, uint64_t attr, fs_t at)
{
  const struct snb_packet *p = &trip->packet;
  block_pulse(qpi, QPI_CTO_COUNT, attr | QPI_PACKET(p->class, p->opcode) | QPI_PACKET_RDS(p->rds), 0, at, 1);
}

/* Sends a message over the link. Returns the time at which the other side forwards it; *ret_sent: its last flit is
 * sent. */
static fs_t link_cross(struct traffic *t, struct socket *s, const struct snb_trip *trip, fs_t at, fs_t *ret_sent)
{
  const struct snb_packet *p = &trip->packet;
  struct socket *peer = t->socket[1 - s->index];
  struct snbep_socket *other = snbep_socket(peer);
  const unsigned i = line_link(t, trip->line);
  struct snb_link *l = &snbep_socket(s)->link[i], *r = &other->link[i];
  const struct class k = class_of(p);
  const uint32_t data = !p->data ? 0 : p->class != QPI_NCS && p->opcode >= 8 ? PART_FLITS : LINE_FLITS, n = 1 + data;
  struct snb_credits credits = {.class = k.buffer, .ring = k.ring};
  fs_t credited = credits_take(l, &credits, n, at);
  stop_report(l, &k, (fs_t[]){at, credited});
  const struct snb_train train = link_begin(t, s, i, n, credited);
  const fs_t begin = train.at[0], there = train.at[1] + n * train.step;
  buffer_report(l, n, (fs_t[]){credited, begin});
  flits_report(t, l->qpi, true, &k, &train);
  flits_report(t, r->qpi, false, &k, &train);
  const fs_t room = ring_room(peer, other->r3 + i, there), passed = link_receive(t, r, &k, n, (fs_t[]){there, room});
  packet_report(r->qpi, trip,
                SNB_EXT | QPI_PACKET_DNID(peer->index) | QPI_PACKET_RNID(s->index) | (credits.vn0 ? 0 : QPI_PACKET_VNA),
                passed);
  r->no_egress = room > there;
  credits_return(t, r, &credits, n, (fs_t[]){there, passed});
  credits_hold(l, &credits, n, (fs_t[]){credited, passed + t->time.flight});
  link_keep(t, l, &train);
  s->totals.upi_sent_header_slots++;
  s->totals.upi_sent_data_slots += data;
  peer->totals.upi_received_header_slots++;
  peer->totals.upi_received_data_slots += data;
  t->seen = passed > t->seen ? passed : t->seen;
  *ret_sent = begin;
  return passed;
}

/* The link's ring stop grants credits for its queues, one queue per ring. A CBo without a credit retries; the home
 * agent waits. */
static void credit_report(struct socket *s, const struct snb_trip *trip, unsigned link, const fs_t wait[2])
{
  struct snbep_socket *snb = snbep_socket(s);
  struct snb_link *l = &snb->link[link];
  const unsigned data = trip->ring == SNB_BL;
  if (wait[1] <= wait[0])
    return;
  if (trip->from == snb->home)
    snb_state(snb->ha, HA_IGR_NO_CREDITS, SNB_UMASK(1u << (2 * data + link)), &l->no_ingress[data], wait);
  else if (trip->cbo)
    block_pulse(trip->cbo, trip->retry, CBO_RETRY_ANY | CBO_RETRY_QPI, trip->tid, wait[0], 1);
}

fs_t qpi_send(struct traffic *t, struct socket *s, const struct snb_trip *trip, fs_t at)
{
  struct snbep_socket *snb = snbep_socket(s);
  const unsigned i = line_link(t, trip->line);
  struct snb_queue *ingress = &snb->link[i].ingress[trip->ring == SNB_BL];
  fs_t credited = at, sent;
  const unsigned entry = snb_queue_take(ingress, &credited);
  credit_report(s, trip, i, (fs_t[]){at, credited});
  const fs_t there =
      ring_send(t, s, &(struct snb_move){trip->from, snb->r3 + i, trip->ring, SNB_CACHE, trip->tid}, credited);
  const fs_t passed = link_cross(t, s, trip, there, &sent);
  snb_queue_hold(ingress, entry, (fs_t[]){credited, sent});
  return passed;
}
