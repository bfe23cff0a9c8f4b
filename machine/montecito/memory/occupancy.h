/* SPDX-License-Identifier: MIT */
/* Requests in queues. */
#ifndef MACHINE_MONTECITO_MEMORY_OCCUPANCY_H
#define MACHINE_MONTECITO_MEMORY_OCCUPANCY_H

#include "machine/montecito/core/state.h"

/* A request enters a queue, and leaves it in cycle `at`. */
void queue_insert(struct montecito_core *c, unsigned kind, const struct montecito_queued *v);
static inline void queue_add(struct montecito_core *c, unsigned kind, struct montecito_queued v)
{
  struct montecito_queue *q = &c->queue[kind];
  if (q->first == q->end || q->end == q->size || q->of[q->end - 1].at > v.at || c->queues_observed) {
    queue_insert(c, kind, &v);
    return;
  }
  struct montecito_queued *to = &q->of[q->end++];
  to->at = v.at; /* field by field: a copy of the struct would wait for the stores of its fields */
  to->line = v.line;
  to->fill = v.fill;
}
/* Remove the requests that have left a queue, or all queues, by the cycle up to which events are delivered. */
void queue_leave(struct montecito_core *c, unsigned kind);
void queues_leave(struct montecito_core *c);
void queues_free(struct montecito_core *c);
/* The requests in a queue, in the order in which they leave. */
struct montecito_requests {
  struct montecito_queued *first;
  const struct montecito_queued *end;
};
static inline struct montecito_requests queue_requests(struct montecito_core *c, unsigned kind)
{
  const struct montecito_queue *q = &c->queue[kind];
  if (q->first == q->end)
    return (struct montecito_requests){0};
  if (q->of[q->first].at < c->delivered)
    queue_leave(c, kind);
  return (struct montecito_requests){q->of + q->first, q->of + q->end};
}
static inline unsigned queue_n(struct montecito_core *c, unsigned kind)
{
  const struct montecito_requests r = queue_requests(c, kind);
  return (unsigned)(r.end - r.first);
}

/* bus.c: true if a counter selects a level of the bus's queues; signals their occupancy for a stretch. */
bool bus_level_selected(const struct montecito_core *c);
void bus_levels_add(struct montecito_core *c);

static inline void bus_levels(struct montecito_core *c)
{
  if (__builtin_expect(c->levels_selected, 0))
    bus_levels_add(c);
}

#endif
