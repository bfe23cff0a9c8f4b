/* SPDX-License-Identifier: MIT */
/*
 * The uncore of the E5-2600: a ring of stops, slices of an inclusive LLC (CBos), a home agent that snoops before it
 * answers, and two QPI links. Private to machine/snbep/.
 */
#ifndef MACHINE_SNBEP_UNCORE_H
#define MACHINE_SNBEP_UNCORE_H

#include "machine/snbep/attr.h"
#include "machine/common/request.h"

enum {
  SNB_CBOS = 8,
  SNB_LINKS = 2,
  SNB_STOPS = SNB_CBOS + 4,
  SNB_ROW = 16,
  SNB_CHANNELS = 4,
  SNB_AT_WORK = 32,
  SNB_TRACKED = 64,
  SNB_QUEUE = 96,
  SNB_INGRESS = 8,
  SNB_CBO_INGRESS = 20, /* the most that RxR_OCCUPANCY shows, Table 2-14 */
  SNB_IIO = 4,
  SNB_EGRESS = 4,
  SNB_CYCLES = 256,
  SNB_VNA = SNB_QUEUE,
  SNB_CLASSES = 6,
  SNB_AHEAD = 1024,
  SNB_SPANS = 64
};

enum snb_ring { SNB_AD, SNB_AK, SNB_BL, SNB_IV, SNB_RINGS };

/* Entries, each allocated for a time; `full`: end of the last reported interval in which all were allocated. reserved:
 * an entry that will be held at a later time is not free before it, so that never more entries are held than exist. */
struct snb_hold {
  fs_t from, until;
};
struct snb_queue {
  struct snb_hold *hold;
  fs_t full;
  uint8_t n, next;
  bool reserved;
};

/* A stop: its block, the code of its AD ring's use (AK, BL and IV follow), and whether up is counter-clockwise. Its
 * egress has a queue for each ring and direction. */
struct snb_stop {
  struct block *block;
  uint8_t code;
  bool right;
  fs_t ne[SNB_RINGS], held_back, full; /* full: when the last full queue has room again */
  fs_t scheduler_ne[SNB_RINGS][2];     /* of the home agent */
  struct snb_queue egress[SNB_RINGS][2];
  struct snb_hold waiting[SNB_RINGS][2][SNB_EGRESS];
  struct slots sink[SNB_RINGS]; /* of the tile's core, or of the I/O stop */
};

/* Bookings of the lanes in order of time; the first n are valid. */
struct snb_lane {
  unsigned n;
  struct {
    fs_t begin, end;
  } busy[SNB_SPANS];
};
/* A message's n flits: when the first begins at the sender and at the receiver, and how far apart they are. */
struct snb_train {
  fs_t at[2], step;
  uint32_t n;
};

struct snb_link {
  struct block *qpi, *r3;
  struct snb_lane tx;
  struct snb_queue ingress[2]; /* of its ring stop: address ring, data ring */
  struct snb_hold entered[2][SNB_INGRESS], lent[SNB_VNA];
  struct slots rx;
  struct snb_queue vna;                  /* the receiver's credits that all classes share */
  fs_t vn0[SNB_CLASSES];                 /* when each class's own credit returns */
  uint64_t flits_sent, idle_reported[2]; /* idle: by side, sending and receiving */
  struct snb_train ahead[SNB_AHEAD];     /* the most recent messages */
  unsigned next_ahead, n_later, later_room;
  struct snb_train *later; /* earlier messages that still have flits to come */
  fs_t rx_ne, tx_ne, vna_used, ingress_ne[SNB_CLASSES], no_ingress[2];
  fs_t busy_until, power_reported, power_arrived, lost_half_fs, damaged_from; /* power_arrived: at the receiver */
  fs_t io_until[3]; /* credits of the I/O stop, one per class: NCB, NCS, DRS */
  uint64_t damaged; /* messages that will be damaged in flight */
  bool no_egress;   /* the last received message waited for room at the ring */
};

/* A core's state, the time it began, the end of the last report, and the duration of its last sleep (UINT64_MAX:
 * none). */
enum snb_core_state { SNB_C0 = 1, SNB_C3, SNB_C6 }; /* values of occ_sel */
/* reported: end of the reported state; moved: end of the reported transition, which lasts until `moving`. */
struct snb_core {
  enum snb_core_state state;
  fs_t since, reported, slept_for, moved, moving;
};

struct snb_work {
  uint64_t line;
  fs_t done;
};

/* Additions of an E5-2600 socket to the shared parts. */
struct snbep_socket {
  struct socket base; /* first: snbep_socket() */
  struct io_stack device[MAX_STACKS];
  struct snb_stop stop[SNB_STOPS];
  /* By ring and direction: the slots of the last cycles that are taken at each stop. The entries that one message
   * touches, stop by stop and cycle by cycle, are close together in memory. */
  uint16_t taken[SNB_RINGS][2][SNB_CYCLES][SNB_ROW];
  unsigned stops, r2, r3, home; /* positions; r3: of link 0 */
  struct block *ha, *ubox;
  fs_t ubox_busy; /* end of the last message's processing */
  struct snb_link link[SNB_LINKS];
  struct slots ingress[SNB_STOPS][2];      /* off the ring at each stop: without and with data */
  struct holders cbo_ingress[SNB_CBOS][2]; /* a CBo's queues of requests and of probes */
  struct holders tracker, rpq[SNB_CHANNELS], wpq[SNB_CHANNELS];
  struct slots stack;   /* transfers from the I/O stop to the devices */
  struct snb_queue iio; /* the I/O stop's credits for lines */
  struct snb_hold lent[SNB_IIO];
  fs_t r2_ne[SNB_CLASSES], starved[SNB_CBOS][3];
  fs_t rpq_out[SNB_CHANNELS], wpq_out[SNB_CHANNELS], conflict_until;
  struct snb_work at_work[SNB_CBOS][SNB_AT_WORK], tracked[SNB_TRACKED]; /* lines with a request in progress */
  unsigned frequency;                                                   /* hundreds of MHz */
  struct {
    fs_t reported, until;
    fs_t bands; /* when the bands' levels last changed */
    bool up, lasts;
  } ramp;                         /* transition to `frequency`; reported: end of the last report */
  int held[CONDITION_DEVICE + 1]; /* conditions that last */
  uint64_t states;                /* of the power control unit, a bit per event */
  struct snb_core core[SNB_CBOS];
  fs_t some, shed;         /* ends of the last reports: C3 and C6 residency; phases shed */
  unsigned in[2];          /* cores in C3, in C6 */
  uint64_t *llc, set_mask; /* the slices' tags: cbo.c; set_mask and ways: of a slice */
  size_t llc_bytes;
  uint32_t ways;
};

/* The structure that a socket of this model begins; const if the socket is. */
#define snbep_socket(s)                                                                                                \
  _Generic((s), struct socket * : (struct snbep_socket *)(s), const struct socket * : (const struct snbep_socket *)(s))

/* ring.c: a message between two stops; `side`: the sender or the receiver is the core of the tile, not its cache
 * slice. Returns the arrival time. */
enum snb_side { SNB_CACHE, SNB_OF_CORE, SNB_TO_CORE };
struct snb_move {
  unsigned from, to;
  enum snb_ring ring;
  enum snb_side side;
  uint16_t tid;
};
void ring_init(struct traffic *t, struct socket *s, struct machine *m);
fs_t ring_send(struct traffic *t, struct socket *s, const struct snb_move *m, fs_t at);
/* Returns when each queue of a stop's egress has room. */
fs_t ring_room(const struct socket *s, unsigned stop, fs_t at);

/* qpi_lane.c: books the lanes at `at` or later; returns the start of the booking. */
fs_t snb_lane_take(struct snb_lane *l, fs_t at, fs_t duration);

/* credit_queue.c: a queue of n entries, up to SNB_QUEUE; `hold` is the storage of their intervals. */
void snb_queue_init(struct snb_queue *q, struct snb_hold *hold, unsigned n);
/* True if the next entry in round-robin order is free, which is the common case. */
static inline bool snb_queue_ready(const struct snb_queue *q, fs_t at)
{
  const struct snb_hold *h = &q->hold[q->next];
  return at >= h->until || (at < h->from && !q->reserved);
}
/* Allocates a free entry, or the one that is released first; then *at is the time of its release. */
unsigned snb_queue_find(struct snb_queue *q, fs_t *at);
static inline unsigned snb_queue_take(struct snb_queue *q, fs_t *at)
{
  const unsigned entry = snb_queue_ready(q, *at) ? q->next : snb_queue_find(q, at);
  q->next = (uint8_t)(entry + 1 == q->n ? 0 : entry + 1);
  return entry;
}
/* Sets the interval in which the entry is allocated. */
static inline void snb_queue_hold(struct snb_queue *q, unsigned entry, const fs_t span[2])
{
  q->hold[entry] = (struct snb_hold){span[0], span[1]};
}
/* Returns the first time, at `at` or later, at which n entries are free. */
fs_t snb_queue_room(const struct snb_queue *q, unsigned n, fs_t at);
/* True if all entries are allocated at `at`; ret_span becomes the part of that interval that was not reported
 * before. */
bool snb_queue_full(struct snb_queue *q, fs_t at, fs_t ret_span[2]);

static inline uint64_t *snb_set(const struct snbep_socket *n, unsigned cbo, uint64_t line)
{
  return n->llc + (cbo * (n->set_mask + 1) + (line & n->set_mask)) * n->ways;
}

/* snbep/uncore.c: the I/O stop receives a message of a class (RING_DRS ...); returns when the stack has accepted it. */
fs_t r2_receive(struct traffic *t, struct socket *s, uint8_t class, fs_t at);

/* cbo.c */
void cbo_request(struct traffic *t, const struct request *r, struct answer *a);
void cbo_evict(struct traffic *t, const struct request *r, enum line_state state);
void cbo_prefetch_tags(const struct traffic *t, unsigned socket, uint64_t line);
/* Result of a snoop: `done`: the CBo answers; `found`: the data are sent; `answers`: this socket supplies the line,
 * as its only or its forwarding copy. */
struct snb_snooped {
  fs_t done, found;
  bool had, modified, answers;
};
struct snb_snooped cbo_snoop(struct traffic *t, struct socket *s, const struct request *r, bool invalidate, fs_t at);

/* cbo_tor.c: a request's entry in the TOR, from its turn in the pipeline until it is answered. queue: the ingress queue
 * (CBO_IRQ ...); 0: a request of the CBo itself. */
struct cbo_entry {
  struct cha *cbo;
  fs_t accepted;
  uint32_t slot;
};
struct cbo_entry cbo_accept(struct traffic *t, struct socket *s, const struct request *r, uint64_t queue, fs_t arrived);
void cbo_release(struct traffic *t, struct socket *s, const struct cbo_entry *e, const struct request *r,
                 const struct answer *a);
/* Responses of the home agent, of links and of cores have their own queue before the pipeline and pass it as slowly as
 * requests do (guide 2.3.4.2, RxR_ISMQ_RETRY). cbo_response() returns when a response leaves the pipeline. A core's
 * answer and its data are one response; the completion of a write, for which nothing waits, is none.
 * cbo_response_again() reports that a response is retried. */
fs_t cbo_response(struct traffic *t, struct socket *s, const struct request *r, fs_t at);
void cbo_response_again(struct cha *cbo, const struct request *r, uint64_t reason, fs_t at);

/* home_agent.c: sends a miss of r->socket to the line's home; the times in the answer are those at the CBo and at the
 * requester's stop. */
void agent_request(struct traffic *t, const struct request *r, fs_t at, struct answer *a);
/* A full or partial line written to memory; `copies`: other caches may have copies, which are invalidated. */
struct snb_write {
  bool partial, copies;
};
void agent_write(struct traffic *t, const struct request *r, struct snb_write how, fs_t at);

/* qpi.c: sends a message from a stop over its socket's ring and the line's link; returns the time at which the other
 * side's R3QPI forwards it. `for_io`: its source or destination is a device. `cbo`, `retry`: the CBo that retries
 * when the link's stop has no credits, and its retry event. */
struct snb_packet {
  enum snb_class class;
  unsigned opcode, rds;
  bool data, for_io;
};
struct snb_trip {
  uint64_t line;
  unsigned from;
  enum snb_ring ring;
  struct snb_packet packet;
  uint16_t tid;
  uint8_t retry;
  struct block *cbo;
};
void qpi_init(struct traffic *t, struct socket *s, struct machine *m);
fs_t qpi_send(struct traffic *t, struct socket *s, const struct snb_trip *trip, fs_t at);
unsigned qpi_stop(const struct traffic *t, const struct socket *s, uint64_t line);

/* qpi_link.c: credits_take() returns when a message of n flits has credits, and in *c which ones (ring: the class at
 * the stop). credits_hold() allocates them for `span`. link_begin() returns when the message's flits begin on link
 * i. */
struct snb_credits {
  unsigned class;
  uint8_t ring;
  bool vn0;
};
fs_t credits_take(struct snb_link *l, struct snb_credits *c, uint32_t n, fs_t at);
void credits_hold(struct snb_link *l, const struct snb_credits *c, uint32_t n, const fs_t span[2]);
struct snb_train link_begin(struct traffic *t, struct socket *s, unsigned i, uint32_t n, fs_t at);
/* A flit counts at the end of the link's clock cycle in which it begins; link_counts() returns that time.
 * link_flits_left() returns the number of a message's flits on one side that have not counted by `until`. */
fs_t link_counts(const struct traffic *t, fs_t begin);
uint32_t link_flits_left(const struct traffic *t, const struct snb_train *m, unsigned side, fs_t until);
/* Keeps a sent message while its flits may come after the time to which the simulation has advanced. */
void link_keep(const struct traffic *t, struct snb_link *l, const struct snb_train *m);
void qpi_advance(struct traffic *t, struct socket *s, fs_t until);

/* noncoherent.c: a core's access to a device's registers; a stream of such accesses, or of peer-to-peer accesses. */
void noncoherent_request(struct traffic *t, const struct request *r, fs_t at, struct answer *a);
fs_t noncoherent_move(struct traffic *t, struct dma *d, fs_t at);

/* snbep/ubox.c: sends a stream's message to the UBox of its node, or locks the system; returns the completion time. */
fs_t ubox_system(struct traffic *t, struct dma *d, fs_t at);

/* snbep/pcu.c */
void snb_power_start(struct traffic *t, struct socket *s);
void snb_power_core(struct traffic *t, struct core *core, bool active, fs_t at);
void snb_power_advance(struct traffic *t, struct socket *s, fs_t until);
bool snb_condition(struct traffic *t, const struct traffic_condition *c, enum condition_step step, fs_t at);

/* Reports the part of `span` after *until, the end of the last reported interval. */
static inline void snb_state(struct block *b, uint8_t code, uint64_t attr, fs_t *until, const fs_t span[2])
{
  fs_t from = span[0] > *until ? span[0] : *until;
  if (span[1] <= from)
    return;
  block_span(b, code, attr, UINT16_MAX, from, span[1], 1);
  *until = span[1];
}

#endif
