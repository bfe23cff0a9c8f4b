/* SPDX-License-Identifier: MIT */
/* Thread switches of a core, low power, the register stack (2.4, 4.12, 4.13). */
#include "machine/montecito/core/cycles.h"
#include "machine/montecito/core/stall.h"
#include "machine/montecito/core/threads.h"
#include "machine/montecito/events/umasks.h"
#include "machine/montecito/memory/data.h"
#include "machine/montecito/monitors/counters.h"
#include "machine/montecito/monitors/monitors.h"

enum {
  EV_SWITCH = 0x0c,
  EV_SWITCH_CYCLE = 0x0e,
  EV_SWITCH_STALL = 0x0f,
  EV_HALTED = 0x18,
  EV_DIRTY6 = 0x24,
  EV_CURRENT6 = 0x26,
  EV_DIRTY5 = 0x28,
  EV_DIRTY2 = 0x29,
  EV_CURRENT5 = 0x2a,
  EV_CURRENT2 = 0x2b,
  EV_RSE_EVENT = 0x32
};

/* Table 4-131: the pipeline was stalled for at least 4 << n cycles before the switch. */
static void switch_signal_stall(struct montecito_core *c)
{
  const uint64_t stalled = c->cycle - c->thread[c->active].retired_cycle;
  uint16_t umasks = 0;
  for (unsigned n = 0; n <= 10; n++)
    if (stalled >= UINT64_C(4) << n)
      umasks |= (uint16_t)UM(n);
  if (umasks)
    montecito_pulse(c, EV_SWITCH_STALL, umasks, 1);
}

static void switch_pass_cycles(struct montecito_core *c, uint64_t cycles)
{
  for (uint64_t i = 0; i < cycles; i++) {
    montecito_pulse(c, EV_SWITCH_CYCLE, UM_X(7), 1);
    montecito_pass_cycles(c, STALL_FLUSH_XPN, 1);
  }
}

/* The cycles of the switch belong to the outgoing thread. The last of them is the dead cycle of its banked counters. */
void switch_record(struct montecito_core *c, const struct montecito_record *r)
{
  static const uint8_t causes[] = {
      [SWITCH_L3MISS] = 1, [SWITCH_TIMER] = 2, [SWITCH_HINT] = 3, [SWITCH_LOW_POWER] = 4, [SWITCH_DEBUG] = 5};
  const uint64_t cycles = r->n ? r->n : core_parameter(c, MONTECITO_SWITCH_CYCLES);
  switch_signal_stall(c);
  montecito_pulse(c, EV_SWITCH, UM_X(causes[r->a]) | UM_X(7), 1);
  switch_pass_cycles(c, cycles - 1);
  c->dead = true;
  switch_pass_cycles(c, 1);
  c->dead = false;
  c->switching = true;
  etb_disturbed(c, c->active);
  c->switching = false;
  c->active = !c->active;
  c->thread[c->active].retired_cycle = c->cycle;
  c->thread[c->active].etb.last_cycle = c->cycle;
  c->fetch_line = UINT64_MAX;
  c->front.stream = c->front.waiting = 0; /* 2.4.1 */
  c->front.buffered = 0;
  c->totals.switches++;
  urgency_switched(c);
  for (unsigned t = 0; t < 2; t++)
    rules_check_banked(c, t);
  montecito_select_signals(c);
}

/* Monitoring stops, except for the counter of halted cycles (3.3.12, 4.6). */
void halt_record(struct montecito_core *c, const struct montecito_record *r)
{
  if (!r->n)
    return;
  montecito_pass_cycles(c, -1, c->touched ? 1 : 0);
  montecito_pulse(c, EV_HALTED, UM_ANY, 1);
  montecito_commit_stretch(c, r->n);
  c->thread[c->active].retired_cycle = c->cycle;
}

/* ---- register stack ---- */

void rse_event(struct montecito_core *c, const struct montecito_instruction *v)
{
  struct montecito_thread *t = &c->thread[c->active];
  const struct montecito_slot *s = v->s;
  c->stack_ip = v->ip;
  c->stack_channels = v->channels;
  c->stack_caused = true;
  if (c->window_rse || s->latency & STACK_KEPT)
    return; /* two in one clock count once */
  c->window_rse = true;
  if (s->latency & STACK_KNOWN) {
    t->rse_current = s->latency & 0x7f;
    t->rse_dirty = s->latency >> 8 & 0x7f;
  }
  montecito_pulse(c, EV_RSE_EVENT, UM_ANY, 1);
  montecito_pulse(c, EV_CURRENT2, UM_ANY, t->rse_current & 7);
  montecito_pulse(c, EV_CURRENT5, UM_ANY, t->rse_current >> 3 & 7);
  montecito_pulse(c, EV_CURRENT6, UM_ANY, t->rse_current >> 6 & 1);
  montecito_pulse(c, EV_DIRTY2, UM_ANY, t->rse_dirty & 7);
  montecito_pulse(c, EV_DIRTY5, UM_ANY, t->rse_dirty >> 3 & 7);
  montecito_pulse(c, EV_DIRTY6, UM_ANY, t->rse_dirty >> 6 & 1);
}

/* Loads and stores of the register stack engine, two per cycle. */
void rse_record(struct montecito_core *c, const struct montecito_record *r)
{
  struct montecito_thread *t = &c->thread[c->active];
  uint64_t address = r->address;
  if (!c->stack_caused) { /* a stream without operations on the stack */
    c->stack_ip = c->window;
    c->stack_channels = 0xf;
  }
  if (r->value) {
    t->rse_current = (uint8_t)(r->value & 0x7f);
    t->rse_dirty = (uint8_t)(r->value >> 8 & 0x7f);
  }
  for (unsigned i = 0; i < r->n + r->b; i++, address += 8) {
    const bool store = i >= r->n;
    data_rse(c, address, store);
    if (i % 2 || i + 1 == r->n + r->b || i + 1 == r->n)
      montecito_pass_cycles(c, store ? STALL_RSE_OVERFLOW : STALL_RSE_UNDERFLOW, 1);
  }
}
