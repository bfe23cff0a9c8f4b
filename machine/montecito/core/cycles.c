/* SPDX-License-Identifier: MIT */
/* Advances a core in time: through stretches of stall, waits that a thread switch may end, and cycles in which bundles
 * retired. */
#include "machine/montecito/core/cycles.h"
#include "machine/montecito/core/stall.h"
#include "machine/montecito/core/threads.h"
#include "machine/montecito/events/umasks.h"
#include "machine/montecito/front/front.h"
#include "machine/montecito/memory/occupancy.h"
#include "machine/montecito/monitors/counters.h"
#include "machine/montecito/monitors/monitors.h"
#include "machine/montecito/pipeline/pipeline.h"

enum { EV_CYCLES = 0x12, EV_HALTED = 0x18 };

static void etb_pass_both(struct montecito_core *c, uint64_t cycles)
{
  for (unsigned t = 0; t < 2; t++)
    if (c->thread[t].etb.stopping)
      etb_pass(c, t, c->cycle, cycles);
}

static __attribute__((hot)) void cycles_pass(struct montecito_core *c, int reason, uint64_t cycles)
{
  while (cycles) {
    const uint64_t before = c->cycle;
    montecito_deferred_deliver(c, c->cycle + 1);
    uint64_t step = c->observed_at - c->cycle < cycles ? c->observed_at - c->cycle : cycles;
    if (c->touched)
      step = 1; /* pending signals belong to one cycle */
    if (c->any_selected && reason >= 0 && stall_count(c, (unsigned)reason, step)) {
      c->cycle += step;
    } else {
      if (c->any_selected && reason >= 0)
        stall_signals(c, (unsigned)reason);
      else if (c->any_selected && c->halted)
        montecito_pulse(c, EV_HALTED, UM_ANY, 1);
      bus_levels(c);
      etb_pass_both(c, step);
      montecito_commit_stretch(c, step);
    }
    if (reason >= 0)
      c->totals.cycles += c->cycle - before;
    cycles -= step;
  }
  montecito_deferred_deliver(c, c->cycle);
}

__attribute__((hot)) void montecito_pass_cycles(struct montecito_core *c, int reason, uint64_t cycles)
{
  if (reason == STALL_FLUSH_BRU || reason == STALL_FLUSH_XPN)
    c->thread[c->active].etb.flushed = true;
  if (c->front.on && reason >= 0) {
    const uint64_t filling = front_stall(c, (unsigned)reason, cycles);
    cycles_pass(c, reason, filling);
    c->front.full = true;
    cycles_pass(c, reason, cycles - filling);
    c->front.full = false;
    return;
  }
  cycles_pass(c, reason, cycles);
}

bool montecito_pass_wait(struct montecito_core *c, unsigned reason, uint64_t cycles)
{
  if (!c->sharing.both) {
    montecito_pass_cycles(c, (int)reason, cycles);
    return true;
  }
  while (cycles) {
    montecito_deferred_deliver(c, c->cycle + 1);
    const uint64_t left = urgency_cycles_left(c);
    if (!left)
      return false;
    uint64_t step = c->observed_at - c->cycle < cycles ? c->observed_at - c->cycle : cycles;
    if (left < step)
      step = left;
    montecito_pass_cycles(c, (int)reason, step);
    cycles -= step;
  }
  return true;
}

__attribute__((hot)) void montecito_stall_add(struct montecito_core *c, unsigned reason, uint32_t cycles)
{
  if (c->n_pending < MONTECITO_PENDING_STALLS && cycles)
    c->pending[c->n_pending++] = (struct montecito_pending_stall){.reason = (uint8_t)reason, .cycles = cycles};
}

static void cycles_pass_pending(struct montecito_core *c)
{
  const unsigned n = c->n_pending;
  c->n_pending = 0;
  for (unsigned i = 0; i < n; i++)
    montecito_pass_cycles(c, c->pending[i].reason, c->pending[i].cycles);
}

__attribute__((hot)) void montecito_end_cycle(struct montecito_core *c)
{
  if (c->open) {
    c->open = false;
    montecito_deferred_deliver(c, c->cycle + 1);
    dispersal_signal(c);
    if (c->front.on)
      front_retire(c);
    montecito_pulse_often(c, EV_CYCLES, c->window_qualified ? UM_ANY : UM_XXX0, 1);
    bus_levels(c);
    c->thread[c->active].retired_cycle = c->cycle;
    for (unsigned t = 0; t < 2; t++)
      if (c->thread[t].etb_on)
        etb_cycle(c, t, t == c->active);
    etb_pass_both(c, 1);
    montecito_commit_stretch(c, 1);
    c->totals.cycles++;
  }
  if (c->n_pending)
    cycles_pass_pending(c);
}
