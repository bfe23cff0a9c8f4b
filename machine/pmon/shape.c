/* SPDX-License-Identifier: MIT */
/*
 * Threshold, invert and edge detect (1.5). They need the increment of each whole cycle, which is known at the end of
 * the window. Until then the counter records the changes of the increment; one pass over the changes, not over the
 * cycles, then performs the comparison.
 */
#include <string.h>
#include "machine/pmon/state.h"

/* The comparison. Where an occupancy gates an event (E5-2600, Table 2-80, cases 5 and 6), invert applies to the
 * event and occ_invert to the comparison of the occupancy; with threshold 0 every occupancy passes. */
static bool shape_compare(const struct counter *c, uint64_t sum)
{
  if (!c->gated)
    return (sum >= c->thresh) != c->invert;
  return (sum >> GATE_SHIFT != 0) != c->invert && ((uint32_t)sum >= c->thresh) != c->occ_invert;
}

/* Restarts the comparison. An edge is measured against the output in a cycle without events. The cycle in which a
 * counter stops is not compared; the cycle in which it starts is. */
void shape_restart(struct block *b, struct counter *c)
{
  c->changes.n = 0;
  c->changes.mixed = false;
  c->sum = 0;
  c->compared = clock_cycle(&b->clock, b->machine->now);
  c->was = shape_compare(c, 0);
}

void shape_add_report(struct block *b, struct counter *c, const struct report *r, uint64_t n)
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
  uint64_t cycle = c->compared, sum = c->sum, count = 0;
  bool was = c->was;
  size_t i = 0;

  *ret_hit = UINT64_MAX;
  changes_sort(&c->changes);
  while (cycle < end) {
    uint64_t next, got;
    bool out;
    while (i < c->changes.n && c->changes.at[i].cycle <= cycle)
      sum += (uint64_t)c->changes.at[i++].delta; /* modulo 2^64; the total is never negative */
    next = i < c->changes.n && c->changes.at[i].cycle < end ? c->changes.at[i].cycle : end;
    out = shape_compare(c, sum);
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
  c->compared = cycle;
  c->sum = sum;
  c->was = was;
  return count;
}
