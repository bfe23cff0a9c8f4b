/* SPDX-License-Identifier: MIT */
/*
 * The L2D's queue of accesses (2.3.3.2), and its conflicts as the events of the L2D distinguish them (4.8.4, Tables
 * 4-86 to 4-99). The guide names the conflicts without their timing. The model's own: a hit stays in the queue for its
 * latency; a primary miss stays as long as a hit would, then the fill buffers hold it; a secondary miss stays until the
 * line arrives. A conflict is detected and counted when an access enters, and costs no time. The state is maintained
 * while a counter selects one of the events.
 */
#include "machine/montecito/core/cycles.h"
#include "machine/montecito/events/umasks.h"
#include "machine/montecito/memory/occupancy.h"
#include "machine/montecito/memory/ozq.h"
#include "machine/montecito/monitors/counters.h"

enum {
  EV_CANCELS0 = 0xe0,
  EV_FULL = 0xe1,
  EV_CANCELS1 = 0xe2,
  EV_FULL1 = 0xe3,
  EV_BYPASS = 0xe4,
  EV_RELEASE = 0xe5,
  EV_L3_CANCEL = 0xe8,
  EV_DATA_FULL = 0xe9,
  EV_RECIRC = 0xea,
  EV_RECIRC_ISSUED = 0xeb,
  EV_ACQUIRE = 0xef,
  EV_VICTIMS_FULL = 0xf3
};
/* Umasks of cancelled accesses (Table 4-94). */
enum {
  CANCEL_RECIRC,
  CANCEL_CANCELLED_STORE,
  CANCEL_STORE_1,
  CANCEL_STORE_2,
  CANCEL_STORE_3,
  CANCEL_STORE_4,
  CANCEL_ACQUIRE,
  CANCEL_RELEASE,
  CANCEL_BANK,
  CANCEL_SEMAPHORE,
  CANCEL_OVERSUBSCRIBED,
  CANCEL_PREEMPTED,
  CANCEL_WRITE_BACK,
  CANCEL_ORDER,
  CANCEL_FILL_STORE,
  CANCEL_DATA
};
enum { LINE = 128, CHUNK = 16, BANKS = 16, WORD = 4, INDEXES = 256, QUEUE_CYCLES = 5, SNOOP_WINDOW = 3, BRQ = 16 };

static void ozq_signal(struct montecito_core *c, const struct montecito_instruction *v, uint8_t code, uint16_t umasks)
{
  montecito_event_signal(
      c, (struct montecito_signal){
             .code = code, .thread = c->active, .tags = v->tags, .mesi = 0xf, .umasks = umasks, .n = 1});
}

/* Removes the accesses and victims that have ended. */
static void ozq_advance(struct montecito_core *c)
{
  struct montecito_ozq *q = &c->ozq;
  unsigned n = 0;
  for (unsigned i = 0; i < q->n; i++)
    if (q->of[i].until > c->cycle)
      q->of[n++] = q->of[i];
  q->n = (uint8_t)n;
  for (unsigned i = n = 0; i < q->n_victims; i++)
    if (q->victim[i].until > c->cycle)
      q->victim[n++] = q->victim[i];
  q->n_victims = (uint8_t)n;
}

static bool entry_has(const struct montecito_ozq_entry *e, uint64_t address, unsigned bytes)
{
  return e->address / bytes == address / bytes;
}

/* True if a line arrives in this cycle. *ret_store: one arrives for a store. */
static bool fill_arrives(struct montecito_core *c, bool *ret_store)
{
  bool any = false;
  *ret_store = false;
  const struct montecito_requests r = queue_requests(c, QUEUE_FILL);
  for (const struct montecito_queued *v = r.first; v < r.end && v->at <= c->cycle; v++)
    if (v->at == c->cycle) {
      any = true;
      *ret_store |= v->fill.state == MESI_M;
    }
  return any;
}

/* Returns the conflicts of a new access with an older one, as umasks of cancelled accesses. */
static uint16_t conflicts_with(const struct montecito_core *c, const struct montecito_ozq_entry *e,
                               const struct montecito_ozq_entry *fresh)
{
  const uint64_t behind = c->cycle - e->at;
  const bool both_hit = e->outcome == OZQ_HIT && fresh->outcome == OZQ_HIT;
  uint16_t cancels = 0;
  if (e->order & ORDER_ACQUIRE && behind)
    cancels |= UM(CANCEL_ACQUIRE);
  if (both_hit && !behind && e->address / CHUNK % BANKS == fresh->address / CHUNK % BANKS)
    cancels |= UM(CANCEL_BANK);
  if (both_hit && !behind && !e->write && !fresh->write)
    cancels |= UM(CANCEL_OVERSUBSCRIBED);
  if (e->outcome == OZQ_SECONDARY && fresh->outcome == OZQ_SECONDARY && !behind)
    cancels |= UM(CANCEL_RECIRC);
  if (both_hit && e->write && !fresh->write && behind && behind <= 4 && entry_has(e, fresh->address, CHUNK))
    cancels |= e->cancelled && behind > 1 ? UM(CANCEL_CANCELLED_STORE) : UM(CANCEL_STORE_1 + behind - 1);
  return cancels;
}

static uint16_t conflicts(struct montecito_core *c, const struct montecito_instruction *v,
                          const struct montecito_ozq_entry *fresh)
{
  const struct montecito_ozq *q = &c->ozq;
  bool for_store;
  uint16_t cancels = 0;
  for (unsigned i = 0; i < q->n; i++)
    cancels |= conflicts_with(c, &q->of[i], fresh);
  if (q->n && v->s->op == OP_SEMAPHORE)
    cancels |= UM(CANCEL_SEMAPHORE);
  else if (q->n && fresh->order & ORDER_RELEASE)
    cancels |= UM(CANCEL_RELEASE);
  if (q->accept_until > c->cycle)
    cancels |= UM(CANCEL_ORDER);
  if (q->victim_at == c->cycle && fresh->outcome == OZQ_HIT)
    cancels |= UM(CANCEL_WRITE_BACK);
  if (fill_arrives(c, &for_store))
    cancels |= UM(CANCEL_PREEMPTED) | (fresh->write ? UM(CANCEL_FILL_STORE) : 0) |
               (fresh->write && for_store ? UM(CANCEL_DATA) : 0);
  return cancels;
}

/* Signals accesses that bypass the empty queue, to the data or to the L3, and attempts to do so (Tables 4-87, 4-91). */
static void ozq_signal_bypass(struct montecito_core *c, const struct montecito_instruction *v,
                              const struct montecito_ozq_entry *fresh, unsigned where)
{
  const struct montecito_ozq *q = &c->ozq;
  const bool sibling = q->n && q->of[q->n - 1].at == c->cycle;
  if (fresh->outcome == OZQ_HIT && !fresh->cancelled && (!q->n || sibling))
    ozq_signal(c, v, EV_BYPASS, q->n ? UM_XX01 : UM_XX00);
  if (fresh->outcome == OZQ_MISS && !q->n) {
    ozq_signal(c, v, EV_CANCELS1, UM_XX01);
    if (where == WHERE_L3)
      ozq_signal(c, v, EV_BYPASS, UM_XX10);
  }
  if (fresh->outcome == OZQ_HIT && !q->n)
    ozq_signal(c, v, EV_L3_CANCEL, UM_X(0) | UM_X(2));
  if (fresh->outcome == OZQ_MISS && fresh->order & ORDER_RELEASE)
    ozq_signal(c, v, EV_L3_CANCEL, UM_X(1) | UM_X(2));
  if (fresh->outcome == OZQ_MISS && where == WHERE_MEMORY && queue_n(c, QUEUE_READ) + queue_n(c, QUEUE_READ_1) > BRQ)
    ozq_signal(c, v, EV_L3_CANCEL, UM_X(3) | UM_X(2));
}

/* Signals the recirculates of misses after misses (Table 4-90) that data.c does not signal. */
static void ozq_signal_recirculates(struct montecito_core *c, const struct montecito_instruction *v,
                                    const struct montecito_ozq_entry *fresh)
{
  const struct montecito_ozq *q = &c->ozq;
  uint16_t umasks = 0;
  for (unsigned i = 0; i < q->n; i++) {
    const struct montecito_ozq_entry *e = &q->of[i];
    const bool line = entry_has(e, fresh->address, LINE), secondary = fresh->outcome == OZQ_SECONDARY && line;
    if (secondary && e->outcome == OZQ_MISS)
      umasks |= UM(11) | (e->at + 1 == c->cycle ? UM(12) : 0);
    if (secondary && e->outcome == OZQ_SECONDARY)
      umasks |= UM(9);
    if (fresh->outcome == OZQ_MISS && e->outcome == OZQ_MISS && e->at == c->cycle &&
        e->address / LINE % INDEXES == fresh->address / LINE % INDEXES)
      umasks |= UM(10);
  }
  if (fresh->outcome == OZQ_HIT && q->accept_until > c->cycle)
    umasks |= UM(4);
  if (fresh->outcome == OZQ_MISS && q->n == OZQ_ENTRIES)
    umasks |= UM(5);
  if (umasks)
    ozq_signal(c, v, EV_RECIRC, umasks);
}

/* Signals conflicts of order with an older access: of the same issue group, or to the same four bytes. */
static void ozq_signal_order(struct montecito_core *c, const struct montecito_instruction *v,
                             const struct montecito_ozq_entry *fresh)
{
  struct montecito_ozq *q = &c->ozq;
  for (unsigned i = 0; i < q->n; i++) {
    const struct montecito_ozq_entry *e = &q->of[i];
    if (e->at == c->cycle && (e->order | fresh->order) == (ORDER_ACQUIRE | ORDER_RELEASE) && e->order != fresh->order)
      ozq_signal(c, v, EV_CANCELS1, UM_XX10);
    if (e->write == fresh->write || !entry_has(e, fresh->address, WORD))
      continue;
    q->release_until = fresh->until;
    if (e->at == c->cycle)
      ozq_signal(c, v, EV_CANCELS1, UM_XX11);
  }
}

void ozq_insert(struct montecito_core *c, const struct montecito_instruction *v, unsigned outcome,
                const struct montecito_access *a)
{
  struct montecito_ozq *q = &c->ozq;
  const bool write = v->s->op == OP_STORE || v->s->op == OP_FSTORE || v->s->op == OP_SEMAPHORE;
  struct montecito_ozq_entry fresh = {
      .address = v->s->address, .at = c->cycle, .outcome = (uint8_t)outcome, .order = v->s->order, .write = write};
  fresh.until = c->cycle + (outcome == OZQ_MISS ? QUEUE_CYCLES : a->latency);
  ozq_advance(c);
  const uint16_t cancels = conflicts(c, v, &fresh);
  fresh.cancelled = cancels != 0;
  if (cancels) {
    ozq_signal(c, v, EV_CANCELS0, cancels);
    ozq_signal(c, v, EV_CANCELS1, UM_XX00);
  }
  if (c->selected[EV_BYPASS] | c->selected[EV_CANCELS1] | c->selected[EV_L3_CANCEL])
    ozq_signal_bypass(c, v, &fresh, a->where);
  if (c->selected[EV_RECIRC])
    ozq_signal_recirculates(c, v, &fresh);
  ozq_signal_order(c, v, &fresh);
  if (outcome == OZQ_SECONDARY && c->selected[EV_RECIRC_ISSUED])
    montecito_deferred_add(c, &(struct montecito_deferred){.at = fresh.until,
                                                           .kind = DEFERRED_SIGNAL,
                                                           .thread = c->active,
                                                           .tags = v->tags,
                                                           .mesi = 0xf,
                                                           .umasks = UM_ANY,
                                                           .slot = EV_RECIRC_ISSUED});
  if (q->n == OZQ_ENTRIES)
    return;
  q->of[q->n++] = fresh;
  if (c->levels_selected)
    montecito_deferred_add(c, &(struct montecito_deferred){.at = fresh.until, .kind = DEFERRED_TICK});
}

void ozq_victim(struct montecito_core *c, uint64_t address)
{
  struct montecito_ozq *q = &c->ozq;
  ozq_advance(c);
  q->victim_at = c->cycle;
  if (q->n_victims == OZQ_VICTIMS)
    return;
  q->victim[q->n_victims].address = address;
  q->victim[q->n_victims++].until = c->cycle + core_parameter(c, MONTECITO_L3_LATENCY);
  if (c->levels_selected)
    montecito_deferred_add(
        c, &(struct montecito_deferred){.at = q->victim[q->n_victims - 1].until, .kind = DEFERRED_TICK});
}

/* Signals a snoop whose line is in the queue, in a victim buffer, or about to arrive. */
void ozq_snoop(struct montecito_core *c, uint64_t address)
{
  const struct montecito_ozq *q = &c->ozq;
  uint16_t recirculates = 0, cancels = 0;
  ozq_advance(c);
  for (unsigned i = 0; i < q->n; i++)
    recirculates |= entry_has(&q->of[i], address, LINE) ? UM(6) : 0;
  for (unsigned i = 0; i < q->n_victims; i++)
    cancels |= q->victim[i].address / LINE == address / LINE ? UM_X(5) : 0;
  const struct montecito_requests r = queue_requests(c, QUEUE_FILL);
  for (const struct montecito_queued *v = r.first; v < r.end && v->at <= c->cycle + SNOOP_WINDOW; v++)
    if (v->line / LINE == address / LINE)
      cancels |= UM_X(6);
  montecito_pulse(c, EV_RECIRC, recirculates, recirculates != 0);
  montecito_pulse(c, EV_L3_CANCEL, cancels ? cancels | UM_X(2) : 0, cancels != 0);
}

/* mf.a and sync.i wait until all earlier accesses are accepted. */
void ozq_order(struct montecito_core *c, const struct montecito_instruction *v)
{
  if (v->s->order & ORDER_ACCEPT)
    c->ozq.accept_until = c->cycle + core_parameter(c, MONTECITO_L3_LATENCY);
}

/* The L2D begins an access to the L3 before it knows the memory attribute, and cancels it. */
void ozq_uncached(struct montecito_core *c, const struct montecito_instruction *v)
{
  ozq_signal(c, v, EV_L3_CANCEL, UM_X(1) | UM_X(2));
}

void ozq_levels(struct montecito_core *c)
{
  const struct montecito_ozq *q = &c->ozq;
  unsigned stores = 0;
  uint8_t order = q->release_until > c->cycle ? ORDER_RELEASE : 0;
  ozq_advance(c);
  for (unsigned i = 0; i < q->n; i++) {
    stores += q->of[i].write;
    order |= q->of[i].order;
  }
  montecito_pulse(c, EV_FULL, UM_ANY, q->n == OZQ_ENTRIES);
  montecito_pulse(c, EV_FULL1, UM_ANY, q->n == OZQ_ENTRIES);
  montecito_pulse(c, EV_DATA_FULL, UM_ANY, stores >= OZQ_DATA);
  montecito_pulse(c, EV_VICTIMS_FULL, UM_ANY, q->n_victims == OZQ_VICTIMS);
  montecito_pulse(c, EV_ACQUIRE, UM_ANY, order & ORDER_ACQUIRE ? 1 : 0);
  montecito_pulse(c, EV_RELEASE, UM_ANY, order & ORDER_RELEASE ? 1 : 0);
}
