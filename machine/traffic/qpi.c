/* SPDX-License-Identifier: MIT */
/* The QPI links (guide 2.7) and the ring stops before them: a flit carries 8 bytes; a message without data is one flit,
 * one with a line nine, of which the first is its header, and one with a part of a line eleven. */
#include "machine/traffic/snb.h"

enum { LINE_FLITS = 8, PART_FLITS = 10 };

static unsigned link_of(const struct traffic *t, uint64_t line)
{
  return (unsigned)((address_mix(line + 0x5bd1e995) >> 32) * t->links >> 32);
}

unsigned qpi_stop(const struct traffic *t, const struct socket *s, uint64_t line)
{
  return s->snb->r3 + link_of(t, line);
}

/* How the classes are called by flits of groups 1 and 2 (header, data), in the receive buffer, and at the ring stop. */
struct class { uint8_t group, header, data, buffer, ring; };

static struct class class_of(const struct snb_packet *p)
{
  static const struct class classes[16] = {
    [QPI_HOM0] = { 1, FLIT1_HOM_REQ, 0, 3, RING_HOM }, [QPI_HOM1] = { 1, FLIT1_HOM_NONREQ, 0, 3, RING_HOM },
    [QPI_SNP] = { 1, FLIT1_SNP, 0, 4, RING_SNP }, [QPI_NDR] = { 2, FLIT2_NDR_AK, 0, 5, RING_NDR },
    [QPI_DRS] = { 1, FLIT1_DRS_NONDATA, FLIT1_DRS_DATA, 0, RING_DRS }, [QPI_NCS] = { 2, FLIT2_NCS, 0, 2, RING_NCS },
    [QPI_NCB] = { 2, FLIT2_NCB_NONDATA, FLIT2_NCB_DATA, 1, RING_NCB },
  };
  return classes[p->class];
}

/* Codes of a direction: groups 0 to 2. */
static const struct { uint8_t code[3]; uint64_t ext[3]; } flits[2] = {
  { { QPI_RXL_FLITS_G0, QPI_RXL_FLITS_G1, QPI_RXL_FLITS_G2 }, { 0, SNB_EXT, SNB_EXT } },
  { { QPI_TXL_FLITS_G0, QPI_TXL_FLITS_G1, QPI_TXL_FLITS_G2 }, { 0, SNB_EXT, SNB_EXT } },
};

static void flits_report(struct block *b, bool sends, const struct class *k, uint32_t data, fs_t at)
{
  const uint8_t code = flits[sends].code[k->group];
  const uint64_t ext = flits[sends].ext[k->group];
  block_pulse(b, flits[sends].code[0], SNB_UMASK(FLIT0_NON_DATA), 0, at, 1);
  block_pulse(b, code, ext | SNB_UMASK(k->header), 0, at, 1);
  if (!data)
    return;
  block_pulse(b, flits[sends].code[0], SNB_UMASK(FLIT0_DATA), 0, at, data);
  block_pulse(b, code, ext | SNB_UMASK(k->data), 0, at, data);
}

/* The ring stop before the link takes the message from the ring and needs credits of the other side for it. */
static void stop_report(struct snb_link *l, const struct class *k, uint32_t n, const fs_t span[3])
{
  block_pulse(l->r3, R3_RXR_INSERTS, SNB_UMASK(k->ring), 0, span[0], 1);
  if (span[1] > span[0]) {
    block_span(l->r3, R3_RXR_OCCUPANCY, SNB_UMASK(k->ring), 0, span[0], span[1], 1);
    snb_state(l->r3, RING_RXR_CYCLES_NE, SNB_UMASK(k->ring), &l->ingress_ne, span);
  } else if (k->ring != RING_DRS) {
    block_pulse(l->r3, R3_RXR_BYPASSED, SNB_UMASK(0x01), 0, span[0], 1);
  }
  block_pulse(l->r3, R3_VNA_ACQUIRED, 0, 0, span[1], n);
  snb_state(l->r3, R3_VNA_CYCLES_USED, 0, &l->vna_used, (fs_t[]){ span[1], span[2] });
}

/* The receive buffer holds what comes while the message before it is still being passed on. */
static void receive(struct traffic *t, struct snb_link *l, const struct class *k, uint32_t n, fs_t there)
{
  const uint8_t insert = (uint8_t)(QPI_RXL_INSERTS_DRS + k->buffer), inside = (uint8_t)(QPI_RXL_OCCUPANCY_DRS + k->buffer);
  const fs_t passed = there > l->received_until ? there : l->received_until;
  if (passed > there) {
    block_pulse(l->qpi, QPI_RXL_INSERTS, 0, 0, there, n);
    block_pulse(l->qpi, insert, SNB_EXT, 0, there, n);
    block_span(l->qpi, QPI_RXL_OCCUPANCY, 0, 0, there, passed, n);
    block_span(l->qpi, inside, SNB_EXT, 0, there, passed, n);
    snb_state(l->qpi, QPI_RXL_CYCLES_NE, 0, &l->rx_ne, (fs_t[]){ there, passed });
  } else {
    block_pulse(l->qpi, QPI_RXL_BYPASSED, 0, 0, there, n);
  }
  l->received_until = passed + n * t->time.uclk;
  block_pulse(l->qpi, QPI_RXL_CREDITS_CONSUMED_VNA, SNB_EXT, 0, there, n);
  block_span(l->qpi, QPI_VNA_CREDIT_RETURN_OCCUPANCY, SNB_EXT, 0, passed, passed + t->time.flight, n);
  block_pulse(l->qpi, QPI_VNA_CREDIT_RETURNS, SNB_EXT, 0, passed + t->time.flight, n);
}

fs_t qpi_send(struct traffic *t, unsigned from, uint64_t line, const struct snb_packet *p, fs_t at)
{
  struct socket *s = t->socket[from], *peer = t->socket[1 - from];
  struct snb_link *l = &s->snb->link[link_of(t, line)], *r = &peer->snb->link[link_of(t, line)];
  const struct class k = class_of(p);
  const uint32_t data = !p->data ? 0 : p->class == QPI_DRS && p->opcode >= 8 ? PART_FLITS : LINE_FLITS, n = 1 + data;
  const fs_t begin = slots_take(&l->tx, at, n * t->time.flit), there = begin + n * t->time.flit + t->time.flight;
  stop_report(l, &k, n, (fs_t[]){ at, begin, there + t->time.flight });
  if (begin > at) {
    block_pulse(l->qpi, QPI_TXL_INSERTS, 0, 0, at, n);
    block_span(l->qpi, QPI_TXL_OCCUPANCY, 0, 0, at, begin, n);
    snb_state(l->qpi, QPI_TXL_CYCLES_NE, 0, &l->tx_ne, (fs_t[]){ at, begin });
  } else {
    block_pulse(l->qpi, QPI_TXL_BYPASSED, 0, 0, at, n);
  }
  flits_report(l->qpi, true, &k, data, begin);
  flits_report(r->qpi, false, &k, data, there);
  block_pulse(l->qpi, QPI_CTO_COUNT,
              SNB_EXT | QPI_PACKET(p->class, p->opcode) | QPI_PACKET_DNID(peer->index) | QPI_PACKET_RNID(from)
              | QPI_PACKET_RDS(p->rds) | QPI_PACKET_VNA, 0, begin, 1);
  receive(t, r, &k, n, there);
  l->flits_sent += n;
  s->totals.upi_sent_header_slots++;
  s->totals.upi_sent_data_slots += data;
  peer->totals.upi_received_header_slots++;
  peer->totals.upi_received_data_slots += data;
  if (there > t->seen)
    t->seen = there;
  return there;
}

/* What nothing was sent in is idle. */
void qpi_advance(struct traffic *t, struct socket *s, fs_t until)
{
  for (unsigned i = 0; i < t->links && t->sockets > 1; i++) {
    struct snb_link *l = &s->snb->link[i], *r = &t->socket[1 - s->index]->snb->link[i];
    const uint64_t all = until / t->time.flit, used = l->flits_sent + l->idle_told;
    if (all <= used || !until)
      continue;
    l->idle_told += all - used;
    for (uint64_t left = all - used; left;) {
      const uint32_t n = left < UINT32_MAX ? (uint32_t)left : UINT32_MAX;
      block_pulse(l->qpi, QPI_TXL_FLITS_G0, SNB_UMASK(FLIT0_IDLE), 0, until - 1, n);
      block_pulse(r->qpi, QPI_RXL_FLITS_G0, SNB_UMASK(FLIT0_IDLE), 0, until - 1, n);
      left -= n;
    }
  }
}
