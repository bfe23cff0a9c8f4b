/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include "tests/machine/naive.h"

static const uint64_t FULL = UINT64_C(1) << 48;

static uint64_t cycle_at(const struct naive_block *b, uint64_t fs)
{
  return (uint64_t)((unsigned __int128)fs * b->hz / 1000000000000000u);
}

static uint64_t end_of(const struct naive_block *b, uint64_t cycle)
{
  return (uint64_t)(((unsigned __int128)(cycle + 1) * 1000000000000000u + b->hz - 1) / b->hz);
}

static bool wants(const struct naive_block *b, const struct naive_counter *c, const struct naive_report *r)
{
  uint64_t umask = c->ctl >> 8 & 0xff, have = r->attr >> 8 & 0xff;
  if ((c->ctl & 0xff) != r->code || (b->tids && c->ctl >> 16 & 1 && r->tid != b->tid))
    return false;
  return have ? (umask & have) != 0 : umask == 0;
}

/* Returns a signal's level in a cycle: that of the last change not later than the cycle. */
static uint32_t level_in(const struct naive *n, const struct naive_block *b, const struct naive_report *signal,
                         uint64_t cycle)
{
  const struct naive_report *last = NULL;
  for (unsigned i = 0; i < n->reports; i++) {
    const struct naive_report *r = &n->report[i];
    if (r->level && r->block == signal->block && r->code == signal->code && r->attr == signal->attr &&
        cycle_at(b, r->from) <= cycle && (!last || r->from >= last->from))
      last = r;
  }
  return last ? last->n : 0;
}

static bool first_of_signal(const struct naive *n, unsigned index)
{
  for (unsigned i = 0; i < index; i++)
    if (n->report[i].level && n->report[i].block == n->report[index].block &&
        n->report[i].code == n->report[index].code && n->report[i].attr == n->report[index].attr)
      return false;
  return true;
}

/* Sums the occurrences of one cycle: all of them, or only those that apply to the cycle as a whole. */
static uint64_t increment(const struct naive *n, unsigned block, const struct naive_counter *c, uint64_t cycle,
                          bool pulses)
{
  const struct naive_block *b = &n->block[block];
  uint64_t sum = 0;
  for (unsigned i = 0; i < n->reports; i++) {
    const struct naive_report *r = &n->report[i];
    if (r->block != block || !wants(b, c, r))
      continue;
    if (r->level)
      sum += first_of_signal(n, i) ? level_in(n, b, r, cycle) : 0;
    else if (!r->pulse)
      sum += cycle_at(b, r->from) <= cycle && cycle < cycle_at(b, r->to) ? r->n : 0;
    else if (pulses && cycle_at(b, r->from) == cycle && r->from >= c->since)
      sum += r->n;
  }
  if (b->tids && c->ctl >> 16 & 1)
    return sum; /* clocks belong to no thread */
  if ((c->ctl & 0xff) == 1 && (b->halves ? (c->ctl >> 8 & 1) != 0 : (c->ctl >> 8 & 0xff) == 0))
    sum += 1;
  if (b->halves && (c->ctl & 0xff) == 1 && !(c->ctl >> 8 & 0xff))
    sum += cycle & 1;
  return sum;
}

static void naive_add(struct naive *n, struct naive_block *b, unsigned i, uint64_t count, bool *ret_freeze)
{
  struct naive_counter *c = &b->counter[i];
  uint64_t *word = &n->global[b->socket][b->position / 64], bit = UINT64_C(1) << b->position % 64;
  c->value += count;
  if (c->value < FULL)
    return;
  c->value -= FULL;
  if (c->ctl >> 20 & 1 && !(b->status >> i & 1)) {
    *ret_freeze |= !(*word & bit);
    *word |= bit;
  }
  if (i < b->counters)
    b->status |= UINT64_C(1) << i;
}

static void cycle_end(struct naive *n, unsigned block, bool *ret_freeze)
{
  struct naive_block *b = &n->block[block];
  for (unsigned i = 0; i < b->counters + b->fixed; i++) {
    struct naive_counter *c = &b->counter[i];
    uint64_t thresh = c->ctl >> 24 & 0xff;
    bool out;
    if (!c->on)
      continue;
    if (i == b->counters) {
      naive_add(n, b, i, 1, ret_freeze);
    } else if (!thresh) {
      naive_add(n, b, i, increment(n, block, c, b->cycle, false), ret_freeze);
    } else {
      out = (increment(n, block, c, b->cycle, true) >= thresh) != (c->ctl >> 23 & 1);
      naive_add(n, b, i, c->ctl >> 18 & 1 ? out && !c->was : out, ret_freeze);
      c->was = out;
    }
  }
}

static void naive_pulse(struct naive *n, const struct naive_report *r, bool *ret_freeze)
{
  struct naive_block *b = &n->block[r->block];
  for (unsigned i = 0; i < b->counters; i++)
    if (b->counter[i].on && !(b->counter[i].ctl >> 24 & 0xff) && wants(b, &b->counter[i], r))
      naive_add(n, b, i, r->n, ret_freeze);
}

void naive_settle(struct naive *n)
{
  for (struct naive_block *b = n->block; b < n->block + NAIVE_BLOCKS; b++)
    for (unsigned i = 0; i < b->counters + b->fixed; i++) {
      struct naive_counter *c = &b->counter[i];
      bool on = (i == b->counters ? c->ctl >> 22 & 1 : (c->ctl & 0xff) != 0) && !b->frozen && !n->frozen[b->socket];
      if (on && !c->on) {
        c->was = c->ctl >> 23 & 1;
        c->since = n->now;
      }
      c->on = on;
    }
}

void naive_control(struct naive *n, unsigned block, unsigned counter, uint64_t ctl)
{
  struct naive_counter *c = &n->block[block].counter[counter];
  c->ctl = ctl;
  c->on = false;
  naive_settle(n);
}

static void naive_ask(struct naive *n, const bool freeze[2], uint64_t at)
{
  for (unsigned s = 0; s < 2; s++)
    if (freeze[s] && !n->due[s])
      n->due[s] = at + n->delay;
}

/* Advances from event to event: first ends of cycles, then freezes, then pulses of the same time. A pulse's overflow
 * takes effect in the next femtosecond. */
void naive_run(struct naive *n, uint64_t until)
{
  for (;;) {
    uint64_t at = UINT64_MAX;
    bool freeze[2] = {false, false};
    for (struct naive_block *b = n->block; b < n->block + NAIVE_BLOCKS; b++)
      at = end_of(b, b->cycle) < at ? end_of(b, b->cycle) : at;
    for (unsigned i = 0; i < n->reports; i++)
      if (n->report[i].pulse && !n->report[i].done && n->report[i].from < at)
        at = n->report[i].from;
    for (unsigned s = 0; s < 2; s++)
      at = n->due[s] && n->due[s] < at ? n->due[s] : at;
    if (at > until)
      break;
    for (unsigned k = 0; k < NAIVE_BLOCKS; k++)
      if (end_of(&n->block[k], n->block[k].cycle) == at) {
        cycle_end(n, k, &freeze[n->block[k].socket]);
        n->block[k].cycle++;
      }
    naive_ask(n, freeze, at);
    for (unsigned s = 0; s < 2; s++) {
      freeze[s] = false;
      if (n->due[s] != at)
        continue;
      n->due[s] = 0;
      n->frozen[s] = true;
      naive_settle(n);
    }
    for (unsigned i = 0; i < n->reports && at < until; i++)
      if (n->report[i].pulse && !n->report[i].done && n->report[i].from == at) {
        naive_pulse(n, &n->report[i], &freeze[n->block[n->report[i].block].socket]);
        n->report[i].done = true;
      }
    naive_ask(n, freeze, at + 1);
    n->now = at;
    if (at == until)
      break;
  }
  n->now = until;
}
