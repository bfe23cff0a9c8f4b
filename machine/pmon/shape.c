/* SPDX-License-Identifier: MIT */
/*
 * Threshold, invert and edge detect (1.5). They need the increment of each whole cycle, which is known at the end of
 * the window. Until then the counter records the changes of the increment; one pass over the changes, not over the
 * cycles, then performs the comparison. Before the comparison, the increment is limited to what the event can add in a
 * cycle (the guides' "Max Inc/Cyc"): occurrences beyond that wait for the next cycles. A counter without a threshold
 * adds an occurrence when it happens, because waiting changes no sum.
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
  c->waiting = 0;
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

/* The state of a sweep: its cycle, with `sum` occurrences in each cycle, `waiting` ones from earlier cycles, and
 * `value` for the counter. */
struct sweep {
  uint64_t cycle, sum, waiting, value;
};

/* Limits the increment to what the event's wire carries in a cycle, from the sweep's cycle on to `next` at the latest.
 * Returns the number of cycles that have the same value. */
static uint64_t sweep_limit(const struct counter *c, struct sweep *w, uint64_t next)
{
  const uint64_t n = next - w->cycle, most = c->most;
  w->value = w->sum;
  if (!most || c->most_kind == MOST_ENTRIES || (w->sum <= most && !w->waiting))
    return n;
  w->value = most;
  if (c->most_kind == MOST_UNITED)
    return n;
  if (w->sum >= most) {
    w->waiting += (w->sum - most) * n;
    return n;
  }
  const uint64_t room = most - w->sum, full = w->waiting / room;
  if (full) {
    const uint64_t cycles = full < n ? full : n;
    w->waiting -= cycles * room;
    return cycles;
  }
  w->value = w->sum + w->waiting;
  w->waiting = 0;
  return 1;
}

/* Returns the amount that `n` cycles of the sweep's value add; *ret_each: how much each of them adds. */
static uint64_t sweep_count(struct counter *c, const struct sweep *w, uint64_t n, bool *was, uint64_t *ret_each)
{
  const bool shapes = c->thresh || c->gated, out = shapes && shape_compare(c, w->value);
  const bool rises = out && !*was;
  *was = out;
  *ret_each = shapes ? out : w->value;
  return shapes && c->edge ? rises : *ret_each * n;
}

uint64_t shape_sweep(struct counter *c, uint64_t end, uint64_t budget, bool keep, uint64_t *ret_hit)
{
  struct sweep w = {.cycle = c->compared, .sum = c->sum, .waiting = c->waiting};
  uint64_t count = 0;
  bool was = c->was;
  size_t i = 0;

  *ret_hit = UINT64_MAX;
  changes_sort(&c->changes);
  while (w.cycle < end) {
    uint64_t next, each;
    while (i < c->changes.n && c->changes.at[i].cycle <= w.cycle)
      w.sum += (uint64_t)c->changes.at[i++].delta; /* modulo 2^64; the total is never negative */
    next = i < c->changes.n && c->changes.at[i].cycle < end ? c->changes.at[i].cycle : end;
    const uint64_t n = sweep_limit(c, &w, next), got = sweep_count(c, &w, n, &was, &each);
    if (got && got >= budget - count) {
      *ret_hit = w.cycle + (budget - count + each - 1) / each - 1;
      count = budget;
      break;
    }
    count += got;
    w.cycle += n;
  }
  if (keep)
    return count;
  c->changes.n -= i;
  if (i && c->changes.n)
    memmove(c->changes.at, c->changes.at + i, c->changes.n * sizeof *c->changes.at);
  c->compared = w.cycle;
  c->sum = w.sum;
  c->waiting = w.waiting;
  c->was = was;
  return count;
}
