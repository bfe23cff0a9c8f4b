/* SPDX-License-Identifier: MIT */
/*
 * The parts of a server, as structures: cores, CHAs, memory channels, links, I/O stacks, sockets. Their functions are
 * in other headers and files. Private to the room.
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
#define MAX_WRITES 192 /* in a sub-channel's queue, and on their way to it */
#define RANKS 8
#define ACTIVATES 16 /* remembered for each rank */
#define BANKS 256    /* of a sub-channel: 8 ranks x 8 groups x 4 banks */
#define STREAMS 32u
#define L1_AHEAD 16u
#define STORES 128u /* of a store buffer */
#define TRANSLATIONS 2048u
#define TRANSLATIONS_1G 16u               /* of pages of 1 GB */
enum { WALK_LEVELS = 4, LEVEL_BITS = 9 }; /* of page tables */

/* A first-level data TLB for pages of one size. A set replaces its least recently used entry: the one with the lowest
 * `used`, which is 0 for an empty entry. So a hit moves nothing, and needs no search where the entry is remembered. */
struct tlb_entry {
  uint64_t number, used; /* number: of the page in pages of this size, + 1; used: core.dtlb_uses at the last use */
};
struct tlb {
  struct tlb_entry *entry; /* set by set */
  uint64_t mask;           /* number of sets - 1 */
  uint32_t ways;
};
enum { PAGE_SIZES = 3, TLB_ENTRIES = DTLB_4K_MOST + DTLB_2M_MOST + DTLB_1G_MOST };

/* The fill buffers of loads that have to wait for their address are apart from those of other loads and of stores. */
enum fill_kind { FILL_READY, FILL_WAITING, FILL_KINDS };
struct fill_buffers {
  fs_t *next[FILL_KINDS], *last[FILL_KINDS]; /* the next one in round-robin order; the last one */
  fs_t until[FILL_KINDS][64];                /* times at which they are free */
};

/* A stream of the L2 prefetcher within the page that begins with line `first`. last: line of the last access in it;
 * ahead: last line requested. */
struct stream {
  uint64_t first;
  int16_t last, ahead;
  int8_t direction;
  uint8_t hits;
};

/* What a core knows of a page: in one line of the host. */
struct translation {
  _Alignas(HOST_LINE) uint64_t complement; /* ~ the page's number; 0: no page */
  uint64_t first;                          /* its first physical line */
  struct page *page;
  struct tlb_entry *tlb; /* the entry that the page had last; another page may have it now */
  uint64_t tlb_number;   /* tlb->number if the page still has it */
  struct stream *stream; /* of the L2 prefetcher, for the page and others */
};

/* A power transition with a duration, and the end of its reported part. */
struct change {
  fs_t reported, until;
};

/* Outstanding loads and stores: queues.h */
struct core_queues {
  struct {
    uint64_t instruction, loads; /* number of those before this load */
    fs_t done;
  } window[64]; /* outstanding loads, in order */
  struct {
    uint64_t number, line;
    fs_t done;     /* before it has requested its line: when its address is known */
  } store[STORES]; /* stores that wait for their line, in order */
  uint32_t window_first, window_n, store_first, store_n;
  uint32_t unasked;  /* number of the last stores, which have not requested their lines yet */
  uint32_t ask_fill; /* the fill buffer that the first of these waits for until `ask_at`; UINT32_MAX: none */
  fs_t ask_at;       /* earliest time at which the first of these requests its line; HOLDERS_OPEN: there are none */
  fs_t store_done;   /* time at which all stores that have requested their lines are done */
};
struct core_waits {
  fs_t from, until;
};
struct core_counts {
  uint64_t instructions, loads, stores;
};
/* The state of one hardware thread of a core. */
struct core_thread {
  fs_t time;
  struct core_waits waits;
  uint64_t history;
  struct core_counts counts;
  struct core_queues queues;
};

/* core_init() and the totals use only what lies in front of the tables, so that the many cores that never run take few
 * of the host's pages. */
struct core {
  struct core_front front; /* first: a pointer to it is a pointer to the core */
  fs_t began;              /* time at which the access being simulated began */
  unsigned socket, index, tile;
  struct cache l2;
  uint64_t *settled; /* for each L2 set, its most recently used line if a load of it changes nothing; else 0 */
  uint64_t settled_mask;
  uint64_t unsettled; /* replaces the table where there is no L2 */
  fs_t on_way_last;   /* latest time in `on_way` */
  struct tlb dtlb[PAGE_SIZES];
  uint64_t dtlb_uses;               /* number of look-ups in these */
  struct core_waits waits;          /* the last wait of this hardware thread */
  bool accompanied, shares;         /* the other one (core_threads.c) runs; both share the core now */
  fs_t slice_began;                 /* time at which this one was entered */
  fs_t overlap, rest;               /* time in which both ran; time in which one slept while the other ran */
  fs_t window_fs;                   /* the least time in which window or load queue fill up */
  uint64_t walked[WALK_LEVELS + 1]; /* for each level of page tables, 1 + the entry used last */
  uint16_t tid;
  bool active, missed, arrived; /* arrived: the access found its line prefetched */
  uint32_t mhz;                 /* its current frequency */
  struct change waking;         /* or falling asleep (pcu.c) */
  fs_t idle, clocked;           /* idle time; active time that is already in totals.cycles */
  struct core_totals totals;
  struct counters counters;
  uint64_t clocks_before[2], interrupts; /* offsets of MPERF and APERF from the totals; MSR_SMI_COUNT */
  struct on_way ahead[L1_AHEAD];         /* virtual lines that the L1 prefetcher has fetched */
  struct fill_buffers fill;
  struct holders mshr;
  struct core_queues queues;
  struct core_thread parked; /* the other hardware thread */
  struct slots from_l2;      /* lines that L2 delivers to L1 */
  struct on_way on_way[64];  /* prefetched and demanded lines in flight to L2 */
  struct translation translation[TRANSLATIONS];
  struct tlb_entry dtlb_entry[TLB_ENTRIES];
  struct stream streams[STREAMS];
  struct {
    uint64_t line, bytes;
  } combining[4]; /* write-combining buffers of non-temporal stores */
  uint32_t next_combining;
  uint64_t large[TRANSLATIONS + TRANSLATIONS_1G]; /* large pages whose translations are known, by core_walk() */
};
_Static_assert(offsetof(struct core, front) == 0, "traffic_load_missed() finds the core by its front");

/* Waits until `until`, if that is later, and adds the wait to *stall. */
static inline void core_wait(struct core *c, fs_t *stall, fs_t until)
{
  if (until <= c->front.time)
    return;
  *stall += until - c->front.time;
  c->waits = (struct core_waits){c->front.time, until};
  c->front.time = until;
}

/* Returns the later one of the hardware threads' times. */
static inline fs_t core_reached(const struct core *c)
{
  return c->front.parked > c->front.time ? c->front.parked : c->front.time;
}

/* Returns the time in which both hardware threads ran since this one was entered. */
static inline fs_t core_overlap(const struct core *c)
{
  const fs_t both = c->front.parked < c->front.time ? c->front.parked : c->front.time;
  return both > c->slice_began ? both - c->slice_began : 0;
}

/* Advances the core's time to `until` without work. Where the other hardware thread runs, only this one rests. */
static inline void core_idle_until(struct core *c, fs_t until)
{
  const fs_t reached = c->accompanied || core_reached(c) > until ? until : core_reached(c);
  c->rest += reached - c->front.time;
  c->idle += until - reached;
  c->waits = (struct core_waits){c->front.time, until};
  c->front.time = until;
}
/* Changes the core's frequency from now on. */
void core_frequency(struct core *c, uint32_t mhz);

/* The fields that each request reads come first, in one host cache line: otherwise sixty-four CHAs do not stay in the
 * host's L1. */
struct cha {
  _Alignas(HOST_LINE) struct block *block;
  unsigned tile;
  struct slots_run pipe;
  struct holders tor;
  uint64_t pipe_bucket[SLOTS_BUCKETS];
};

/* Books a cycle of a CHA's pipeline at `at` or later. Returns the time at which it begins. */
static inline fs_t cha_turn(struct cha *cha, fs_t at, uint32_t cycle)
{
  return slots_book(&cha->pipe, cha->pipe_bucket, 1, at, cycle);
}

struct bank {
  uint32_t row;
  bool open;
  fs_t ready, precharge_ready, used;
};

/* at: arrival, later the end of the reported time in the queue; since: time at which it entered the queue. */
struct queued_write {
  uint64_t line;
  fs_t at, since;
  uint32_t row, holder;
  uint8_t bank, importance;
};

/* Reason of a write drain: enough writes have gathered, the channel has nothing else to do, or some have waited too
 * long. */
enum drain { DRAIN_PREFERRED, DRAIN_IDLE, DRAIN_STARVED };
/* The end of a drain after which the next mode is not known yet: its time (0: none) and its reason; and the time until
 * which reads that it had starved were preferred to everything. */
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
  } slowest;                                       /* the read so far that is issued last */
  fs_t rpq_ne, rdb_ne, wpq_ne, rpq_full, wpq_full; /* reported as not empty, as full, until */
  fs_t refresh[RANKS];                             /* time at which each rank's next one is due */
  fs_t refresh_look[RANKS];                        /* and before which it is not issued */
  fs_t used[RANKS];                                /* each rank's last column command */
  fs_t activate_from[RANKS];                       /* earliest time of an activate after a refresh of other banks */
  uint32_t n_open[RANKS], refreshed;               /* refreshed: a bit for each rank without a request since */
  fs_t activates[RANKS][ACTIVATES];                /* activate_book() */
  fs_t mode_since;
  struct mode_end end;
  struct slots bus;
  struct holders rpq, wpq;
  struct bank bank[BANKS];
  fs_t wrote[BANKS / 4]; /* for each group of four banks, time at which a read may follow its last write */
  struct queued_write write[MAX_WRITES]; /* the first wpq.n have a queue entry, if only from a later time on */
};

/* Times in which some queue of a controller was not empty, as far as they are not reported: dram_active.c */
enum { ACTIVE_SPANS = 1024 };
struct active_times {
  struct block *block;
  unsigned counter; /* the block's free-running counter of them */
  uint32_t n;
  fs_t done; /* all earlier times are reported */
  struct {
    fs_t from, until;
  } span[ACTIVE_SPANS]; /* disjoint, in order */
};

struct channel {
  struct block *block;
  struct active_times *reads_active, *writes_active; /* its controller's; NULL: not counted */
  fs_t busy_until, down_until, on_until; /* last column command; ends of the reported power-down and power-on */
  struct {
    fs_t from;
    uint64_t left;
  } errors;
  uint8_t socket, number;
  bool limits;        /* heat or the power unit has held ranks back since some time (dram_limits.c) */
  uint8_t limited[2]; /* ranks that are reported as held back, by heat and by critical heat */
  struct pch pch[2];
};

/* due: time of its next access at its rate; `next` is later than this when its link is busy. ready: time at which the
 * link takes the next access. */
struct dma {
  struct dma_stream stream;
  fs_t next;
  fs_t step;
  uint64_t offset, base;
  fs_t due, ready, arrived; /* arrived: time at which the last line's data were over the wires */
  unsigned link, peer_link; /* indices in traffic.pcie */
  uint32_t entry;           /* its tag or credit on the link */
  uint64_t moved;           /* lines */
};
/* The part of an I/O stack that devices use: its ports, and its tile among the cores'. */
struct io_stack {
  struct slots port[8];
  unsigned tile;
};

/* The part of a socket that all models share. A model's own structure begins with it and has the parts of this model
 * alone (machine/emr/socket.h, machine/snbep/uncore.h). */
struct socket {
  unsigned index, tiles; /* tiles: of cores; `cha` entries above the slices have only block and tile */
  struct cha cha[MAX_CHAS];
  struct channel channel[MAX_CHANNELS];
  struct io_stack *stack[MAX_STACKS]; /* in the model's own structure */
  struct block *pcu;
  unsigned active; /* cores that run */
  struct block *core_block[MAX_CORES], *cstate;
  uint8_t core_state[MAX_CORES]; /* enum core_state (core_states.h), and the number of cores in each */
  unsigned in_state[3];
  uint32_t energy_before[3]; /* by enum power_domain: offset of its register from the model's energy */
  struct traffic_totals totals;
};

#endif
