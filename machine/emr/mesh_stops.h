/* SPDX-License-Identifier: MIT */
/*
 * Mesh stops (guide 2.1) and their queues. Waiting times at stops are simulated apart from the traffic, and only while
 * a counter observes a stop. The travel time of a message is always that of mesh_send() (mesh.c), so observation does
 * not change it.
 */
#ifndef MACHINE_EMR_MESH_STOPS_H
#define MACHINE_EMR_MESH_STOPS_H

#include "machine/common/slots.h"
#include "machine/emr/socket.h"

/* Ring classes as the events number them (Tables 2-59 to 2-71). */
enum stop_class { STOP_AD, STOP_AK, STOP_BL, STOP_IV, STOP_AKC, STOP_TGC, STOP_CLASSES };
enum { STOP_DEPTH = 8, STOP_ROWS = 16, STOP_AGENTS = 2, STOP_KINDS = 8, STOP_PLACES = 208 };

/* A queue of which callers use the first `n` of STOP_DEPTH entries. until: when each entry becomes free. not_empty,
 * full: end of the reported intervals of these states. */
struct stop_queue {
  fs_t until[STOP_DEPTH], not_empty, full;
};

struct stop {
  struct block *block;
  uint64_t mesh; /* extra bit of the unit's controls in mesh events: M2M's */
  uint32_t turn; /* selects the agent: messages alternate */
  struct stop_queue vertical[STOP_AGENTS][STOP_CLASSES], horizontal[STOP_KINDS], ingress[STOP_KINDS];
  struct stop_queue credits[STOP_AGENTS][2][STOP_ROWS]; /* of transgresses, AD and BL */
  struct slots sink[2][STOP_CLASSES];                   /* where a message leaves the ring */
  struct slots port;                                    /* into the horizontal egress */
};

/* A message's pass through a queue: it requests the queue at `at` and may leave at `leave`. */
struct stop_pass {
  struct stop *stop;
  unsigned class, agent, kind;
  fs_t at, leave, cycle;
};

/* mesh_stop_queue.c: pass an egress queue onto a ring; return when the message leaves the queue. */
fs_t stop_egress_vertical(const struct stop_pass *p);
fs_t stop_egress_horizontal(const struct stop_pass *p);
/* Passes the transgress ingress into the horizontal egress; returns the arrival there. */
fs_t stop_ingress(const struct stop_pass *p);
/* A credit for the transgress of a row. at: when the agent has it. It is held until the time that stop_credit_return()
 * is given. */
struct stop_credit {
  fs_t at;
  struct stop_queue *of;
  unsigned entry;
};
struct stop_credit stop_credit_take(const struct stop_pass *p, unsigned row);
void stop_credit_return(const struct stop_pass *p, unsigned row, const struct stop_credit *c, fs_t at);
/* Takes the message off the ring at its destination. */
void stop_sink(const struct stop_pass *p, bool horizontal);

/* die_bridge.c */
enum { BRIDGES = 14, BRIDGE_ENTRIES = 4 };
struct bridge {
  struct block *block;
  struct slots lane[2][STOP_CLASSES];
  fs_t entry[2][STOP_CLASSES][BRIDGE_ENTRIES];
};
struct bridge_way {
  struct bridge *bridge;
  unsigned class, kind;
  bool backwards;
  fs_t at;
  uint32_t n, cycle;
};
void bridge_cross(const struct bridge_way *w);

/* The rings of one class and direction, of all columns or all rows (slots.h). The places of a column or row are
 * adjacent, so that one message's bookings are close together. Order of the buckets: the first of all places, the
 * second of all places, and so on. */
struct stop_lane {
  struct slots_run run[STOP_PLACES];
  uint64_t bucket[SLOTS_BUCKETS * STOP_PLACES];
};

/* What a stop's `block` and `mesh` will be. */
struct stop_unit {
  struct block *block;
  uint64_t mesh;
};

/* A socket's stops and the rings between them. Stops and bridges get their blocks from `unit` and `bridge_block` when a
 * counter first observes one of them: without this, they take none of the host's memory. */
struct stops {
  struct stop_unit unit[MAX_TILES];
  struct block *bridge_block[BRIDGES];
  struct stop stop[MAX_TILES];               /* of each tile */
  struct bridge bridge[BRIDGES];             /* between the dies */
  struct stop_lane lane[2][2][STOP_CLASSES]; /* vertical, horizontal; up or left, down or right */
  struct stop *at[2][STOP_PLACES];           /* the stop at each place of a vertical, a horizontal lane; NULL: none */
  size_t places;                             /* per lane, edges included */
  unsigned columns, lines, half;             /* half: columns of the first die */
  bool use_observed[2][STOP_CLASSES];        /* a counter observes passes of that orientation */
};

static inline void stop_pulse(const struct stop *s, unsigned code, uint64_t umask, fs_t at, uint32_t n)
{
  if (s && s->block)
    block_pulse(s->block, (uint8_t)code, umask << 8 | s->mesh, 0, at, n);
}

static inline void stop_span(const struct stop *s, unsigned code, uint64_t umask, fs_t from, fs_t to)
{
  if (s && s->block && to > from)
    block_span(s->block, (uint8_t)code, umask << 8 | s->mesh, 0, from, to, 1);
}

#endif
