/* SPDX-License-Identifier: MIT */
/*
 * The parts of a server as the files of this room share them. Private to the room.
 */
#ifndef MACHINE_TRAFFIC_STATE_H
#define MACHINE_TRAFFIC_STATE_H

#include "machine/emr/attr.h"
#include "machine/traffic/address.h"
#include "machine/traffic/cache.h"
#include "machine/traffic/fast.h"
#include "machine/traffic/slots.h"
#include "machine/traffic/totals.h"
#include "machine/traffic/traffic.h"

#define MAX_SOCKETS 2
#define MAX_CORES 64                          /* of a socket: a snoop filter entry is a word of 64 bits */
#define MAX_CHAS 64
#define MAX_IMCS 4
#define MAX_CHANNELS 8                        /* of a socket */
#define MAX_LINKS 4
#define MAX_STACKS 12
#define MAX_TILES (MAX_CHAS + MAX_IMCS + MAX_LINKS + MAX_STACKS)
#define MESH_SIDE 68u                       /* columns or lines, edges included */
#define MAX_QUEUE 64
#define RANKS 8
#define BANKS 256                             /* of a sub-channel: 8 ranks x 8 groups x 4 banks */
#define STREAMS 32u
#define TRANSLATIONS 2048u
enum { WALK_LEVELS = 4, LEVEL_BITS = 9 };    /* of page tables */

/* A prefetched or demanded line that is still on its way to an L2. */
struct on_way { uint64_t line; fs_t done; };

struct translation { uint64_t number, frame; struct page *page; };

struct stream { uint64_t page; int16_t last, ahead; int8_t direction; uint8_t hits; };

struct core {
  struct core_front front;
  unsigned socket, index, tile;
  struct cache l2;
  fs_t loads[16], stores[128];                /* when each fill buffer, each store buffer entry, is free */
  uint32_t next_load, next_store;
  struct holders mshr;
  struct { uint64_t instruction; fs_t done; } window[64];
  uint32_t window_first, window_n;
  fs_t window_fs;                             /* the least time that a window of instructions takes */
  struct on_way on_way[64];
  struct translation translation[TRANSLATIONS];
  struct stream streams[STREAMS];
  struct { uint64_t line, bytes; } combining[4];   /* write-combining buffers of non-temporal stores */
  uint32_t next_combining;
  uint64_t walked[WALK_LEVELS + 1];           /* of each level of page tables the entry used last, + 1 */
  uint16_t tid;
  bool active, missed;
  struct core_totals totals;
};

/* And who may have each line: the core's number beside its tag, or SEVERAL, and then a bit for each in `cores`. */
struct filter { struct cache tags; uint64_t *cores; size_t bytes; };

struct hitme { uint64_t line[256]; };

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

struct bank { uint32_t row; bool open; fs_t ready, precharge_ready, used; };

/* at: not reported before; since: in the queue. */
struct queued_write { uint64_t line; fs_t at, since; uint32_t row, holder; uint8_t bank; };

/* Why writes are given: enough have come together, there is nothing else to do, or some have waited too long. */
enum drain { DRAIN_PREFERRED, DRAIN_IDLE, DRAIN_STARVED };
/* The end of a drain whose next mode is not known yet: when (0: none), in which of the drains; and until when reads
 * that it had kept waiting too long were preferred to everything. */
struct mode_end { fs_t at, starved; enum drain of; };

struct pch {
  _Alignas(HOST_LINE) uint32_t n_writes;
  enum drain drain;
  fs_t last, write_from, write_until;
  struct { fs_t accepted, column; } slowest;         /* of the reads so far, the one that is given last */
  fs_t rpq_ne, rdb_ne, wpq_ne, rpq_full, wpq_full;   /* not empty, full, until */
  fs_t refresh[RANKS];                        /* next, of each rank */
  uint32_t n_open[RANKS], refreshed;          /* refreshed: a bit for each rank that nobody has asked since */
  fs_t activates[RANKS][4];                   /* last four of each rank */
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
struct channel_limit { fs_t from, until; uint32_t ranks; bool critical; };

struct channel {
  struct block *block, *free_block;
  fs_t busy_until, down_until, on_until;      /* column commands so far; powered down, powered, as far as reported */
  struct { fs_t from; uint64_t left; } errors;
  unsigned n_limits;
  struct channel_limit limit[CHANNEL_LIMITS]; /* limits.c */
  struct pch pch[2];
};

enum { M2M_EGRESS = 4 };
struct m2m {
  struct block *block;
  unsigned tile;
  struct slots pipe[4], acknowledge;          /* by channel; the way of acknowledgements onto the mesh */
  struct holders reads[4], writes[4];
  fs_t egress[2][M2M_EGRESS], acks[M2M_EGRESS];
  fs_t egress_ne[2], writes_ne[2], acks_ne, acks_full, no_credit[2];      /* until when states were reported */
};

/* What waits at a link's mesh stop (link_stop.c): entries, each held until a time; until when states were reported. */
enum { LINK_CREDITS = 32, LINK_FLOW = 8, LINK_DIRECT = 8, LINK_TO_CHA = 16, LINK_TO_STACK = 4 };
struct link_stop {
  struct block *block, *link;
  fs_t shared[LINK_CREDITS], own[6], none[1], low[4], in_use, not_empty[7], direct_low[2], path, fifo;
  fs_t flow[3][LINK_FLOW], flow_ne[2][4], flow_low[3][4], write_backs, header, header_end, data_until;
  struct slots out[3];
  fs_t to_cha[LINK_TO_CHA], to_class[2], cha_none[3];   /* credits of CHAs: shared, for requests, for snoops */
  fs_t to_stack[6][LINK_TO_STACK], stack_none[6];
  uint32_t messages, owed;
  bool data, ahead;
};

/* Errors on a link that have not happened yet (a scenario's). */
struct link_errors { fs_t from; uint64_t n; };

struct link { struct block *block, *stop;  /* stop: M3UPI; NULL: none */
              fs_t direct[LINK_DIRECT];     /* credits for data that memory sends straight to the link */
              struct link_stop queues; struct link_errors errors; fs_t last, saved;
              struct slots tx; fs_t nulls_until; uint64_t slots_sent, nulls_sent; unsigned tile;
              uint32_t rotate; };

struct dma { struct dma_stream stream; fs_t next; fs_t step; uint64_t offset, base; };
/* An I/O stack; stop, ring_port: its M2PCIe and IRP, NULL: none. Credits, each held until a time: to send data into the
 * stack (by class: DRS, NCB, NCS), and of peers, that stacks share and that are each peer's own (NCB, NCS). */
enum { UBOX_NUMBERS = 4 };
enum { FAF = 32, PORT_EGRESS = 4 };                        /* reads in a ring port's queue */
enum { IO_CREDITS = 4, IO_DRS = 0, IO_NCB, IO_NCS, IO_CLASSES };
struct iio {
  struct block *block, *stop, *ring_port;
  struct slots port[8], answers;
  unsigned tile;
  uint32_t turn;
  fs_t credit[2][IO_CLASSES][IO_CREDITS], used[2][IO_CLASSES];
  fs_t shared[2][IO_CREDITS], reserved[MAX_STACKS][2][IO_CREDITS];
  fs_t data_shared[IO_CREDITS], data_reserved[MAX_LINKS][IO_CREDITS];     /* for data to the other socket */
  fs_t ingress[8], ingress_ne;             /* not empty until, by kind of message */
  fs_t faf[FAF], faf_full, egress[3][PORT_EGRESS], egress_full[3];
  uint32_t next_faf, next_egress[3];
  struct iommu *iommu;                     /* iommu.c */
};

/* A CXL link, behind the I/O stack of its number: CXLCM, CXLDP; NULL: none (cxl.c). */
struct cxl { struct block *block, *mesh; struct cxl_state *state; struct link_errors errors; };

struct socket {
  unsigned index;
  struct cha cha[MAX_CHAS];
  struct cache llc;
  struct filter filter;
  struct channel channel[MAX_CHANNELS];
  struct m2m m2m[MAX_IMCS];
  struct link link[MAX_LINKS];
  struct iio iio[MAX_STACKS];
  struct slots ingress[MAX_TILES][2];         /* the way off the mesh at each tile: requests, data */
  uint8_t column[MAX_TILES], line[MAX_TILES];
  struct stops *stops;                        /* stops.h */
  uint8_t tile_at[MESH_SIDE][MESH_SIDE];      /* by line and column: tile + 1 */
  bool stops_heard;                           /* some counter counts what stops do */
  bool rejects_heard;                         /* ... what CHAs turn away */
  struct cha_rejects *rejects;                /* of each (reject.c) */
  bool write_caches_heard;                    /* ... what waits in I/O ring ports */
  struct write_cache *write_cache;            /* of all of them (write_cache.c) */
  bool memory_heard;                          /* ... what waits in M2Ms */
  bool links_heard;                           /* ... what links and their stops do */
  struct cxl cxl[CXL_DEVICES];
  struct ahead *ahead;                        /* reads of memory ahead of the home agent; NULL: none (ahead.c) */
  struct block *pcu;
  /* busy: until when it has messages; full: until when its queue was, as far as reported; when each number is there */
  struct { struct block *block; fs_t busy, full, number[UBOX_NUMBERS]; } ubox;
  unsigned active, limits;                    /* cores that run; limits of their clock in force */
  struct traffic_totals totals;
  struct snb *snb;                             /* snb.h */
};

/* Times in femtoseconds, worked out once. */
struct timing {
  uint32_t uclk, core, hop, enter, cha_pipe, m2m_pipe, dclk, burst, slot, flit;
  fs_t l2, dram_pipe, cl, rcd, rp, ras, rtp, wr, rfc, refi, faw, wtr, idle, flight, wc_age;
};

/* What happens in a memory channel; how the platform calls it is in its table. */
enum memory_event {
  MEM_ACT_READ, MEM_ACT_WRITE, MEM_ACT_UNDERFILL, MEM_PRE_READ, MEM_PRE_WRITE, MEM_PRE_UNDERFILL, MEM_PRE_IDLE,
  MEM_PRE_ALL, MEM_REFRESH, MEM_CAS_READ, MEM_CAS_READ_PRE, MEM_CAS_WRITE, MEM_CAS_WRITE_PRE, MEM_CAS_READ_LEN,
  MEM_CAS_WRITE_LEN, MEM_CAS_UNDERFILL_LEN, MEM_CAS_UNDERFILL_PRE, MEM_CAS_READ_RMM, MEM_CAS_READ_WMM,
  MEM_CAS_WRITE_RMM, MEM_CAS_WRITE_WMM, MEM_RPQ_INSERTS, MEM_RPQ_OCCUPANCY, MEM_RPQ_NE, MEM_RPQ_FULL, MEM_RDB_INSERTS,
  MEM_RDB_OCCUPANCY, MEM_RDB_NE, MEM_WPQ_INSERTS, MEM_WPQ_OCCUPANCY, MEM_WPQ_NE, MEM_WPQ_FULL, MEM_WPQ_READ_HIT,
  MEM_WPQ_WRITE_HIT, MEM_TO_WRITE_MODE, MEM_TO_READ_MODE, MEM_CAS_UNDERFILL, MEM_CAS_WRITE_IDLE, MEM_REFRESH_PANIC,
  MEM_PARTIAL_MODE, MEM_ISOCH_MODE, MEM_ECC, MEM_DLL_OFF, MEM_READ_PAST_READ, MEM_READ_PAST_WRITE, MEM_SELF_REFRESH,
  MEM_THROTTLE, MEM_CRITICAL, MEM_READ_MODE, MEM_WRITE_MODE, MEM_POWER_DOWN, MEM_CKE_DOWN, MEM_CKE_ON,
  /* by enum urgency: one behind the other */
  MEM_ACT_READ_PRIO, MEM_ACT_WRITE_PRIO = MEM_ACT_READ_PRIO + 3, MEM_CAS_READ_PRIO = MEM_ACT_WRITE_PRIO + 3,
  MEM_CAS_WRITE_PRIO = MEM_CAS_READ_PRIO + 3,
  /* by enum importance */
  MEM_RPQ_PRIO = MEM_CAS_WRITE_PRIO + 3, MEM_WPQ_PRIO = MEM_RPQ_PRIO + 4,
  MEM_MINOR_READ = MEM_WPQ_PRIO + 4, MEM_MINOR_WRITE, MEM_READS_STARVED_MODE, MEM_WRITES_STARVED_MODE,
  /* changes of mode that starving makes: of reads (SR) or of writes (SW), from and to those preferred (PR, PW) */
  MEM_PR_TO_SW, MEM_SW_TO_PR, MEM_SW_TO_PW, MEM_SR_TO_PR, MEM_SR_TO_PW, MEM_PW_TO_SR, MEM_MODE_ALONE,
  MEM_READ_PUT_OFF, MEM_WRITE_PUT_OFF, MEM_ACTIVATE_PUT_OFF, MEM_READ_PUSHED_OUT, MEM_WRITE_PUSHED_OUT, MEMORY_EVENTS
};
/* How the scheduler of a memory channel sees a request: critical are a read of a line that waits to be written, and
 * that write; starved is what has waited too long. And how important it is to who sent it. */
enum urgency { URGENCY_NORMAL, URGENCY_CRITICAL, URGENCY_STARVED };
enum importance { IMPORTANCE_LOW, IMPORTANCE_MEDIUM, IMPORTANCE_HIGH, IMPORTANCE_CRITICAL };
struct event_name { bool told; uint8_t code; uint64_t attr; };      /* not told: the platform has no such event */

struct request;
struct answer;

/*
 * What stands between the cores' second levels and memory, one of these a platform: cores, devices and memory channels
 * are the same for all, and what they report to has the platform's own names.
 */
enum condition_step { CONDITION_POSSIBLE, CONDITION_BEGINS, CONDITION_ENDS };

struct uncore {
  int (*init)(struct traffic *t, struct socket *s, struct machine *m);     /* blocks, tiles, caches; PMON_E_MEMORY */
  void (*start)(struct traffic *t, struct socket *s);                      /* after the cores: states at time 0 */
  void (*fini)(struct socket *s);
  void (*request)(struct traffic *t, const struct request *r, struct answer *ret_answer);
  void (*evict)(struct traffic *t, const struct request *r, enum line_state state);  /* a line that leaves an L2 */
  void (*ask_ahead)(const struct traffic *t, unsigned socket, uint64_t line);        /* into the host's caches */
  /* A device's access, of a line or a part of one, when it has been answered. */
  void (*device)(struct traffic *t, const struct dma *d, const struct request *r, const struct answer *a);
  fs_t (*other)(struct traffic *t, struct dma *d, fs_t at);         /* any other thing than memory */
  void (*core_active)(struct traffic *t, struct core *c, bool active, fs_t at);
  void (*advance)(struct traffic *t, struct socket *s, fs_t until);
  const struct event_name (*memory)[2];                                    /* by sub-channel */
  unsigned tid_shift;                                                      /* of a core's number in a thread's */
  /* Something comes over a socket or ends; whether the platform has it. NULL: it has none. */
  bool (*condition)(struct traffic *t, const struct traffic_condition *c, enum condition_step step, fs_t at);
  unsigned actions;                                                        /* of devices: 1 << enum device_action */
  unsigned messages;                                                 /* the first of enum system_message it has not */
};
/* What traffic_condition_add() was told, and how far it has come. */
struct pending_condition { struct traffic_condition of; bool begun, ended; };
void conditions_run(struct traffic *t, fs_t until);

extern const struct uncore emr_uncore, snbep_uncore;

struct traffic {
  struct traffic_front front;                 /* first: fast.h sees it */
  const struct uncore *uncore;
  struct machine_config config;
  struct timing time;
  struct address_map map;
  struct core *core;                          /* of all sockets */
  struct core_front *fronts[MAX_SOCKETS * MAX_CORES];
  unsigned n_cores, sockets, cores, chas, imcs, channels, subs, links, stacks, half;
  uint32_t sf_sets, sf_ways, window, mlp, stores, degree, ahead;
  bool prefetch, fill, closed;
  bool code_ahead, optimized, walks;          /* how cores ask (Emerald Rapids) */
  struct socket *socket[MAX_SOCKETS];
  struct dma *dma;
  unsigned n_dma;
  struct pending_condition *condition;
  unsigned n_conditions;
  fs_t next_condition;                        /* when the next one begins or ends */
  fs_t next_dma, reached, seen;               /* seen: latest time anything was worked out for */
  bool in_dma;
  uint64_t *l1_recent;                        /* of all cores' first levels */
  struct first_set *l1_sets;
  struct cache l2;                            /* of all cores, a bank each */
  uint64_t n_l1_sets;
  struct block_head absent;                   /* stands in for a block that the machine has not */
};

/* The block of that name; what stands for it where the machine has none. */
struct block *traffic_block_find(struct traffic *t, struct machine *m, const struct socket *s, const char *unit,
                                 unsigned i);

/* A message's ring: requests, data, acknowledgements, snoops of cores, acknowledgements that give a credit back. And
 * whether the core of a tile sends it, not the CHA; and whether its receiver asked for it. */
enum mesh_kind { MESH_AD, MESH_BL, MESH_AK, MESH_IV, MESH_AKC, MESH_RING = 7, MESH_OF_CORE = 8, MESH_AWAITED = 16 };

/* stops.c: what is seen of a message at the mesh stops that it passes. PMON_E_MEMORY. */
struct mesh_way { unsigned from, to, kind; fs_t at; };
int stops_init(struct traffic *t, struct socket *s, struct machine *m);
void stops_fini(struct socket *s);
void stops_report(const struct traffic *t, struct socket *s, const struct mesh_way *way);

/* mesh.c; messages are sent by mesh.h. */
void mesh_init(struct traffic *t, struct socket *s);

/* A message that nothing waits for: only stops see it. */
static inline void mesh_tell(const struct traffic *t, struct socket *s, const struct mesh_way *way)
{
  if (s->stops_heard)
    stops_report(t, s, way);
}

/* A core's or a device's request at a CHA. */
struct request {
  uint64_t line;
  struct page *page;
  unsigned socket, tile, core;     /* core: of its socket; MAX_CORES: none */
  unsigned cha, home;              /* that the line belongs to: CHA in any socket, and socket */
  uint16_t tid;
  enum tor_op op;
  fs_t at;
};
/* done: the data are at the request's tile; released: its CHA has nothing more to do with it. */
struct answer { fs_t done, released; enum line_state state; bool missed; };

/* keep.c: a line that its core writes back or hands on, and keeps; when that is done. */
fs_t cha_keep(struct traffic *t, const struct request *r);
/* cha.c: a request from the socket itself, to the answer's arrival at its tile. */
void cha_request(struct traffic *t, const struct request *r, struct answer *ret_answer);
/* A line that leaves a core's L2; llc.c puts it into the LLC. */
void cha_evict(struct traffic *t, const struct request *r, enum line_state state);
struct cha_entry { struct cha *cha; fs_t accepted; uint32_t slot; };
struct cha_entry cha_accept(struct traffic *t, struct socket *s, const struct request *r, fs_t arrived);
void cha_release(struct traffic *t, struct socket *s, const struct cha_entry *e, const struct request *r, fs_t done,
                 bool missed);
void cha_lookup_report(struct socket *s, const struct cha_entry *e, const struct request *r, uint64_t state);
struct op_facts { uint16_t opcode; uint64_t queue, ingress, lookup; bool owns, reads, code; };
const struct op_facts *op_facts(enum tor_op op);
bool request_remote(const struct request *r);
/* Fills in cha and home by line and page. */
void request_place(const struct traffic *t, struct request *r);

/* home.c: what a miss of socket r->socket asks of the line's home; `at` and the answer at the requester's CHA, the
 * data's time at r->tile. */
void home_request(struct traffic *t, const struct request *r, unsigned cha, fs_t at, struct answer *ret_answer);
void home_write(struct traffic *t, const struct request *r, unsigned cha, bool partial, fs_t at);

/* snoop.c: what the other socket has of a line; whether it was modified there, its answer's time at the home CHA. */
struct snoop_answer { fs_t done; bool had, modified; };
struct snooping { unsigned home; bool invalidate, broadcast; };       /* home: the CHA that asks */
struct snoop_answer snoop_socket(struct traffic *t, const struct request *r, const struct snooping *how, fs_t at);

/* m2m.c; times at the M2M's own tile */
bool m2m_heard(const struct m2m *m);
fs_t m2m_read(struct traffic *t, struct socket *s, const struct request *r, const struct dram_place *place, fs_t at);
struct memory_write { const struct request *r; const struct dram_place *place; bool partial; };
fs_t m2m_write(struct traffic *t, struct socket *s, const struct memory_write *w, fs_t at);

/* ahead.c. PMON_E_MEMORY */
int ahead_init(const struct traffic *t, struct socket *s);
void ahead_fini(struct socket *s);
/* A core's request that has missed its second level. */
void ahead_ask(struct traffic *t, struct socket *s, const struct request *r);
/* The home agent's read or write at the M2M: whether a read has been asked for already, and then when its data are
 * there; a read that was not; a write. */
struct ahead_read { uint64_t line; const struct dram_place *place; };
bool ahead_take(struct traffic *t, struct socket *s, const struct ahead_read *r, fs_t at, fs_t *ret_data);
void ahead_reads(struct socket *s, const struct ahead_read *r, const fs_t span[2]);
void ahead_writes(struct socket *s, const struct ahead_read *r, fs_t at);
void ahead_advance(const struct traffic *t, struct socket *s, fs_t until);

/* dram.c */
struct dram_access {
  struct channel *channel;
  unsigned pch;
  uint32_t row;
  uint8_t bank;
  bool write, underfill;
  enum urgency urgency;
  fs_t at;
};
void dram_init(struct traffic *t, struct socket *s);
struct dram_request { uint64_t line; const struct dram_place *place; enum importance importance; };
fs_t dram_read(struct traffic *t, struct socket *s, const struct dram_request *r, fs_t at);
/* Returns when the queue takes the write. */
fs_t dram_write(struct traffic *t, struct socket *s, const struct dram_request *r, fs_t at);
/* The read of a line of which a write fills a part only: it gives way to others, but not for ever. Returns when the
 * whole line can be written. */
fs_t dram_underfill(struct traffic *t, struct socket *s, const struct dram_place *place, fs_t at);
/* writes.c */
/* Gives the write of an entry out of turn; when a read may follow. */
fs_t writes_force(struct traffic *t, struct socket *s, const struct dram_access *place, uint32_t entry);
/* Writes that have waited too long by `at` go first. */
void writes_starved(struct traffic *t, struct socket *s, struct channel *c, unsigned pch, fs_t at);
/* Of a drain that is over by `at`: in which mode the channel went on. */
void modes_settle(const struct traffic *t, struct channel *c, unsigned pch, fs_t at);
/* A read that a drain has kept waiting too long, with its column command. */
void modes_starved(struct traffic *t, struct channel *c, unsigned pch, fs_t column);
/* A major mode other than reading. */
void mode_pass(struct traffic *t, struct channel *c, unsigned pch, enum memory_event mode, const fs_t span[2]);
void writes_drain(struct traffic *t, struct socket *s, struct channel *c, unsigned p, uint32_t leave, fs_t at);
/* Reports how full the queue was up to `until`, before which nothing leaves it any more. */
void writes_pass(struct traffic *t, struct channel *c, unsigned p, fs_t until);
/* When a sleeping channel is awake for an access at `at`. */
fs_t power_wake(const struct traffic *t, const struct channel *c, fs_t at);
/* Whether it refreshes itself then, if nobody uses it. */
bool power_self_refresh(const struct traffic *t, const struct channel *c, fs_t at);
/* limits.c: when an access of that rank may go on. */
fs_t limits_pass(const struct channel *c, unsigned rank, fs_t at);
/* power.c: a channel that nobody uses is powered down until `at`, when it is used or asked about. */
void power_pass(struct traffic *t, struct channel *c, fs_t at);
void dram_advance(struct traffic *t, struct socket *s, fs_t until);
void writes_idle(struct traffic *t, struct socket *s, struct channel *c, unsigned p, fs_t until);
/* bank.c: the command sequence of one access; when its data begin on the bus. */

fs_t bank_access(struct traffic *t, struct socket *s, const struct dram_access *a);
void bank_refresh(struct traffic *t, struct socket *s, struct channel *c, unsigned p, fs_t until);
void bank_idle(struct traffic *t, struct socket *s, struct channel *c, unsigned p, fs_t until);

/* upi.c: one message from socket `from` to the other; its time at the other side's link tile. */
enum upi_class {
  MESSAGE_REQ = UPI_REQ,
  MESSAGE_SNP = UPI_SNP,
  MESSAGE_RSP2 = UPI_RSP2,
  MESSAGE_RSP4 = UPI_RSP4,
  MESSAGE_WB = UPI_WB,
  MESSAGE_NCB = UPI_NCB,
  MESSAGE_NCS = UPI_NCS
};
/* UPI_DIRECT: in an opcode, of data that memory sends past the CHA. */
#define UPI_DIRECT 0x10u
fs_t upi_send(struct traffic *t, unsigned from, uint64_t line, enum upi_class class, unsigned opcode, fs_t at);
/* Whether it has half of its lanes off, or all. */
bool link_sleeps(const struct link *l, fs_t at);
unsigned upi_of(const struct traffic *t, uint64_t line);
void upi_advance(struct traffic *t, struct socket *s, fs_t until);

/* A request that is not for memory takes its place in the TOR of the CHA that its address belongs to. */
struct cha_entry cha_pass(struct traffic *t, struct socket *s, struct request *r);
/* peer.c: device to device; outbound.c: a core's access of a device; when it has been answered. iio.c: what enters a
 * stack's mesh stop (bit of Table RxC_INSERTS), until the stack has it. */
fs_t peer_move(struct traffic *t, struct dma *d, fs_t at);
fs_t outbound_move(struct traffic *t, struct dma *d, fs_t at);
/* A line of the host's memory that is a CXL device's (number from 1 as address_device() has it), read for a CHA or
 * written by it: when the data leave the device's stack, and where that is. */
struct fetched { fs_t left; unsigned tile; };
struct fetched cxl_fetch(struct traffic *t, struct socket *s, unsigned device, unsigned from_tile, fs_t at);
void cxl_store(struct traffic *t, struct socket *s, unsigned device, unsigned from_tile, fs_t at);
fs_t cxl_memory_move(struct traffic *t, struct dma *d, fs_t at);
fs_t cxl_cache_move(struct traffic *t, struct dma *d, fs_t at);
void cxl_fini(struct socket *s);
fs_t message_move(struct traffic *t, struct dma *d, fs_t at);
void egress_keep(struct iio *iio, unsigned class, fs_t from, fs_t to);
void stack_ingress(struct iio *iio, unsigned kind, fs_t from, fs_t to);
fs_t stack_credit(struct iio *iio, unsigned class, fs_t at, fs_t busy);
/* One of a few entries that are held until a time: the first to be free, and from when. */
unsigned few_take(const fs_t *until, unsigned n, fs_t *at);
/* stack_ack.c: an acknowledgement on the AK ring, by kind (Table 2-365), from a stack to a tile of its socket; the
 * answer to what came over a link, and the credit for it, to the link's tile. */
enum { STACK_CREDIT = 0x01, STACK_RESPONSE = 0x02, STACK_GRANT = 0x04, STACK_CXL = 0x08, STACK_CXL_MEMORY = 0x20 };
struct stack_ack { struct socket *s; const struct iio *iio; unsigned kind, to; uint64_t line; };
void stack_acknowledge(const struct traffic *t, const struct stack_ack *a, fs_t at);
void stack_answer(const struct traffic *t, const struct stack_ack *a, fs_t at);
/* The non-coherent message from one stack, link or CHA to another; when it is there. */
struct io_way { struct socket *from, *to; unsigned from_tile, to_tile; uint64_t line; bool posted; };
fs_t io_send(struct traffic *t, const struct io_way *w, fs_t at);

/* iommu.c: when a device's address has been translated; its page forgotten; an interrupt's goal found. */
fs_t iommu_translate(struct traffic *t, const struct dma *d, uint64_t byte, fs_t at);
void iommu_unmap(struct traffic *t, const struct dma *d, uint64_t byte, fs_t at);
void iommu_fini(struct iio *iio);
fs_t iommu_interrupt(struct traffic *t, const struct dma *d, fs_t at);
/* write_cache.c: a CHA asks for a line that an I/O ring port may own; a device's request at its port. */
struct device_use { uint64_t line; bool write, atomic; fs_t at, done; };
void write_cache_asked(const struct traffic *t, struct socket *s, const struct request *r, fs_t at);
void write_cache_used(const struct traffic *t, struct socket *s, struct iio *iio, const struct device_use *u);
bool write_caches_heard(const struct traffic *t, const struct socket *s);
/* ubox.c: a message (bit of Table EVENT_MSG) that reaches the UBox; when it has been dealt with. */
fs_t ubox_message(struct traffic *t, struct socket *s, unsigned kind, fs_t at);
fs_t system_move(struct traffic *t, struct dma *d, fs_t at);
void ubox_advance(struct traffic *t, struct socket *s, fs_t until);

/* iio.c */
void iio_run(struct traffic *t, fs_t until);
void iio_report(struct traffic *t, const struct dma *d, const struct request *r, const struct answer *a);
/* pcu.c */
void pcu_init(struct traffic *t, struct socket *s);
bool emr_condition(struct traffic *t, const struct traffic_condition *c, enum condition_step step, fs_t at);
/* Heat, power and errors at memory channels (snb_power.c). */
bool channels_limit(struct traffic *t, const struct traffic_condition *c, enum condition_step step);
void pcu_core(struct traffic *t, struct core *c, bool active, fs_t at);
/* expect.c: a line that will leave its second level (0: none) is asked from the host's memory as far as that counts. */
void leaving_ask(const struct traffic *t, const struct core *c, uint64_t line);
/* core.c, prefetch.c */
void core_init(struct traffic *t, struct core *c, unsigned number);
fs_t core_l2(struct traffic *t, struct core *c, uint64_t line, struct page *page, enum tor_op op, fs_t at);
/* Asks for a line that L2 has not, or not for writing; when the data are there. */
fs_t core_l2_miss(struct traffic *t, struct core *c, struct request *r, uint64_t flags);
bool core_drop(struct traffic *t, struct core *c, uint64_t line, bool invalidate);   /* whether it was modified */
/* A virtual line's physical one and its page; false: no memory for a new page. */
bool core_translate(struct traffic *t, struct core *c, uint64_t line, uint64_t *ret_line, struct page **ret_page);
/* Takes a physical line from a core's first levels, or leaves it there for reading only. */
void core_front_drop(struct traffic *t, struct core *c, uint64_t line, bool invalidate);
/* uncached.c: a non-temporal store within a line; what is left of such; a line flushed from everywhere. */
void core_stream(struct traffic *t, struct core *c, uint64_t va, uint32_t size);
void core_sleep(struct traffic *t, struct core *c, fs_t duration);
void core_stream_end(struct traffic *t, struct core *c);
void core_flush(struct traffic *t, struct core *c, uint64_t virtual);
/* line_act.c: what instructions do with whole lines; a page whose translation is missing. */
void core_line(struct traffic *t, struct core *c, uint64_t va, uint32_t act);
void core_walk(struct traffic *t, struct core *c, uint64_t page);
/* The line behind missing code. */
void prefetch_code(struct traffic *t, struct core *c, uint64_t line, struct page *page);
void prefetch_train(struct traffic *t, struct core *c, uint64_t line, struct page *page, bool store);
/* Whether the line lies behind what has been asked for in its page, so that its tags were looked up not long ago. */
bool prefetch_covers(const struct core *c, uint64_t line);

static inline bool mem_told(const struct traffic *t, enum memory_event e) { return t->uncore->memory[e][0].told; }

static inline void mem_pulses(const struct traffic *t, struct channel *c, enum memory_event e, unsigned pch, fs_t at,
                              uint32_t n)
{
  const struct event_name *name = &t->uncore->memory[e][pch];
  if (name->told)
    block_pulse(c->block, name->code, name->attr, 0, at, n);
}

static inline void mem_pulse(const struct traffic *t, struct channel *c, enum memory_event e, unsigned pch, fs_t at)
{
  mem_pulses(t, c, e, pch, at, 1);
}

static inline void mem_span(struct channel *c, const struct event_name *name, fs_t from, fs_t to)
{
  if (name->told)
    block_span(c->block, name->code, name->attr, 0, from, to, 1);
}

static inline void level_set(struct traffic *t, struct block *b, uint8_t code, uint64_t attr, fs_t at, uint32_t level)
{
  if (b != (struct block *)(void *)&t->absent)
    block_level_set(b, code, attr, at, level);
}

#endif
