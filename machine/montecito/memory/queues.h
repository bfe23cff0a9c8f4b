/* SPDX-License-Identifier: MIT */
/* Queues and buffers of a core between its pipeline, its caches and the bus. */
#ifndef MACHINE_MONTECITO_MEMORY_QUEUES_H
#define MACHINE_MONTECITO_MEMORY_QUEUES_H

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
  DEFERRED_MISS,   /* an L3 miss becomes known */
  DEFERRED_RETURN, /* the line of an L3 miss arrives */
  DEFERRED_TICK    /* no effect but the end of a stretch */
};
struct montecito_deferred {
  uint64_t at, address, ip;
  uint32_t latency;
  uint16_t umasks;                        /* BUS: signal of a bus event, of this core or the other; SIGNAL: signal that
                                           * had to wait */
  uint8_t kind, thread, tags, mesi, slot; /* slot: low bits of PMD36; BUS and SIGNAL: the event */
};

/* Queues, each of which a request leaves in a known cycle: lines in flight to the L2D, requests in the arbiter, memory
 * reads of each thread, writes, snoops, castouts. */
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
enum { FILL_PENDING = 16 }; /* the state of a fill that was snooped by a read */
struct montecito_queued {
  uint64_t at, line; /* the cycle in which it leaves; FILL: the address, REQUEST and SNOOP: 0 */
  struct montecito_fill {
    uint8_t thread, tags, state, where; /* enum montecito_mesi, enum montecito_hit_level */
  } fill;
};
struct montecito_queue { /* ordered by `at`, from `first` to `end` - 1 */
  struct montecito_queued *of;
  uint32_t first, end, size;
};
enum { FILL_COUNTS = 512 }; /* size of montecito_core.filling */

/* Buffers of coalesced writes (2.3.3.4): a line, and a bit for each 8 bytes written. */
struct montecito_coalescing {
  struct montecito_buffer {
    uint64_t line;
    uint16_t written;
  } of[4];
  uint8_t n; /* buffers in use; the oldest comes first */
};

/* State on which conflicts of later accesses depend: recent stores, the store buffer, lines in flight. */
enum { CONFLICT_STORES = 4 };
struct montecito_conflicts {
  struct montecito_stored {
    uint64_t address, at;
    uint8_t bytes;
  } stored[CONFLICT_STORES];
  unsigned n_stored;
  uint64_t drained_at, spilled_at, acquired_at, waiting_until; /* cycles; 0: never */
  uint8_t buffered, waiting;                                   /* buffered: half cycles until the store buffer is
                                                                * empty */
};

/* Result of an access's look-up in the L2D: hit, miss, or secondary miss (the line is in flight). */
enum ozq_outcome { OZQ_HIT, OZQ_MISS, OZQ_SECONDARY };
/* The L2D's queue of accesses (2.3.3.2), maintained while a counter selects one of its events. */
enum { OZQ_ENTRIES = 32, OZQ_VICTIMS = 16, OZQ_DATA = 16 };
struct montecito_ozq {
  struct montecito_ozq_entry {
    uint64_t address, at, until; /* at, until: the cycles in which it enters and leaves */
    uint8_t outcome, order;
    bool write, cancelled;
  } of[OZQ_ENTRIES];
  struct {
    uint64_t address, until;
  } victim[OZQ_VICTIMS];
  uint8_t n, n_victims;
  uint64_t accept_until, release_until; /* ends of a wait of mf.a or sync.i, and of an effective release in the queue */
  uint64_t victim_at;                   /* the cycle in which the last victim was read */
};

/* The front end of a core (2.3), for programs: bundles in the instruction buffer; branches that wait for retirement;
 * requested lines (Table 2-9: one demand and seven prefetches); the streaming prefetcher's next line. */
enum { FRONT_BUNDLES = 8, FRONT_LINES = 8 };
struct montecito_front {
  bool on, full; /* full: the front end waits as well during the current stall */
  uint8_t buffered, branches, n_lines, waiting;
  uint64_t branches_at, stream; /* stream: number of the streaming prefetcher's next line; 0: none */
  struct montecito_front_line {
    uint64_t line, at; /* number of a 64-byte line; the cycle in which it arrives */
    bool prefetch;
  } of[FRONT_LINES];
};

#endif
