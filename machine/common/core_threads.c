/* SPDX-License-Identifier: MIT */
/*
 * The two hardware threads of a core. One is in the core's front, the other is parked; each has its own time,
 * outstanding loads and stores, and branch history. They share caches, fill buffers and the rest of the core.
 */
#include "machine/common/core.h"

#include <stddef.h>
#include <string.h>

/* How long one thread runs before sharing is determined again: a change in between is noticed this late. */
#define SLICE_FS 10000000ull

unsigned traffic_core_threads(const struct traffic *t)
{
  return (unsigned)t->config.value[CONFIG_CORE_THREADS];
}

/* Outstanding loads and stores are numbered by the core's instructions and accesses, of which the other thread had
 * `more`. */
static void queues_shift(struct core_queues *q, const struct core_counts *more)
{
  for (unsigned i = 0; i < q->window_n; i++) {
    q->window[(q->window_first + i) % 64].instruction += more->instructions;
    q->window[(q->window_first + i) % 64].loads += more->loads;
  }
  for (unsigned i = 0; i < q->store_n; i++)
    q->store[(q->store_first + i) % STORES].number += more->stores;
}

/* Copies only the entries in use: each change of threads would copy five kilobytes otherwise. */
static void queues_copy(struct core_queues *to, const struct core_queues *from)
{
  const size_t rest = offsetof(struct core_queues, window_first);
  memcpy((char *)to + rest, (const char *)from + rest, sizeof *to - rest);
  for (unsigned i = 0; i < from->window_n; i++)
    to->window[(from->window_first + i) % 64] = from->window[(from->window_first + i) % 64];
  for (unsigned i = 0; i < from->store_n; i++)
    to->store[(from->store_first + i) % STORES] = from->store[(from->store_first + i) % STORES];
}

static struct core_counts counts_now(const struct core_front *f)
{
  return (struct core_counts){f->instructions, f->accesses[ACCESS_LOAD] + f->accesses[ACCESS_MODIFY],
                              f->accesses[ACCESS_STORE] + f->accesses[ACCESS_MODIFY]};
}

void traffic_core_enter(struct traffic *t, unsigned core, unsigned thread)
{
  struct core *c = &t->core[core];
  struct core_front *f = &c->front;
  if (f->thread == thread)
    return;
  const struct core_counts now = counts_now(f), before = c->parked.counts;
  const struct core_waits waits = c->waits;
  const uint64_t history = f->history, time = f->time;
  struct core_queues queues;
  queues_copy(&queues, &c->queues);
  c->overlap += core_overlap(c);
  c->waits = c->parked.waits;
  f->history = c->parked.history;
  queues_copy(&c->queues, &c->parked.queues);
  queues_shift(&c->queues, &(struct core_counts){now.instructions - before.instructions, now.loads - before.loads,
                                                 now.stores - before.stores});
  f->time = c->parked.time;
  c->parked.time = f->parked = time;
  c->parked.waits = waits;
  c->parked.history = history;
  c->parked.counts = now;
  queues_copy(&c->parked.queues, &queues);
  f->thread = thread;
  f->stall_at = 0;
  f->due = 0;
  c->slice_began = f->time;
}

void traffic_core_join(struct traffic *t, unsigned core)
{
  struct core *c = &t->core[core];
  c->overlap += core_overlap(c);
  c->front.time = c->slice_began = fs_later(c->front.time, c->front.parked);
}

bool traffic_core_share(struct traffic *t, unsigned core, bool other, fs_t *ret_until)
{
  struct core *c = &t->core[core];
  const struct core_waits *w = &c->parked.waits;
  const fs_t now = c->front.time, end = now + SLICE_FS;
  const bool waits = w->from <= now && now < w->until;
  c->accompanied = other;
  *ret_until = !other ? UINT64_MAX : waits && w->until < end ? w->until : end;
  if (c->shares != (other && !waits)) {
    c->shares = other && !waits;
    core_pace_set(t, c, c->front.fs_per_cycle);
    c->front.stall_at = 0;
  }
  return c->shares;
}
