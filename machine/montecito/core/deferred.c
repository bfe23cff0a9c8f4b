/* SPDX-License-Identifier: MIT */
/*
 * Events that take effect in a later cycle, ordered by cycle; events of one cycle stay in the order in which they were
 * added. A stretch of stall ends before each event. A request that leaves a queue (occupancy.c) ends a stretch only if
 * a counter observes it; otherwise it is removed after the stretch.
 */
#include <stdlib.h>
#include <string.h>
#include "machine/montecito/core/cycles.h"
#include "machine/montecito/core/threads.h"
#include "machine/montecito/front/fetch.h"
#include "machine/montecito/memory/occupancy.h"
#include "machine/montecito/memory/snoop.h"
#include "machine/montecito/monitors/monitors.h"

/* Makes room at the end, and for a few events at the beginning. */
static __attribute__((noinline)) bool deferred_reserve(struct montecito_core *c)
{
  enum { LEAST = 64, BEFORE = 16 };
  const unsigned n = c->end_deferred - c->first_deferred, room = n < LEAST / 2 ? LEAST : n * 2 + BEFORE;
  struct montecito_deferred *deferred = malloc(room * sizeof *deferred);
  if (!deferred) {
    c->machine->out_of_memory = true;
    return false;
  }
  if (n)
    memcpy(deferred + BEFORE, c->deferred + c->first_deferred, n * sizeof *deferred);
  free(c->deferred);
  c->deferred = deferred;
  c->deferred_size = room;
  c->first_deferred = BEFORE;
  c->end_deferred = BEFORE + n;
  return true;
}

/* Returns the first event after cycle `at`; there must be one. */
static struct montecito_deferred *deferred_behind(const struct montecito_core *c, uint64_t at)
{
  unsigned low = c->first_deferred, high = c->end_deferred - 1;
  while (low < high) {
    const unsigned middle = low + (high - low) / 2;
    if (c->deferred[middle].at <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return c->deferred + low;
}

/* Makes a place for an event of cycle `at` that is not the last event; the events on the shorter side move by one. */
static __attribute__((noinline)) struct montecito_deferred *deferred_place(struct montecito_core *c, uint64_t at)
{
  struct montecito_deferred *first = c->deferred + c->first_deferred, *end = c->deferred + c->end_deferred,
                            *to = deferred_behind(c, at);
  if (c->first_deferred && to - first < end - to) {
    c->first_deferred--;
    memmove(first - 1, first, (size_t)(to - first) * sizeof *to);
    return to - 1;
  }
  c->end_deferred++;
  memmove(to + 1, to, (size_t)(end - to) * sizeof *to);
  return to;
}

void montecito_deferred_add(struct montecito_core *c, const struct montecito_deferred *d)
{
  if (c->end_deferred == c->deferred_size && !deferred_reserve(c))
    return;
  struct montecito_deferred *to = &c->deferred[c->end_deferred];
  if (c->first_deferred != c->end_deferred && to[-1].at > d->at)
    to = deferred_place(c, d->at);
  else
    c->end_deferred++;
  *to = *d;
  if (d->at < c->observed_at)
    c->observed_at = d->at;
}

static void deferred_dispatch(struct montecito_core *c, const struct montecito_deferred *d)
{
  switch (d->kind) {
  case DEFERRED_DEAR: dear_load_returns(c, d); break;
  case DEFERRED_IEAR: iear_returns(c, d); break;
  case DEFERRED_PAIR:
  case DEFERRED_FILL_I: fetch_deferred(c, d); break;
  case DEFERRED_MISS:
  case DEFERRED_RETURN: urgency_deferred(c, d); break;
  case DEFERRED_TICK: break;
  default: bus_deferred(c, d); break;
  }
}

static uint64_t deferred_first_at(const struct montecito_core *c)
{
  return c->first_deferred < c->end_deferred ? c->deferred[c->first_deferred].at : UINT64_MAX;
}

uint64_t deferred_next(struct montecito_core *c)
{
  queues_leave(c); /* this can add signals that have to wait */
  uint64_t least = deferred_first_at(c);
  for (unsigned kind = 0; kind < QUEUE_N; kind++) {
    const struct montecito_queue *q = &c->queue[kind];
    if (q->first < q->end && q->of[q->first].at < least)
      least = q->of[q->first].at;
  }
  return least;
}

void deferred_update_observed(struct montecito_core *c)
{
  c->observed_at = c->queues_observed ? deferred_next(c) : deferred_first_at(c);
}

void deferred_deliver(struct montecito_core *c, uint64_t end)
{
  while (deferred_first_at(c) < end) {
    const struct montecito_deferred d = c->deferred[c->first_deferred++]; /* delivery can add events */
    deferred_dispatch(c, &d);
  }
  deferred_update_observed(c);
}
