/* SPDX-License-Identifier: MIT */
/*
 * Threshold, invert and edge detect (1.5): what they need is the increment of each whole cycle, and that is known when
 * the window ends. Until then the counter collects where the increment changes; then one pass over these places, not
 * over the cycles, compares.
 */
#include <string.h>
#include "machine/pmon/state.h"

/* The comparison. Where an event is counted while an occupancy passes one (E5-2600, Table 2-80, cases 5 and 6), invert
 * turns the event round and occ_invert the occupancy's comparison; a threshold of 0 lets every occupancy pass. */
static bool passes(const struct counter *c, uint64_t sum)
{
  if (!c->gated)
    return (sum >= c->thresh) != c->invert;
  return (sum >> GATE_SHIFT != 0) != c->invert && ((uint32_t)sum >= c->thresh) != c->occ_invert;
}

/* Nothing comes in: the comparison's output in a cycle without events is what an edge is measured from. A cycle in
 * which a counter stops is not compared, the one in which it starts is. */
void shape_restart(struct block *b, struct counter *c)
{
  c->changes.n = 0;
  c->changes.mixed = false;
  c->sum = 0;
  c->swept = clock_cycle(&b->clock, b->machine->now);
  c->was = passes(c, 0);
}

void shape_take(struct block *b, struct counter *c, const struct report *r, uint64_t n)
{
  uint64_t from = clock_cycle(&b->clock, r->from), to = r->pulse ? from + 1 : clock_cycle(&b->clock, r->to);
  if (from == to)
    return;
  if (r->pulse) {
    changes_pulse(b, &c->changes, from, (int64_t)n);
  } else {
    changes_push(b, &c->changes, from, (int64_t)n);
    changes_push(b, &c->changes, to, -(int64_t)n);
  }
}

uint64_t shape_sweep(struct counter *c, uint64_t end, uint64_t budget, bool keep, uint64_t *ret_hit)
{
  const bool edge = c->edge;
  uint64_t cycle = c->swept, sum = c->sum, count = 0;
  bool was = c->was;
  size_t i = 0;

  *ret_hit = UINT64_MAX;
  changes_sort(&c->changes);
  while (cycle < end) {
    uint64_t next, got;
    bool out;
    while (i < c->changes.n && c->changes.at[i].cycle <= cycle)
      sum += (uint64_t)c->changes.at[i++].delta; /* modulo 2^64; the whole is never negative */
    next = i < c->changes.n && c->changes.at[i].cycle < end ? c->changes.at[i].cycle : end;
    out = passes(c, sum);
    got = !out ? 0 : edge ? !was : next - cycle;
    if (got && count + got >= budget) {
      *ret_hit = edge ? cycle : cycle + (budget - count) - 1;
      count = budget;
      break;
    }
    count += got;
    was = out;
    cycle = next;
  }
  if (keep)
    return count;
  c->changes.n -= i;
  if (i && c->changes.n)
    memmove(c->changes.at, c->changes.at + i, c->changes.n * sizeof *c->changes.at);
  c->swept = cycle;
  c->sum = sum;
  c->was = was;
  return count;
}
