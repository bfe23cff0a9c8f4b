/* SPDX-License-Identifier: MIT */
/*
 * The parts of a server, as structures: cores, CHAs, memory channels, links, I/O stacks, sockets. What they do is in
 * the headers and files of their duties. Private to the room.
 */
#ifndef MACHINE_COMMON_PARTS_H
#define MACHINE_COMMON_PARTS_H

#include <stddef.h>
#include "machine/common/address.h"
#include "machine/common/cache.h"
#include "machine/common/counters.h"
#include "machine/common/fast.h"
#include "machine/common/slots.h"
#include "machine/common/totals.h"
#include "machine/common/traffic.h"

#define MAX_SOCKETS 2
#define MAX_CORES 64 /* of a socket: a snoop filter entry is a word of 64 bits */
#define MAX_CHAS 64
#define MAX_CHANNELS 8 /* of a socket */
#define MAX_STACKS 12
#define MAX_QUEUE 64
#define MAX_WRITES 192 /* in a sub-channel's queue, and that will come there */
#define RANKS 8
#define ACTIVATES 16 /* of a rank, that are remembered */
#define BANKS 256    /* of a sub-channel: 8 ranks x 8 groups x 4 banks */
#define STREAMS 32u
#define L1_AHEAD 16u
#define STORES 128u /* of a store buffer */
#define TRANSLATIONS 2048u
#define TRANSLATIONS_1G 16u               /* of pages of 1 GB */
enum { WALK_LEVELS = 4, LEVEL_BITS = 9 }; /* of page tables */

struct translation {
  uint64_t complement, frame; /* of its number: what is zero is no page's */
  struct page *page;
  const uint64_t *tlb; /* the most recent entry of its set in the first-level TLB */
  uint64_t tlb_entry;  /* what is there if it is the page's */
};

struct stream {
  uint64_t page;
  int16_t last, ahead;
  int8_t direction;
  uint8_t hits;
};

/* A power transition with a duration, and the end of its reported part. */
struct change {
  fs_t reported, until;
};

/* Instructions under way: queues.h. */
struct core_queues {
  struct {
    uint64_t instruction, loads; /* how many there were before */
    fs_t done;
  } window[64]; /* loads on their way, in order */
  struct {
    uint64_t number, line;
    fs_t done;     /* of those that have not asked for their line: when its address is known */
  } store[STORES]; /* stores that wait for their line, in order */
  uint32_t window_first, window_n, store_first, store_n;
  uint32_t unasked;  /* the last of the stores, which have not asked yet */
  uint32_t ask_fill; /* the fill buffer for which the first of these waits until `ask_at`; UINT32_MAX: for none */
  fs_t ask_at;       /* when the first of these will, or later; HOLDERS_OPEN: there are none */
  fs_t store_done;   /* when the last of those that have asked is */
};
struct core_waits {
  fs_t from, until;
};
struct core_counts {
  uint64_t instructions, loads, stores;
};
/* What each hardware thread of a core has of its own. */
struct core_thread {
  fs_t time;
  struct core_waits waits;
  uint64_t history;
  struct core_counts counts;
  struct core_queues queues;
};

struct core {
  struct core_front front; /* first: a pointer to it is one to the core */
  fs_t began;              /* when it began what is worked out */
  unsigned socket, index, tile;
  struct cache l2;
  uint64_t *settled; /* by set of L2: its most recent line, if a load of that changes nothing there; 0: no */
  uint64_t settled_mask;
  uint64_t unsettled;         /* replaces these where there is no L2 */
  fs_t on_way_last;           /* of `on_way` */
  struct slots from_l2;       /* lines that its second level gives the first one */
  struct first_level dtlb[3]; /* by size of page; of numbers + 1 */
  fs_t fill[64];              /* when each fill buffer is free */
  uint32_t next_fill, next_waiting;
  fs_t waiting[64]; /* when the fill buffers of the latest loads that had to wait for their address are free */
  struct holders mshr;
  struct core_queues queues;
  struct core_thread parked; /* the other hardware thread (core_threads.c) */
  struct core_waits waits;   /* the last time that this one waited */
  bool accompanied, shares;  /* the other one runs; they share the core now */
  fs_t slice_began;          /* when this one was entered */
  fs_t overlap, rest;        /* time that both had; of one thread's time, what it slept while the other ran */
  fs_t window_fs;            /* the least time in which window or load queue fill up */
  struct on_way on_way[64];  /* prefetched and demanded lines that are on their way to the L2 */
  struct translation translation[TRANSLATIONS];
  struct stream streams[STREAMS];
  struct on_way ahead[L1_AHEAD]; /* virtual lines that the first level's prefetcher has fetched */
  struct {
    uint64_t line, bytes;
  } combining[4]; /* write-combining buffers of non-temporal stores */
  uint32_t next_combining;
  uint64_t large[TRANSLATIONS + TRANSLATIONS_1G]; /* large pages whose translations are known, by core_walk() */
  uint64_t walked[WALK_LEVELS + 1];               /* of each level of page tables the entry used last, + 1 */
  uint16_t tid;
  bool active, missed, arrived; /* arrived: the access found its line prefetched */
  uint32_t mhz;                 /* its frequency now */
  struct change waking;         /* or falling asleep (pcu.c) */
  fs_t idle, clocked;           /* of its time: with nothing to do; of the rest, what is in its cycles */
  struct core_totals totals;
  struct counters counters;
  uint64_t clocks_before[2], interrupts; /* of MPERF and APERF, what they had beside the totals; MSR_SMI_COUNT */
};
_Static_assert(offsetof(struct core, front) == 0, "traffic_load_missed() finds the core by its front");

/* Waits until then, if that is later; what it waits for has its own total. */
static inline void core_wait(struct core *c, fs_t *stall, fs_t until)
{
  if (until <= c->front.time)
    return;
  *stall += until - c->front.time;
  c->waits = (struct core_waits){c->front.time, until};
  c->front.time = until;
}

/* The later one of its hardware threads' times. */
static inline fs_t core_reached(const struct core *c)
{
  return c->front.parked > c->front.time ? c->front.parked : c->front.time;
}

/* How much of its time both hardware threads had since this one was entered. */
static inline fs_t core_overlap(const struct core *c)
{
  const fs_t both = c->front.parked < c->front.time ? c->front.parked : c->front.time;
  return both > c->slice_began ? both - c->slice_began : 0;
}

/* Its time goes on to there with nothing to do; where the other hardware thread has something, only this one rests. */
static inline void core_idle_until(struct core *c, fs_t until)
{
  const fs_t reached = c->accompanied || core_reached(c) > until ? until : core_reached(c);
  c->rest += reached - c->front.time;
  c->idle += until - reached;
  c->waits = (struct core_waits){c->front.time, until};
  c->front.time = until;
}
/* Another frequency from now on. */
void core_frequency(struct core *c, uint32_t mhz);

/* What each request reads stands first, in one line of the host's memory: sixty-four of these do not stay in its first
 * level otherwise. */
struct cha {
  _Alignas(HOST_LINE) struct block *block;
  unsigned tile;
  struct slots_run pipe;
  struct holders tor;
  uint64_t pipe_bucket[SLOTS_BUCKETS];
};

/* A turn in its pipeline. */
static inline fs_t cha_turn(struct cha *cha, fs_t at, uint32_t cycle)
{
  return slots_book(&cha->pipe, cha->pipe_bucket, 1, at, cycle);
}

struct bank {
  uint32_t row;
  bool open;
  fs_t ready, precharge_ready, used;
};

/* at: not reported before; since: in the queue. */
struct queued_write {
  uint64_t line;
  fs_t at, since;
  uint32_t row, holder;
  uint8_t bank, importance;
};

/* Why writes are given: enough have come together, there is nothing else to do, or some have waited too long. */
enum drain { DRAIN_PREFERRED, DRAIN_IDLE, DRAIN_STARVED };
/* The end of a drain whose next mode is not known yet: when (0: none), in which of the drains; and until when reads
 * that it had kept waiting too long were preferred to everything. */
struct mode_end {
  fs_t at, starved;
  enum drain of;
};

struct pch {
  _Alignas(HOST_LINE) uint32_t n_writes;
  enum drain drain;
  fs_t last, write_from, write_until, due; /* due: of a drain that has not begun (0: none is) */
  struct {
    fs_t accepted, column;
  } slowest;                                       /* of the reads so far, the one that is given last */
  fs_t rpq_ne, rdb_ne, wpq_ne, rpq_full, wpq_full; /* not empty, full, until */
  fs_t refresh[RANKS];                             /* next, of each rank, when it is due */
  fs_t refresh_look[RANKS];                        /* and before which it is not given */
  fs_t used[RANKS];                                /* each rank's last column command */
  fs_t activate_from[RANKS];                       /* no earlier, behind a refresh of other banks */
  uint32_t n_open[RANKS], refreshed;               /* refreshed: a bit for each rank without a request since */
  fs_t activates[RANKS][ACTIVATES];                /* activate_book() */
  fs_t mode_since;
  struct mode_end end;
  struct slots bus;
  struct holders rpq, wpq;
  struct bank bank[BANKS];
  fs_t wrote[BANKS / 4];                 /* of each four banks, one group, when a read may follow the last write */
  struct queued_write write[MAX_WRITES]; /* the first wpq.n in the queue, or known to come there */
};

/* When some queue of a controller held something, as far as it is not reported: dram_active.c */
enum { ACTIVE_SPANS = 1024 };
struct active_times {
  struct block *block;
  unsigned counter; /* the block's free-running counter of them */
  uint32_t n;
  fs_t done; /* all before is reported */
  struct {
    fs_t from, until;
  } span[ACTIVE_SPANS]; /* apart, in order */
};

struct channel {
  struct block *block;
  struct active_times *reads_active, *writes_active; /* of its controller; NULL: not counted */
  fs_t busy_until, down_until, on_until; /* column commands so far; powered down, powered, as far as reported */
  struct {
    fs_t from;
    uint64_t left;
  } errors;
  uint8_t socket, number;
  bool limits;        /* a time has begun in which heat or the power unit holds ranks back (dram_limits.c) */
  uint8_t limited[2]; /* ranks that are reported as held back, by heat and by critical heat */
  struct pch pch[2];
};

/* due: when its next access comes at its rate, which is later than `next` when its link has no time; ready: when the
 * link takes the next one. */
struct dma {
  struct dma_stream stream;
  fs_t next;
  fs_t step;
  uint64_t offset, base;
  fs_t due, ready, arrived; /* arrived: when the last line's data were over the wires */
  unsigned link, peer_link; /* of traffic.pcie */
  uint32_t entry;           /* its tag or credit there */
  uint64_t moved;           /* lines */
};
/* An I/O stack as devices see it: its ports, and its place between the cores. */
struct io_stack {
  struct slots port[8];
  unsigned tile;
};

/* What the sockets of all models have. A model's own structure begins with it, and has what only this model has
 * (machine/emr/socket.h, machine/snbep/uncore.h). */
struct socket {
  unsigned index, tiles; /* tiles: of cores; from the number of slices on, `cha` has nothing but block and tile */
  struct cha cha[MAX_CHAS];
  struct channel channel[MAX_CHANNELS];
  struct io_stack *stack[MAX_STACKS]; /* in the model's own structure */
  struct block *pcu;
  unsigned active; /* cores that run */
  struct block *core_block[MAX_CORES], *cstate;
  uint8_t core_state[MAX_CORES]; /* enum core_state (core_states.h), and how many cores are in each */
  unsigned in_state[3];
  uint32_t energy_before[3]; /* by enum power_domain: what its register had beside the model's energy */
  struct traffic_totals totals;
};

#endif
