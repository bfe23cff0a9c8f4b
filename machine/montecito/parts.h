/* SPDX-License-Identifier: MIT */
/* The functions by which the parts of a core call one another: pipeline, front end, caches, bus, threads. Private to
 * machine/montecito/. Functions that run for most bundles have the attribute `hot`, which places them together in the
 * program: their code has to fit into the host's first-level instruction cache (docs/design/022-montecito-speed.md). */
#ifndef MACHINE_MONTECITO_PARTS_H
#define MACHINE_MONTECITO_PARTS_H

#include "machine/montecito/state.h"

/* dispersal.c: at the end of the open cycle, signals the syllables that it dispersed or lost. */
void dispersal_signal(struct montecito_core *c);

/* cycles.c, pipeline.c, fetch.c, data.c, bus.c, stall.c */
void montecito_end_cycle(struct montecito_core *c); /* ends the open cycle, and passes the pending stalls that follow
                                                     * it */
static inline void montecito_close_cycle(struct montecito_core *c)
{
  if (c->open || c->n_pending)
    montecito_end_cycle(c);
}
/* Advances the core by `cycles`. reason: enum montecito_stall, or -1 for idle cycles, which CPU_OP_CYCLES does not
 * count. */
void montecito_pass_cycles(struct montecito_core *c, int reason, uint64_t cycles);
/* Advances the core by the cycles for which a bundle waits before it issues. Returns false when the wait ends early
 * because the thread should be switched out. */
bool montecito_pass_wait(struct montecito_core *c, unsigned reason, uint64_t cycles);
void montecito_deferred_add(struct montecito_core *c, const struct montecito_deferred *d);
void deferred_deliver(struct montecito_core *c, uint64_t end);
void deferred_update_observed(struct montecito_core *c); /* updates observed_at after deliveries or a new selection */
/* Returns the cycle of the first deferred event or, if earlier, of the first request that leaves a queue. UINT64_MAX:
 * there is neither. */
uint64_t deferred_next(struct montecito_core *c);
/* Delivers all deferred events before cycle `end`. A request that leaves a queue unobserved is removed when the queue
 * is read next. */
static inline void montecito_deferred_deliver(struct montecito_core *c, uint64_t end)
{
  c->delivered = end > c->delivered ? end : c->delivered;
  if (c->observed_at < end)
    deferred_deliver(c, end);
}
/* occupancy.c: a request enters a queue, and leaves it in cycle `at`. */
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
void montecito_stall_add(struct montecito_core *c, unsigned reason,
                         uint32_t cycles); /* enum montecito_stall; starts after the open cycle */
int pipeline_bundle(struct montecito_core *c, const struct montecito_bundle *b, char *error, size_t error_size);
void pipeline_resume(struct montecito_core *c); /* resumes the active thread's waiting bundle, if there is one */
void fetch_demand(struct montecito_core *c, const struct montecito_bundle *b);
bool fetch_is_hit(struct montecito_core *c, const struct montecito_bundle *b);
enum { FETCH_BYTES = 32 };
static inline bool fetch_is_needed(const struct montecito_core *c, const struct montecito_bundle *b)
{
  return b->address / FETCH_BYTES != c->fetch_line || c->fetch_again || b->where != WHERE_ANY || b->tlb != TLB_ANY;
}
static inline void fetch_bundle(struct montecito_core *c, const struct montecito_bundle *b)
{
  if (fetch_is_needed(c, b))
    fetch_demand(c, b);
}
/* True if the bundle lies in the block fetched last or hits the L1I, so that it can join the open cycle. */
static inline bool fetch_is_quiet(struct montecito_core *c, const struct montecito_bundle *b)
{
  return !fetch_is_needed(c, b) || fetch_is_hit(c, b);
}
void fetch_prefetch(struct montecito_core *c, uint64_t target, bool uncached);
void fetch_hint(struct montecito_core *c, uint64_t target); /* brp: one line */
void fetch_deferred(struct montecito_core *c, const struct montecito_deferred *d);
void data_filled(struct montecito_core *c, const struct montecito_queued *v);
/* Returns the level that served the access, enum montecito_hit_level. */
uint8_t data_access(struct montecito_core *c, const struct montecito_instruction *v);
void details_signal(struct montecito_core *c, const struct montecito_instruction *v);
/* uncached.c: accesses uncached memory; writes all coalescing buffers to the bus. */
void uncached_access(struct montecito_core *c, const struct montecito_slot *s, bool write, uint32_t latency);
void uncached_drain(struct montecito_core *c);
void data_rse(struct montecito_core *c, uint64_t address, bool store);
void branch_retire(struct montecito_core *c, const struct montecito_instruction *v);
void montecito_exception_flow(struct montecito_core *c,
                              const struct montecito_instruction *v);            /* a fault, rfi or failed check */
void montecito_set_psr(struct montecito_core *c, unsigned thread, uint64_t psr); /* changes PSR and signals a change of
                                                                                  * the privilege level */
void montecito_enter_interruption(struct montecito_core *c); /* sets PSR as an interruption does (3.2.3.2) */
void rse_record(struct montecito_core *c, const struct montecito_record *r);
void rse_event(struct montecito_core *c, const struct montecito_instruction *v);
void flush_line(struct montecito_core *c, uint64_t address); /* fc */
void snoop_record(struct montecito_core *c, const struct montecito_record *r);
/* urgency.c: events that may make the core switch its threads. */
void urgency_l3_miss(struct montecito_core *c, unsigned thread, uint64_t returns_at);
void urgency_deferred(struct montecito_core *c, const struct montecito_deferred *d);
void urgency_interrupt(struct montecito_core *c, unsigned thread);
void urgency_pause(struct montecito_core *c, bool quiesce); /* the active thread yields the core; quiesce: enters low
                                                             * power */
void urgency_switched(struct montecito_core *c);
/* Returns the cycles that the active thread can wait before it is switched out. 0: it is switched out at once;
 * UINT64_MAX: no switch is planned. */
uint64_t urgency_cycles_left(const struct montecito_core *c);
/* snoop.c: snoops the other core's caches for a read or an invalidation. Returns 0: no cache has the line; 1: it is
 * clean; 2: it is modified. */
unsigned snoop_other_core(struct montecito_core *c, uint64_t address, bool invalidate);
void switch_record(struct montecito_core *c, const struct montecito_record *r);
void halt_record(struct montecito_core *c, const struct montecito_record *r);
/* stall_signals() signals one stall cycle. stall_count() counts several stall cycles at once; it returns false when
 * another event could affect them. */
void stall_signals(struct montecito_core *c, unsigned reason);
bool stall_count(struct montecito_core *c, unsigned reason, uint64_t cycles);
uint16_t stall_front_umasks(unsigned reason, bool lost); /* of FE_BUBBLE, or of the events of lost bundles */
void bus_deferred(struct montecito_core *c, const struct montecito_deferred *d);
void bus_snooped(struct montecito_core *c, uint64_t address, unsigned found); /* 0 miss, 1 hit, 2 hitm */
/* ozq.c: enters an access after its look-up in the L2D; records a victim, a snoop, an ordering instruction, an access
 * to uncached memory; signals the cycles with full queues. */
void ozq_insert(struct montecito_core *c, const struct montecito_instruction *v, unsigned outcome,
                const struct montecito_access *a);
void ozq_victim(struct montecito_core *c, uint64_t address);
void ozq_snoop(struct montecito_core *c, uint64_t address);
void ozq_order(struct montecito_core *c, const struct montecito_instruction *v);
void ozq_uncached(struct montecito_core *c, const struct montecito_instruction *v);
void ozq_levels(struct montecito_core *c);

#endif
