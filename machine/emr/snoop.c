/* SPDX-License-Identifier: MIT */
/* A home agent's snoop of the other socket, which may have a copy of the line, and the response. */
#include "machine/emr/coherence.h"
#include "machine/emr/llc.h"
#include "machine/emr/mesh.h"
#include "machine/emr/reject.h"

/* Invalidates or downgrades the snooped socket's copies of the line. */
static struct snoop_answer copies_take(struct traffic *t, struct socket *s, const struct request *r,
                                       const struct holding *h, fs_t at)
{
  struct emr_socket *emr = emr_socket(s);
  const uint64_t line = r->line;
  const bool invalidate = op_kind(r->op)->owns;
  const struct filter_place *p = &h->place;
  const bool current = r->op == OP_SNPCUR; /* a snapshot changes nothing */
  struct snoop_answer n = {.had = h->llc || p->found, .modified = h->llc == LINE_M};
  n.keeps = n.had && current;
  if (h->llc && invalidate)
    llc_drop(s, h);
  else if (h->llc && !current)
    cache_put(h->set, h->way, line << 8 | LINE_S);
  if (p->found) {
    if (emr->rejects_observed)
      rejects_link(s, r, REJECT_IV, at, at + t->time.enter + 4 * t->time.hop);
    cores_snoop_report(&s->cha[r->cha], filter_who(p), CORE_SNP_EXTERNAL, 0, at);
    const bool dropped = cores_snoop(t, s, line, filter_who(p), invalidate);
    n.modified |= dropped;
    filter_put(p, invalidate ? 0 : line << 8 | (current && h->owned ? LINE_F : LINE_S));
    if (current && dropped) /* a core writes its modified line back to the LLC */
      llc_insert(t, s, r, LINE_M, at);
  }
  return n;
}

/* Returns the TOR opcode of the snoop for a request; its opcode on a link is the low bits of the TOR opcode. */
static enum tor_op snoop_op(const struct request *r, bool invalidate)
{
  const bool current = r->op == OP_PCIRDCUR || r->op == OP_CXL_RDCUR;
  if (invalidate)
    return op_kind(r->op)->reads ? OP_SNPINV : OP_SNPINVITOE;
  return current ? OP_SNPCUR : op_kind(r->op)->code ? OP_SNPCODE : OP_SNPDATA;
}

/* A snooped socket's response (817509 Tables 2-122, 3-7, 3-8): its umask and its message; forwards: the line follows in
 * a separate message to the requester. */
struct response {
  uint64_t umask;
  enum upi_class class;
  uint8_t opcode;
  bool forwards;
};

static struct response response_of(const struct request *snoop, const struct snoop_answer *n)
{
  static const struct response i = {EMR_UMASK(0x01), MESSAGE_RSP2, 2, false},
                               s = {EMR_UMASK(0x02), MESSAGE_RSP2, 3, false},
                               i_forwarded = {EMR_UMASK(0x04), MESSAGE_RSP2, 5, true},
                               forwarded = {EMR_UMASK(0x80), MESSAGE_RSP2, 4, true},
                               i_written = {EMR_UMASK(0x10), MESSAGE_RSP4, 12, false},
                               s_written = {EMR_UMASK(0x10), MESSAGE_RSP4, 13, false};
  if (n->modified && snoop->op == OP_SNPCUR)
    return forwarded;
  if (n->modified)
    return snoop->op == OP_SNPINV ? i_forwarded : op_kind(snoop->op)->owns ? i_written : s_written;
  return n->had && !op_kind(snoop->op)->owns ? s : i;
}

/* Sends the response of a look-up that ended at when[0], and that reaches the link at when[1], to the requesting CHA.
 * Returns when its last message has arrived. */
static fs_t response_send(struct traffic *t, const struct request *snoop, unsigned asker, const struct response *a,
                          const fs_t when[2])
{
  struct socket *s = t->socket[snoop->socket], *h = t->socket[1 - snoop->socket];
  const unsigned stop = emr_socket(h)->link[upi_of(t, snoop->line)].tile, cha = h->cha[asker].tile;
  /* Data_M, or of a snapshot Data_SI */
  const struct upi_message line = {snoop->socket, snoop->line, MESSAGE_RSP4, snoop->op == OP_SNPCUR ? 2 : 0};
  const struct upi_message message = {snoop->socket, snoop->line, a->class, a->opcode};
  const bool data = a->class == MESSAGE_RSP4;
  fs_t back = upi_send(t, &message, when[1]);
  fs_t done = mesh_send(t, h, stop, cha, data ? MESH_BL : MESH_AD, back);
  if (a->forwards) {
    back = upi_send(t, &line, when[1]);
    const fs_t there = mesh_send(t, h, stop, cha, MESH_BL, back);
    done = there > done ? there : done;
  }
  if (emr_socket(s)->rejects_observed)
    rejects_link(s, snoop, data || a->forwards ? REJECT_BL_RSP : REJECT_AD_RSP, when[0], back - t->time.flight);
  return done;
}

struct snoop_answer snoop_socket(struct traffic *t, const struct request *r, const struct snooping *how, fs_t at)
{
  const bool invalidate = how->invalidate;
  struct socket *h = t->socket[r->socket], *s = t->socket[1 - r->socket];
  struct emr_socket *emr = emr_socket(s);
  struct cha *asker = &h->cha[how->home];
  unsigned link = upi_of(t, r->line), index = r->cha;
  block_pulse(asker->block, CHA_SNOOPS_SENT, EMR_UMASK(0x01 | 0x04 | (how->broadcast ? 0x10 : 0x40)), r->tid, at,
              1); /* ALL, LOCAL, BCST_LOCAL or DIRECT_LOCAL */
  h->totals.snoops_sent++;
  fs_t out = mesh_send(t, h, asker->tile, emr_socket(h)->link[link].tile, MESH_AD, at);
  struct request q = {.line = r->line,
                      .page = r->page,
                      .socket = s->index,
                      .tile = emr->link[link].tile,
                      .core = MAX_CORES,
                      .tid = EMR_TID_LINK,
                      .cha = r->cha,
                      .home = r->home,
                      .op = snoop_op(r, invalidate)};
  q.at = upi_send(t, &(struct upi_message){h->index, r->line, MESSAGE_SNP, op_facts(q.op)->opcode & 0xf}, out);
  struct cha_entry e = cha_accept(t, s, &q, mesh_send(t, s, q.tile, s->cha[index].tile, MESH_AD, q.at));
  struct holding held;
  holding_find(s, &q, &held);
  cha_lookup_report(s, &e, &q, holding_state(&held));
  struct snoop_answer n = copies_take(t, s, &q, &held, e.accepted);
  fs_t looked = e.accepted + t->time.cha_pipe + (n.modified ? t->time.l2 : 0);
  if (n.had && !n.modified && invalidate)
    block_pulse(e.cha->block, CHA_MISC, EMR_UMASK(0x01), 0, looked, 1); /* RSPI_WAS_FSE */
  fs_t notified = mesh_send(t, s, e.cha->tile, q.tile, n.modified ? MESH_BL : MESH_AD, looked);
  cha_release(t, &e, &q, notified, !n.had);
  const struct response a = response_of(&q, &n);
  n.forwarded = a.forwards;
  n.done = response_send(t, &q, how->home, &a, (const fs_t[]){looked, notified});
  block_pulse(asker->block, CHA_SNOOP_RESP, a.umask, r->tid, n.done, 1);
  block_pulse(asker->block, CHA_SNOOP_RESP_LOCAL, a.umask, r->tid, n.done, 1);
  h->totals.snoop_responses++;
  return n;
}
