/* SPDX-License-Identifier: MIT */
/*
 * The E5-2600's home agent (guide 2.4). It answers requests for its socket's memory after it has snooped the caches
 * that may have the line. Without a directory it snoops the other socket for every request; with a directory, only when
 * memory's directory bits allow a copy there.
 */
#include "machine/common/memory.h"
#include "machine/snbep/home_answer.h"

/* Opcodes of HOM0 (Table 2-143). */
static const struct {
  uint8_t opcode;
  bool write;
} asked[OP_N] = {
    [OP_DRD] = {0x2, false},           [OP_DRD_PREF] = {0x2, false}, [OP_LLC_PREF] = {0x2, false},
    [OP_CRD] = {0x1, false},           [OP_RFO] = {0x4, false},      [OP_RFO_PREF] = {0x4, false},
    [OP_ITOMCACHENEAR] = {0x4, false}, [OP_ITOM] = {0x8, false},     [OP_INVITOE] = {0x8, false},
    [OP_PCIRDCUR] = {0x0, false},      [OP_WBMTOI] = {0xc, true},    [OP_VICTIM] = {0xc, true},
    [OP_INVXTOI] = {0x5, false},       [OP_CLFLUSH] = {0xc, true},   [OP_WCILF] = {0x7, true},
    [OP_WCIL] = {0x7, true},
};

static struct block *request_cbo_block(struct traffic *t, const struct request *r)
{
  return t->socket[r->socket]->cha[r->cha].block;
}
static uint8_t retry_of(const struct request *r)
{
  return r->op == OP_VICTIM ? CBO_RXR_ISMQ_RETRY : CBO_RXR_IRQ_RETRY;
}

/* The address decoder has twelve regions; here each has the same share of the socket's memory. */
static unsigned region_of(uint64_t line)
{
  return (unsigned)((line >> PAGE_LINES_SHIFT & ((1u << FRAME_BITS) - 1)) * 12 >> FRAME_BITS);
}

/* Requests of both sockets for one line: the later one waits until the end of the first has resolved the conflict. */
static void conflict_wait(struct traffic *t, struct home_transaction *q)
{
  struct snbep_socket *n = snbep_socket(q->home);
  const struct snb_work *w = &n->tracked[q->r->line % SNB_TRACKED];
  const fs_t from = q->at > n->conflict_until ? q->at : n->conflict_until;
  if (w->line != q->r->line || w->done <= q->at)
    return;
  if (w->done > from) {
    block_span(n->ha, HA_CONFLICT_CYCLES, SNB_UMASK(0x02), 0, from, w->done, 1);
    level_set(t, n->ha, HA_CONFLICT_CYCLES, SNB_UMASK(0x01), from, 0);
    level_set(t, n->ha, HA_CONFLICT_CYCLES, SNB_UMASK(0x01), w->done, 1);
    n->conflict_until = w->done;
  }
  q->at = w->done;
  q->conflict = true;
}

static void tracker_leave(struct home_transaction *q, fs_t at)
{
  struct snbep_socket *n = snbep_socket(q->home);
  holders_keep(&n->tracker, q->tracker, at);
  n->tracked[q->r->line % SNB_TRACKED] = (struct snb_work){q->r->line, at};
}

/* A request reaches the agent and needs a tracker entry. The tracker has one entry for each request number (RTID) of
 * the CBos; a request without a free entry has waited at its CBo. */
static void tracker_enter(struct traffic *t, struct home_transaction *q)
{
  struct snbep_socket *n = snbep_socket(q->home);
  const struct request *r = q->r;
  const bool write = asked[r->op].write;
  const unsigned region = region_of(r->line);
  const fs_t came = q->at;
  q->tracker = holders_take(&n->tracker, &q->at);
  if (q->at > came)
    block_pulse(request_cbo_block(t, r), retry_of(r), CBO_RETRY_ANY | CBO_RETRY_RTID, r->tid, came, 1);
  conflict_wait(t, q);
  block_pulse(n->ha, HA_REQUESTS, write ? HA_WRITES(q->remote) : HA_READS(q->remote), 0, q->at, 1);
  block_pulse(n->ha, HA_TRACKER_INSERTS, HA_TRACKER(q->remote), 0, q->at, 1);
  block_pulse(n->ha, region < 8 ? HA_TAD_G0 : HA_TAD_G1, SNB_UMASK(1u << region % 8), 0, q->at, 1);
  block_pulse(n->ha, HA_ADDR_OPC_MATCH,
              SNB_UMASK(0x03) | HA_MATCH_ADDRESS(r->line << 6) | HA_MATCH_OPCODE(asked[r->op].opcode), 0, q->at, 1);
}

/* Memory's queues grant credits to the agent; the agent waits when none is left. */
static uint32_t credit_take(struct snbep_socket *n, unsigned channel, bool write, fs_t *at)
{
  const fs_t came = *at;
  const uint32_t entry = holders_take(write ? &n->wpq[channel] : &n->rpq[channel], at);
  if (*at > came) {
    block_pulse(n->ha, HA_IMC_RETRY, 0, 0, came, 1); /* one attempt fails, the next one has a credit */
    snb_state(n->ha, write ? HA_WPQ_NO_CREDITS : HA_RPQ_NO_CREDITS, SNB_UMASK(1u << channel),
              write ? &n->wpq_out[channel] : &n->rpq_out[channel], (fs_t[]){came, *at});
  }
  return entry;
}

static fs_t memory_read(struct traffic *t, struct socket *h, uint64_t line, fs_t at)
{
  struct snbep_socket *snb = snbep_socket(h);
  struct dram_place place;
  fs_t begin = at, done;
  address_dram(&t->map, line, &place);
  const uint32_t entry = credit_take(snb, place.channel, false, &begin);
  done = dram_read(t, h, &(struct dram_request){line, &place, IMPORTANCE_MEDIUM}, begin + t->time.m2m_pipe) +
         t->time.m2m_pipe;
  holders_keep(&snb->rpq[place.channel], entry, done);
  h->totals.m2m_reads++;
  return done;
}

static fs_t memory_write(struct traffic *t, struct socket *h, uint64_t line, bool partial, fs_t at)
{
  struct snbep_socket *snb = snbep_socket(h);
  struct dram_place place;
  fs_t begin = at, done;
  address_dram(&t->map, line, &place);
  const uint32_t entry = credit_take(snb, place.channel, true, &begin);
  block_pulse(snb->ha, HA_IMC_WRITES, SNB_UMASK(partial ? 0x02 : 0x01), 0, begin, 1);
  done = begin + t->time.m2m_pipe;
  if (partial)
    done = dram_underfill(t, h, &place, done);
  done = dram_write(t, h, &(struct dram_request){line, &place, IMPORTANCE_MEDIUM}, done);
  holders_keep(&snb->wpq[place.channel], entry, done);
  h->totals.m2m_writes++;
  return done;
}

static bool directory_on(const struct traffic *t)
{
  return t->sockets > 1 && t->config.value[CONFIG_DIRECTORY];
}

/* Sets the directory's bits, which are part of memory: a change is a write, or part of a write that `carries` them. */
static void directory_set(struct traffic *t, const struct home_transaction *q, bool remote_has, bool carries, fs_t at)
{
  const enum directory to = remote_has ? DIRECTORY_A : DIRECTORY_I;
  if (!directory_on(t) || page_directory(q->r->page, q->r->line) == to)
    return;
  page_directory_set(q->r->page, q->r->line, to);
  if (carries)
    return;
  block_pulse(snbep_socket(q->home)->ha, HA_DIRECTORY_UPDATE, SNB_UMASK(remote_has ? 0x01 : 0x02), 0, at, 1);
  q->home->totals.directory_writes++;
  memory_write(t, q->home, q->r->line, false, at);
}

/* Snoop response of a CBo of the other socket to home agent h: RspI or RspS; RspIWb or RspSWb with the data. If the
 * requester wants to write a modified line (`wanted`), the line goes to the requester instead (RspFwdI, DataC_M);
 * n->found: when the link's stop has it. */
static void snoop_answer(struct traffic *t, struct socket *h, const struct request *r, bool wanted,
                         struct snb_snooped *n)
{
  struct snbep_socket *snb = snbep_socket(h);
  struct socket *s = t->socket[r->socket];
  const bool invalidate = r->op == OP_SNPINV, forwards = n->modified && invalidate && wanted;
  const struct snb_move home = {.from = qpi_stop(t, h, r->line), .to = snb->home, .ring = SNB_BL};
  const unsigned opcode = forwards ? 0x9 : n->modified ? (invalidate ? 0xd : 0xe) : n->had && !invalidate;
  struct snb_trip trip = {
      r->line,           s->cha[r->cha].tile,    SNB_AD, {QPI_HOM1, opcode, 0, false, false}, r->tid,
      CBO_RXR_IPQ_RETRY, request_cbo_block(t, r)};
  const fs_t from = n->done;
  n->done = home_ring_move(t, h, (struct snb_move){.from = home.from, .to = snb->home, .ring = SNB_AD},
                           qpi_send(t, s, &trip, from));
  if (!n->modified)
    return;
  trip.ring = SNB_BL;
  trip.packet = forwards ? (struct snb_packet){QPI_DRS, DATA, QPI_RDS_M, true, false}
                         : (struct snb_packet){QPI_DRS, invalidate ? 4 : 5, 0, true, false};
  n->found = qpi_send(t, s, &trip, from);
  if (!forwards)
    n->done = fs_later(n->done, home_ring_move(t, h, home, n->found));
}

/* True if a cache sends the line to the requester: the home socket's cache sends a line that it has modified or in a
 * forwarding state to the other socket; the other socket sends a modified line to a request for ownership. */
static bool snooped_forwards(const struct home_transaction *q, const struct snb_snooped *n)
{
  const struct op_kind *f = op_kind(q->r->op);
  return f->reads && (q->remote ? n->answers : n->modified && f->owns);
}

/* True if a modified line goes to an exclusive requester and bypasses memory. */
static bool bypasses_memory(const struct home_transaction *q, const struct snb_snooped *n)
{
  return snooped_forwards(q, n) && n->modified && op_kind(q->r->op)->owns;
}

/* SnpData, SnpInvOwn, SnpInvXtoI, SnpInvItoE (Table 2-143) */
static uint8_t snoop_opcode(const struct request *r, bool invalidate)
{
  if (!invalidate)
    return 0x2;
  return op_kind(r->op)->reads ? 0x4 : r->op == OP_INVXTOI ? 0x5 : 0x8;
}

/* Snoops for a request: the home socket's own CBo if the request is the other socket's, else the other socket's CBo. */
static struct snb_snooped copies_snoop(struct traffic *t, const struct home_transaction *q, bool invalidate)
{
  struct socket *h = q->home, *s = q->remote ? h : t->socket[1 - h->index];
  struct snbep_socket *snb = snbep_socket(h);
  struct request r = {.line = q->r->line,
                      .page = q->r->page,
                      .socket = s->index,
                      .core = MAX_CORES,
                      .tid = SNB_TID_PCIE,
                      .cha = q->r->cha,
                      .home = q->r->home,
                      .op = invalidate ? OP_SNPINV : OP_SNPDATA};
  const unsigned there = qpi_stop(t, s, r.line), cbo = s->cha[r.cha].tile;
  fs_t at = q->at + t->time.m2m_pipe;
  struct snb_snooped n;
  block_pulse(snb->ha, HA_TXR_AD, SNB_UMASK(0x02), 0, at, 1);
  h->totals.snoops_sent++;
  if (q->remote) {
    n = cbo_snoop(t, s, &r, invalidate, home_ring_move(t, h, (struct snb_move){.from = snb->home, .to = cbo}, at));
    n.found = n.done;
    n.done = home_ring_move(t, h,
                            (struct snb_move){.from = cbo,
                                              .to = snb->home,
                                              .ring = n.modified && !bypasses_memory(q, &n) ? SNB_BL : SNB_AK},
                            n.done);
  } else {
    struct snb_trip trip = {r.line,       snb->home, SNB_AD, {QPI_SNP, snoop_opcode(q->r, invalidate), 0, false, false},
                            SNB_TID_PCIE, 0,         NULL};
    at = qpi_send(t, h, &trip, at);
    n = cbo_snoop(t, s, &r, invalidate, home_ring_move(t, s, (struct snb_move){.from = there, .to = cbo}, at));
    snoop_answer(t, h, &r, op_kind(q->r->op)->reads, &n);
  }
  h->totals.snoop_responses++;
  return n;
}

static struct served home_agent_serve_request(struct traffic *t, struct home_transaction *q)
{
  const struct op_kind *f = op_kind(q->r->op);
  struct block *ha = snbep_socket(q->home)->ha;
  struct snb_snooped n = {0};
  const bool may = !directory_on(t) || q->remote || page_directory(q->r->page, q->r->line) != DIRECTORY_I;
  struct served v = {.data = f->reads, .state = LINE_E};
  tracker_enter(t, q);
  v.at = q->at + t->time.m2m_pipe;
  if (directory_on(t) && !q->remote)
    block_pulse(ha, HA_DIRECTORY_LOOKUP, SNB_UMASK(may ? 0x01 : 0x02), 0, q->at, 1);
  if (t->sockets > 1 && may)
    n = copies_snoop(t, q, f->owns);
  if (f->reads)
    v.at = memory_read(t, q->home, q->r->line, q->at);
  v.at = fs_later(v.at, n.done);
  if (n.modified && !bypasses_memory(q, &n))
    memory_write(t, q->home, q->r->line, false, n.done);
  v.forwarded = snooped_forwards(q, &n);
  v.found = n.found;
  if (bypasses_memory(q, &n))
    v.state = LINE_M;
  else if (q->r->op == OP_PCIRDCUR) /* a snapshot */
    v.state = LINE_I;
  else if ((n.had && !f->owns) || (f->code && q->remote))
    v.state = LINE_F; /* the last requester becomes the forwarder; other copies are in S */
  directory_set(t, q, q->remote ? q->r->op != OP_PCIRDCUR && q->r->op != OP_INVXTOI : n.had && !f->owns,
                n.modified && !bypasses_memory(q, &n), v.at);
  tracker_leave(q, v.at);
  return v;
}

/* Sends a request to its home, with its data if it is a write; returns the time of arrival. */
static fs_t home_send_request(struct traffic *t, const struct request *r, struct snb_packet p, fs_t at)
{
  struct socket *s = t->socket[r->socket], *h = t->socket[r->home];
  struct snbep_socket *snb = snbep_socket(h);
  struct snb_trip trip = {
      r->line,     s->cha[r->cha].tile,    SNB_AD, {QPI_HOM0, asked[r->op].opcode, 0, false, false}, r->tid,
      retry_of(r), request_cbo_block(t, r)};
  struct snb_move go = {trip.from, snb->home, SNB_AD, SNB_CACHE, r->tid};
  struct snb_move on = {qpi_stop(t, h, r->line), snb->home, SNB_AD, SNB_CACHE, SNB_TID_PCIE};
  const bool near = s == h;
  fs_t there = near ? ring_send(t, s, &go, at) : ring_send(t, h, &on, qpi_send(t, s, &trip, at));
  if (!p.data)
    return there;
  go.ring = on.ring = trip.ring = SNB_BL;
  trip.packet = p;
  return fs_later(there, near ? ring_send(t, s, &go, at) : ring_send(t, h, &on, qpi_send(t, s, &trip, at)));
}

void agent_request(struct traffic *t, const struct request *r, fs_t at, struct answer *a)
{
  struct home_transaction q = {.r = r, .home = t->socket[r->home], .remote = r->home != r->socket};
  q.at = home_send_request(t, r, (struct snb_packet){0}, at);
  struct served v = home_agent_serve_request(t, &q);
  a->missed = true;
  a->state = v.state;
  (q.remote ? home_answer_remote : home_answer_local)(t, &q, &v, a);
}

void agent_write(struct traffic *t, const struct request *r, struct snb_write how, fs_t at)
{
  struct home_transaction q = {.r = r, .home = t->socket[r->home], .remote = r->home != r->socket};
  struct socket *h = q.home;
  struct snbep_socket *snb = snbep_socket(h);
  const bool through = asked[r->op].opcode == 0x7; /* NonSnpWr, with NonSnpWrData or its partial form */
  q.at = home_send_request(t, r,
                           (struct snb_packet){QPI_DRS, through ? (how.partial ? 0xb : 0x7) : 0x4, 0, true, false}, at);
  tracker_enter(t, &q);
  fs_t done = q.at + t->time.m2m_pipe;
  if (how.copies && t->sockets > 1 && (!directory_on(t) || q.remote || page_directory(r->page, r->line) != DIRECTORY_I))
    done = fs_later(done, copies_snoop(t, &q, true).done);
  if (directory_on(t)) /* the write carries the bits with it */
    page_directory_set(r->page, r->line, DIRECTORY_I);
  done = memory_write(t, h, r->line, how.partial, done);
  tracker_leave(&q, done);
  if (!q.remote) {
    block_pulse(snb->ha, HA_TXR_AK_NDR, 0, 0, done, 1);
    home_ring_move(t, h, (struct snb_move){.from = snb->home, .to = h->cha[r->cha].tile, .ring = SNB_AK}, done);
    return;
  }
  struct socket *s = t->socket[r->socket];
  done = home_completion_send(t, h, r->line, done);
  home_ring_move(t, s, (struct snb_move){.from = qpi_stop(t, s, r->line), .to = s->cha[r->cha].tile, .ring = SNB_AK},
                 done);
}
