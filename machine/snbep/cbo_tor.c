/* SPDX-License-Identifier: MIT */
/*
 * A request's path at a slice of the E5-2600's LLC (guide 2.3) before and after its look-up: ingress queues, the
 * pipeline, and its entry in the table of requests (TOR).
 */
#include "machine/snbep/uncore.h"

/* Table 2-13. An L2 prefetch uses the opcode of the demand request. */
static const uint16_t opcodes[OP_N] = {
    [OP_DRD] = SNB_DRD,           [OP_CRD] = SNB_CRD,      [OP_RFO] = SNB_RFO,
    [OP_DRD_PREF] = SNB_DRD,      [OP_RFO_PREF] = SNB_RFO, [OP_LLC_PREF] = SNB_PREF_DATA,
    [OP_WBMTOI] = SNB_WBMTOI,     [OP_WCILF] = SNB_WCILF,  [OP_WCIL] = SNB_WCIL,
    [OP_PCIRDCUR] = SNB_PCIRDCUR, [OP_ITOM] = SNB_PCIITOM, [OP_ITOMCACHENEAR] = SNB_PCIITOM,
    [OP_PRD] = SNB_PRD,           [OP_UCRDF] = SNB_PRD,    [OP_WIL] = SNB_WCIL,
    [OP_WILF] = SNB_WCILF,
};

/* The three queues before a CBo's pipeline, in the order of RxR_EXT_STARVED's umasks: requests, probes, responses. */
enum { IRQ, IPQ, ISMQ };

/* The pipeline accepts one request per cycle from the three queues. A queue that waits longer than PATIENCE_CYCLES is
 * starved, and the other queues are blocked until it is served. (The guide gives no time.) */
enum { PATIENCE_CYCLES = 6 };

static fs_t pipe_turn(struct traffic *t, struct socket *s, const struct request *r, unsigned queue, fs_t at)
{
  struct snbep_socket *snb = snbep_socket(s);
  struct cha *cbo = &s->cha[r->cha];
  const fs_t turn = cha_turn(cbo, at, t->time.uclk), starved = at + PATIENCE_CYCLES * (fs_t)t->time.uclk;
  if (queue == ISMQ) /* a bid for each response */
    block_pulse(cbo->block, CBO_RXR_EXT_STARVED, SNB_UMASK(0x08), UINT16_MAX, turn, 1);
  if (turn > starved)
    snb_state(cbo->block, CBO_RXR_EXT_STARVED, SNB_UMASK(1u << queue), &snb->starved[r->cha][queue],
              (fs_t[]){starved, turn});
  return turn;
}

static void request_retry(struct cha *cbo, const struct request *r, unsigned queue, uint64_t reason, fs_t at)
{
  static const uint8_t codes[] = {CBO_RXR_IRQ_RETRY, CBO_RXR_IPQ_RETRY, CBO_RXR_ISMQ_RETRY};
  block_pulse(cbo->block, codes[queue], CBO_RETRY_ANY | reason, r->tid, at, 1);
}

fs_t cbo_response(struct traffic *t, struct socket *s, const struct request *r, fs_t at)
{
  return pipe_turn(t, s, r, ISMQ, at) + t->time.cha_pipe;
}

void cbo_response_again(struct cha *cbo, const struct request *r, uint64_t reason, fs_t at)
{
  request_retry(cbo, r, ISMQ, reason, at);
}

/* Later than any time of a run. */
#define UNTIL_RELEASED (UINT64_C(1) << 62)

/* A request for a line that another request is working on is retried when that request is done. */
static fs_t conflict_wait(struct traffic *t, struct socket *s, const struct request *r, unsigned queue, fs_t turn)
{
  struct cha *cbo = &s->cha[r->cha];
  const struct snb_work *w = &snbep_socket(s)->at_work[r->cha][r->line % SNB_AT_WORK];
  if (w->done <= turn || w->line != r->line)
    return turn;
  request_retry(cbo, r, queue, CBO_RETRY_ADDR, turn);
  if (queue != IPQ) {
    block_pulse(cbo->block, CBO_RXR_INSERTS, CBO_IRQ_REJECTED, r->tid, turn, 1);
    block_span(cbo->block, CBO_RXR_OCCUPANCY, CBO_IRQ_REJECTED, r->tid, turn, w->done, 1);
  }
  return pipe_turn(t, s, r, queue, w->done);
}

/* A request passes an ingress queue and the pipeline, and enters the TOR. It waits before a full ingress queue; if the
 * stop's egress is full, it is retried when the egress has room. */
struct cbo_entry cbo_accept(struct traffic *t, struct socket *s, const struct request *r, uint64_t queue, fs_t arrived)
{
  struct cha *cbo = &s->cha[r->cha];
  const unsigned ingress = queue == CBO_IPQ ? IPQ : queue ? IRQ : ISMQ;
  struct holders *entries = ingress == ISMQ ? NULL : &snbep_socket(s)->cbo_ingress[r->cha][ingress];
  const uint32_t slot = entries ? holders_take(entries, &arrived) : 0;
  const fs_t room = ring_room(s, cbo->tile, arrived);
  struct cbo_entry e = {.cbo = cbo};
  if (room > arrived)
    request_retry(cbo, r, ingress, CBO_RETRY_FULL, arrived);
  e.accepted = conflict_wait(t, s, r, ingress, pipe_turn(t, s, r, ingress, room));
  e.slot = holders_take(&cbo->tor, &e.accepted);
  holders_keep(&cbo->tor, e.slot, UNTIL_RELEASED); /* requests that this one causes take other entries */
  if (entries) {
    holders_keep(entries, slot, e.accepted);
    block_pulse(cbo->block, CBO_RXR_INSERTS, queue, r->tid, arrived, 1);
    if (e.accepted > arrived)
      block_span(cbo->block, CBO_RXR_OCCUPANCY, queue, r->tid, arrived, e.accepted, 1);
    s->totals.ingress_inserts++;
    s->totals.ingress_wait_fs += e.accepted - arrived;
  }
  block_pulse(cbo->block, CBO_MISC, CBO_MISC_STARTED, r->tid, e.accepted, 1);
  return e;
}

/* Tables 2-30, 2-31: a miss is an entry that needs an RTID; the node is that of the RTID's destination, so that entries
 * for snoops have none. */
static uint64_t tor_attr(const struct request *r, bool missed)
{
  uint64_t attr = CBO_OPC(opcodes[r->op]) | (missed ? CBO_TOR_MISS : 0);
  if (r->op != OP_SNPDATA && r->op != OP_SNPINV)
    attr |= CBO_NID(r->home);
  if (r->op == OP_VICTIM)
    attr |= CBO_TOR_EVICTION;
  if (r->op == OP_WBMTOI || r->op == OP_WCIL || r->op == OP_WCILF || r->op == OP_WIL || r->op == OP_WILF)
    attr |= CBO_TOR_WB;
  return attr;
}

void cbo_release(struct traffic *t, struct socket *s, const struct cbo_entry *e, const struct request *r,
                 const struct answer *a)
{
  struct snbep_socket *snb = snbep_socket(s);
  const bool remote = r->home != r->socket;
  const fs_t done = a->released > e->accepted ? a->released : e->accepted;
  const uint64_t attr = tor_attr(r, a->missed);
  struct tor_total *total = &s->totals.tor[r->op][a->missed][remote];
  block_pulse(e->cbo->block, CBO_TOR_INSERTS, attr, r->tid, e->accepted, 1);
  block_span(e->cbo->block, CBO_TOR_OCCUPANCY, attr, r->tid, e->accepted, done, 1);
  const fs_t turn = done - t->time.cha_pipe; /* pipeline turn of the last response */
  if (a->missed && opcodes[r->op] && op_kind(r->op)->reads && turn > e->accepted)
    block_span(e->cbo->block, CBO_ISMQ_DRD_MISS_OCC, 0, r->tid, turn - t->time.uclk, turn, 1);
  holders_keep(&e->cbo->tor, e->slot, done);
  snb->at_work[r->cha][r->line % SNB_AT_WORK].line = r->line;
  snb->at_work[r->cha][r->line % SNB_AT_WORK].done = done;
  total->entries++;
  total->life_fs += done - e->accepted;
  if (done > t->seen)
    t->seen = done;
}
