/* SPDX-License-Identifier: MIT */
/*
 * The parts of a server, as structures: cores, CHAs, memory channels, links, I/O stacks, sockets. What they do is in
 * the headers and files of their duties. Private to the room.
 */
#ifndef MACHINE_COMMON_PARTS_H
#define MACHINE_COMMON_PARTS_H

#include "machine/common/address.h"
#include "machine/common/cache.h"
#include "machine/common/fast.h"
#include "machine/common/slots.h"
#include "machine/common/totals.h"
#include "machine/common/traffic.h"

#define MAX_SOCKETS 2
#define MAX_CORES 64 /* of a socket: a snoop filter entry is a word of 64 bits */
#define MAX_CHAS 64
#define MAX_IMCS 4
#define MAX_CHANNELS 8 /* of a socket */
#define MAX_LINKS 4
#define MAX_STACKS 12
#define MAX_TILES (MAX_CHAS + MAX_IMCS + MAX_LINKS + MAX_STACKS)
#define MESH_SIDE 68u /* columns or lines, edges included */
#define MAX_QUEUE 64
#define RANKS 8
#define BANKS 256 /* of a sub-channel: 8 ranks x 8 groups x 4 banks */
#define STREAMS 32u
#define TRANSLATIONS 2048u
enum { WALK_LEVELS = 4, LEVEL_BITS = 9 }; /* of page tables */

/* A prefetched or demanded line that is still on its way to an L2. */
struct on_way {
  uint64_t line;
  fs_t done;
};

struct translation {
  uint64_t number, frame;
  struct page *page;
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

struct core {
  struct core_front front;
  unsigned socket, index, tile;
  struct cache l2;
  fs_t loads[16], stores[128]; /* when each fill buffer, each store buffer entry, is free */
  uint32_t next_load, next_store;
  struct holders mshr;
  struct {
    uint64_t instruction;
    fs_t done;
  } window[64];
  uint32_t window_first, window_n;
  fs_t window_fs; /* the least time that a window of instructions takes */
  struct on_way on_way[64];
  struct translation translation[TRANSLATIONS];
  struct stream streams[STREAMS];
  struct {
    uint64_t line, bytes;
  } combining[4]; /* write-combining buffers of non-temporal stores */
  uint32_t next_combining;
  uint64_t walked[WALK_LEVELS + 1]; /* of each level of page tables the entry used last, + 1 */
  uint16_t tid;
  bool active, missed;
  uint32_t mhz;         /* its frequency now */
  struct change waking; /* or falling asleep (pcu.c) */
  fs_t idle, clocked;   /* of its time: with nothing to do; of the rest, what is in its cycles */
  struct core_totals totals;
};

/* Its time goes on to there with nothing to do. */
static inline void core_idle_until(struct core *c, fs_t until)
{
  c->idle += until - c->front.time;
  c->front.time = until;
}
/* Another frequency from now on. */
void core_frequency(struct core *c, uint32_t mhz);

/* And who may have each line: the core's number beside its tag, or SEVERAL, and then a bit for each in `cores`. */
struct filter {
  struct cache tags;
  uint64_t *cores;
  size_t bytes;
};

struct hitme {
  uint64_t line[256];
};

/* What each request reads stands first, in one line of the host's memory: sixty-four of these do not stay in its first
 * level otherwise. */
struct cha {
  _Alignas(HOST_LINE) struct block *block;
  unsigned tile;
  struct slots_run pipe;
  struct holders tor;
  uint64_t pipe_bucket[SLOTS_BUCKETS];
  struct hitme hitme;
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
  uint8_t bank;
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
  fs_t last, write_from, write_until;
  struct {
    fs_t accepted, column;
  } slowest;                                       /* of the reads so far, the one that is given last */
  fs_t rpq_ne, rdb_ne, wpq_ne, rpq_full, wpq_full; /* not empty, full, until */
  fs_t refresh[RANKS];                             /* next, of each rank */
  uint32_t n_open[RANKS], refreshed;               /* refreshed: a bit for each rank without a request since */
  fs_t activates[RANKS][4];                        /* last four of each rank */
  uint8_t activate_next[RANKS];
  fs_t mode_since;
  struct mode_end end;
  struct slots bus;
  struct holders rpq, wpq;
  struct bank bank[BANKS];
  struct queued_write write[MAX_QUEUE];
};

/* A time in which heat or the power unit holds ranks back; critical: everything. */
#define CHANNEL_LIMITS 8
struct channel_limit {
  fs_t from, until;
  uint32_t ranks;
  bool critical;
};

struct channel {
  struct block *block, *free_block;
  fs_t busy_until, down_until, on_until; /* column commands so far; powered down, powered, as far as reported */
  struct {
    fs_t from;
    uint64_t left;
  } errors;
  unsigned n_limits;
  struct channel_limit limit[CHANNEL_LIMITS]; /* dram_limits.c */
  struct pch pch[2];
};

enum { M2M_EGRESS = 4 };
struct m2m {
  struct block *block;
  unsigned tile;
  struct slots pipe[4], acknowledge; /* by channel; the way of acknowledgements onto the mesh */
  struct holders reads[4], writes[4];
  fs_t egress[2][M2M_EGRESS], acks[M2M_EGRESS];
  fs_t egress_ne[2], writes_ne[2], acks_ne, acks_full, no_credit[2]; /* until when states were reported */
};

/* What waits at a link's mesh stop (m3upi.c): entries, each held until a time; until when states were reported. */
enum { LINK_CREDITS = 32, LINK_FLOW = 8, LINK_DIRECT = 8, LINK_TO_CHA = 16, LINK_TO_STACK = 4 };
struct link_stop {
  struct block *block, *link;
  fs_t shared[LINK_CREDITS], own[6], none[1], low[4], in_use, not_empty[7], direct_low[2], path, fifo;
  fs_t flow[3][LINK_FLOW], flow_ne[2][4], flow_low[3][4], write_backs, header, header_end, data_until;
  struct slots out[3];
  fs_t to_cha[LINK_TO_CHA], to_class[2], cha_none[3]; /* credits of CHAs: shared, for requests, for snoops */
  fs_t to_stack[6][LINK_TO_STACK], stack_none[6];
  uint32_t messages, pending_flits;
  bool data, ahead;
};

/* Errors on a link that have not happened yet (a scenario's). */
struct link_errors {
  fs_t from;
  uint64_t n;
};

struct link {
  struct block *block, *stop; /* stop: M3UPI; NULL: none */
  fs_t direct[LINK_DIRECT];   /* credits for data that memory sends straight to the link */
  struct link_stop queues;
  struct link_errors errors;
  fs_t last, saved;
  struct slots tx;
  fs_t nulls_until;
  uint64_t slots_sent, nulls_sent;
  unsigned tile;
  uint32_t rotate;
};

struct dma {
  struct dma_stream stream;
  fs_t next;
  fs_t step;
  uint64_t offset, base;
};
/* An I/O stack; stop, ring_port: its M2PCIe and IRP, NULL: none. Credits, each held until a time: to send data into the
 * stack (by class: DRS, NCB, NCS), and of peers, that stacks share and that are each peer's own (NCB, NCS). */
enum { UBOX_NUMBERS = 4 };
enum { FAF = 32, PORT_EGRESS = 4 }; /* reads in a ring port's queue */
enum { IO_CREDITS = 4, IO_DRS = 0, IO_NCB, IO_NCS, IO_CLASSES };
struct iio {
  struct block *block, *stop, *ring_port;
  struct slots port[8], answers;
  unsigned tile;
  uint32_t turn;
  fs_t credit[2][IO_CLASSES][IO_CREDITS], used[2][IO_CLASSES];
  fs_t shared[2][IO_CREDITS], reserved[MAX_STACKS][2][IO_CREDITS];
  fs_t data_shared[IO_CREDITS], data_reserved[MAX_LINKS][IO_CREDITS]; /* for data to the other socket */
  fs_t ingress[8], ingress_ne;                                        /* not empty until, by kind of message */
  fs_t faf[FAF], faf_full, egress[3][PORT_EGRESS], egress_full[3];
  uint32_t next_faf, next_egress[3];
  struct iommu *iommu; /* iommu.c */
};

/* A CXL link, behind the I/O stack of its number: CXLCM, CXLDP; NULL: none (cxl.c). */
struct cxl {
  struct block *block, *mesh;
  struct cxl_state *state;
  struct link_errors errors;
};

struct socket {
  unsigned index;
  struct cha cha[MAX_CHAS];
  struct cache llc;
  struct filter filter;
  struct channel channel[MAX_CHANNELS];
  struct m2m m2m[MAX_IMCS];
  struct link link[MAX_LINKS];
  struct iio iio[MAX_STACKS];
  struct slots ingress[MAX_TILES][2]; /* the way off the mesh at each tile: requests, data */
  uint8_t column[MAX_TILES], line[MAX_TILES];
  struct stops *stops;                   /* mesh_stops.h */
  uint8_t tile_at[MESH_SIDE][MESH_SIDE]; /* by line and column: tile + 1 */
  bool stops_observed;                   /* some counter counts what stops do */
  bool rejects_observed;                 /* ... what CHAs turn away */
  struct cha_rejects *rejects;           /* of each (reject.c) */
  bool write_caches_observed;            /* ... what waits in I/O ring ports */
  struct write_cache *write_cache;       /* of all of them (write_cache.c) */
  bool memory_observed;                  /* ... what waits in M2Ms */
  bool links_observed;                   /* ... what links and their stops do */
  struct cxl cxl[CXL_DEVICES];
  struct ahead *ahead; /* reads of memory ahead of the home agent; NULL: none (memory_prefetch.c) */
  struct block *pcu;
  /* busy: until when it has messages; full: until when its queue was, as far as reported; when each number is there */
  struct {
    struct block *block;
    fs_t busy, full, number[UBOX_NUMBERS];
  } ubox;
  unsigned active, limits; /* cores that run; limits of their clock in force */
  struct change clocking;  /* of that clock (pcu.c) */
  fs_t changing;           /* until when some change goes on; 0: none does */
  struct traffic_totals totals;
  struct snb *snb; /* snbep/uncore.h */
};

#endif
