/* SPDX-License-Identifier: MIT */
/* A home agent's question to the other socket, which may have a copy of the line, and the answer. */
#include "machine/emr/coherence.h"
#include "machine/emr/llc.h"
#include "machine/emr/mesh.h"
#include "machine/emr/reject.h"

/* The snooped socket's copy, and its state after the snoop. */
static struct snoop_answer copies_take(struct traffic *t, struct socket *s, const struct request *r, bool invalidate,
                                       fs_t at)
{
  struct emr_socket *emr = emr_socket(s);
  const uint64_t line = r->line;
  const unsigned cha = r->cha;
  struct tags set = llc_set(s, line, cha);
  uint32_t way = cache_find(set, line);
  struct filter_place p = filter_find(s, cha, line);
  struct snoop_answer n = {.had = way < emr->llc.ways || p.found};
  if (way < emr->llc.ways) {
    n.modified = (cache_get(set, way) & ENTRY_STATE) == LINE_M;
    if (invalidate)
      cache_drop(set, way);
    else
      cache_put(set, way, line << 8 | LINE_S);
  }
  if (p.found) {
    if (emr->rejects_observed)
      rejects_link(s, r, REJECT_IV, at, at + t->time.enter + 4 * t->time.hop);
    cores_asked(&s->cha[cha], filter_who(&p), CORE_SNP_EXTERNAL, 0, at);
    n.modified |= cores_snoop(t, s, line, filter_who(&p), invalidate);
    cache_put(p.set, p.way, invalidate ? 0 : line << 8 | LINE_S);
  }
  return n;
}

/* The snoop for a request, as a TOR entry; its opcode on a link is the low bits of the entry's opcode. */
static enum tor_op snoop_op(const struct request *r, bool invalidate)
{
  const bool current = r->op == OP_PCIRDCUR || r->op == OP_CXL_RDCUR;
  return invalidate ? OP_SNPINV : current ? OP_SNPCUR : op_kind(r->op)->code ? OP_SNPCODE : OP_SNPDATA;
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
  struct snoop_answer n = copies_take(t, s, &q, invalidate, e.accepted);
  fs_t looked = e.accepted + t->time.cha_pipe + (n.modified ? t->time.l2 : 0);
  cha_lookup_report(s, &e, &q, !n.had ? LLC_STATE_I : n.modified ? LLC_STATE_M : LLC_STATE_S);
  if (n.had && !n.modified && invalidate)
    block_pulse(e.cha->block, CHA_MISC, EMR_UMASK(0x01), 0, looked, 1); /* RSPI_WAS_FSE */
  fs_t notified = mesh_send(t, s, e.cha->tile, q.tile, n.modified ? MESH_BL : MESH_AD, looked);
  cha_release(t, &e, &q, notified, !n.had);
  /* RspIWb, RspSWb with the data, else RspI, RspS (Table 3-7). */
  const unsigned opcode = n.modified ? (invalidate ? 12 : 13) : n.had && !invalidate ? 3 : 2;
  const struct upi_message answer = {s->index, r->line, n.modified ? MESSAGE_RSP4 : MESSAGE_RSP2, opcode};
  fs_t back = upi_send(t, &answer, notified);
  if (emr->rejects_observed)
    rejects_link(s, &q, n.modified ? REJECT_BL_RSP : REJECT_AD_RSP, looked, back - t->time.flight);
  n.done = mesh_send(t, h, emr_socket(h)->link[link].tile, asker->tile, n.modified ? MESH_BL : MESH_AD, back);
  uint64_t kind = EMR_UMASK(n.modified ? 0x10 : n.had && !invalidate ? 0x02 : 0x01);
  block_pulse(asker->block, CHA_SNOOP_RESP, kind, r->tid, n.done, 1);
  block_pulse(asker->block, CHA_SNOOP_RESP_LOCAL, kind, r->tid, n.done, 1);
  h->totals.snoop_responses++;
  return n;
}
