/* SPDX-License-Identifier: MIT */
/* The links between the sockets (guide 2.6): a flit has three slots; a header takes one, a line of data nine. */
#include "machine/emr/coherence.h"
#include "machine/emr/m3upi.h"

#define DATA_FLITS 3u
#define SLOTS_OF_FLIT 3u

unsigned upi_of(const struct traffic *t, uint64_t line)
{
  return (unsigned)((address_mix(line + 0x5bd1e995) >> 32) * t->links >> 32);
}

/* Table 2-215's TxL_FLITS or RxL_FLITS, and the corresponding event of the event files. */
static void flits_report(struct block *b, bool sends, uint64_t kind, fs_t at, uint32_t n)
{
  block_pulse(b, sends ? UPI_TXL_FLITS : UPI_RXL_FLITS, kind, 0, at, n);
  block_pulse(b, sends ? UPI_TXL_ANY_FLITS : UPI_RXL_ANY_FLITS, kind, 0, at, n);
}

/* Returns credits for received messages in slot 2 of a flit whose header leaves it free; true if it does. */
static bool credits_return(struct traffic *t, struct link *l, struct link *r, unsigned slot, const fs_t times[2])
{
  if (!l->uncredited || slot == 2)
    return false;
  flits_report(l->block, true, FLIT_LLCRD | FLIT_SLOT(2), times[0], 1);
  flits_report(r->block, false, FLIT_LLCRD | FLIT_SLOT(2), times[1], 1);
  l->slots_sent++;
  l->uncredited = 0;
  slots_take(&l->tx, times[0] + t->time.slot, t->time.slot);
  return true;
}

/* Reports a message's header at one end; both ends see the same message. */
static void end_report(struct block *b, bool sends, uint64_t header, unsigned slot, fs_t at)
{
  block_pulse(b, sends ? UPI_TXL_BASIC_HDR_MATCH : UPI_RXL_BASIC_HDR_MATCH, header, 0, at, 1);
  flits_report(b, sends, FLIT_PROTHDR | FLIT_SLOT(slot), at, 1);
}

/* A message with a wrong checksum is requested again and retransmitted after the link's current transmission (guide
 * 2.6, RxL_CRC_ERRORS, RxL_CRC_LLR_REQ_TRANSMIT), which uses the link once more. Returns the arrival time of the
 * correct message. */
static fs_t upi_retry_message(struct traffic *t, struct link *l, struct link *r, uint32_t slots, fs_t there)
{
  while (l->errors.n && there >= l->errors.from) {
    fs_t asked = there + t->time.flight, begin = slots_take(&l->tx, asked, (slots + SLOTS_OF_FLIT) * t->time.slot);
    l->errors.n--;
    if (t->config.value[CONFIG_UPI_L0P]) /* half of the lanes may be off: the rate applies to the retransmission */
      block_span(l->block, UPI_TXL0P_CLK_ACTIVE, EMR_UMASK(0x20), 0, asked, begin + t->time.slot, 1);
    block_pulse(r->block, UPI_RXL_CRC_ERRORS, 0, 0, there, 1);
    block_pulse(r->block, UPI_RXL_CRC_LLR_REQ_TRANSMIT, 0, 0, there, 1);
    flits_report(r->block, true, FLIT_LLCTRL | FLIT_SLOT(0), there, 1);
    flits_report(l->block, false, FLIT_LLCTRL | FLIT_SLOT(0), asked, 1);
    flits_report(l->block, true, FLIT_LLCTRL | FLIT_SLOT(0), begin, 1);
    there = begin + (slots + SLOTS_OF_FLIT) * t->time.slot + t->time.flight;
    flits_report(r->block, false, FLIT_LLCTRL | FLIT_SLOT(0), there - t->time.slot, 1);
    block_pulse(l->block, UPI_TXL_INSERTS, 0, 0, asked, (slots + SLOTS_OF_FLIT - 1) / SLOTS_OF_FLIT);
    block_span(l->block, UPI_TXL_OCCUPANCY, 0, 0, asked, begin, (slots + SLOTS_OF_FLIT - 1) / SLOTS_OF_FLIT);
    l->slots_sent += slots + SLOTS_OF_FLIT;
  }
  return there;
}

/* An idle link turns half of its lanes off after a while (L0p), and enters L1 much later if the other side is idle
 * too. In L0p the first message is sent at half the rate while the lanes wake; in L1 it waits. The times are
 * choices; the guide gives none. */
#define L0P_AFTER_FS 1000000000ull /* 1 us */
#define L1_AFTER_FS 50000000000ull /* 50 us */
#define L1_EXIT_FS 2000000000ull
#define L0P_CHANGE_FS 20000000ull

bool link_sleeps(const struct link *l, fs_t at)
{
  return at > l->last + L0P_AFTER_FS;
}

/* Reports the power-saving time up to `at`, before a transmission or on a counter read. */
static void power_saved(struct traffic *t, struct link *l, struct link *r, fs_t at)
{
  fs_t half = l->last + L0P_AFTER_FS, off = l->last + L1_AFTER_FS, from = l->saved > half ? l->saved : half;
  if (at <= from)
    return;
  const bool busy = r->last > l->last; /* the other side refuses, and both enter L1 when the other side requests it */
  const fs_t both = fs_later(l->last, r->last) + L1_AFTER_FS, end = at < both ? at : both;
  if (l->saved <= half) {
    level_set(t, l->block, UPI_TXL0_POWER_CYCLES, 0, half, 0);
    level_set(t, r->block, UPI_RXL0_POWER_CYCLES, 0, half, 0);
    block_span(l->block, UPI_TXL0P_LL_ENTER, 0, 0, half, half + L0P_CHANGE_FS, 1);
  }
  if (end > from) {
    block_span(l->block, UPI_TXL0P_POWER_CYCLES, 0, 0, from, end, 1);
    block_span(r->block, UPI_RXL0P_POWER_CYCLES, 0, 0, from, end, 1);
  }
  if (at >= off && l->saved <= off)
    block_pulse(l->block, busy ? UPI_POWER_L1_NACK : UPI_POWER_L1_REQ, 0, 0, off, 1);
  if (at > both) {
    l->lost += at - fs_later(from, both);
    block_span(l->block, UPI_L1_POWER_CYCLES, 0, 0, fs_later(from, both), at, 1);
  }
  l->saved = at;
}

/* The lanes from l to r wake for a transmission at `at`; all of them are on at `up`. */
static void lanes_wake(struct traffic *t, struct link *l, struct link *r, fs_t at, fs_t up)
{
  if (link_sleeps(r, at)) { /* the other end's clock runs for received messages and their credits */
    block_span(r->block, UPI_TXL0P_CLK_ACTIVE, EMR_UMASK(0x02), 0, at, at + L0P_CHANGE_FS, 1);
    block_span(r->block, UPI_TXL0P_CLK_ACTIVE, EMR_UMASK(0x04), 0, at, at + t->time.flit, 1);
    block_span(r->block, UPI_TXL0P_CLK_ACTIVE, EMR_UMASK(0x08), 0, at + L0P_CHANGE_FS, at + 2 * L0P_CHANGE_FS, 1);
  }
  block_span(l->block, UPI_TXL0P_CLK_ACTIVE, EMR_UMASK(0x10), 0, at, at + L0P_CHANGE_FS, 1);
  block_span(l->block, UPI_TXL0P_M3_EXIT, 0, 0, at, at + L0P_CHANGE_FS, 1);
  level_set(t, l->block, UPI_TXL0_POWER_CYCLES, 0, up, 1);
  level_set(t, r->block, UPI_RXL0_POWER_CYCLES, 0, up, 1);
}

/* A link leaves L1 in both directions: neither end sends before `up`. */
static void end_initialize(struct link *l, fs_t at, fs_t up)
{
  block_span(l->block, UPI_PHY_INIT_CYCLES, 0, 0, at, up, 1);
  l->lost += up - at;
  l->last = l->saved = l->up = up;
}

/* Returns the message's duration on the lanes; *at becomes its earliest start. */
static uint32_t upi_book_lanes(struct traffic *t, struct link *l, struct link *r, uint32_t slots, fs_t *at)
{
  uint32_t length = slots * t->time.slot;
  if (!t->config.value[CONFIG_UPI_L0P])
    return length;
  if (*at < l->up && *at + L1_EXIT_FS >= l->up) /* arrives while the link leaves L1 */
    *at = l->up;
  if (*at > r->last + L1_AFTER_FS) /* report how the other side slept before this message wakes it */
    power_saved(t, r, l, *at);
  if (*at > l->last + L0P_AFTER_FS) {
    const bool off = *at > fs_later(l->last, r->last) + L1_AFTER_FS;
    const fs_t from = *at;
    power_saved(t, l, r, from);
    if (off)
      *at += L1_EXIT_FS;
    else
      length *= 2;
    lanes_wake(t, l, r, from, *at);
    if (off) {
      level_set(t, r->block, UPI_TXL0_POWER_CYCLES, 0, *at, 1);
      level_set(t, l->block, UPI_RXL0_POWER_CYCLES, 0, *at, 1);
      end_initialize(l, from, *at);
      end_initialize(r, from, *at);
    }
  }
  if (*at > l->last)
    l->last = *at;
  return length;
}

fs_t upi_send(struct traffic *t, const struct upi_message *m, fs_t at)
{
  const enum upi_class class = m->class;
  const unsigned link = upi_of(t, m->line), opcode = m->opcode;
  struct socket *s = t->socket[m->from], *peer = t->socket[1 - m->from];
  struct link *l = &emr_socket(s)->link[link], *r = &emr_socket(peer)->link[link];
  bool data = class == MESSAGE_RSP4 || class == MESSAGE_WB || class == MESSAGE_NCB;
  uint32_t slots = 1 + (data ? DATA_FLITS * SLOTS_OF_FLIT : 0);
  unsigned slot = l->rotate++ % SLOTS_OF_FLIT;
  fs_t ready = at;
  uint32_t length = upi_book_lanes(t, l, r, slots, &ready);
  fs_t begin = slots_take(&l->tx, ready, length), there = begin + length + t->time.flight;
  uint64_t header = HDR_CLASS(class) | HDR_OPCODE(opcode);
  uint32_t flits = data ? DATA_FLITS + 1 : 1;
  if (l->errors.n && there >= l->errors.from)
    there = upi_retry_message(t, l, r, slots, there);
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
  const bool credits = credits_return(t, l, r, slot, (const fs_t[]){begin, there});
  r->uncredited += flits;
  if (emr_socket(s)->links_observed || emr_socket(peer)->links_observed) {
    const struct link_message passed = {class,   opcode & 0xf, slot,  opcode & UPI_DIRECT, credits,      flits,
                                        at,      begin,        there, t->time.flight,      t->time.flit, t->time.uclk,
                                        r->block};
    link_stop_sends(&l->queues, &passed);
    link_stop_receives(&r->queues, &passed);
  }
  if (class == MESSAGE_RSP4)
    block_pulse(r->block, UPI_DIRECT_ATTEMPTS, EMR_UMASK(0x01), 0, there, 1); /* straight to the core */
  /* The receiver's credits return with the next message in the other direction, about a flight later. */
  block_span(r->block, UPI_VNA_CREDIT_RETURN_OCCUPANCY, 0, 0, there, there + t->time.flight, flits);
  l->slots_sent += slots;
  s->totals.upi_sent_header_slots++;
  s->totals.upi_sent_data_slots += slots - 1;
  peer->totals.upi_received_header_slots++;
  peer->totals.upi_received_data_slots += slots - 1;
  return there;
}

/* Unused slots are null, as long as the link is neither in L1 nor leaving it; half width does not change their number
 * (Table 2-230). They are counted in flits of three slots. */
static void nulls_report(const struct traffic *t, struct link *l, struct link *r, fs_t until)
{
  const fs_t on = until > l->lost ? until - l->lost : 0;
  const uint64_t rate = t->config.value[CONFIG_UPI_GT] * t->config.value[CONFIG_UPI_LANES];
  const uint64_t slots = (uint64_t)((unsigned __int128)on * rate / UINT64_C(64000000000));
  const uint64_t nulls = slots > l->slots_sent ? (slots - l->slots_sent) / SLOTS_OF_FLIT : 0;
  if (!until || nulls <= l->nulls_sent)
    return;
  for (uint64_t n; l->nulls_sent < nulls; l->nulls_sent += n) {
    n = nulls - l->nulls_sent < UINT32_MAX ? nulls - l->nulls_sent : UINT32_MAX;
    flits_report(l->block, true, FLIT_NULL | FLIT_SLOTS, until - 1, (uint32_t)n);
    flits_report(r->block, false, FLIT_NULL | FLIT_SLOTS, until - 1, (uint32_t)n);
  }
}

void upi_advance(struct traffic *t, struct socket *s, fs_t until)
{
  struct emr_socket *emr = emr_socket(s);
  for (unsigned i = 0; i < t->links && t->sockets > 1; i++) {
    struct link *l = &emr->link[i], *r = &emr_socket(t->socket[1 - s->index])->link[i];
    if (emr->links_observed)
      link_stop_advance(&l->queues, until);
    for (; l->errors.n && l->errors.from < until; l->errors.n--) { /* no message was sent with these errors */
      block_pulse(r->block, UPI_RXL_CRC_ERRORS, 0, 0, l->errors.from, 1);
      block_pulse(r->block, UPI_RXL_CRC_LLR_REQ_TRANSMIT, 0, 0, l->errors.from, 1);
    }
    if (t->config.value[CONFIG_UPI_L0P])
      power_saved(t, l, r, until);
    nulls_report(t, l, r, until);
  }
}
