/* SPDX-License-Identifier: MIT */
/* The home agent: handles requests that a socket cannot answer itself, at the socket whose memory has the line.
 * Memory holds a directory: whether the other socket may have a copy (guide 2.2: DIR_LOOKUP, DIR_UPDATE). */
#include "machine/emr/coherence.h"
#include "machine/emr/devices.h"
#include "machine/emr/hitme.h"
#include "machine/emr/home.h"
#include "machine/emr/m3upi.h"
#include "machine/emr/llc.h"
#include "machine/emr/m2m.h"
#include "machine/emr/mesh.h"
#include "machine/emr/reject.h"

void home_directory_write(struct traffic *t, struct socket *s, const struct request *r, struct directory_change change,
                          fs_t at)
{
  const struct cha *cha = &s->cha[r->cha];
  struct emr_socket *emr = emr_socket(s);
  static const uint64_t umask[3][3] = {[DIRECTORY_I] = {0, M2M_DIRU_I_TO_S, M2M_DIRU_I_TO_A},
                                       [DIRECTORY_S] = {M2M_DIRU_S_TO_I, 0, M2M_DIRU_S_TO_A},
                                       [DIRECTORY_A] = {M2M_DIRU_A_TO_I, M2M_DIRU_A_TO_S, 0}};
  enum directory from = page_directory(r->page, r->line);
  if (t->sockets < 2 || from == change.to)
    return;
  const unsigned device = address_device(&t->map, r->line);
  struct dram_place place;
  address_dram(&t->map, r->line, &place);
  page_directory_set(r->page, r->line, change.to);
  if (change.by != DIRECTORY_BY_M2M || device)
    block_pulse(cha->block, CHA_DIR_UPDATE, EMR_UMASK(change.by == DIRECTORY_BY_TOR ? 0x02 : 0x01), 0, at, 1);
  if (device) { /* its memory stores the directory state with the line */
    cxl_store(t, s, device, cha->tile, at);
    return;
  }
  block_pulse(cha->block, CHA_IMC_WRITES_COUNT, EMR_UMASK(0x01), 0, at, 1);
  if (change.by == DIRECTORY_BY_M2M)
    block_pulse(emr->m2m[place.mc].block, M2M_DIRECTORY_UPDATE, M2M_DIRU_ANY | M2M_DIRU_HIT | umask[from][change.to], 0,
                at, 1);
  s->totals.directory_writes++;
  m2m_write(t, s, &(struct memory_write){.r = r, .place = &place},
            mesh_send(t, s, cha->tile, emr->m2m[place.mc].tile, MESH_AD, at));
}

/* Reads memory for the CHA; returns when and where the data leave the M2M or a CXL device's stack. */
static struct fetched memory_read(struct traffic *t, struct socket *s, const struct request *r,
                                  const struct dram_place *place, fs_t at)
{
  struct emr_socket *emr = emr_socket(s);
  struct cha *cha = &s->cha[r->cha];
  const unsigned device = address_device(&t->map, r->line);
  if (device)
    return cxl_fetch(t, s, device, cha->tile, at);
  fs_t there = mesh_send(t, s, cha->tile, emr->m2m[place->mc].tile, MESH_AD, at);
  block_pulse(cha->block, CHA_IMC_READS_COUNT, EMR_UMASK(0x01), r->tid, at, 1);
  /* Demand data reads bypass the pipeline; code reads bypass a part of it. */
  block_pulse(cha->block, CHA_BYPASS_CHA_IMC,
              EMR_UMASK(r->op == OP_DRD   ? 0x01
                        : r->op == OP_CRD ? 0x02
                                          : 0x04),
              r->tid, at, 1);
  return (struct fetched){m2m_read(t, s, r, place, there), emr->m2m[place->mc].tile};
}

void home_memory_write(struct traffic *t, struct socket *s, const struct request *r, bool partial, fs_t at)
{
  const unsigned device = address_device(&t->map, r->line);
  struct cha *cha = &s->cha[r->cha];
  struct dram_place place;
  if (device) {
    cxl_store(t, s, device, cha->tile, at);
    return;
  }
  block_pulse(cha->block, CHA_IMC_WRITES_COUNT, EMR_UMASK(partial ? 0x02 : 0x01), r->tid, at, 1);
  address_dram(&t->map, r->line, &place);
  fs_t there = mesh_send(t, s, cha->tile, emr_socket(s)->m2m[place.mc].tile, MESH_BL, at);
  m2m_write(t, s, &(struct memory_write){r, &place, partial}, there);
}

/* True if the home snoops the other socket before it has read memory's directory (guide 2.2, OSB). It does not do so
 * while lanes of the link are off. */
static bool home_broadcasts_snoop(struct traffic *t, const struct request *r, struct cha *cha, fs_t at)
{
  const struct link *l = &emr_socket(t->socket[r->socket])->link[upi_of(t, r->line)];
  const bool off = t->config.value[CONFIG_UPI_L0P] && link_sleeps(l, at),
             shared = op_kind(r->op)->owns && page_directory(r->page, r->line) == DIRECTORY_S;
  const unsigned kind = off ? 0x20 : shared ? 0x10 : op_kind(r->op)->reads ? 0x02 : 0x01;
  block_pulse(cha->block, CHA_OSB, EMR_UMASK(kind), r->tid, at, 1);
  return !off;
}

/* Answers a request at its local home after the snoop of the other socket, and updates the directory, and memory if the
 * other socket had the line modified. */
static void home_take_answer(struct traffic *t, const struct request *r, struct cha *cha, const struct snoop_answer *n,
                             struct answer *a)
{
  struct socket *s = t->socket[r->socket];
  const struct op_kind *f = op_kind(r->op);
  a->released = n->done;
  a->done = mesh_send(t, s, cha->tile, r->tile, MESH_BL | MESH_AWAITED, n->done);
  if (n->had && !f->owns)
    a->state = LINE_S;
  if (n->forwarded && !n->keeps)
    hitme_take_back(s, r, n->done);
  enum directory to = n->had && !f->owns ? DIRECTORY_S : DIRECTORY_I;
  if (n->keeps)
    return;
  if (n->modified && !(f->owns && f->reads)) { /* the answer's data and the state go to memory, too */
    page_directory_set(r->page, r->line, to);
    home_memory_write(t, s, r, false, n->done);
  } else {
    const enum directory_writer by = f->reads && !n->modified ? DIRECTORY_BY_M2M : DIRECTORY_BY_HA;
    home_directory_write(t, s, r, (struct directory_change){to, by}, n->done);
  }
}

/* A request at its local home: reads memory and, when the directory requires it, snoops the other socket. */
static void home_local(struct traffic *t, const struct request *r, struct cha *cha, fs_t at, struct answer *a)
{
  struct socket *s = t->socket[r->socket];
  const struct op_kind *f = op_kind(r->op);
  struct dram_place place;
  address_dram(&t->map, r->line, &place);
  block_pulse(cha->block, CHA_REQUESTS, f->reads ? HA_READ_LOCAL : HA_INVITOE_LOCAL, r->tid, at, 1);
  fs_t notified = at;
  struct fetched got = {at, cha->tile};
  if (f->reads) {
    got = memory_read(t, s, r, &place, at);
    notified = mesh_send(t, s, got.tile, cha->tile, MESH_AK, got.left);
  }
  enum directory d = t->sockets > 1 ? page_directory(r->page, r->line) : DIRECTORY_I;
  const bool early = t->sockets > 1 && t->config.value[CONFIG_OSB] && home_broadcasts_snoop(t, r, cha, at);
  bool ask = early || d == DIRECTORY_A || (d == DIRECTORY_S && f->owns);
  if (t->sockets > 1)
    block_pulse(cha->block, CHA_DIR_LOOKUP, EMR_UMASK(ask ? 0x01 : 0x02), r->tid, notified, 1);
  a->state = d == DIRECTORY_S && !f->owns ? LINE_S : LINE_E;
  a->released = notified;
  if (!ask) {
    /* the data go straight to the core */
    a->done = mesh_send(t, s, got.tile, r->tile, MESH_AWAITED | (f->reads ? MESH_BL : MESH_AK), got.left);
    return;
  }
  if (!address_device(&t->map, r->line))
    block_pulse(emr_socket(s)->m2m[place.mc].block, M2M_DIRECT2CORE_NOT_TAKEN_DIRSTATE, EMR_UMASK(0x03), 0, got.left,
                1);
  block_pulse(cha->block, CHA_DIRECT_GO, EMR_UMASK(0x02), r->tid, notified, 1); /* HA_SUPPRESS_NO_D2C */
  struct snoop_answer n =
      snoop_socket(t, r, &(struct snooping){(unsigned)(cha - s->cha), f->owns, early}, early ? at : notified);
  if (n.done < notified)
    n.done = notified;
  home_take_answer(t, r, cha, &n, a);
}

/* The home's answer to a remote request: the home first invalidates or downgrades its own caches' copies. left, from:
 * when and where the answer leaves; wrote: the caches' data were written to memory, which can store the directory's
 * state with them. */
struct served {
  fs_t left;
  unsigned from;
  unsigned opcode;
  bool data, hit, wrote;
  enum line_state state;
  fs_t *credit;
};

static struct served home_caches(struct traffic *t, struct socket *s, const struct request *r, const struct holding *h,
                                 fs_t looked)
{
  struct emr_socket *emr = emr_socket(s);
  const struct op_kind *f = op_kind(r->op);
  struct cha *cha = &s->cha[r->cha];
  const struct filter_place *p = &h->place;
  struct served v = {.left = looked, .from = cha->tile, .data = f->reads, .hit = h->llc || p->found, .state = LINE_S};
  if (!v.hit)
    return v;
  bool dropped = h->llc == LINE_M && r->op != OP_RDCUR; /* a snapshot does not change the LLC's copy */
  if (p->found) {
    v.left += 2 * (t->time.enter + 4 * t->time.hop) + t->time.l2;
    if (emr->rejects_observed)
      rejects_link(s, r, REJECT_IV, looked, looked + t->time.enter + 4 * t->time.hop);
    cores_snoop_report(cha, filter_who(p), CORE_SNP_REMOTE, 0, looked);
    dropped |= cores_snoop(t, s, r->line, filter_who(p), f->owns);
    filter_put(p, f->owns ? 0 : r->line << 8 | LINE_S);
  }
  if (h->llc && f->owns)
    llc_drop(s, h);
  else if (h->llc && r->op != OP_RDCUR)
    cache_put(h->set, h->way, r->line << 8 | LINE_F);
  v.state = f->owns ? (dropped ? LINE_M : LINE_E) : LINE_S;
  v.opcode = f->owns ? (dropped ? 0x0 : 0x1) : 0x2; /* Data_M, Data_E, Data_SI (Table 3-7) */
  v.wrote = dropped && (!f->owns || r->op == OP_INVXTOI);
  if (v.wrote)
    home_memory_write(t, s, r, false, v.left);
  return v;
}

/* Sets the directory's state after a remote request. The state travels with data that go to memory; for a line whose
 * data follow at once (InvItoM) the home remembers the owner itself. */
static void home_directory(struct traffic *t, struct socket *s, const struct request *r, const struct served *v,
                           fs_t at)
{
  const bool flush = r->op == OP_INVXTOI;
  const enum directory to = flush ? DIRECTORY_I : v->state == LINE_S ? DIRECTORY_S : DIRECTORY_A;
  const enum directory_writer by = v->hit ? DIRECTORY_BY_TOR : v->data ? DIRECTORY_BY_M2M : DIRECTORY_BY_HA;
  struct request other = *r;
  if (r->op == OP_RDCUR || r->op == OP_INVITOM || (page_directory(r->page, r->line) == DIRECTORY_A && !flush))
    return;
  other.socket = 1 - r->socket; /* origin of the request that causes the update */
  if (v->wrote)
    page_directory_set(r->page, r->line, to);
  else
    home_directory_write(t, s, &other, (struct directory_change){to, by}, at);
}

/* Memory sends data past the CHA if a credit of the link's mesh stop is free. m: the M2M; NULL: a CXL device's
 * memory. */
static void straight_to_link(struct traffic *t, struct socket *s, const struct request *r, const struct m2m *m,
                             struct served *v)
{
  struct emr_socket *emr = emr_socket(s);
  struct link *l = &emr->link[upi_of(t, r->line)];
  fs_t at = v->left;
  const unsigned i = few_take(l->direct, LINK_DIRECT, &at);
  v->credit = at > v->left ? NULL : &l->direct[i];
  if (!v->credit) {
    if (m)
      block_pulse(m->block, M2M_DIRECT2UPI_NOT_TAKEN_CREDITS, EMR_UMASK(0x03), 0, v->left, 1);
    if (emr->links_observed)
      link_stop_no_direct(&l->queues, (fs_t[]){v->left, at});
    return;
  }
  if (m)
    block_pulse(m->block, M2M_DIRECT2UPI_TAKEN, EMR_UMASK(0x07), 0, v->left, 1);
  block_pulse(l->block, UPI_DIRECT_ATTEMPTS, EMR_UMASK(0x02), 0, v->left, 1); /* D2K */
}

/* True if the home has the line modified or exclusive. */
static bool held_alone(const struct holding *h)
{
  return h->llc >= LINE_E || (!h->llc && h->filter == LINE_E);
}

static struct served home_serve(struct traffic *t, const struct request *r)
{
  struct socket *s = t->socket[r->socket];
  const struct op_kind *f = op_kind(r->op);
  struct cha *cha = &s->cha[r->cha];
  struct cha_entry e = cha_accept(t, s, r, mesh_send(t, s, r->tile, cha->tile, MESH_AD, r->at));
  fs_t looked = e.accepted + t->time.cha_pipe;
  block_pulse(cha->block, CHA_REQUESTS, f->reads ? HA_READ_REMOTE : HA_INVITOE_REMOTE, 0, e.accepted, 1);
  struct holding h;
  holding_find(s, r, &h);
  cha_lookup_report(s, &e, r, holding_state(&h));
  struct served v = home_caches(t, s, r, &h, looked);
  hitme_request(s, r, &(struct hitme_line){v.hit, held_alone(&h)}, e.accepted);
  fs_t notified = v.left;
  if (!v.hit && f->reads) {
    struct dram_place place;
    address_dram(&t->map, r->line, &place);
    const struct fetched got = memory_read(t, s, r, &place, looked);
    v.left = got.left;
    v.from = got.tile;
    v.state = f->code || r->op == OP_RDCUR ? LINE_S : LINE_E;
    v.opcode = v.state == LINE_E ? 0x1 : 0x2;
    notified = mesh_send(t, s, got.tile, cha->tile, MESH_AK, v.left);
    straight_to_link(t, s, r, address_device(&t->map, r->line) ? NULL : &emr_socket(s)->m2m[place.mc], &v);
    if (!v.credit) {
      v.from = cha->tile;
      v.left = mesh_send(t, s, got.tile, cha->tile, MESH_BL | MESH_AWAITED, v.left);
    }
    block_pulse(cha->block, CHA_DIR_LOOKUP, EMR_UMASK(0x02), 0, notified, 1);
  } else if (!v.hit) {
    v.state = LINE_E;
  }
  home_directory(t, s, r, &v, notified);
  cha_release(t, &e, r, notified, !v.hit);
  return v;
}

struct request home_message_send(struct traffic *t, const struct request *r, const struct home_message *m, fs_t at)
{
  struct socket *s = t->socket[r->socket], *h = t->socket[r->home];
  struct emr_socket *emr = emr_socket(s);
  const unsigned link = upi_of(t, r->line), cha = s->cha[r->cha].tile;
  const fs_t out = mesh_send(t, s, cha, emr->link[link].tile, m->ring, at);
  struct request q = {.line = r->line,
                      .page = r->page,
                      .socket = h->index,
                      .tile = emr_socket(h)->link[link].tile,
                      .core = MAX_CORES,
                      .tid = EMR_TID_LINK,
                      .cha = r->cha,
                      .home = r->home,
                      .op = m->op};
  q.at = upi_send(t, &(struct upi_message){s->index, r->line, m->class, m->opcode}, out);
  /* the entry at the link's stop is free again */
  mesh_report(t, s, &(struct mesh_way){emr->link[link].tile, cha, MESH_AKC, q.at - t->time.flight});
  if (emr->rejects_observed)
    rejects_link(s, r, m->reject, at, q.at - t->time.flight);
  return q;
}

static void home_remote(struct traffic *t, const struct request *r, struct cha *cha, fs_t at, struct answer *a)
{
  static const struct {
    enum tor_op op;
    uint8_t opcode;
  } asked[OP_N] = {
      /* REQ opcodes of Table 3-7 */
      [OP_DRD] = {OP_RDDATA, 2},         [OP_DRD_PREF] = {OP_RDDATA, 2},      [OP_LLC_PREF] = {OP_RDDATA, 2},
      [OP_DRD_OPT] = {OP_RDDATA, 2},     [OP_DRD_OPT_PREF] = {OP_RDDATA, 2},  [OP_DRDPTE] = {OP_RDDATA, 2},
      [OP_CRD_PREF] = {OP_RDCODE, 1},    [OP_LLC_PREF_CODE] = {OP_RDCODE, 1}, [OP_LLC_PREF_RFO] = {OP_INVOWN, 4},
      [OP_IA_ITOM] = {OP_INVITOE, 7},    [OP_SPECITOM] = {OP_INVITOE, 7},     [OP_CXL_RFO] = {OP_INVOWN, 4},
      [OP_CXL_RDCUR] = {OP_RDCUR, 0},    [OP_CRD] = {OP_RDCODE, 1},           [OP_RFO] = {OP_INVOWN, 4},
      [OP_RFO_PREF] = {OP_INVOWN, 4},    [OP_ITOMCACHENEAR] = {OP_INVOWN, 4}, [OP_IO_RFO] = {OP_INVOWN, 4},
      [OP_ITOM] = {OP_INVITOM, 15},      [OP_INVITOE] = {OP_INVITOE, 7},      [OP_PCIRDCUR] = {OP_RDCUR, 0},
      [OP_WCILF] = {OP_INVITOM, 15},     [OP_WCIL] = {OP_INVITOM, 15},        [OP_CLFLUSH] = {OP_INVXTOI, 5},
      [OP_CLFLUSHOPT] = {OP_INVXTOI, 5}, [OP_IO_CLFLUSH] = {OP_INVXTOI, 5},
  };
  struct socket *s = t->socket[r->socket], *h = t->socket[r->home];
  struct emr_socket *emr = emr_socket(s), *other = emr_socket(h);
  unsigned link = upi_of(t, r->line);
  const struct home_message message = {MESH_AD, MESSAGE_REQ, asked[r->op].opcode, asked[r->op].op, REJECT_AD_REQ};
  const struct request q = home_message_send(t, r, &message, at);
  struct served v = home_serve(t, &q);
  fs_t back = mesh_send(t, h, v.from, q.tile, v.data ? MESH_BL : MESH_AD, v.left);
  const unsigned opcode = v.data ? v.opcode | (v.from >= t->chas ? UPI_DIRECT : 0) : 0;
  const struct upi_message answer = {h->index, r->line, v.data ? MESSAGE_RSP4 : MESSAGE_RSP2, opcode};
  fs_t here = upi_send(t, &answer, back);
  if (v.credit) {
    *v.credit = here - t->time.flight;
    if (other->links_observed)
      link_stop_direct(&other->link[link].queues, other->link[link].direct, (fs_t[]){v.left, *v.credit});
  }
  if (other->rejects_observed)
    rejects_link(h, &q, v.data ? REJECT_BL_RSP : REJECT_AD_RSP, v.left, here - t->time.flight);
  a->done = mesh_send(t, s, emr->link[link].tile, r->tile, MESH_AWAITED | (v.data ? MESH_BL : MESH_AD), here);
  a->released = mesh_send(t, s, emr->link[link].tile, cha->tile, MESH_AD, here);
  a->state = v.state;
}

void home_request(struct traffic *t, const struct request *r, unsigned cha, fs_t at, struct answer *a)
{
  struct cha *c = &t->socket[r->socket]->cha[cha];
  a->missed = true;
  (request_remote(r) ? home_remote : home_local)(t, r, c, at, a);
}
