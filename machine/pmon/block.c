/* SPDX-License-Identifier: MIT */
/* Reports on their way to a block's counters: now, at the window's end, or in a later window. */
#include <stdlib.h>
#include <string.h>
#include "machine/pmon/state.h"

uint64_t width_mask(uint8_t width_bits)
{
  return UINT64_MAX >> (64 - (width_bits ? width_bits : 48));
}

void block_deliver(struct block *b, const struct report *r)
{
  if (r->own && r->attr < BLOCK_FREE) {
    uint64_t n = r->pulse ? r->n : r->n * (clock_cycle(&b->clock, r->to) - clock_cycle(&b->clock, r->from));
    b->free[r->attr] = (b->free[r->attr] + n) & width_mask(b->unit->free_bits);
  } else if (r->own) {
    counter_take(b, b->n_counters - 1u, r);
  } else {
    for (unsigned heard = b->head.listen[r->code]; heard; heard &= heard - 1)
      counter_take(b, (unsigned)__builtin_ctz(heard), r);
  }
}

static void within(struct block *b, const struct report *r)
{
  if (!r->own && !b->head.listen[r->code])
    return;
  if (b->ordered && !r->own)
    reports_push(b, &b->window, r);
  else
    block_deliver(b, r);
}

static void report(struct block *b, struct report *r)
{
  if (!r->n)
    return;
  if (r->pulse) {
    if (r->from >= b->head.horizon)
      reports_push(b, &b->pending, r);
    else
      within(b, r);
    return;
  }
  if (r->to > b->head.horizon) {
    struct report rest = *r;
    rest.from = r->from > b->head.horizon ? r->from : b->head.horizon;
    reports_push(b, &b->pending, &rest);
    r->to = b->head.horizon;
  }
  if (r->from < b->machine->now)
    r->from = b->machine->now;
  if (r->from < r->to)
    within(b, r);
}

/* Counters that listen and take it as it is are given it here; the others are left. */
static inline unsigned direct(struct block *b, uint8_t code, uint64_t attr, uint64_t n)
{
  unsigned others = 0;
  for (unsigned heard = b->head.listen[code]; heard; heard &= heard - 1) {
    const unsigned i = (unsigned)__builtin_ctz(heard);
    struct counter *c = &b->counters[i];
    if (c->direct)
      counter_add(b, i, n * counter_weight(b->unit, c, attr));
    else
      others |= 1u << i;
  }
  return others;
}

static void take(struct block *b, unsigned counters, const struct report *r)
{
  for (; counters; counters &= counters - 1)
    counter_take(b, (unsigned)__builtin_ctz(counters), r);
}

void block_pulse_heard(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t at, uint32_t n)
{
  struct report r;
  const bool later = at >= b->head.horizon || b->ordered;
  const unsigned others = later ? 0 : direct(b, code, attr, n);
  if (!others && !later)
    return;
  r = (struct report){ .from = at, .attr = attr, .n = n, .tid = tid, .code = code, .pulse = true };
  if (later)
    report(b, &r);
  else
    take(b, others, &r);
}

void block_span_heard(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t from, fs_t to, uint32_t n)
{
  struct report r;
  const bool later = to > b->head.horizon || b->ordered;
  if (!later) {
    from = from < b->machine->now ? b->machine->now : from;
    if (from >= to)
      return;
  }
  const uint64_t cycles = later ? 0 : clock_cycle(&b->clock, to) - clock_cycle(&b->clock, from);
  const unsigned others = later ? 0 : direct(b, code, attr, n * cycles);
  if (!others && !later)
    return;
  r = (struct report){ .from = from, .to = to, .attr = attr, .n = n, .tid = tid, .code = code };
  if (later)
    report(b, &r);
  else
    take(b, others, &r);
}

void block_free_pulse(struct block *b, unsigned index, fs_t at, uint32_t n)
{
  struct report r = { .from = at, .attr = index, .n = n, .pulse = true, .own = true };
  if (index < b->unit->free_counters)
    report(b, &r);
}

void block_free_span(struct block *b, unsigned index, fs_t from, fs_t to, uint32_t n)
{
  struct report r = { .from = from, .to = to, .attr = index, .n = n, .own = true };
  if (index < b->unit->free_counters)
    report(b, &r);
}

void block_open(struct block *b, fs_t horizon)
{
  struct reports before = b->pending;
  b->head.horizon = horizon;
  b->ordered = b->socket->ordered;
  b->window.n = 0;
  if (!before.n)
    return;
  b->pending = (struct reports){ 0 };
  for (size_t i = 0; i < before.n; i++)
    report(b, &before.at[i]);
  if (b->pending.at)
    free(before.at);
  else
    b->pending = (struct reports){ before.at, 0, before.room };
}

void block_set_clock(struct block *b, uint64_t hz)
{
  clock_set(&b->clock, hz, b->machine->now);
  for (unsigned i = 0; i < b->n_counters; i++)
    counter_refresh(b, i);
}

void block_freeze(struct block *b, bool frozen)
{
  b->frozen = frozen;
  for (unsigned i = 0; i < b->n_counters; i++)
    counter_refresh(b, i);
}

bool block_occurrence(const struct block *b, const uint64_t *filter, uint64_t ctl, uint64_t *ret_attr)
{
  const struct pmon_unit *u = b->unit;
  const uint64_t umask = ctl & 0xff00;
  *ret_attr = u->occurrence ? u->occurrence(filter, ctl) : umask & (~umask + 1);
  return (u->filtered ? u->filtered(filter, ctl, *ret_attr) : u->weight(ctl, *ret_attr)) != 0;
}

void block_reset_counters(struct block *b)
{
  for (unsigned i = 0; i < b->n_counters; i++)
    b->value[i] = 0;
}

void block_reset_controls(struct block *b)
{
  for (unsigned i = 0; i < b->n_counters; i++)
    counter_write(b, i, 0);
}

bool block_init(struct block *b)
{
  const struct pmon_unit *u = b->unit;
  b->n_counters = (uint16_t)(u->counters + u->fixed);
  for (unsigned i = 0; i < u->counters; i++)
    b->counters[i].mask = width_mask(u->width_bits);
  b->counters[u->counters].fixed = u->fixed;
  b->counters[u->counters].mask = width_mask(u->fixed_bits);
  for (unsigned i = 0; i < UNIT_SIGNALS && u->signals[i].code; i++)
    level_fixed(b, &u->signals[i]);
  for (unsigned i = 0; i < b->n_counters; i++)
    counter_write(b, i, 0);
  return !b->machine->out_of_memory;
}

void block_fini(struct block *b)
{
  for (unsigned i = 0; i <= BLOCK_COUNTERS; i++)
    free(b->counters[i].changes.at);
  for (uint32_t i = 0; i < b->n_levels; i++)
    free(b->levels[i].ahead);
  free(b->levels);
  free(b->pending.at);
  free(b->window.at);
}
