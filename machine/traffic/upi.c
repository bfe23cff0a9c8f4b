/* SPDX-License-Identifier: MIT */
/* The links between the sockets (guide 2.6): a flit has three slots; a header takes one, a line of data nine. */
#include "machine/traffic/state.h"

#define DATA_FLITS 3u
#define SLOTS_OF_FLIT 3u

unsigned upi_of(const struct traffic *t, uint64_t line)
{
  return (unsigned)((address_mix(line + 0x5bd1e995) >> 32) * t->links >> 32);
}

/* Table 2-215's TxL_FLITS or RxL_FLITS, and the event files' event beside each. */
static void flits_report(struct block *b, bool sends, uint64_t kind, fs_t at, uint32_t n)
{
  block_pulse(b, sends ? UPI_TXL_FLITS : UPI_RXL_FLITS, kind, 0, at, n);
  block_pulse(b, sends ? UPI_TXL_ANY_FLITS : UPI_RXL_ANY_FLITS, kind, 0, at, n);
}

/* Both ends see the same message. */
static void end_report(struct block *b, bool sends, uint64_t header, unsigned slot, fs_t at)
{
  block_pulse(b, sends ? UPI_TXL_BASIC_HDR_MATCH : UPI_RXL_BASIC_HDR_MATCH, header, 0, at, 1);
  flits_report(b, sends, FLIT_PROTHDR | FLIT_SLOT(slot), at, 1);
}

/* The links' mesh stops (guide 2.9): what goes to the link waits in a flow queue, what comes from it in an ingress
 * queue, by class; all on virtual network 0. */
static void stop_report(const struct link *from, const struct link *to, enum upi_class class, const fs_t times[3])
{
  static const struct { bool data; uint8_t flow, ingress; } classes[] = {
    [MESSAGE_REQ] = { false, 0x01, 0x01 }, [MESSAGE_SNP] = { false, 0x02, 0x02 }, [MESSAGE_RSP2] = { false, 0x04, 0x04 },
    [MESSAGE_RSP4] = { true, 0x08, 0x08 }, [MESSAGE_WB] = { true, 0x04, 0x10 } };
  if ((size_t)class >= sizeof classes / sizeof *classes || !classes[class].flow)
    return;
  if (from->stop) {
    bool data = classes[class].data;
    block_pulse(from->stop, data ? M3UPI_TXC_BL_FLQ_INSERTS : M3UPI_TXC_AD_FLQ_INSERTS, EMR_UMASK(classes[class].flow), 0,
                times[0], 1);
    block_span(from->stop, data ? M3UPI_TXC_BL_FLQ_OCCUPANCY : M3UPI_TXC_AD_FLQ_OCCUPANCY,
               EMR_UMASK(classes[class].flow), 0, times[0], times[1], 1);
    block_pulse(from->stop, M3UPI_RXC_HDR_FLITS_SENT, EMR_UMASK(0x01), 0, times[1], 1);
  }
  if (to->stop)
    block_pulse(to->stop, M3UPI_RXC_INSERTS_VN0, EMR_UMASK(classes[class].ingress), 0, times[2], 1);
}

fs_t upi_send(struct traffic *t, unsigned from, uint64_t line, enum upi_class class, unsigned opcode, fs_t at)
{
  struct socket *s = t->socket[from], *peer = t->socket[1 - from];
  struct link *l = &s->link[upi_of(t, line)], *r = &peer->link[upi_of(t, line)];
  bool data = class == MESSAGE_RSP4 || class == MESSAGE_WB || class == MESSAGE_NCB;
  uint32_t slots = 1 + (data ? DATA_FLITS * SLOTS_OF_FLIT : 0);
  unsigned slot = l->rotate++ % SLOTS_OF_FLIT;
  fs_t begin = slots_take(&l->tx, at, slots * t->time.slot), there = begin + slots * t->time.slot + t->time.flight;
  uint64_t header = HDR_CLASS(class) | HDR_OPCODE(opcode);
  stop_report(l, r, class, (const fs_t[3]){ at, begin, there });
  uint32_t flits = data ? DATA_FLITS + 1 : 1;
  if (begin > at) {
    block_pulse(l->block, UPI_TXL_INSERTS, 0, 0, at, flits);
    block_span(l->block, UPI_TXL_OCCUPANCY, 0, 0, at, begin, flits);
  } else {
    block_pulse(l->block, UPI_TXL_BYPASSED, 0, 0, at, flits);
  }
  end_report(l->block, true, header, slot, begin);
  end_report(r->block, false, header, slot, there);
  if (data) {
    flits_report(l->block, true, FLIT_DATA | FLIT_SLOTS, begin, DATA_FLITS);
    flits_report(r->block, false, FLIT_DATA | FLIT_SLOTS, there, DATA_FLITS);
  }
  block_pulse(r->block, UPI_RXL_CREDITS_CONSUMED_VNA, 0, 0, there, flits);
  block_pulse(r->block, UPI_RXL_BYPASSED, FLIT_SLOT(slot), 0, there, flits);
  /* The receiver's credits come back with the next message the other way, about a flight later. */
  block_span(r->block, UPI_VNA_CREDIT_RETURN_OCCUPANCY, 0, 0, there, there + t->time.flight, flits);
  l->slots_sent += slots;
  s->totals.upi_sent_header_slots++;
  s->totals.upi_sent_data_slots += slots - 1;
  peer->totals.upi_received_header_slots++;
  peer->totals.upi_received_data_slots += slots - 1;
  return there;
}

/* Link cycles that nothing was sent in carry null flits. */
void upi_advance(struct traffic *t, struct socket *s, fs_t until)
{
  for (unsigned i = 0; i < t->links && t->sockets > 1; i++) {
    struct link *l = &s->link[i], *r = &t->socket[1 - s->index]->link[i];
    uint64_t flits = until / t->time.flit, used = (l->slots_sent + SLOTS_OF_FLIT - 1) / SLOTS_OF_FLIT + l->nulls_sent;
    if (flits <= used || !until)
      continue;
    uint64_t nulls = flits - used;
    l->nulls_sent += nulls;
    for (; nulls; nulls -= nulls < UINT32_MAX ? nulls : UINT32_MAX) {
      uint32_t n = nulls < UINT32_MAX ? (uint32_t)nulls : UINT32_MAX;
      flits_report(l->block, true, FLIT_NULL | FLIT_SLOTS, until - 1, n);
      flits_report(r->block, false, FLIT_NULL | FLIT_SLOTS, until - 1, n);
    }
  }
}
