/* SPDX-License-Identifier: MIT */
/*
 * The E5-2600's home agent (guide 2.4): it answers for its socket's memory after it has asked who else may have the line.
 * Without a directory it asks the other socket each time; with one, when memory says that the other socket may have it.
 */
#include "machine/traffic/snb.h"

static fs_t later(fs_t a, fs_t b) { return a > b ? a : b; }

static fs_t move(struct traffic *t, struct socket *s, struct snb_move m, fs_t at)
{
  m.tid = SNB_TID_PCIE;
  return ring_send(t, s, &m, at);
}

/* Opcodes of HOM0 (Table 2-143). */
static const struct { uint8_t opcode; bool write; } asked[OP_N] = {
  [OP_DRD] = { 0x2, false }, [OP_DRD_PREF] = { 0x2, false }, [OP_LLC_PREF] = { 0x2, false }, [OP_CRD] = { 0x1, false },
  [OP_RFO] = { 0x4, false }, [OP_RFO_PREF] = { 0x4, false }, [OP_ITOMCACHENEAR] = { 0x4, false },
  [OP_ITOM] = { 0x8, false }, [OP_INVITOE] = { 0x8, false }, [OP_PCIRDCUR] = { 0x0, false }, [OP_WBMTOI] = { 0xc, true },
  [OP_VICTIM] = { 0xc, true }, [OP_CLFLUSH] = { 0xc, true }, [OP_WCILF] = { 0x7, true }, [OP_WCIL] = { 0x7, true },
};

struct asking { const struct request *r; struct socket *home; bool remote; fs_t at; uint32_t tracker; };

/* A request has reached the agent: it needs an entry of the tracker, which holds as many as there are numbers (RTIDs) for
 * the CBos to give; one that finds none was kept waiting at its CBo. */
static void enter(struct traffic *t, struct asking *q)
{
  struct snb *n = q->home->snb;
  const struct request *r = q->r;
  const bool write = asked[r->op].write;
  const fs_t came = q->at;
  q->tracker = holders_take(&n->tracker, &q->at);
  if (q->at > came) {
    struct block *cbo = t->socket[r->socket]->cha[r->cha].block;
    block_pulse(cbo, r->op == OP_VICTIM ? CBO_RXR_ISMQ_RETRY : CBO_RXR_IRQ_RETRY, CBO_RETRY_ANY | CBO_RETRY_RTID, r->tid,
                came, 1);
  }
  block_pulse(n->ha, HA_REQUESTS, write ? HA_WRITES(q->remote) : HA_READS(q->remote), 0, q->at, 1);
  block_pulse(n->ha, HA_TRACKER_INSERTS, HA_TRACKER(q->remote), 0, q->at, 1);
  block_pulse(n->ha, HA_TAD_G0, SNB_UMASK(0x01), 0, q->at, 1);
  block_pulse(n->ha, HA_ADDR_OPC_MATCH,
              SNB_UMASK(0x03) | HA_MATCH_ADDRESS(r->line << 6) | HA_MATCH_OPCODE(asked[r->op].opcode), 0, q->at, 1);
}

/* Memory's queues give their credits to the agent, which waits where none is left. */
static uint32_t credit_take(struct snb *n, unsigned channel, bool write, fs_t *at)
{
  const fs_t came = *at;
  const uint32_t entry = holders_take(write ? &n->wpq[channel] : &n->rpq[channel], at);
  if (*at > came)
    snb_state(n->ha, write ? HA_WPQ_NO_CREDITS : HA_RPQ_NO_CREDITS, SNB_UMASK(1u << channel),
              write ? &n->wpq_out[channel] : &n->rpq_out[channel], (fs_t[]){ came, *at });
  return entry;
}

static fs_t memory_read(struct traffic *t, struct socket *h, uint64_t line, fs_t at)
{
  struct dram_place place;
  fs_t begin = at, done;
  address_dram(&t->map, line, &place);
  const uint32_t entry = credit_take(h->snb, place.channel, false, &begin);
  done = dram_read(t, h, line, &place, begin + t->time.m2m_pipe) + t->time.m2m_pipe;
  h->snb->rpq[place.channel].until[entry] = done;
  h->totals.m2m_reads++;
  return done;
}

static fs_t memory_write(struct traffic *t, struct socket *h, uint64_t line, bool partial, fs_t at)
{
  struct dram_place place;
  fs_t begin = at, done;
  address_dram(&t->map, line, &place);
  const uint32_t entry = credit_take(h->snb, place.channel, true, &begin);
  block_pulse(h->snb->ha, HA_IMC_WRITES, SNB_UMASK(partial ? 0x02 : 0x01), 0, begin, 1);
  done = dram_write(t, h, line, &place, begin + t->time.m2m_pipe);
  h->snb->wpq[place.channel].until[entry] = done;
  h->totals.m2m_writes++;
  return done;
}

static bool directory_on(const struct traffic *t)
{
  return t->sockets > 1 && t->config.value[CONFIG_DIRECTORY];
}

/* The directory's bits are memory's: to change them is a write. */
static void directory_set(struct traffic *t, const struct asking *q, bool remote_has, fs_t at)
{
  const enum directory to = remote_has ? DIRECTORY_A : DIRECTORY_I;
  if (!directory_on(t) || page_directory(q->r->page, q->r->line) == to)
    return;
  page_directory_set(q->r->page, q->r->line, to);
  block_pulse(q->home->snb->ha, HA_DIRECTORY_UPDATE, SNB_UMASK(remote_has ? 0x01 : 0x02), 0, at, 1);
  q->home->totals.directory_writes++;
  memory_write(t, q->home, q->r->line, false, at);
}

/* Asks the socket's own CBo for a request of the other socket, the other socket's for one of its own. */
static struct snb_snooped copies_ask(struct traffic *t, const struct asking *q, bool invalidate)
{
  struct socket *h = q->home, *s = q->remote ? h : t->socket[1 - h->index];
  struct request r = { .line = q->r->line, .page = q->r->page, .socket = s->index, .core = MAX_CORES,
                       .tid = SNB_TID_PCIE, .cha = q->r->cha, .home = q->r->home, .op = invalidate ? OP_SNPINV : OP_SNPDATA };
  const unsigned there = qpi_stop(t, s, r.line), here = qpi_stop(t, h, r.line), cbo = s->cha[r.cha].tile;
  fs_t at = q->at + t->time.m2m_pipe;
  struct snb_snooped n;
  block_pulse(h->snb->ha, HA_TXR_AD, SNB_UMASK(0x02), 0, at, 1);
  h->totals.snoops_sent++;
  if (q->remote) {
    n = cbo_snoop(t, s, &r, invalidate, move(t, h, (struct snb_move){ .from = h->snb->home, .to = cbo }, at));
    n.done = move(t, h, (struct snb_move){ .from = cbo, .to = h->snb->home, .ring = n.modified ? SNB_BL : SNB_AK }, n.done);
  } else {
    at = move(t, h, (struct snb_move){ .from = h->snb->home, .to = here }, at);
    at = qpi_send(t, h->index, r.line, &(struct snb_packet){ QPI_SNP, invalidate ? 4 : 2, 0, false }, at);
    n = cbo_snoop(t, s, &r, invalidate, move(t, s, (struct snb_move){ .from = there, .to = cbo }, at));
    at = move(t, s, (struct snb_move){ .from = cbo, .to = there, .ring = n.modified ? SNB_BL : SNB_AD }, n.done);
    /* RspI or RspS; RspIWb or RspSWb with the data */
    at = qpi_send(t, s->index, r.line,
                  &(struct snb_packet){ QPI_HOM1, n.modified ? (invalidate ? 0xd : 0xe) : n.had && !invalidate, 0, false }, at);
    if (n.modified)
      at = qpi_send(t, s->index, r.line, &(struct snb_packet){ QPI_DRS, invalidate ? 4 : 5, 0, true }, at);
    n.done = move(t, h, (struct snb_move){ .from = here, .to = h->snb->home, .ring = n.modified ? SNB_BL : SNB_AD }, at);
  }
  h->totals.snoop_responses++;
  return n;
}

/* What the home has to say, and when. */
struct served { fs_t at; bool data; enum line_state state; };

static struct served serve(struct traffic *t, struct asking *q)
{
  const struct op_facts *f = op_facts(q->r->op);
  struct block *ha = q->home->snb->ha;
  struct snb_snooped n = { 0 };
  const bool may = !directory_on(t) || q->remote || page_directory(q->r->page, q->r->line) != DIRECTORY_I;
  struct served v = { .data = f->reads, .state = LINE_E };
  enter(t, q);
  v.at = q->at + t->time.m2m_pipe;
  if (directory_on(t) && !q->remote)
    block_pulse(ha, HA_DIRECTORY_LOOKUP, SNB_UMASK(may ? 0x01 : 0x02), 0, q->at, 1);
  if (t->sockets > 1 && may)
    n = copies_ask(t, q, f->owns);
  if (f->reads)
    v.at = memory_read(t, q->home, q->r->line, q->at);
  v.at = later(v.at, n.done);
  if (n.modified && !f->owns)
    memory_write(t, q->home, q->r->line, false, n.done);
  if ((n.had && !f->owns) || (f->code && q->remote))
    v.state = LINE_S;
  directory_set(t, q, q->remote ? q->r->op != OP_PCIRDCUR : n.had && !f->owns, v.at);
  q->home->snb->tracker.until[q->tracker] = v.at;
  return v;
}

/* The home's data go straight to the core that asked, and the CBo is told. */
static void answer_local(struct traffic *t, const struct asking *q, const struct served *v, struct answer *a)
{
  struct socket *s = q->home;
  const unsigned cbo = s->cha[q->r->cha].tile;
  const bool core = q->r->core < MAX_CORES;
  if (v->data) {
    block_pulse(s->snb->ha, HA_TXR_BL, SNB_UMASK(core ? 0x02 : 0x01), 0, v->at, 1);
    if (core)
      block_pulse(s->snb->ha, HA_DIRECT2CORE_COUNT, 0, 0, v->at, 1);
    else
      block_pulse(s->snb->ha, HA_DIRECT2CORE_TXN_OVERRIDE, 0, 0, v->at, 1);
    a->done = move(t, s, (struct snb_move){ .from = s->snb->home, .to = core ? q->r->tile : cbo, .ring = SNB_BL, .side = core ? SNB_TO_CORE : SNB_CACHE }, v->at);
  }
  block_pulse(s->snb->ha, HA_TXR_AK_NDR, 0, 0, v->at, 1);
  a->released = move(t, s, (struct snb_move){ .from = s->snb->home, .to = cbo, .ring = SNB_AK }, v->at);
  if (!v->data)
    a->done = move(t, s, (struct snb_move){ .from = cbo, .to = q->r->tile, .ring = SNB_AK, .side = core ? SNB_TO_CORE : SNB_CACHE }, a->released);
  else if (!core)
    a->done = move(t, s, (struct snb_move){ .from = cbo, .to = q->r->tile, .ring = SNB_BL }, a->done);
}

static void answer_remote(struct traffic *t, const struct asking *q, const struct served *v, struct answer *a)
{
  struct socket *h = q->home, *s = t->socket[q->r->socket];
  const unsigned here = qpi_stop(t, s, q->r->line), there = qpi_stop(t, h, q->r->line), cbo = s->cha[q->r->cha].tile;
  const bool core = q->r->core < MAX_CORES;
  struct block *link = s->snb->link[here - s->snb->r3].qpi;
  struct snb_packet p = { QPI_NDR, 0, 0, false };
  fs_t at = v->at;
  if (v->data) {
    p = (struct snb_packet){ QPI_DRS, 0, v->state == LINE_E ? QPI_RDS_E : QPI_RDS_S, true };
    block_pulse(h->snb->ha, HA_TXR_BL, SNB_UMASK(0x04), 0, at, 1);
  } else {
    block_pulse(h->snb->ha, HA_TXR_AD, SNB_UMASK(0x01), 0, at, 1);
  }
  at = move(t, h, (struct snb_move){ .from = h->snb->home, .to = there, .ring = v->data ? SNB_BL : SNB_AD }, at);
  at = qpi_send(t, h->index, q->r->line, &p, at);
  if (v->data)
    block_pulse(link, QPI_DIRECT2CORE, SNB_UMASK(core ? 0x01 : 0x04), 0, at, 1);
  a->released = move(t, s, (struct snb_move){ .from = here, .to = cbo, .ring = v->data && !core ? SNB_BL : SNB_AK }, at);
  a->done = v->data && core ? move(t, s, (struct snb_move){ .from = here, .to = q->r->tile, .ring = SNB_BL, .side = SNB_TO_CORE }, at)
                            : move(t, s, (struct snb_move){ .from = cbo, .to = q->r->tile, .ring = v->data ? SNB_BL : SNB_AK },
                                   a->released);
}

/* A request's way to its home. */
static fs_t home_reach(struct traffic *t, const struct request *r, struct snb_packet p, fs_t at)
{
  struct socket *s = t->socket[r->socket], *h = t->socket[r->home];
  const enum snb_ring ring = p.data ? SNB_BL : SNB_AD;
  if (s == h)
    return ring_send(t, s, &(struct snb_move){ s->cha[r->cha].tile, h->snb->home, ring, SNB_CACHE, r->tid }, at);
  at = ring_send(t, s, &(struct snb_move){ s->cha[r->cha].tile, qpi_stop(t, s, r->line), ring, SNB_CACHE, r->tid }, at);
  at = qpi_send(t, s->index, r->line, &(struct snb_packet){ QPI_HOM0, asked[r->op].opcode, 0, false }, at);
  if (p.data)
    at = qpi_send(t, s->index, r->line, &p, at);
  return move(t, h, (struct snb_move){ .from = qpi_stop(t, h, r->line), .to = h->snb->home, .ring = ring }, at);
}

void agent_request(struct traffic *t, const struct request *r, fs_t at, struct answer *a)
{
  struct asking q = { .r = r, .home = t->socket[r->home], .remote = r->home != r->socket };
  q.at = home_reach(t, r, (struct snb_packet){ 0 }, at);
  struct served v = serve(t, &q);
  a->missed = true;
  a->state = v.state;
  (q.remote ? answer_remote : answer_local)(t, &q, &v, a);
}

void agent_write(struct traffic *t, const struct request *r, struct snb_write how, fs_t at)
{
  struct asking q = { .r = r, .home = t->socket[r->home], .remote = r->home != r->socket };
  struct socket *h = q.home;
  const bool through = asked[r->op].opcode == 0x7;              /* NonSnpWr, with NonSnpWrData or its partial form */
  q.at = home_reach(t, r, (struct snb_packet){ QPI_DRS, through ? (how.partial ? 0xb : 0x7) : 0x4, 0, true }, at);
  enter(t, &q);
  fs_t done = q.at + t->time.m2m_pipe;
  if (how.copies && t->sockets > 1
      && (!directory_on(t) || q.remote || page_directory(r->page, r->line) != DIRECTORY_I))
    done = later(done, copies_ask(t, &q, true).done);
  if (directory_on(t))                                          /* the write carries the bits with it */
    page_directory_set(r->page, r->line, DIRECTORY_I);
  done = memory_write(t, h, r->line, how.partial, done);
  h->snb->tracker.until[q.tracker] = done;
  if (!q.remote) {
    block_pulse(h->snb->ha, HA_TXR_AK_NDR, 0, 0, done, 1);
    move(t, h, (struct snb_move){ .from = h->snb->home, .to = h->cha[r->cha].tile, .ring = SNB_AK }, done);
    return;
  }
  struct socket *s = t->socket[r->socket];
  block_pulse(h->snb->ha, HA_TXR_AD, SNB_UMASK(0x01), 0, done, 1);
  done = move(t, h, (struct snb_move){ .from = h->snb->home, .to = qpi_stop(t, h, r->line) }, done);
  done = qpi_send(t, h->index, r->line, &(struct snb_packet){ QPI_NDR, 0, 0, false }, done);
  move(t, s, (struct snb_move){ .from = qpi_stop(t, s, r->line), .to = s->cha[r->cha].tile, .ring = SNB_AK }, done);
}
