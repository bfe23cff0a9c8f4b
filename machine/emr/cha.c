/* SPDX-License-Identifier: MIT */
/* The front of the caching and home agent: ingress queue, table of requests (TOR), tag pipeline (guide 2.2), and the
 * handling of requests from its own socket. */
#include "machine/common/register_keep.h"
#include "machine/emr/coherence.h"
#include "machine/emr/devices.h"
#include "machine/emr/llc.h"
#include "machine/emr/m2m.h"
#include "machine/emr/mesh.h"
#include "machine/emr/reject.h"

static bool op_targets_llc(enum tor_op op)
{
  return op_facts(op)->lookup & LLC_LLCPREF;
}
/* True if the request writes the line back and invalidates all copies. */
static bool op_flushes(enum tor_op op)
{
  return op == OP_CLFLUSH || op == OP_CLFLUSHOPT || op == OP_IO_CLFLUSH;
}

/* True if no cache has the line afterwards: writes that bypass the caches, flushes. */
static bool op_passes(enum tor_op op)
{
  return op == OP_WCILF || op == OP_WCIL || op_flushes(op);
}

/* True if a device's line must be sent to its home in the other socket. */
static bool op_pushes(const struct request *r)
{
  return request_remote(r) && (r->op == OP_ITOM || r->op == OP_ITOMCACHENEAR);
}

/* The functions that every request passes through are inlined into cha_request() and cha_evict(). */
#define EACH_REQUEST static inline __attribute__((always_inline))

EACH_REQUEST struct cha_entry entry_accept(struct traffic *t, struct socket *s, const struct request *r, fs_t arrived)
{
  struct emr_socket *emr = emr_socket(s);
  const struct op_facts *f = op_facts(r->op);
  struct cha *cha = &s->cha[r->cha];
  REGISTER_KEEP(cha);
  const fs_t turn = cha_turn(cha, arrived, t->time.uclk);
  fs_t accepted = turn;
  const uint32_t slot = holders_take(&cha->tor, &accepted);
  if (f->ingress) {
    block_pulse(cha->block, CHA_RXC_INSERTS, f->ingress, r->tid, arrived, 1);
    if (accepted > arrived)
      block_span(cha->block, CHA_RXC_OCCUPANCY, f->ingress, r->tid, arrived, accepted, 1);
    if (accepted > turn && (f->ingress == RXC_IRQ || f->ingress == RXC_PRQ)) /* no room in the TOR */
      block_pulse(cha->block, CHA_RXC_INSERTS, f->ingress << 1, r->tid, turn, 1);
    s->totals.ingress_inserts++;
    s->totals.ingress_wait_fs += accepted - arrived;
  }
  if (emr->rejects_observed && f->queue)
    rejects_accepted(s, r, turn);
  if (emr->write_caches_observed && (op_kind(r->op)->reads || op_kind(r->op)->owns))
    write_cache_snoop(t, s, r, accepted);
  return (struct cha_entry){s, cha, accepted, slot};
}

struct cha_entry cha_accept(struct traffic *t, struct socket *s, const struct request *r, fs_t arrived)
{
  return entry_accept(t, s, r, arrived);
}

struct cha_entry cha_pass(struct traffic *t, struct socket *s, struct request *r)
{
  r->cha = address_cha(&t->map, r->line);
  return cha_accept(t, s, r, mesh_send(t, s, r->tile, s->cha[r->cha].tile, MESH_AD | MESH_OF_CORE, r->at));
}

/* Returns the target of a TOR entry's line: memory, a device's registers, a CXL device's memory. */
static uint64_t target_of(const struct traffic *t, const struct request *r)
{
  switch (r->op) {
  case OP_PRD:
  case OP_UCRDF:
  case OP_WIL:
  case OP_WILF: return TOR_MMIO | TOR_NC;
  case OP_EXP_DRD:
  case OP_EXP_RFO: return TOR_NOT_NM | TOR_CXL_EXP_LOCAL;
  case OP_ACC_DRD:
  case OP_ACC_RFO: return TOR_NOT_NM | TOR_IA_MEM_ACC;
  default: break;
  }
  const unsigned device = address_device(&t->map, r->line);
  if (!device)
    return TOR_DDR | TOR_NOT_NM;
  return TOR_NOT_NM | (device > CXL_DEVICES ? TOR_IA_MEM_ACC : TOR_CXL_EXP_LOCAL);
}

static __attribute__((noinline)) void tor_report(const struct traffic *t, const struct cha_entry *e,
                                                 const struct request *r, fs_t done, bool missed)
{
  const struct op_facts *f = op_facts(r->op);
  const uint64_t attr = f->queue | TOR_OPC(f->opcode) | target_of(t, r) | (missed ? TOR_MISS : TOR_HIT) |
                        (request_remote(r) ? TOR_REM : TOR_LOC);
  block_pulse(e->cha->block, CHA_TOR_INSERTS, attr, r->tid, e->accepted, 1);
  block_span(e->cha->block, CHA_TOR_OCCUPANCY, attr, r->tid, e->accepted, done, 1);
}

EACH_REQUEST void entry_release(struct traffic *t, const struct cha_entry *e, const struct request *r, fs_t done,
                                bool missed)
{
  struct socket *s = e->s;
  const bool remote = request_remote(r);
  const struct op_facts *f = op_facts(r->op);
  if (done < e->accepted)
    done = e->accepted;
  if (block_wants_report(e->cha->block, CHA_TOR_INSERTS, done) ||
      block_wants_report(e->cha->block, CHA_TOR_OCCUPANCY, done))
    tor_report(t, e, r, done, missed);
  holders_keep(&e->cha->tor, e->slot, done);
  if (emr_socket(s)->rejects_observed) {
    if (f->ingress & (RXC_IRQ | RXC_PRQ)) /* its completion uses the acknowledge ring */
      rejects_link(s, r, REJECT_AK, done, done + t->time.enter);
    rejects_released(s, r, done, missed);
  }
  if (f->ingress && f->ingress != RXC_IRQ) /* the queue's credit returns to a link or a stack */
    mesh_report(t, s, &(struct mesh_way){e->cha->tile, r->tile, MESH_AKC, e->accepted});
  struct tor_total *total = &s->totals.tor[r->op][missed][remote];
  total->entries++;
  total->life_fs += done - e->accepted;
  if (done > t->seen)
    t->seen = done;
}

void cha_release(struct traffic *t, const struct cha_entry *e, const struct request *r, fs_t done, bool missed)
{
  entry_release(t, e, r, done, missed);
}

/* Returns the bit of a stack's mesh port if the look-up is for a device; else 0. */
static uint64_t lookup_port(const struct socket *s, const struct request *r)
{
  const unsigned port = r->tile - s->stack[0]->tile;
  const bool device = r->core == MAX_CORES && r->socket == s->index && port < MAX_STACKS && s->stack[port];
  return device ? LLC_IIO_PORT(port) : 0;
}

static __attribute__((noinline)) void lookup_report(const struct socket *s, const struct cha_entry *e,
                                                    const struct request *r, uint64_t state)
{
  block_pulse(e->cha->block, CHA_LLC_LOOKUP,
              state | op_facts(r->op)->lookup | lookup_port(s, r) | LLC_ANY |
                  (request_remote(r) ? LLC_HOM_REMOTE : LLC_HOM_LOCAL),
              r->tid, e->accepted, 1);
}

EACH_REQUEST void entry_lookup(struct socket *s, const struct cha_entry *e, const struct request *r, uint64_t state)
{
  if (block_wants_report(e->cha->block, CHA_LLC_LOOKUP, e->accepted))
    lookup_report(s, e, r, state);
  s->totals.llc_lookups++;
  s->totals.llc_hits += state != LLC_STATE_I;
}

void cha_lookup_report(struct socket *s, const struct cha_entry *e, const struct request *r, uint64_t state)
{
  entry_lookup(s, e, r, state);
}

/* A request that its CHA has looked up. */
struct looked_up {
  struct socket *s;
  const struct request *r;
  struct cha_entry e;
  struct holding h;
};

/* Snoops cores of this socket; returns the arrival of the first core's data at the requester. */
static fs_t cores_snoop_send(struct traffic *t, const struct looked_up *l, uint64_t cores)
{
  struct socket *s = l->s;
  const struct request *r = l->r;
  const struct cha_entry *e = &l->e;
  unsigned core = (unsigned)__builtin_ctzll(cores), owner = s->cha[core % t->chas].tile;
  fs_t there = mesh_send(t, s, e->cha->tile, owner, MESH_IV, e->accepted + t->time.cha_pipe);
  if (emr_socket(s)->rejects_observed)
    rejects_link(s, r, REJECT_IV, e->accepted, there);
  cores_snoop_report(e->cha, cores,
                     r->core < MAX_CORES || op_facts(r->op)->ingress == RXC_IRQ ? CORE_SNP_CORE : CORE_SNP_EXTERNAL,
                     r->tid, e->accepted);
  return mesh_send(t, s, owner, r->tile, MESH_BL | MESH_OF_CORE | MESH_AWAITED, there + t->time.l2);
}

/* Serves a read that hits the socket's LLC or another core. */
static void read_hit(struct traffic *t, struct looked_up *l, struct answer *a)
{
  struct socket *s = l->s;
  const struct request *r = l->r;
  const struct cha_entry *e = &l->e;
  struct holding *h = &l->h;
  bool to_core = r->core < MAX_CORES && !op_targets_llc(r->op), shared = true;
  a->state = LINE_S;
  if (h->others && h->filter == LINE_E && !op_targets_llc(r->op)) {
    a->done = cores_snoop_send(t, l, h->others);
    if (cores_snoop(t, s, r->line, h->others, false))
      llc_insert(t, s, r, LINE_M, e->accepted + t->time.cha_pipe);
  } else if (!h->llc) {
    a->done = cores_snoop_send(t, l, h->others);
  } else {
    a->done = mesh_send(t, s, e->cha->tile, r->tile, MESH_BL | MESH_AWAITED, e->accepted + t->time.cha_pipe);
    if (to_core && h->llc >= LINE_E && !h->others && !op_kind(r->op)->code) { /* the line moves to the core */
      a->state = h->llc;
      llc_drop(s, h);
      shared = false;
    } else {
      cache_first(h->set, h->way,
                  cache_get(h->set, h->way) & ~(uint64_t)(op_targets_llc(r->op) ? 0 : ENTRY_PREFETCHED));
    }
  }
  a->released = a->done;
  if (to_core)
    filter_add(t, s, r, &h->place, shared ? (h->owned ? LINE_F : LINE_S) : LINE_E);
}

/* A request for exclusive ownership of a line: all other copies are invalidated. Returns true when no snoop outside
 * the socket is needed; *ret_dirty: a modified copy was dropped. */
static bool copies_drop(struct traffic *t, struct looked_up *l, struct answer *a, bool *ret_dirty)
{
  struct socket *s = l->s;
  const struct request *r = l->r;
  const struct cha_entry *e = &l->e;
  struct holding *h = &l->h;
  *ret_dirty = h->llc == LINE_M;
  a->done = a->released = e->accepted + t->time.cha_pipe;
  if (h->llc == LINE_S || h->llc == LINE_F)
    block_pulse(e->cha->block, CHA_MISC, EMR_UMASK(0x08), r->tid, e->accepted, 1); /* RFO_HIT_S */
  if (h->llc)
    llc_drop(s, h);
  if (h->others) {
    a->done = cores_snoop_send(t, l, h->others);
    *ret_dirty |= cores_snoop(t, s, r->line, h->others, true);
  } else if ((h->owned || h->llc) && op_kind(r->op)->reads) { /* else the home grants or sends the line */
    a->done = mesh_send(t, s, e->cha->tile, r->tile, MESH_BL | MESH_AWAITED, a->done);
  } else if (h->owned || op_passes(r->op)) {
    a->done = mesh_send(t, s, e->cha->tile, r->tile, MESH_AK | MESH_AWAITED, a->done);
  }
  a->released = a->done;
  return h->owned;
}

static void cha_own_line(struct traffic *t, struct looked_up *l, struct answer *a)
{
  struct socket *s = l->s;
  const struct request *r = l->r;
  const struct cha_entry *e = &l->e;
  struct holding *h = &l->h;
  const unsigned cha = r->cha;
  fs_t looked = e->accepted + t->time.cha_pipe;
  bool dirty, writes = r->op == OP_WCILF || r->op == OP_WCIL, flush = op_flushes(r->op);
  bool alone = copies_drop(t, l, a, &dirty);
  if (writes || flush) {
    filter_remove(&h->place, r);
    if (writes && h->llc == LINE_M)
      block_pulse(e->cha->block, CHA_MISC, EMR_UMASK(0x02), r->tid, looked, 1); /* WC_ALIASING */
    if (writes || dirty)
      home_write(t, r, cha, r->op == OP_WCIL, looked);
    else if (!alone)
      home_flush(t, r, cha, looked, a);
    a->missed = !h->llc && !h->others;
    a->state = LINE_I;
    return;
  }
  if (!alone) {
    if (op_kind(r->op)->reads && (h->llc || h->place.found)) { /* only the other socket's copy must go */
      struct request q = *r;
      q.op = OP_INVITOE;
      home_request(t, &q, cha, looked, a);
    } else
      home_request(t, r, cha, looked, a);
    a->missed = true;
  } else if (op_kind(r->op)->reads || h->others)
    mesh_report(t, s, &(struct mesh_way){e->cha->tile, r->tile, MESH_AK | MESH_AWAITED, looked}); /* granted */
  a->state = dirty ? LINE_M : LINE_E;
  if (r->core < MAX_CORES)
    filter_add(t, s, r, &h->place, LINE_E);
  else {
    filter_remove(&h->place, r);
    if (op_pushes(r))
      home_push(t, r, a->done + 2 * t->time.enter + mesh_hops(s, r->tile, e->cha->tile) * (fs_t)t->time.hop);
    else
      llc_insert(t, s, r, LINE_M, a->released);
  }
}

/* Serves a request of a machine without L2: each miss fills the LLC. */
static void llc_serve_filled(struct traffic *t, struct looked_up *l, struct answer *a)
{
  struct socket *s = l->s;
  const struct request *r = l->r;
  const struct cha_entry *e = &l->e;
  struct holding *h = &l->h;
  uint64_t modified = op_kind(r->op)->owns ? LINE_M : LINE_E;
  a->state = LINE_E;
  a->missed = !h->llc;
  if (h->llc) {
    cache_first(h->set, h->way,
                (cache_get(h->set, h->way) & ~(uint64_t)ENTRY_STATE) | (h->llc > modified ? h->llc : modified));
    a->done = a->released =
        mesh_send(t, s, e->cha->tile, r->tile, MESH_BL | MESH_AWAITED, e->accepted + t->time.cha_pipe);
  } else {
    home_request(t, r, r->cha, e->accepted + t->time.cha_pipe, a);
    llc_insert(t, s, r, (enum line_state)modified, a->released);
  }
}

void cha_request(struct traffic *t, const struct request *r, struct answer *a)
{
  struct socket *s = t->socket[r->socket];
  unsigned index = r->cha;
  if (emr_socket(s)->ahead && r->op <= OP_RFO_PREF)
    ahead_ask(t, s, r);
  fs_t arrived = mesh_send(t, s, r->tile, s->cha[index].tile, MESH_AD | MESH_OF_CORE, r->at);
  struct looked_up l; /* all of it is set below: its size costs time */
  l.s = s;
  l.r = r;
  l.e = entry_accept(t, s, r, arrived);
  holding_find(s, r, &l.h);
  entry_lookup(s, &l.e, r, holding_state(&l.h));
  *a = (struct answer){.missed = false};
  if (t->fill && op_kind(r->op)->reads) {
    llc_serve_filled(t, &l, a);
  } else if (op_kind(r->op)->owns) {
    cha_own_line(t, &l, a);
  } else if (l.h.llc || l.h.others) {
    read_hit(t, &l, a);
  } else {
    a->missed = true;
    home_request(t, r, index, l.e.accepted + t->time.cha_pipe, a);
    if (op_targets_llc(r->op)) {
      block_pulse(l.e.cha->block, CHA_MISC, EMR_UMASK(0x20), r->tid, l.e.accepted, 1); /* CV0_PREF_MISS */
      llc_insert(t, s, r, a->state, a->released);
      llc_note_prefetch(s, r);
    } else if (r->core < MAX_CORES)
      filter_add(t, s, r, &l.h.place, op_kind(r->op)->code && a->state == LINE_E ? LINE_F : a->state);
    if (op_kind(r->op)->code)
      a->state = LINE_S;
  }
  /* The sender of the completion: memory's response itself, or the CHA at once; for a write that bypasses the
   * caches, the completion requests the data. */
  const bool pulls = r->op == OP_WCILF || r->op == OP_WCIL;
  block_pulse(l.e.cha->block, CHA_DIRECT_GO_OPC,
              EMR_UMASK(pulls       ? 0x02
                        : a->missed ? 0x01
                                    : 0x10),
              r->tid, a->released, 1);
  if (a->missed && r->home == r->socket)
    block_pulse(l.e.cha->block, CHA_DIRECT_GO, EMR_UMASK(0x01), r->tid, a->released, 1); /* HA_TOR_DEALLOC */
  entry_release(t, &l.e, r, a->released, a->missed);
}

void cha_evict(struct traffic *t, const struct request *r, enum line_state state)
{
  struct socket *s = t->socket[r->socket];
  unsigned index = r->cha;
  fs_t arrived =
      mesh_send(t, s, r->tile, s->cha[index].tile, MESH_OF_CORE | (state == LINE_M ? MESH_BL : MESH_AD), r->at);
  struct cha_entry e = entry_accept(t, s, r, arrived);
  struct holding h;
  holding_find(s, r, &h);
  entry_lookup(s, &e, r, holding_state(&h));
  enum line_state left = h.filter;
  filter_remove(&h.place, r);
  bool others = h.place.found && filter_state(&h.place);
  fs_t looked = e.accepted + t->time.cha_pipe;
  /* GO, with a request for a modified line's data: at once, or after the eviction has waited. */
  const bool waited = e.accepted > arrived;
  block_pulse(e.cha->block, CHA_DIRECT_GO_OPC,
              EMR_UMASK(state != LINE_M ? 0x04
                        : waited        ? 0x08
                                        : 0x20),
              r->tid, looked, 1);
  if (state == LINE_S && left == LINE_F && !others)
    state = LINE_E; /* the last sharer of a line that the socket owns */
  if (state != LINE_S || !others) {
    if (h.llc)
      llc_insert(t, s, r, state, looked);
    else
      llc_put(t, s, r, h.set, state, looked);
  }
  mesh_report(t, s, &(struct mesh_way){e.cha->tile, r->tile, MESH_AK | MESH_AWAITED, looked});
  entry_release(t, &e, r, looked, false);
}
