/* SPDX-License-Identifier: MIT */
/* Delivers reports to a block's counters: at once, at the end of the window, or in a later window. */
#include <stdlib.h>
#include <string.h>
#include "machine/pmon/state.h"

uint64_t width_mask(uint8_t width_bits)
{
  return UINT64_MAX >> (64 - (width_bits ? width_bits : 48));
}

void block_deliver(struct block *b, const struct report *r)
{
  if (r->own && r->attr < BLOCK_FREERUNNING) {
    uint64_t n = r->pulse ? r->n : r->n * (clock_cycle(&b->clock, r->to) - clock_cycle(&b->clock, r->from));
    b->freerunning[r->attr] = (b->freerunning[r->attr] + n) & width_mask(b->unit->freerunning_bits);
  } else if (r->own) {
    counter_add_report(b, b->n_counters - 1u, r);
  } else {
    for (unsigned counters = b->counters_by_code[r->code]; counters; counters &= counters - 1)
      counter_add_report(b, (unsigned)__builtin_ctz(counters), r);
  }
}

static void block_report_now(struct block *b, const struct report *r)
{
  if (!r->own && !b->counters_by_code[r->code])
    return;
  if (b->ordered && !r->own)
    reports_append(b, &b->window, r);
  else
    block_deliver(b, r);
}

static void block_report(struct block *b, struct report *r)
{
  if (!r->n)
    return;
  if (r->pulse) {
    if (r->from >= b->head.horizon)
      reports_append(b, &b->pending, r);
    else
      block_report_now(b, r);
    return;
  }
  if (r->to > b->head.horizon) {
    struct report rest = *r;
    rest.from = r->from > b->head.horizon ? r->from : b->head.horizon;
    reports_append(b, &b->pending, &rest);
    r->to = b->head.horizon;
  }
  if (r->from < b->machine->now)
    r->from = b->machine->now;
  if (r->from < r->to)
    block_report_now(b, r);
}

/* Adds an occurrence to those of `counters` that need no comparison and already know its weight; returns the remaining
 * counters. Nearly every report ends in this function, so it calls nothing. */
static inline unsigned block_add_directly(struct block *b, unsigned counters, uint64_t attr, uint64_t n)
{
  const unsigned place = counter_weight_index(attr);
  for (; counters; counters &= counters - 1) {
    const unsigned i = (unsigned)__builtin_ctz(counters);
    const struct counter *c = &b->counters[i];
    const struct weighed *w = &c->weights[place];
    const uint64_t value = b->value[i] + n * w->weight;
    if (!c->direct || w->attr != attr || value > c->mask)
      break;
    b->value[i] = value;
  }
  return counters;
}

/* Returns the counters of `counters` to which an occurrence may add: all but those which remember that its weight is
 * 0. */
static inline unsigned block_concerned(const struct block *b, unsigned counters, uint64_t attr)
{
  const unsigned place = counter_weight_index(attr);
  unsigned concerned = 0;
  for (; counters; counters &= counters - 1) {
    const struct counter *c = &b->counters[__builtin_ctz(counters)];
    const struct weighed *w = &c->weights[place];
    if (!c->direct || w->attr != attr || w->weight)
      concerned |= counters & -counters;
  }
  return concerned;
}

/* The remaining cases: reports that have to wait (`counters` is 0), and counters that need more than an addition. */
__attribute__((noinline)) static void block_report_slowly(struct block *b, unsigned counters, struct report r)
{
  if (!counters)
    block_report(b, &r);
  for (; counters; counters &= counters - 1)
    counter_add_report(b, (unsigned)__builtin_ctz(counters), &r);
}

void block_pulse_report(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t at, uint32_t n)
{
  unsigned left = 0;
  if (at < b->head.horizon && !b->ordered && !(left = block_add_directly(b, b->counters_by_code[code], attr, n)))
    return;
  block_report_slowly(b, left,
                      (struct report){.from = at, .attr = attr, .n = n, .tid = tid, .code = code, .pulse = true});
}

void block_span_report(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t from, fs_t to, uint32_t n)
{
  unsigned left = 0;
  if (to <= b->head.horizon && !b->ordered) {
    const unsigned concerned = block_concerned(b, b->counters_by_code[code], attr);
    if (!concerned) /* saves the computation of cycles */
      return;
    from = from < b->machine->now ? b->machine->now : from;
    if (from >= to)
      return;
    left = block_add_directly(b, concerned, attr, n * (clock_cycle(&b->clock, to) - clock_cycle(&b->clock, from)));
    if (!left)
      return;
  }
  block_report_slowly(b, left, (struct report){.from = from, .to = to, .attr = attr, .n = n, .tid = tid, .code = code});
}

void block_freerunning_pulse(struct block *b, unsigned index, fs_t at, uint32_t n)
{
  struct report r = {.from = at, .attr = index, .n = n, .pulse = true, .own = true};
  if (index < b->unit->freerunning_counters)
    block_report(b, &r);
}

void block_freerunning_span(struct block *b, unsigned index, fs_t from, fs_t to, uint32_t n)
{
  struct report r = {.from = from, .to = to, .attr = index, .n = n, .own = true};
  if (index < b->unit->freerunning_counters)
    block_report(b, &r);
}

void block_open(struct block *b, fs_t horizon)
{
  struct reports before = b->pending;
  b->head.horizon = horizon;
  b->ordered = b->socket->ordered;
  b->window.n = 0;
  if (!before.n)
    return;
  b->pending = (struct reports){0};
  for (size_t i = 0; i < before.n; i++)
    block_report(b, &before.at[i]);
  if (b->pending.at)
    free(before.at);
  else
    b->pending = (struct reports){before.at, 0, before.room};
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

uint16_t block_thread(const struct block *b, const uint64_t *filter, uint64_t ctl)
{
  return (uint16_t)(ctl & b->unit->tid_enable ? filter[0] & b->unit->tid_mask : 0);
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

void block_out_of_memory(struct block *b)
{
  b->machine->out_of_memory = true;
}
