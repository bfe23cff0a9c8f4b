/* SPDX-License-Identifier: MIT */
/*
 * Requests that a CHA rejects from its ingress queues and retries (guide 2.2, RxC_*_REJECT, RxC_*_RETRY), by the
 * missing resource. A request is rejected once for each resource that it waits for, and retried when the resource is
 * available; after the first rejection it waits in the queue for retries. Simulated apart from the traffic, only while
 * a counter observes it. The number of a CHA's link credits is a choice.
 */
#include "machine/emr/coherence.h"
#include "machine/emr/reject.h"

enum {
  REJECT_FIRST = 0x18,
  RETRY_REQUESTS = 0x2a,
  RETRY_RESPONSES = 0x2c,
  RETRY_OTHERS = 0x2e,
  RETRY_LAST = 0x2f,
  LINK_CREDITS_OF_CHA = 4,
  ANY_OF_SET_0 = 0x01
};

struct cha_rejects {
  struct {
    uint64_t line;
    fs_t done;
  } flying[REJECT_LINES]; /* requests in flight, by line */
  struct {
    uint64_t set;
    fs_t done;
  } filling[REJECT_LINES]; /* misses in flight, by set of the LLC */
  fs_t credit[8][LINK_CREDITS_OF_CHA];
  uint64_t last_line;
  fs_t last_until;
};

/* Returns the first of the two event codes of a request's queue; 0: its requests are never rejected. */
static unsigned queue_code(enum tor_op op)
{
  const struct op_facts *f = op_facts(op);
  switch (f->ingress) {
  case RXC_IRQ: return 0x18;
  case RXC_PRQ: return 0x20;
  case RXC_IPQ: return 0x22;
  case RXC_RRQ: return 0x26;
  case RXC_WBQ: return 0x28;
  default: return op == OP_VICTIM ? 0x24 : 0; /* messages of the CHA itself: ISMQ */
  }
}

int rejects_init(struct socket *s)
{
  struct emr_socket *emr = emr_socket(s);
  emr->rejects = pages_get(MAX_CHAS * sizeof *emr->rejects);
  return emr->rejects ? PMON_OK : PMON_E_MEMORY;
}

void rejects_fini(struct socket *s)
{
  struct emr_socket *emr = emr_socket(s);
  pages_put(emr->rejects, MAX_CHAS * sizeof *emr->rejects);
}

void reject(struct socket *s, const struct request *r, unsigned cause, fs_t at, fs_t until)
{
  const unsigned code = queue_code(r->op), set = cause >> 8;
  struct cha_rejects *c = &emr_socket(s)->rejects[r->cha];
  struct block *b = s->cha[r->cha].block;
  if (!code || until <= at)
    return;
  const bool again = c->last_line == r->line && at <= c->last_until;
  const unsigned retry = again ? RETRY_OTHERS : code == 0x24 ? RETRY_RESPONSES : RETRY_REQUESTS;
  block_pulse(b, (uint8_t)(code + set), EMR_UMASK(cause & 0xff), r->tid, at, 1);
  block_pulse(b, (uint8_t)(retry + set), EMR_UMASK(cause & 0xff), r->tid, until, 1);
  if (!set) {
    block_pulse(b, (uint8_t)(code + 1), EMR_UMASK(ANY_OF_SET_0), r->tid, at, 1);
    block_pulse(b, (uint8_t)(retry + 1), EMR_UMASK(ANY_OF_SET_0), r->tid, until, 1);
  }
  c->last_line = r->line;
  c->last_until = until;
}

void rejects_accepted(struct socket *s, const struct request *r, fs_t at)
{
  struct emr_socket *emr = emr_socket(s);
  const struct cha_rejects *c = &emr->rejects[r->cha];
  const unsigned line = address_mix(r->line) >> 32 & (REJECT_LINES - 1);
  const uint64_t set = r->line & emr->llc.set_mask;
  if (c->flying[line].line == r->line && c->flying[line].done > at)
    reject(s, r, op_facts(r->op)->ingress == RXC_IPQ ? REJECT_ALLOW_SNOOP : REJECT_SAME_LINE, at, c->flying[line].done);
  else if (c->filling[set % REJECT_LINES].set == set + 1 && c->filling[set % REJECT_LINES].done > at)
    reject(s, r, REJECT_WAY, at, c->filling[set % REJECT_LINES].done);
}

void rejects_released(struct socket *s, const struct request *r, fs_t done, bool missed)
{
  struct emr_socket *emr = emr_socket(s);
  struct cha_rejects *c = &emr->rejects[r->cha];
  const uint64_t set = r->line & emr->llc.set_mask;
  c->flying[address_mix(r->line) >> 32 & (REJECT_LINES - 1)].line = r->line;
  c->flying[address_mix(r->line) >> 32 & (REJECT_LINES - 1)].done = done;
  if (!missed)
    return;
  c->filling[set % REJECT_LINES].set = set + 1;
  c->filling[set % REJECT_LINES].done = done;
}

void rejects_link(struct socket *s, const struct request *r, unsigned cause, fs_t at, fs_t sent)
{
  fs_t have = at;
  fs_t *pool = emr_socket(s)->rejects[r->cha].credit[__builtin_ctz(cause)];
  unsigned i = few_take(pool, LINK_CREDITS_OF_CHA, &have);
  pool[i] = sent > have ? sent : have;
  if (have > at)
    reject(s, r, cause, at, have);
}

bool rejects_observed(const struct traffic *t, const struct socket *s)
{
  for (unsigned i = 0; i < t->chas; i++)
    for (unsigned code = REJECT_FIRST; code <= RETRY_LAST; code++)
      if (block_code_enabled(s->cha[i].block, (uint8_t)code))
        return true;
  return false;
}
