/* SPDX-License-Identifier: MIT */
/*
 * A link's mesh stop, M3UPI (guide 2.9). A message from the mesh waits in an ingress queue by class (RxC) until it has
 * credits of the other side and a place in a header flit. A message from the link waits in a flow queue (TxC) until the
 * mesh accepts it. All messages use virtual network 0; network 1 is for messages through a third socket. The stop is
 * simulated apart from the traffic, and only while a counter observes the stop or the link: upi.c reports when a
 * message is sent and received. The numbers of credits are choices.
 */
#include <string.h>
#include "machine/emr/coherence.h"
#include "machine/emr/m3upi.h"
#include "machine/emr/m3upi_codes.h"

/* A CHA returns a credit this many cycles after the message has left. */
enum { CHA_CREDIT_CYCLES = 40 };

/* Umask bits of a class: in the ingress, in flow queues and their inserts, in dedicated credits, in empty credits;
 * data: the class uses the BL ring. Flow queues of data have other bits in their inserts than elsewhere. */
static const struct class_bits {
  bool data;
  uint8_t in, flow, inserts, own, empty;
} classes[8] = {
    [MESSAGE_REQ] = {false, 0x01, 0x01, 0x01, 0x01, 0x02},  [MESSAGE_SNP] = {false, 0x02, 0x02, 0x02, 0x02, 0x04},
    [MESSAGE_RSP2] = {false, 0x04, 0x04, 0x04, 0x04, 0x08}, [MESSAGE_RSP4] = {true, 0x08, 0x01, 0x08, 0x04, 0x02},
    [MESSAGE_WB] = {true, 0x10, 0x02, 0x04, 0x08, 0x08},    [MESSAGE_NCB] = {true, 0x20, 0x04, 0x01, 0x10, 0x04},
    [MESSAGE_NCS] = {true, 0x40, 0x08, 0x02, 0x20, 0x04}};

static void m3upi_pulse(struct block *b, unsigned code, uint64_t umask, fs_t at, uint32_t n)
{
  block_pulse(b, (uint8_t)code, EMR_UMASK(umask), 0, at, n);
}

/* block_span() for this unit, which has no threads; the other parameters are the same. */
static void m3upi_span(struct block *b, unsigned code, uint64_t umask, fs_t from, fs_t to, uint32_t n)
{
  if (to > from)
    block_span(b, (uint8_t)code, EMR_UMASK(umask), 0, from, to, n);
}

/* Reports the part of a state's interval that was not reported before. */
static void m3upi_state_report(struct block *b, unsigned code, uint64_t umask, fs_t *until, const fs_t time[2])
{
  m3upi_span(b, code, umask, fs_later(time[0], *until), time[1], 1);
  *until = fs_later(*until, time[1]);
}

/* Returns the first time from `at` on at which at least `n` of the `of` entries are free. */
static fs_t when_free(const fs_t *until, unsigned of, unsigned n, fs_t at)
{
  unsigned busy = 0;
  for (unsigned i = 0; i < of; i++)
    busy += until[i] > at;
  while (of - busy < n) {
    fs_t next = UINT64_MAX;
    for (unsigned i = 0; i < of; i++)
      next = until[i] > at && until[i] < next ? until[i] : next;
    at = next;
    for (unsigned i = busy = 0; i < of; i++)
      busy += until[i] > at;
  }
  return at;
}

/* ---- from the mesh to the link ---- */

/* Reports the use of shared credits, one per flit; without enough of them, of the class's dedicated credits. */
static void credits_report(struct link_stop *ls, const struct link_message *m, const struct class_bits *c)
{
  static const struct {
    uint8_t least, umask;
  } levels[] = {{1, 0x02}, {4, 0x04}, {5, 0x08}, {10, 0x10}};
  struct block *b = ls->block;
  fs_t have = when_free(ls->shared, LINK_CREDITS, m->flits, m->at);
  if (have > m->at) {
    fs_t *own = &ls->own[__builtin_ctz(c->own)];
    m3upi_pulse(b, NO_CREDIT, c->in, m->at, 1);
    m3upi_state_report(b, c->data ? BL_CREDITS_EMPTY : AD_CREDITS_EMPTY, 0x01, &ls->none[0], (fs_t[]){m->at, have});
    if (*own > m->at) {
      m3upi_span(b, OWN_NONE, c->own, m->at, *own, 1);
      m3upi_span(b, c->data ? BL_CREDITS_EMPTY : AD_CREDITS_EMPTY, c->empty, m->at, *own, 1);
      m3upi_pulse(b, SHARED_MISC, c->data ? 0x20 : 0x10, have, 1);
    } else {
      m3upi_pulse(b, OWN_USED, c->own, m->at, 1);
      m3upi_pulse(b, HEADERS_SENT, 0x08, m->begin, 1);
      block_pulse(m->receiver, OWN_CONSUMED, 0, 0, m->there, m->flits);
      *own = m->there + m->flight;
      return;
    }
  }
  const fs_t begin = fs_later(have, m->begin), back = m->there + m->flight;
  for (uint32_t i = 0; i < m->flits; i++) {
    fs_t at = begin;
    ls->shared[few_take(ls->shared, LINK_CREDITS, &at)] = fs_later(back, at);
  }
  m3upi_pulse(b, CREDIT_OCCUPANCY, 0x80, begin, m->flits);
  m3upi_span(b, CREDIT_OCCUPANCY, 0x01, begin, back, m->flits);
  m3upi_state_report(b, SHARED, 0x20, &ls->in_use, (fs_t[]){begin, back});
  for (unsigned i = 0; i < sizeof levels / sizeof *levels; i++) {
    fs_t enough = when_free(ls->shared, LINK_CREDITS, levels[i].least, begin);
    if (enough > begin) {
      m3upi_state_report(b, SHARED, levels[i].umask, &ls->low[i], (fs_t[]){begin, enough});
      if (levels[i].least == 5)
        m3upi_pulse(b, SHARED_MISC, 0x02, begin, 1);
      if (levels[i].least == 10)
        m3upi_pulse(b, SHARED_MISC, 0x01 | 0x04, begin, 1);
    }
  }
}

static void header_close(struct link_stop *ls)
{
  if (!ls->messages)
    return;
  m3upi_pulse(ls->block, HEADERS_SENT, (0x01u | 0x10u) << (ls->messages - 1), ls->header, 1);
  if (ls->messages == 1) /* and if it was built ahead, that was in vain */
    m3upi_pulse(ls->block, HEADERS_1, 0x04 | (ls->ahead ? 0x80 : 0), ls->header, 1);
  else if (ls->ahead)
    m3upi_pulse(ls->block, HEADERS_1, 0x40, ls->header, 1);
  ls->messages = 0;
}

/* Reports the header flit, which carries up to three messages that are sent in its cycle. */
static void header_report(struct link_stop *ls, const struct link_message *m, const struct class_bits *c)
{
  struct block *b = ls->block;
  const bool joins = ls->messages && m->begin >= ls->header && m->begin < ls->header_end;
  if (c->data != ls->data && joins) {
    m3upi_pulse(b, HELD, 0x04, m->at, 1);
    if (ls->messages < 3) {
      m3upi_pulse(b, HELD, 0x08, m->begin, 1);
      m3upi_pulse(b, ARB_MISC, 0x10, m->begin, 1);
    }
  }
  if (joins && ls->messages < 3) {
    ls->messages++;
    if (ls->messages == 2 && ls->ahead)
      m3upi_pulse(b, HEADERS_1, 0x20, m->begin, 1);
  } else {
    if (joins)
      m3upi_pulse(b, HELD, c->data ? 0x20 : 0x10, m->at, 1);
    header_close(ls);
    ls->header = m->begin;
    ls->header_end = m->begin + m->flit;
    ls->messages = 1;
    ls->data = c->data;
    ls->ahead = m->begin > m->at;
  }
  m3upi_span(b, HEADERS_1, 0x01, m->begin, m->begin + m->cycle, 1);
  if (m->begin > m->at) { /* the link is busy with another flit */
    m3upi_span(b, HEADERS_1, 0x02 | 0x08, m->at, m->begin, 1);
    m3upi_pulse(b, HEADERS_1, 0x10, m->at, 1);
  }
  if (m->begin < ls->data_until) { /* ... with data: a header may be built meanwhile */
    m3upi_span(b, HEADERS_2, 0x04, m->begin, ls->data_until, 1);
    m3upi_pulse(b, HEADERS_2, 0x08 | 0x10, m->begin, 1);
  }
}

/* Reports a line, which arrives in two halves, the second one cycle after the first. */
static void data_report(struct link_stop *ls, const struct link_message *m)
{
  struct block *b = ls->block;
  const fs_t second = m->at + m->cycle;
  m3upi_pulse(b, DATA_SLOTTED,
              0x01 | (m->flits > 1 ? 0x02 : 0) |
                  (m->flits == 1       ? 0x10
                   : m->begin < second ? 0x08
                                       : 0),
              m->begin, 1);
  if (m->flits == 1)
    return;
  if (m->begin < second) {
    m3upi_span(b, DATA_BUILT, 0x02 | 0x08, m->begin, second, 1);
    m3upi_pulse(b, DATA_BUILT, 0x04, m->begin, 1);
  }
  m3upi_span(b, CREDIT_OCCUPANCY, 0x20, m->at, fs_later(second, m->begin), 1);
  if (m->begin > second)
    m3upi_span(b, CREDIT_OCCUPANCY, 0x40, second, m->begin, 1);
  m3upi_span(b, DATA_WAITS, 0x01 | 0x04 | 0x10, m->at, m->begin, 1);
  ls->data_until = m->begin + m->flit * m->flits;
}

static void ingress_report(struct link_stop *ls, const struct link_message *m, const struct class_bits *c)
{
  struct block *b = ls->block;
  const unsigned k = (unsigned)__builtin_ctz(c->in);
  const bool waits = m->begin > m->at;
  if (!waits && !c->data) { /* bypasses the queue into the header that is being built */
    const unsigned slot = ls->messages && m->begin < ls->header_end && ls->data ? m->slot : 0;
    m3upi_pulse(b, BYPASSED, slot == 0 ? (ls->not_empty[3] > m->at ? 0x02 : 0x01) : 0x02u << slot, m->at, 1);
  }
  m3upi_pulse(b, INSERTS, c->in, m->at, 1);
  if (waits) {
    m3upi_pulse(b, ls->not_empty[k] > m->at ? NO_REQUEST : LOST, c->in, m->at, 1);
    m3upi_pulse(b, ARB_MISC, c->data ? 0x04 : 0x01, m->at, 1);
    if (m->at >= ls->header && m->at < ls->header_end && ls->messages < 3)
      m3upi_pulse(b, PACKING_MISS, c->in, m->at, 1);
    m3upi_span(b, HEADER_WAITS, 0x01 | 0x04 | 0x10, m->at, m->begin, 1);
    if (ls->messages < 2)
      m3upi_span(b, HEADER_WAITS, 0x40, m->at, m->begin, 1);
  }
  const fs_t leaves = fs_later(m->begin, m->at + m->cycle);
  m3upi_span(b, OCCUPANCY, c->in, m->at, leaves, 1);
  m3upi_state_report(b, NOT_EMPTY, c->in, &ls->not_empty[k], (fs_t[]){m->at, leaves});
}

void link_stop_sends(struct link_stop *ls, const struct link_message *m)
{
  const struct class_bits *c = &classes[m->class & 7];
  if (!ls->block || !c->in)
    return;
  if (m->begin >= ls->header_end)
    header_close(ls);
  ingress_report(ls, m, c);
  credits_report(ls, m, c);
  header_report(ls, m, c);
  if (c->data)
    data_report(ls, m);
  m3upi_span(ls->block, CREDIT_OCCUPANCY, 0x08, m->begin, m->begin + m->flit * m->flits, m->flits);
  /* Into the link's clock: one cycle on the path, two in the FIFO. */
  m3upi_span(ls->block, CREDIT_OCCUPANCY, 0x04, m->begin, m->begin + m->cycle, m->flits);
  m3upi_span(ls->block, CREDIT_OCCUPANCY, 0x02, m->begin + m->cycle, m->begin + 3 * m->cycle, m->flits);
  m3upi_state_report(ls->block, CREDIT_MISC, 0x02, &ls->path, (fs_t[]){m->begin, m->begin + m->cycle});
  m3upi_state_report(ls->block, CREDIT_MISC, 0x01, &ls->fifo, (fs_t[]){m->begin + m->cycle, m->begin + 3 * m->cycle});
  if (m->direct) /* data from memory, past the CHA */
    m3upi_pulse(ls->block, DIRECT_LINK, 0, m->at, 1);
  if (m->credits) {
    m3upi_pulse(ls->block, SLOT2, 0x01 | 0x04, m->begin, 1);
    m3upi_pulse(ls->link, ASK_SLOT2, 0x01, m->begin, 1);
  }
}

void link_stop_direct(struct link_stop *ls, const fs_t *credits, const fs_t time[2])
{
  if (!ls->block)
    return;
  m3upi_span(ls->block, CREDIT_OCCUPANCY, 0x10, time[0], time[1], 1);
  for (unsigned n = 1; n <= 2; n++) {
    const fs_t enough = when_free(credits, LINK_DIRECT, n, time[0]);
    m3upi_state_report(ls->block, CREDIT_MISC, 0x08u << n, &ls->direct_low[n - 1], (fs_t[]){time[0], enough});
  }
}

void link_stop_no_direct(struct link_stop *ls, const fs_t time[2])
{
  if (ls->block)
    m3upi_span(ls->block, CREDIT_MISC, 0x04, time[0], time[1], 1);
}

/* ---- from the link to the mesh ---- */

/* Reports the states in which a flow queue has few free entries. */
static void flow_low(struct link_stop *ls, unsigned ring, fs_t at)
{
  static const struct {
    uint8_t least, credits, bypass, queue;
  } levels[3][4] = {{{1, 0x01, 0, 0}, {2, 0x02, 0, 0}, {3, 0x04, 0x01, 0x01}, {5, 0, 0, 0x02}},
                    {{1, 0x08, 0x02, 0x04}, {3, 0, 0, 0x08}, {0}},
                    {{1, 0x10, 0, 0}, {2, 0x20, 0, 0}, {3, 0x40, 0, 0}, {4, 0x80, 0x04, 0x10}}};
  for (unsigned i = 0; i < 4 && levels[ring][i].least; i++) {
    fs_t enough = when_free(ls->flow[ring], LINK_FLOW, levels[ring][i].least, at);
    fs_t *until = &ls->flow_low[ring][i];
    fs_t from = fs_later(at, *until);
    if (levels[ring][i].credits)
      m3upi_span(ls->link, FLOW_CREDITS, levels[ring][i].credits, from, enough, 1);
    if (levels[ring][i].bypass)
      m3upi_span(ls->link, BYPASS_BLOCKED, levels[ring][i].bypass, from, enough, 1);
    if (levels[ring][i].queue)
      m3upi_span(ls->link, QUEUE_BLOCKED, levels[ring][i].queue, from, enough, 1);
    *until = fs_later(*until, enough);
  }
}

/* Takes a credit of a CHA, which requests and snoops need: a shared one, else that of the class. */
static void cha_credit(struct link_stop *ls, const struct link_message *m, fs_t at)
{
  const unsigned k = m->class == MESSAGE_SNP;
  const fs_t back = at + CHA_CREDIT_CYCLES * m->cycle;
  fs_t shared = at;
  const unsigned i = few_take(ls->to_cha, LINK_TO_CHA, &shared);
  if (shared == at) {
    ls->to_cha[i] = back;
    return;
  }
  m3upi_state_report(ls->block, CHA_CREDITS_EMPTY, 0x01, &ls->cha_none[0], (fs_t[]){at, shared});
  if (ls->to_class[k] > at)
    m3upi_state_report(ls->block, CHA_CREDITS_EMPTY, k ? 0x08 : 0x04, &ls->cha_none[1 + k],
                       (fs_t[]){at, ls->to_class[k]});
  ls->to_class[k] = fs_later(ls->to_class[k], back);
}

void link_stop_to_stack(struct link_stop *ls, unsigned stack, bool bypass, const fs_t time[2])
{
  fs_t have = time[0];
  if (!ls->block || stack >= 6)
    return;
  const unsigned i = few_take(ls->to_stack[stack], LINK_TO_STACK, &have);
  ls->to_stack[stack][i] = fs_later(time[1], have);
  if (have > time[0]) /* stacks 0 and 1 share a stop, and the first bit */
    m3upi_state_report(ls->block, STACK_CREDITS_EMPTY, bypass ? 1u << (stack ? stack - 1 : 0) : 0x40 | 0x80,
                       &ls->stack_none[stack], (fs_t[]){time[0], have});
}

/* Returns the bit of SLOTS_RECEIVED for the slot in which a message arrived; 0: the slot has none. */
static uint64_t slot_received(const struct link_message *m, const struct class_bits *c, bool completion)
{
  if (c->data)
    return m->slot ? 0 : 0x08;
  if (completion)
    return m->slot == 0 ? 0x10 : m->slot == 2 ? 0x20 : 0;
  return 1u << m->slot;
}

/* A message in a flow queue: its arrival, when the queue has room, when the mesh would accept it, when it has left. */
struct flow_stay {
  enum { FLOW_AD, FLOW_BL, FLOW_AK } ring;
  fs_t at, place, leave, gone;
};

/* Reports the link's own queue: it keeps the flits while the flow queue has no room. */
static void link_queue_report(struct link_stop *ls, const struct link_message *m, const struct flow_stay *f)
{
  if (f->place > f->at) {
    m3upi_pulse(ls->link, QUEUE_INSERTS, 1u << m->slot, f->at, m->flits);
    m3upi_span(ls->link, QUEUE_OCCUPANCY, 1u << m->slot, f->at, f->place, m->flits);
  } else {
    m3upi_pulse(ls->link, UPI_RXL_BYPASSED, 1u << m->slot, f->at, m->flits);
  }
}

/* Reports the flow queue of the rings AD and BL. */
static void flow_report(struct link_stop *ls, const struct link_message *m, const struct class_bits *c,
                        const struct flow_stay *f)
{
  struct block *b = ls->block;
  if (f->leave == f->at && !c->data)
    m3upi_pulse(b, AD_BYPASS, 1u << m->slot, f->at, 1);
  if (f->leave == f->at && m->class == MESSAGE_RSP4)
    m3upi_pulse(b, AD_BYPASS, 0x08, f->at, 1); /* an early response */
  if (f->leave > f->at)
    m3upi_pulse(b, c->data ? BL_LOST : AD_LOST, c->flow, f->at, 1);
  m3upi_pulse(b, c->data ? BL_INSERTS : AD_INSERTS, c->inserts, f->place, 1);
  m3upi_span(b, c->data ? BL_OCCUPANCY : AD_OCCUPANCY, c->flow, f->place, f->gone, 1);
  m3upi_state_report(b, c->data ? BL_NE : AD_NE, c->flow, &ls->flow_ne[f->ring][__builtin_ctz(c->flow)],
                     (fs_t[]){f->place, f->gone});
}

static void write_backs_report(struct link_stop *ls, const struct flow_stay *f)
{
  struct block *b = ls->block;
  m3upi_span(b, WB_OCCUPANCY, 0x01, f->place, f->gone, 1);
  m3upi_span(b, WB_PENDING, 0x01, f->place, f->gone, 1);
  if (f->place > ls->write_backs)
    m3upi_span(b, WB_COMPARE, 0x02, ls->write_backs, f->place, 1);
  m3upi_state_report(b, WB_COMPARE, 0x04, &ls->write_backs, (fs_t[]){f->place, f->gone});
}

void link_stop_receives(struct link_stop *ls, const struct link_message *m)
{
  const struct class_bits *c = &classes[m->class & 7];
  struct block *b = ls->block;
  if (!b || !c->in)
    return;
  const bool completion = m->class == MESSAGE_RSP2 && !m->opcode; /* without data */
  struct flow_stay f = {.ring = c->data ? FLOW_BL : completion ? FLOW_AK : FLOW_AD, .at = m->there, .place = m->there};
  f.leave = slots_take(&ls->out[f.ring], f.at, (c->data ? 2 : 1) * (uint32_t)m->cycle);
  m3upi_pulse(b, SLOTS_RECEIVED, slot_received(m, c, completion), f.at, 1);
  if (m->class == MESSAGE_RSP4)
    m3upi_pulse(b, DIRECT_CORE, 0, f.at, 1);
  const unsigned entry = few_take(ls->flow[f.ring], LINK_FLOW, &f.place);
  link_queue_report(ls, m, &f);
  f.gone = fs_later(f.leave, f.place) + m->cycle;
  if (m->class == MESSAGE_REQ || m->class == MESSAGE_SNP)
    cha_credit(ls, m, f.gone);
  ls->flow[f.ring][entry] = f.gone;
  flow_low(ls, f.ring, f.place);
  if (f.ring == FLOW_AK) {
    m3upi_pulse(b, AK_INSERTS, 0, f.place, 1);
    m3upi_span(b, AK_OCCUPANCY, 0, f.place, f.gone, 1);
    return;
  }
  flow_report(ls, m, c, &f);
  if (m->class == MESSAGE_WB)
    write_backs_report(ls, &f);
}

void link_stop_advance(struct link_stop *ls, fs_t until)
{
  if (!ls->block)
    return;
  if (until >= ls->header_end) /* no message can join the header any more */
    header_close(ls);
  if (until > ls->write_backs) { /* none pending: equally many write-backs pass through and stay */
    m3upi_span(ls->block, WB_COMPARE, 0x02, ls->write_backs, until, 1);
    ls->write_backs = until;
  }
}
