/* SPDX-License-Identifier: MIT */
/* Queues and buffers of a core between its pipeline, its caches and the bus. */
#ifndef MACHINE_MONTECITO_QUEUES_H
#define MACHINE_MONTECITO_QUEUES_H

#include <stdbool.h>
#include <stdint.h>

/* Events that take effect in a later cycle. */
enum montecito_deferred_kind {
  DEFERRED_DEAR,
  DEFERRED_IEAR,
  DEFERRED_FILL_I,
  DEFERRED_PAIR,
  DEFERRED_BUS,
  DEFERRED_SIGNAL,
  DEFERRED_MISS,   /* of the L3, which is known now */
  DEFERRED_RETURN, /* of its line */
  DEFERRED_TICK    /* nothing but the end of a stretch */
};
struct montecito_deferred {
  uint64_t at, address, ip;
  uint32_t latency;
  uint16_t umasks;                        /* BUS: signal from the other core; SIGNAL: signal that had to wait */
  uint8_t kind, thread, tags, mesi, slot; /* slot: low bits of PMD36; BUS and SIGNAL: the event */
};

/* Queues that a request is in until a cycle: lines on their way to the L2D, requests in the arbiter, reads from memory
 * of each thread, writes, snoops, castouts. */
enum montecito_queue_kind {
  QUEUE_FILL,
  QUEUE_REQUEST,
  QUEUE_READ,
  QUEUE_READ_1,
  QUEUE_WRITE,
  QUEUE_SNOOP,
  QUEUE_CASTOUT,
  QUEUE_N
};
enum { FILL_PENDING = 16 }; /* the state of a fill that a read has snooped */
struct montecito_queued {
  uint64_t at, line; /* the cycle in which it leaves; FILL: the address, REQUEST and SNOOP: 0 */
  struct montecito_fill {
    uint8_t thread, tags, state, where; /* enum montecito_mesi, enum montecito_hit_level */
  } fill;
};
struct montecito_queue { /* in order of time, from `first` to `end` - 1 */
  struct montecito_queued *of;
  uint32_t first, end, size;
};
enum { FILL_COUNTS = 512 }; /* numbers of lines that fills are counted by */

/* Buffers of coalesced writes (2.3.3.4): a line, and a bit for each 8 bytes that were written. */
struct montecito_coalescing {
  struct montecito_buffer {
    uint64_t line;
    uint16_t written;
  } of[4];
  uint8_t n; /* that are used; the oldest comes first */
};

/* What conflicts of later accesses depend on: stores of the last cycles, the store buffer, lines on their way. */
enum { CONFLICT_STORES = 4 };
struct montecito_conflicts {
  struct montecito_stored {
    uint64_t address, at;
    uint8_t bytes;
  } stored[CONFLICT_STORES];
  unsigned n_stored;
  uint64_t drained_at, spilled_at, acquired_at, waiting_until; /* cycles; 0: never */
  uint8_t buffered, waiting;                                   /* buffered: in half cycles until they have left */
};

/* What the L2D found for an access: the line, nothing, or the line on its way. */
enum ozq_outcome { OZQ_HIT, OZQ_MISS, OZQ_SECONDARY };
/* The queue of the L2D's accesses (2.3.3.2), as far as a counter needs it. */
enum { OZQ_ENTRIES = 32, OZQ_VICTIMS = 16, OZQ_DATA = 16 };
struct montecito_ozq {
  struct montecito_ozq_entry {
    uint64_t address, at, until; /* cycles of its entry and of its end */
    uint8_t outcome, order;
    bool write, cancelled;
  } of[OZQ_ENTRIES];
  struct {
    uint64_t address, until;
  } victim[OZQ_VICTIMS];
  uint8_t n, n_victims;
  uint64_t accept_until, release_until; /* mf.a or sync.i waits; an effective release is in the queue */
  uint64_t victim_at;                   /* the cycle in which a victim was read */
};

/* The front end of a core (2.3), for programs: bundles in the instruction buffer; branches that wait for retirement;
 * lines that were asked for (Table 2-9: one demand and seven prefetches); the streaming prefetcher's next line. */
enum { FRONT_BUNDLES = 8, FRONT_LINES = 8 };
struct montecito_front {
  bool on, full; /* full: in the stall that passes, the front end waits as well */
  uint8_t buffered, branches, n_lines, waiting;
  uint64_t branches_at, stream; /* stream: 0: none */
  struct montecito_front_line {
    uint64_t line, at; /* of 64 bytes; the cycle in which it arrives */
    bool prefetch;
  } of[FRONT_LINES];
};

#endif
