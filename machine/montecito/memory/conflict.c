/* SPDX-License-Identifier: MIT */
/*
 * Stalls of the main pipeline by conflicts in the queues of L1D and L2D (Table 4-48), for programs; streams state such
 * stalls themselves. The guide names the causes without their timing. The model's own: each conflict costs one cycle
 * after that of the access.
 *   fullstbuf   a store finds eight stores in the buffer; two leave it a cycle, or one if both are of the same bank
 *   recirc      an integer load finds its line in flight
 *   stbufrecir  an integer load reads the 8-byte word of a store of the three previous cycles, at another address or
 *               with another size
 *   fillconf    a store comes in the cycle in which a line of the same set of the L1D arrives
 *   ldconf      a load comes in the cycle after an acquire
 *   l2bpress    an access is the 33rd that waits for lines in flight
 *   natconf     ld8.fill comes in the two cycles after st8.spill
 */
#include "machine/montecito/memory/conflict.h"
#include <assert.h>
#include "machine/montecito/core/cycles.h"
#include "machine/montecito/core/stall.h"
#include "machine/montecito/memory/occupancy.h"

enum {
  WORD = 8,
  L1_LINE = 64,
  L1_SETS = 64,
  BANK = 16,
  BANKS = 16,
  BUFFERED = 8,
  RECENT = 3,
  NAT_CYCLES = 2,
  WAITING = 32
};

/* True if a line of the same L1D set arrives in this cycle. */
static bool fill_conflicts(struct montecito_core *c, uint64_t address)
{
  const struct montecito_requests r = queue_requests(c, QUEUE_FILL);
  for (const struct montecito_queued *v = r.first; v < r.end && v->at <= c->cycle; v++)
    if (v->at == c->cycle && v->line / L1_LINE % L1_SETS == address / L1_LINE % L1_SETS)
      return true;
  return false;
}

static void conflict_store(struct montecito_core *c, const struct montecito_slot *s)
{
  struct montecito_conflicts *q = &c->conflicts;
  const struct montecito_stored *last = &q->stored[(q->n_stored - 1) % CONFLICT_STORES];
  const uint64_t passed = c->cycle - q->drained_at, left = passed < BUFFERED ? passed * 2 : BUFFERED * 2;
  const bool bank = q->n_stored && last->at == c->cycle && last->address / BANK % BANKS == s->address / BANK % BANKS;
  q->drained_at = c->cycle;
  q->buffered = (uint8_t)(q->buffered > left ? q->buffered - left : 0);
  q->buffered = (uint8_t)(q->buffered + (bank ? 3 : 1)); /* the half cycles that it takes to leave */
  if (q->buffered > BUFFERED * 2) {
    q->buffered = BUFFERED * 2;
    montecito_stall_add(c, STALL_L1D_FULLSTBUF, 1);
  }
  if (fill_conflicts(c, s->address))
    montecito_stall_add(c, STALL_L1D_FILLCONF, 1);
  if (s->flags & SLOT_UNAT)
    q->spilled_at = c->cycle;
  q->stored[q->n_stored++ % CONFLICT_STORES] =
      (struct montecito_stored){.address = s->address, .at = c->cycle, .bytes = s->bytes};
}

/* True if the word may be that of one of the last stores. Most loads read other words. */
static bool word_is_stored(const struct montecito_conflicts *q, uint64_t address)
{
  const struct montecito_stored *e = q->stored;
  static_assert(CONFLICT_STORES == 4, "all are compared");
  return (e[0].address ^ address) < WORD || (e[1].address ^ address) < WORD || (e[2].address ^ address) < WORD ||
         (e[3].address ^ address) < WORD;
}

static void conflict_word(struct montecito_core *c, const struct montecito_slot *s)
{
  const struct montecito_conflicts *q = &c->conflicts;
  for (unsigned i = 0; i < CONFLICT_STORES && i < q->n_stored; i++) { /* the newest first */
    const struct montecito_stored *e = &q->stored[(q->n_stored - 1 - i) % CONFLICT_STORES];
    if (c->cycle - e->at > RECENT)
      break;
    if (e->at < c->cycle && e->address / WORD == s->address / WORD &&
        (e->address != s->address || e->bytes != s->bytes)) {
      montecito_stall_add(c, STALL_L1D_STBUFRECIR, 1);
      break;
    }
  }
}

static void conflict_load(struct montecito_core *c, const struct montecito_slot *s)
{
  const struct montecito_conflicts *q = &c->conflicts;
  if (__builtin_expect(word_is_stored(q, s->address), 0))
    conflict_word(c, s);
  if (s->flags & SLOT_UNAT && q->spilled_at && c->cycle - q->spilled_at <= NAT_CYCLES)
    montecito_stall_add(c, STALL_L1D_NATCONF, 1);
}

__attribute__((hot)) void conflict_access(struct montecito_core *c, const struct montecito_slot *s)
{
  struct montecito_conflicts *q = &c->conflicts;
  const bool store = s->op == OP_STORE || s->op == OP_FSTORE || s->op == OP_SEMAPHORE;
  if (!store && q->acquired_at && q->acquired_at + 1 == c->cycle)
    montecito_stall_add(c, STALL_L1D_LDCONF, 1);
  if (store)
    conflict_store(c, s);
  else if (s->op != OP_FLOAD && s->op != OP_LFETCH && !(s->flags & SLOT_FP))
    conflict_load(c, s);
  if (s->order & ORDER_ACQUIRE)
    q->acquired_at = c->cycle;
}

void conflict_secondary(struct montecito_core *c, const struct montecito_slot *s, uint64_t arrives)
{
  struct montecito_conflicts *q = &c->conflicts;
  if (q->waiting_until <= c->cycle)
    q->waiting = 0;
  if (q->waiting_until < arrives)
    q->waiting_until = arrives;
  if (q->waiting < WAITING)
    q->waiting++;
  else
    montecito_stall_add(c, STALL_L1D_L2BPRESS, 1);
  if (s->type == SLOT_M && s->op >= OP_LOAD && s->op != OP_FLOAD && s->op != OP_STORE && s->op != OP_FSTORE &&
      s->op != OP_LFETCH && !(s->flags & SLOT_FP))
    montecito_stall_add(c, STALL_L1D_RECIRC, 1);
}
