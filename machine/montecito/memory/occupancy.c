/* SPDX-License-Identifier: MIT */
/*
 * Queues whose requests leave in a later cycle. Most requests stay in a queue equally long, and leave in the order in
 * which they entered. Except for a fill of the L2D, a request that leaves changes the occupancy only: a stall therefore
 * passes over it in one stretch while no counter selects an occupancy.
 */
#include <stdlib.h>
#include <string.h>
#include "machine/montecito/events/umasks.h"
#include "machine/montecito/memory/occupancy.h"
#include "machine/montecito/monitors/counters.h"

enum { EV_FILL_STATE = 0xf2, L2_LINE = 128 };

/* Makes room at the end: moves the requests to the beginning, or into a larger block. */
static bool queue_reserve(struct montecito_core *c, struct montecito_queue *q)
{
  enum { LEAST = 64 };
  const unsigned n = q->end - q->first, size = q->size < LEAST ? LEAST : n * 2 < q->size ? q->size : q->size * 2;
  struct montecito_queued *of = q->of;
  if (size != q->size && !(of = realloc(of, size * sizeof *of))) {
    c->machine->out_of_memory = true;
    return false;
  }
  memmove(of, of + q->first, n * sizeof *of);
  *q = (struct montecito_queue){.of = of, .end = n, .size = size};
  return true;
}

/* Returns the number of requests that leave in cycle `at` or before. */
static unsigned queue_before(const struct montecito_queued *v, unsigned n, uint64_t at)
{
  unsigned low = 0, high = n;
  while (low < high) {
    const unsigned middle = low + (high - low) / 2;
    if (v[middle].at <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void queue_insert(struct montecito_core *c, unsigned kind, const struct montecito_queued *v)
{
  struct montecito_queue *q = &c->queue[kind];
  if (q->end == q->size || v->at < c->delivered)
    queues_leave(c);
  if (v->at < c->delivered) /* the other requests of its cycle have left: it leaves with the next delivery */
    c->delivered = v->at;
  if (q->end == q->size && !queue_reserve(c, q))
    return;
  struct montecito_queued *first = q->of + q->first;
  const unsigned n = q->end - q->first, before = queue_before(first, n, v->at);
  if (q->first && before < n - before) { /* the requests on the shorter side move */
    q->first--;
    memmove(first - 1, first, before * sizeof *first);
    first--;
  } else {
    q->end++;
    memmove(first + before + 1, first + before, (n - before) * sizeof *first);
  }
  first[before] = *v;
  if (c->queues_observed && v->at < c->observed_at)
    c->observed_at = v->at;
}

/* Signals the state of a requested line that arrives. */
static __attribute__((hot)) void queue_filled(struct montecito_core *c, const struct montecito_queued *v)
{
  const uint16_t state = v->fill.state == MESI_M         ? UM_X(0)
                         : v->fill.state == MESI_E       ? UM_X(1)
                         : v->fill.state == MESI_S       ? UM_X(2)
                         : v->fill.state == FILL_PENDING ? UM_X1XX
                                                         : UM_X(3);
  c->filling[v->line / L2_LINE % FILL_COUNTS]--;
  montecito_event_signal(
      c,
      (struct montecito_signal){
          .code = EV_FILL_STATE, .thread = v->fill.thread, .tags = v->fill.tags, .mesi = 0xf, .umasks = state, .n = 1});
}

__attribute__((hot)) void queue_leave(struct montecito_core *c, unsigned kind)
{
  struct montecito_queue *q = &c->queue[kind];
  for (; q->first < q->end && q->of[q->first].at < c->delivered; q->first++)
    if (kind == QUEUE_FILL)
      queue_filled(c, &q->of[q->first]);
}

void queues_leave(struct montecito_core *c)
{
  for (unsigned kind = 0; kind < QUEUE_N; kind++)
    queue_leave(c, kind);
}

void queues_free(struct montecito_core *c)
{
  for (unsigned kind = 0; kind < QUEUE_N; kind++)
    free(c->queue[kind].of);
}
