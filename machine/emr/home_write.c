/* SPDX-License-Identifier: MIT */
/*
 * Data that arrive at a line's home, and flushes. A core's write that bypasses the caches, and a write of the other
 * socket's device, first get ownership without data (InvItoM, with the intent of writing back soon: Table 3-8). The
 * data follow: the core's go to memory; the device's (WbPushMtoI) go into the home's LLC if there is room among the
 * ways of devices, else to memory.
 */
#include "machine/emr/coherence.h"
#include "machine/emr/hitme.h"
#include "machine/emr/home.h"
#include "machine/emr/llc.h"
#include "machine/emr/reject.h"

static void write_local(struct traffic *t, struct socket *s, const struct request *r, bool partial, fs_t at)
{
  page_directory_set(r->page, r->line, r->op == OP_REMOTE_WBE ? DIRECTORY_A : DIRECTORY_I);
  home_memory_write(t, s, r, partial, at);
}

/* True if a device's line may enter the LLC: no modified line would be evicted. */
static bool llc_has_room(const struct socket *s, const struct request *q)
{
  const struct tags set = llc_set(s, q->line, q->cha);
  const uint32_t ways = set.cache->ways;
  return cache_state(set, ways - 1) != LINE_M || cache_find(set, q->line) < ways;
}

/* Serves, at the home, a line that the other socket's device has written. */
static void home_pushed(struct traffic *t, struct socket *h, const struct request *q, fs_t at)
{
  const bool room = llc_has_room(h, q);
  block_pulse(h->cha[q->cha].block, CHA_WB_PUSH_MTOI, EMR_UMASK(room ? 0x01 : 0x02), q->tid, at, 1);
  if (!room) {
    write_local(t, h, q, false, at);
    return;
  }
  /* the socket that owned the line has given it up */
  home_directory_write(t, h, q, (struct directory_change){DIRECTORY_I, DIRECTORY_BY_HA}, at);
  llc_insert(t, h, q, LINE_M, at);
}

static void home_write_remote(struct traffic *t, const struct request *r, const struct home_message *m, bool partial,
                              fs_t at)
{
  struct socket *s = t->socket[r->socket], *h = t->socket[r->home];
  struct emr_socket *emr = emr_socket(s), *other = emr_socket(h);
  const unsigned link = upi_of(t, r->line), cha = r->cha;
  const struct request q = home_message_send(t, r, m, at);
  struct cha *home = &h->cha[cha];
  struct cha_entry e = cha_accept(t, h, &q, mesh_send(t, h, q.tile, home->tile, MESH_BL, q.at));
  block_pulse(home->block, CHA_REQUESTS, HA_WRITE_REMOTE, 0, e.accepted, 1);
  hitme_write(h, &q, m->op == OP_REMOTE_WBE, e.accepted);
  struct holding held;
  holding_find(h, &q, &held);
  cha_lookup_report(h, &e, &q, holding_state(&held));
  fs_t looked = e.accepted + t->time.cha_pipe;
  if (m->op == OP_REMOTE_PUSH)
    home_pushed(t, h, &q, looked);
  else
    write_local(t, h, &q, partial, looked);
  fs_t notified = mesh_send(t, h, home->tile, q.tile, MESH_AD, looked);
  fs_t here = upi_send(t, &(struct upi_message){h->index, r->line, MESSAGE_RSP2, 0}, notified); /* CmpU */
  mesh_report(t, s, &(struct mesh_way){emr->link[link].tile, s->cha[cha].tile, MESH_AK, here});
  if (other->rejects_observed)
    rejects_link(h, &q, REJECT_AD_RSP, looked, here - t->time.flight);
  cha_release(t, &e, &q, notified, true);
}

void home_write(struct traffic *t, const struct request *r, unsigned cha, bool partial, fs_t at)
{
  static const struct home_message back = {MESH_BL, MESSAGE_WB, 0, OP_REMOTE_WB, REJECT_BL_WB},
                                   part = {MESH_BL, MESSAGE_WB, 4, OP_REMOTE_WBPTL, REJECT_BL_WB},
                                   kept = {MESH_BL, MESSAGE_WB, 2, OP_REMOTE_WBE, REJECT_BL_WB};
  struct socket *s = t->socket[r->socket];
  const bool past_caches = r->op == OP_WCILF || r->op == OP_WCIL;
  if (!request_remote(r)) {
    block_pulse(s->cha[cha].block, CHA_REQUESTS, HA_WRITE_LOCAL, r->tid, at, 1);
    if (t->sockets > 1 && page_directory(r->page, r->line) != DIRECTORY_I)
      at = snoop_socket(t, r, &(struct snooping){cha, true, false}, at).done;
    write_local(t, s, r, partial, at);
    return;
  }
  if (past_caches) {
    struct answer owned;
    home_request(t, r, cha, at, &owned);
    at = owned.released;
  }
  home_write_remote(t, r, partial ? &part : r->op == OP_CLWB ? &kept : &back, partial, at);
}

void home_push(struct traffic *t, const struct request *r, fs_t at)
{
  static const struct home_message push = {MESH_BL, MESSAGE_WB, 8, OP_REMOTE_PUSH, REJECT_BL_WB};
  home_write_remote(t, r, &push, false, at);
}

void home_flush(struct traffic *t, const struct request *r, unsigned cha, fs_t at, struct answer *a)
{
  struct socket *s = t->socket[r->socket];
  if (request_remote(r)) {
    home_request(t, r, cha, at, a);
    return;
  }
  const bool ask = t->sockets > 1 && page_directory(r->page, r->line) != DIRECTORY_I;
  if (t->sockets > 1)
    block_pulse(s->cha[cha].block, CHA_DIR_LOOKUP, EMR_UMASK(ask ? 0x01 : 0x02), r->tid, at, 1);
  if (!ask)
    return;
  const struct snoop_answer n = snoop_socket(t, r, &(struct snooping){cha, true, false}, at);
  if (n.modified)
    write_local(t, s, r, false, n.done);
  else
    home_directory_write(t, s, r, (struct directory_change){DIRECTORY_I, DIRECTORY_BY_HA}, n.done);
  a->released = n.done;
  a->done = mesh_send(t, s, s->cha[cha].tile, r->tile, MESH_AK | MESH_AWAITED, n.done);
}
