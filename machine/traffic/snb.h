/* SPDX-License-Identifier: MIT */
/*
 * The uncore of the E5-2600: a ring of stops, slices of an inclusive LLC (CBos), a home agent that asks before it
 * answers, two QPI links. Private to the room.
 */
#ifndef MACHINE_TRAFFIC_SNB_H
#define MACHINE_TRAFFIC_SNB_H

#include "machine/snbep/attr.h"
#include "machine/traffic/state.h"

enum { SNB_CBOS = 8, SNB_LINKS = 2, SNB_STOPS = SNB_CBOS + 4, SNB_CHANNELS = 4, SNB_AT_WORK = 32 };

enum snb_ring { SNB_AD, SNB_AK, SNB_BL, SNB_IV, SNB_RINGS };

/* A stop: its block, the code of its AD ring's use (AK, BL and IV follow), and whether up is counter-clockwise. */
struct snb_stop { struct block *block; uint8_t code; bool right; fs_t ne[SNB_RINGS]; };

struct snb_link {
  struct block *qpi, *r3;
  struct slots tx;
  uint64_t flits_sent, idle_told;
  fs_t received_until, rx_ne, tx_ne, vna_used, ingress_ne;
};

struct snb {
  struct snb_stop stop[SNB_STOPS];
  unsigned stops, r2, r3, home;               /* positions; r3: of link 0 */
  struct block *ha, *ubox;
  struct snb_link link[SNB_LINKS];
  struct holders tracker, rpq[SNB_CHANNELS], wpq[SNB_CHANNELS];
  fs_t rpq_out[SNB_CHANNELS], wpq_out[SNB_CHANNELS], conflict_until;
  struct { uint64_t line; fs_t done; } at_work[SNB_CBOS][SNB_AT_WORK];
  unsigned frequency;                         /* hundreds of MHz */
  uint64_t *llc, set_mask;                    /* the slices' tags: cbo.c; set_mask and ways: of a slice */
  size_t llc_bytes;
  uint32_t ways;
};

/* ring.c: a message between stops; `core`: it leaves a core, not the cache beside it. Time of its arrival. */
struct snb_move { unsigned from, to; enum snb_ring ring; bool core; uint16_t tid; };
void ring_init(struct traffic *t, struct socket *s, struct machine *m);
fs_t ring_send(struct traffic *t, struct socket *s, const struct snb_move *m, fs_t at);

static inline uint64_t *snb_set(const struct snb *n, unsigned cbo, uint64_t line)
{
  return n->llc + (cbo * (n->set_mask + 1) + (line & n->set_mask)) * n->ways;
}

/* cbo.c */
void cbo_request(struct traffic *t, const struct request *r, struct answer *a);
void cbo_evict(struct traffic *t, const struct request *r, enum line_state state);
void cbo_ask_ahead(const struct traffic *t, unsigned socket, uint64_t line);
/* What a snoop finds and leaves, and when the CBo answers. */
struct snb_snooped { fs_t done; bool had, modified; };
struct snb_snooped cbo_snoop(struct traffic *t, struct socket *s, const struct request *r, bool invalidate, fs_t at);

/* agent.c: a miss of r->socket, asked of the line's home; times at the CBo and at the requester's stop. */
void agent_request(struct traffic *t, const struct request *r, fs_t at, struct answer *a);
/* A line, or a part of one, on its way to memory; `copies`: others may have it and have to drop it. */
struct snb_write { bool partial, copies; };
void agent_write(struct traffic *t, const struct request *r, struct snb_write how, fs_t at);

/* qpi.c: a message to the other socket; the time at which its R3QPI has it. */
struct snb_packet { enum snb_class class; unsigned opcode, rds; bool data; };
fs_t qpi_send(struct traffic *t, unsigned from, uint64_t line, const struct snb_packet *p, fs_t at);
unsigned qpi_stop(const struct traffic *t, const struct socket *s, uint64_t line);
void qpi_advance(struct traffic *t, struct socket *s, fs_t until);

/* The part of [from, to) that lies behind *until, up to which a state was reported. */
static inline void snb_state(struct block *b, uint8_t code, uint64_t attr, fs_t *until, const fs_t span[2])
{
  fs_t from = span[0] > *until ? span[0] : *until;
  if (span[1] <= from)
    return;
  block_span(b, code, attr, UINT16_MAX, from, span[1], 1);
  *until = span[1];
}

#endif
