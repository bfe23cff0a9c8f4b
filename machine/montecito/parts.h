/* SPDX-License-Identifier: MIT */
/* The functions by which the parts of a core call one another, file by file. Private to machine/montecito/. Functions
 * that run for most bundles have the attribute `hot`, which places them together in the program: their code has to fit
 * into the host's first-level instruction cache (docs/design/022-montecito-speed.md). */
#ifndef MACHINE_MONTECITO_PARTS_H
#define MACHINE_MONTECITO_PARTS_H

#include "machine/montecito/state.h"

/* ---- cycles.c, deferred.c: time ---- */

/* Ends the open cycle, and passes the pending stalls that follow it. */
void montecito_end_cycle(struct montecito_core *c);
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
/* Adds a stall that starts after the open cycle. reason: enum montecito_stall. */
void montecito_stall_add(struct montecito_core *c, unsigned reason, uint32_t cycles);

/* Adds an event that takes effect in a later cycle. */
void montecito_deferred_add(struct montecito_core *c, const struct montecito_deferred *d);
/* Delivers all deferred events before cycle `end`. A request that leaves a queue unobserved is removed when the queue
 * is read next. */
void deferred_deliver(struct montecito_core *c, uint64_t end);
static inline void montecito_deferred_deliver(struct montecito_core *c, uint64_t end)
{
  c->delivered = end > c->delivered ? end : c->delivered;
  if (c->observed_at < end)
    deferred_deliver(c, end);
}
/* Returns the cycle of the first deferred event or, if earlier, of the first request that leaves a queue. UINT64_MAX:
 * there is neither. */
uint64_t deferred_next(struct montecito_core *c);
/* Updates observed_at after deliveries or a new selection. */
void deferred_update_observed(struct montecito_core *c);

/* ---- pipeline.c, dispersal.c, details.c, stall.c ---- */

/* Issues and retires a bundle of the active thread. A negative enum pmon_status, with the reason in `error`. */
int pipeline_bundle(struct montecito_core *c, const struct montecito_bundle *b, char *error, size_t error_size);
/* Resumes the active thread's waiting bundle, if there is one. */
void pipeline_resume(struct montecito_core *c);
/* At the end of the open cycle, signals the syllables that it dispersed or lost. */
void dispersal_signal(struct montecito_core *c);
/* Signals what an instruction's record states besides its operation: ordering, hints, failed checks. */
void details_signal(struct montecito_core *c, const struct montecito_instruction *v);
/* stall_signals() signals one stall cycle. stall_count() counts several stall cycles at once; it returns false when
 * another event could affect them. */
void stall_signals(struct montecito_core *c, unsigned reason);
bool stall_count(struct montecito_core *c, unsigned reason, uint64_t cycles);
/* Returns the unit masks of FE_BUBBLE, or those of the events of lost bundles. */
uint16_t stall_front_umasks(unsigned reason, bool lost);

/* ---- fetch.c: instructions ---- */

enum { FETCH_BYTES = 32 };
/* Fetches the block of a bundle, from the level that its record states or that the caches give. */
void fetch_demand(struct montecito_core *c, const struct montecito_bundle *b);
bool fetch_is_hit(struct montecito_core *c, const struct montecito_bundle *b);
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
/* Prefetches the two lines after that of a branch's target, and starts streaming from there; the line that brp
 * names. */
void fetch_prefetch(struct montecito_core *c, uint64_t target, bool uncached);
void fetch_hint(struct montecito_core *c, uint64_t target);
void fetch_deferred(struct montecito_core *c, const struct montecito_deferred *d);

/* ---- branch.c: branches, and changes of the processor's status ---- */

void branch_retire(struct montecito_core *c, const struct montecito_instruction *v);
/* A fault, rfi or failed check. */
void montecito_exception_flow(struct montecito_core *c, const struct montecito_instruction *v);
/* Changes PSR and signals a change of the privilege level. */
void montecito_set_psr(struct montecito_core *c, unsigned thread, uint64_t psr);
/* Sets PSR as an interruption does (3.2.3.2). */
void montecito_enter_interruption(struct montecito_core *c);

/* ---- data.c, uncached.c: data ---- */

/* Returns the level that served the access, enum montecito_hit_level. */
uint8_t data_access(struct montecito_core *c, const struct montecito_instruction *v);
/* Signals the state of a requested line that arrives. */
void data_filled(struct montecito_core *c, const struct montecito_queued *v);
/* Makes a load or store of the register stack engine. */
void data_rse(struct montecito_core *c, uint64_t address, bool store);
/* Accesses uncached memory; writes all coalescing buffers to the bus. */
void uncached_access(struct montecito_core *c, const struct montecito_slot *s, bool write, uint32_t latency);
void uncached_drain(struct montecito_core *c);

/* ---- ozq.c: the queue of the L2D ---- */

/* Enters an access after its look-up in the L2D; records a victim, a snoop, an ordering instruction, an access to
 * uncached memory; signals the cycles with full queues. */
void ozq_insert(struct montecito_core *c, const struct montecito_instruction *v, unsigned outcome,
                const struct montecito_access *a);
void ozq_victim(struct montecito_core *c, uint64_t address);
void ozq_snoop(struct montecito_core *c, uint64_t address);
void ozq_order(struct montecito_core *c, const struct montecito_instruction *v);
void ozq_uncached(struct montecito_core *c, const struct montecito_instruction *v);
void ozq_levels(struct montecito_core *c);

/* ---- occupancy.c: requests in queues ---- */

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

/* ---- bus.c, snoop.c: the bus and the other core ---- */

void bus_deferred(struct montecito_core *c, const struct montecito_deferred *d);
/* Another agent's transaction snooped this core. found: 0 miss, 1 hit, 2 hitm. */
void bus_snooped(struct montecito_core *c, uint64_t address, unsigned found);
/* Snoops the other core's caches for a read or an invalidation. Returns 0: no cache has the line; 1: it is clean; 2: it
 * is modified. */
unsigned snoop_other_core(struct montecito_core *c, uint64_t address, bool invalidate);
void snoop_record(struct montecito_core *c, const struct montecito_record *r);
/* fc: removes the line from all caches of the processor, and writes a modified one to memory. */
void flush_line(struct montecito_core *c, uint64_t address);

/* ---- threads.c, urgency.c: hardware threads ---- */

void switch_record(struct montecito_core *c, const struct montecito_record *r);
void halt_record(struct montecito_core *c, const struct montecito_record *r);
/* The register stack: loads and stores of its engine; an instruction that changes it. */
void rse_record(struct montecito_core *c, const struct montecito_record *r);
void rse_event(struct montecito_core *c, const struct montecito_instruction *v);
/* Events that may make the core switch its threads. */
void urgency_l3_miss(struct montecito_core *c, unsigned thread, uint64_t returns_at);
void urgency_deferred(struct montecito_core *c, const struct montecito_deferred *d);
void urgency_interrupt(struct montecito_core *c, unsigned thread);
/* The active thread yields the core; quiesce: enters low power. */
void urgency_pause(struct montecito_core *c, bool quiesce);
void urgency_switched(struct montecito_core *c);
/* Returns the cycles that the active thread can wait before it is switched out. 0: it is switched out at once;
 * UINT64_MAX: no switch is planned. */
uint64_t urgency_cycles_left(const struct montecito_core *c);

#endif
