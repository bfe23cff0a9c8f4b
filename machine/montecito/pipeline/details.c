/* SPDX-License-Identifier: MIT */
/* Effects of some instructions beyond their operation: memory order, hints, stalls of their own, floating-point results
 * near zero. */
#include "machine/montecito/core/cycles.h"
#include "machine/montecito/core/stall.h"
#include "machine/montecito/core/threads.h"
#include "machine/montecito/events/umasks.h"
#include "machine/montecito/front/fetch.h"
#include "machine/montecito/memory/data.h"
#include "machine/montecito/memory/ozq.h"
#include "machine/montecito/monitors/counters.h"
#include "machine/montecito/pipeline/pipeline.h"

enum { EV_FALSE_STALL = 0x05, EV_FAILED_CHECK = 0x06, EV_FLUSH_TO_ZERO = 0x0b };

static void details_pulse(struct montecito_core *c, const struct montecito_instruction *v, uint8_t code,
                          uint16_t umasks)
{
  montecito_signal(c, (struct montecito_signal){
                          .code = code, .thread = c->active, .tags = v->tags, .mesi = 0xf, .umasks = umasks, .n = 1});
}

/* The safe-instruction check stalls where it cannot exclude a trap early. The model assumes this for results near zero
 * and for overflows (4.15). */
static void details_signal_arithmetic(struct montecito_core *c, const struct montecito_instruction *v)
{
  const uint8_t detail = v->s->detail;
  if (v->s->flags & SLOT_FAIL)
    details_pulse(c, v, EV_FAILED_CHECK, UM_ANY);
  if (detail & (FP_TINY | FP_FLUSHED))
    details_pulse(c, v, EV_FLUSH_TO_ZERO, detail & FP_FLUSHED ? UM_XXX0 : UM_XXX1);
  if (!(detail & FP_CHECKED))
    return;
  details_pulse(c, v, EV_FALSE_STALL, UM_ANY);
  montecito_stall_add(c, STALL_FPU, 1);
}

/* Stalls for loads of programs that are repeated or cancelled; streams state such stalls themselves. */
static void details_stall_load(struct montecito_core *c, const struct montecito_slot *s)
{
  if (!c->front.on || !(s->flags & SLOT_FAIL))
    return;
  if (s->op == OP_LOAD_CHECK)
    montecito_stall_add(c, STALL_L1D_LDCHK, 1);
  if (s->op == OP_LOAD_SPECULATIVE)
    montecito_stall_add(c, STALL_EXE_CANCEL, 1);
}

void details_signal(struct montecito_core *c, const struct montecito_instruction *v)
{
  const struct montecito_slot *s = v->s;
  if (s->flags & SLOT_HINT)
    fetch_hint(c, s->address);
  if (s->flags & (SLOT_PAUSE | SLOT_QUIESCE))
    urgency_pause(c, s->flags & SLOT_QUIESCE);
  if (s->order) {
    uncached_drain(c);
    if (c->ozq_selected && s->op == OP_PLAIN)
      ozq_order(c, v);
  }
  details_stall_load(c, s);
  if (s->type == SLOT_F)
    details_signal_arithmetic(c, v);
  else if (s->detail && s->op != OP_LOAD_SPECULATIVE && c->modelled)
    montecito_stall_add(c, s->detail, 1);
  if (s->detail == STALL_EXE_BANK && s->op == OP_PLAIN && c->modelled) /* the register stack engine waits as well */
    montecito_stall_add(c, STALL_RSE_BANK, 1);
}
