/* SPDX-License-Identifier: MIT */
/*
 * The end of a window, and the freeze of all blocks of the socket by an overflow (1.3.1, 1.4.0.2).
 *
 * While some counter is programmed to freeze on overflow, the reports of the window are postponed. At the end of the
 * window, the first pass finds the time at which the first such counter overflows. The freeze stops the blocks a delay
 * later, in this window or in a later one; until then all counters go on, and the one that overflowed has wrapped
 * (1.4.0.1). The guide gives no figure for the delay, so it is a parameter. The second pass counts everything before
 * the freeze and nothing after it. An increment of a pulse overflows at the pulse's time, and other events of the same
 * femtosecond still count. An increment that belongs to a cycle (occupancy, result of a threshold) overflows at the end
 * of the cycle.
 */
#include <stdlib.h>
#include "machine/pmon/state.h"

static int report_compare_time(const void *pa, const void *pb)
{
  const struct report *a = pa, *b = pb;
  return (a->from > b->from) - (a->from < b->from);
}

/* A walk through a counter's increments in the window, in order of time. */
struct walk {
  struct changes spans;
  struct reports pulses;
  uint64_t cycle, rate, count, budget;
  size_t next;
};

/* Walks to the beginning of cycle `end`. Returns the cycle in which the budget is used up; UINT64_MAX: none. */
static uint64_t walk_cycles(struct walk *w, uint64_t end)
{
  while (w->cycle < end) {
    uint64_t next, need;
    while (w->next < w->spans.n && w->spans.at[w->next].cycle <= w->cycle)
      w->rate += (uint64_t)w->spans.at[w->next++].delta;
    next = w->next < w->spans.n && w->spans.at[w->next].cycle < end ? w->spans.at[w->next].cycle : end;
    if (w->rate) {
      need = (w->budget - w->count + w->rate - 1) / w->rate;
      if (need <= next - w->cycle)
        return w->cycle + need - 1;
      w->count += w->rate * (next - w->cycle);
    }
    w->cycle = next;
  }
  return UINT64_MAX;
}

static void walk_fill(struct walk *w, struct block *b, const struct counter *c)
{
  for (size_t i = 0; i < b->window.n; i++) {
    const struct report *r = &b->window.at[i];
    struct report pulse = *r;
    uint64_t n = report_weight(b, c, r);
    if (n && r->pulse) {
      pulse.attr = n;
      reports_append(b, &w->pulses, &pulse);
    } else if (n) {
      changes_push(b, &w->spans, clock_cycle(&b->clock, r->from), (int64_t)n);
      changes_push(b, &w->spans, clock_cycle(&b->clock, r->to), -(int64_t)n);
    }
  }
  if (w->pulses.n)
    qsort(w->pulses.at, w->pulses.n, sizeof *w->pulses.at, report_compare_time);
  changes_sort(&w->spans);
}

static fs_t counter_first_overflow(struct block *b, const struct counter *c, fs_t until)
{
  struct walk w = {.cycle = clock_cycle(&b->clock, b->machine->now), .budget = c->mask + 1 - b->value[c - b->counters]};
  uint64_t cycle = UINT64_MAX;
  fs_t at = UINT64_MAX;
  walk_fill(&w, b, c);
  for (size_t i = 0; i < w.pulses.n && w.pulses.at[i].from < until; i++) {
    cycle = walk_cycles(&w, clock_cycle(&b->clock, w.pulses.at[i].from));
    if (cycle != UINT64_MAX)
      break;
    w.count += w.pulses.at[i].attr;
    if (w.count >= w.budget) {
      at = w.pulses.at[i].from + 1;
      break;
    }
  }
  if (at == UINT64_MAX && cycle == UINT64_MAX)
    cycle = walk_cycles(&w, clock_cycle(&b->clock, until));
  if (cycle != UINT64_MAX)
    at = clock_time(&b->clock, cycle + 1);
  free(w.spans.at);
  free(w.pulses.at);
  return at;
}

static bool report_clip(struct report *r, fs_t until)
{
  if (!r->pulse && r->to > until)
    r->to = until;
  return r->pulse ? r->from < until : r->from < r->to;
}

/* Counters with a comparison receive the whole window; a freeze drops the part after it together with their state. */
static void block_add_shaped(struct block *b, fs_t until)
{
  for (unsigned i = 0; i < b->n_counters; i++) {
    struct counter *c = &b->counters[i];
    for (size_t k = 0; c->counting && c->shaped && k < b->window.n; k++) {
      struct report r = b->window.at[k];
      if (counter_needs_cycles(c, &r) && report_clip(&r, until))
        counter_add_report(b, i, &r);
    }
  }
}

static fs_t block_first_overflow(struct block *b, fs_t until)
{
  fs_t first = UINT64_MAX, at;
  uint64_t hit;
  for (unsigned i = 0; i < b->n_counters; i++) {
    struct counter *c = &b->counters[i];
    if (!counter_armed(b, i))
      continue;
    if (c->shaped) {
      shape_sweep(c, clock_cycle(&b->clock, until), c->mask + 1 - b->value[i], true, &hit);
      at = hit == UINT64_MAX ? UINT64_MAX : clock_time(&b->clock, hit + 1);
    } else {
      at = counter_first_overflow(b, c, until);
    }
    first = at < first ? at : first;
  }
  return first;
}

/* Counts the postponed reports up to `at`; the parts after the end of the window stay pending. */
static void block_apply_window(struct block *b, fs_t at, fs_t until)
{
  for (size_t k = 0; k < b->window.n; k++) {
    struct report r = b->window.at[k], rest = r;
    if (!r.own && (r.pulse ? r.from >= until : r.to > until)) {
      rest.from = r.from > until ? r.from : until;
      reports_append(b, &b->pending, &rest);
    }
    if (!report_clip(&r, at))
      continue;
    for (unsigned i = 0; i < b->n_counters; i++)
      if (!counter_needs_cycles(&b->counters[i], &r))
        counter_add_report(b, i, &r);
  }
  b->window.n = 0;
}

static void block_compare_shaped(struct block *b, fs_t at)
{
  uint64_t hit;
  for (unsigned i = 0; i < b->n_counters; i++) {
    struct counter *c = &b->counters[i];
    if (c->counting && c->shaped)
      counter_add(b, i, shape_sweep(c, clock_cycle(&b->clock, at), UINT64_MAX, false, &hit));
  }
}

void socket_freeze(struct socket *s, bool frozen)
{
  s->frozen = frozen;
  for (struct block *b = s->blocks; b < s->blocks + s->n_blocks; b++)
    for (unsigned i = 0; i < b->n_counters; i++)
      counter_refresh(b, i);
}

static void socket_report_pmi(struct socket *s, fs_t at)
{
  const struct machine *m = s->blocks[0].machine;
  const struct machine_pmi pmi = {s->number, at, {s->global_status[0], s->global_status[1]}};
  for (unsigned i = 0; i < s->pmi_times; i++) {
    s->pmis++;
    if (m->on_pmi)
      m->on_pmi(m->pmi_arg, &pmi);
  }
}

/* An overflow message sets the block's bit in the global status. It causes a freeze, unless that bit is still set from
 * an earlier message (counter_armed()). */
static void socket_collect_overflows(struct socket *s)
{
  for (struct block *b = s->blocks; b < s->blocks + s->n_blocks; b++) {
    if (b->message && !b->silent)
      s->global_status[b->status_position / 64] |= UINT64_C(1) << b->status_position % 64;
    b->message = 0;
  }
}

static void socket_set_due(struct socket *s, fs_t due)
{
  s->freeze_due = due;
  s->changed = true;
}

static void socket_freeze_at(struct socket *s, fs_t at)
{
  s->froze_at = at;
  socket_set_due(s, UINT64_MAX);
  socket_freeze(s, true);
  socket_report_pmi(s, at);
}

void socket_let_freeze_arrive(struct socket *s, fs_t now)
{
  if (s->freeze_due != UINT64_MAX)
    socket_freeze_at(s, now);
}

void socket_sync(struct socket *s, fs_t until)
{
  struct block *const end = s->blocks + s->n_blocks;
  fs_t at = until;
  for (struct block *b = s->blocks; b < end; b++)
    block_levels(b, until);
  if (s->ordered) {
    fs_t first = UINT64_MAX;
    for (struct block *b = s->blocks; b < end; b++) {
      fs_t overflow;
      block_add_shaped(b, until);
      overflow = block_first_overflow(b, until);
      first = overflow < first ? overflow : first;
    }
    if (first <= until && s->freeze_due == UINT64_MAX)
      socket_set_due(s, first + s->freeze_delay);
    at = s->freeze_due < until ? s->freeze_due : until;
    for (struct block *b = s->blocks; b < end; b++)
      block_apply_window(b, at, until);
  }
  for (struct block *b = s->blocks; b < end; b++)
    block_compare_shaped(b, at);
  socket_collect_overflows(s);
  if (s->freeze_due <= until)
    socket_freeze_at(s, s->freeze_due);
}

void socket_open(struct socket *s, fs_t horizon)
{
  if (s->changed) {
    s->ordered = s->freeze_due != UINT64_MAX;
    for (struct block *b = s->blocks; b < s->blocks + s->n_blocks; b++)
      for (unsigned i = 0; i < b->n_counters; i++)
        s->ordered |= counter_armed(b, i);
    s->changed = false;
  }
  for (struct block *b = s->blocks; b < s->blocks + s->n_blocks; b++)
    block_open(b, horizon);
}

void socket_count_rest(struct socket *s, fs_t now)
{
  if (s->ordered)
    return;
  socket_open(s, UINT64_MAX);
  socket_open(s, now);
}

bool socket_stepwise(const struct socket *s)
{
  if (s->freeze_due != UINT64_MAX)
    return true;
  for (const struct block *b = s->blocks; b < s->blocks + s->n_blocks; b++)
    for (unsigned i = 0; i < b->n_counters; i++)
      if (counter_armed(b, i) || (b->counters[i].counting && b->counters[i].shaped))
        return true;
  return false;
}
