/* SPDX-License-Identifier: MIT */
/*
 * A slice of the E5-2600's LLC and its requests (guide 2.3). The LLC is inclusive: it holds every line that the cores'
 * caches hold, with a bit for each core that may have the line. An entry is line << 16 | core bits << 8 | state.
 */
#include "machine/common/request.h"
#include "machine/common/core.h"
#include "machine/snbep/uncore.h"

#define VALID_SHIFT 8
#define LINE_SHIFT 16
static unsigned valid_of(uint64_t entry)
{
  return entry >> VALID_SHIFT & 0xff;
}
static uint64_t entry_of(uint64_t line, unsigned valid, enum line_state state)
{
  return line << LINE_SHIFT | (uint64_t)valid << VALID_SHIFT | state;
}

/* Moves `entry` to the front of the set (most recently used), replacing way `way`. */
static void tags_first(uint64_t *set, uint32_t way, uint64_t entry)
{
  memmove(set + 1, set, way * sizeof *set);
  set[0] = entry;
}

/* Empties a way and moves it to the end of the set (least recently used). */
static void tags_drop(uint64_t *set, uint32_t ways, uint32_t way)
{
  memmove(set + way, set + way + 1, (ways - way - 1) * sizeof *set);
  set[ways - 1] = 0;
}

static uint64_t *cbo_request_set(const struct socket *s, const struct request *r)
{
  return snb_set(snbep_socket(s), r->cha, r->line);
}

static uint32_t tags_find_way(const uint64_t *set, uint32_t ways, uint64_t line)
{
  uint32_t i = 0;
  while (i < ways && set[i] >> LINE_SHIFT != line)
    i++;
  return i;
}

void cbo_prefetch_tags(const struct traffic *t, unsigned socket, uint64_t line)
{
  const uint64_t *set = snb_set(snbep_socket(t->socket[socket]), address_cha(&t->map, line), line);
  for (uint32_t i = 0; i < snbep_socket(t->socket[socket])->ways; i += 8)
    host_prefetch(set + i);
}

static void lookup_report(struct socket *s, const struct cbo_entry *e, const struct request *r, enum line_state state)
{
  static const uint8_t states[] = {CBO_I, CBO_S, CBO_F, CBO_E, CBO_M};
  const bool snoop = r->op == OP_SNPDATA || r->op == OP_SNPINV;
  const bool write =
      r->op == OP_WBMTOI || r->op == OP_WCIL || r->op == OP_WCILF || r->op == OP_ITOM || r->op == OP_ITOMCACHENEAR;
  const uint64_t kind = snoop ? CBO_LOOKUP_SNOOP : write ? CBO_LOOKUP_WRITE : CBO_LOOKUP_READ;
  block_pulse(e->cbo->block, CBO_LLC_LOOKUP, CBO_LOOKUP_ANY | kind | CBO_STATE(states[state]) | CBO_NID(r->home),
              r->tid, e->accepted, 1);
  s->totals.llc_lookups++;
  s->totals.llc_hits += state != LINE_I;
}

/* A snoop at `at` of the cores that may have a line; its result: when the last core has answered, and whether one had
 * the line modified. */
struct core_snoop {
  unsigned valid;
  bool invalidate;
  fs_t at;
};
struct core_answers {
  fs_t last;
  bool dirty;
};

/* Snoops over the IV ring; cores answer over the AK ring, and each answer passes through the pipeline. */
static struct core_answers cores_snoop(struct traffic *t, struct socket *s, const struct request *r,
                                       const struct core_snoop *how)
{
  struct core_answers a = {how->at, false};
  for (unsigned valid = how->valid; valid; valid &= valid - 1) {
    struct core *c = &t->core[s->index * t->cores + (unsigned)__builtin_ctz(valid)];
    fs_t there =
        ring_send(t, s, &(struct snb_move){s->cha[r->cha].tile, c->tile, SNB_IV, SNB_TO_CORE, r->tid}, how->at);
    fs_t back = ring_send(t, s, &(struct snb_move){c->tile, s->cha[r->cha].tile, SNB_AK, SNB_OF_CORE, r->tid},
                          there + t->time.l2);
    if (core_drop(t, c, r->line, how->invalidate)) {
      a.dirty = true;
      back = ring_send(t, s, &(struct snb_move){c->tile, s->cha[r->cha].tile, SNB_BL, SNB_OF_CORE, r->tid},
                       there + t->time.l2);
    }
    a.last = fs_later(a.last, cbo_response(t, s, r, back));
  }
  return a;
}

/* Evicts a line: invalidates the cores' copies and writes modified data to memory. Its entry in the table of requests
 * lasts until then; a clean line that no core may have leaves it as soon as it is through the pipeline (Table 2-30).
 * Victims have no thread (Table 2-12). */
static void victim_evict(struct traffic *t, struct socket *s, uint64_t entry, fs_t at)
{
  static const uint64_t states[] = {0, CBO_VICTIM_S, CBO_VICTIM_S, CBO_VICTIM_E, CBO_VICTIM_M};
  enum line_state state = entry & ENTRY_STATE;
  struct request r = {
      .line = entry >> LINE_SHIFT, .socket = s->index, .core = MAX_CORES, .tid = SNB_TID_PCIE, .op = OP_VICTIM};
  r.page = address_frame(&t->map, r.line);
  request_place(t, &r);
  const struct cbo_entry e = cbo_accept(t, s, &r, 0, at);
  const fs_t looked = e.accepted + t->time.cha_pipe;
  const struct core_answers cores = cores_snoop(t, s, &r, &(struct core_snoop){valid_of(entry), true, looked});
  state = cores.dirty ? LINE_M : state;
  block_pulse(s->cha[r.cha].block, CBO_LLC_VICTIMS, states[state] | CBO_NID(r.home), r.tid, at, 1);
  s->totals.llc_victims++;
  if (state == LINE_M) {
    s->totals.llc_victims_m++;
    agent_write(t, &r, (struct snb_write){false, false}, cores.last);
  }
  cbo_release(t, s, &e, &r, &(struct answer){.released = cores.last, .missed = state == LINE_M});
}

static void cbo_fill_line(struct traffic *t, struct socket *s, const struct request *r, uint64_t entry, fs_t at)
{
  const uint32_t ways = snbep_socket(s)->ways;
  uint64_t *set = cbo_request_set(s, r), out = set[ways - 1];
  const bool device = r->op == OP_ITOM || r->op == OP_ITOMCACHENEAR;
  uint32_t place = device && out ? ways - (uint32_t)t->config.value[CONFIG_LLC_IO_WAYS] : 0;
  tags_first(set + place, ways - 1 - place, entry);
  if (out)
    victim_evict(t, s, out, at);
  else
    block_pulse(s->cha[r->cha].block, CBO_LLC_VICTIMS, CBO_VICTIM_MISS | CBO_NID(r->home), r->tid, at, 1);
}

/* A request at its CBo. looked: end of the look-up. */
struct work {
  struct socket *s;
  const struct request *r;
  struct cbo_entry e;
  uint64_t *set;
  uint32_t way;
  fs_t looked;
};

static uint64_t work_entry(const struct work *w)
{
  return w->way < snbep_socket(w->s)->ways ? w->set[w->way] : 0;
}
static unsigned request_core_bit(const struct request *r)
{
  return r->core < MAX_CORES ? 1u << r->core : 0;
}

/* Sends data to a device, which has credits for a few lines in flight. */
static fs_t device_send(struct traffic *t, const struct work *w, fs_t at)
{
  struct snb_queue *credits = &snbep_socket(w->s)->iio;
  fs_t begin = at;
  const unsigned credit = snb_queue_take(credits, &begin);
  if (begin > at)
    cbo_response_again(w->e.cbo, w->r, CBO_RETRY_IIO, at);
  const fs_t there = r2_receive(
      t, w->s, RING_DRS,
      ring_send(t, w->s, &(struct snb_move){w->e.cbo->tile, w->r->tile, SNB_BL, SNB_CACHE, w->r->tid}, begin));
  const fs_t back =
      ring_send(t, w->s, &(struct snb_move){w->r->tile, w->e.cbo->tile, SNB_AK, SNB_CACHE, w->r->tid}, there);
  snb_queue_hold(credits, credit, (fs_t[]){begin, back});
  return there;
}

static fs_t data_send(struct traffic *t, const struct work *w, fs_t at)
{
  if (w->r->tile == snbep_socket(w->s)->r2 && !request_core_bit(w->r))
    return device_send(t, w, at);
  const enum snb_side side = request_core_bit(w->r) ? SNB_TO_CORE : SNB_CACHE;
  return ring_send(t, w->s, &(struct snb_move){w->e.cbo->tile, w->r->tile, SNB_BL, side, w->r->tid}, at);
}

static void read_hit(struct traffic *t, const struct work *w, struct answer *a)
{
  const uint64_t entry = work_entry(w);
  enum line_state state = entry & ENTRY_STATE;
  unsigned others = valid_of(entry) & ~request_core_bit(w->r);
  struct core_answers cores = {w->looked, false};
  if (others && state >= LINE_E && !(others & (others - 1))) /* one core, which may have written to it */
    cores = cores_snoop(t, w->s, w->r, &(struct core_snoop){others, false, w->looked});
  const fs_t ready = cores.last;
  state = cores.dirty ? LINE_M : state;
  tags_first(w->set, w->way, entry_of(w->r->line, others | request_core_bit(w->r) | valid_of(entry), state));
  a->state = others || state < LINE_E || op_kind(w->r->op)->code ? LINE_S : LINE_E;
  a->done = a->released = w->r->op == OP_LLC_PREF ? ready : data_send(t, w, ready);
}

/* A device's write to the other socket's memory. This socket does not keep the line: its data go to memory after they
 * have arrived from the device. That direct cache access is limited to the device's own socket is the model's
 * choice. */
static void device_write_far(struct traffic *t, const struct work *w, const struct answer *a)
{
  struct request q = *w->r;
  const uint32_t way = tags_find_way(w->set, snbep_socket(w->s)->ways, q.line);
  if (way < snbep_socket(w->s)->ways)
    tags_drop(w->set, snbep_socket(w->s)->ways, way);
  q.op = OP_WBMTOI;
  const struct snb_move data = {q.tile, w->e.cbo->tile, SNB_BL, SNB_CACHE, q.tid};
  agent_write(t, &q, (struct snb_write){false, false}, ring_send(t, w->s, &data, a->done));
}

/* Serves a request for exclusive ownership of a line. */
static void cbo_own_line(struct traffic *t, const struct work *w, struct answer *a)
{
  const uint64_t entry = work_entry(w);
  const enum line_state state = entry & ENTRY_STATE;
  const struct core_snoop others = {valid_of(entry) & ~request_core_bit(w->r), true, w->looked};
  const struct core_answers cores = cores_snoop(t, w->s, w->r, &others);
  const fs_t ready = cores.last;
  a->state = LINE_E;
  a->done = a->released = ready;
  if (state == LINE_S && op_kind(w->r->op)->reads)
    block_pulse(w->e.cbo->block, CBO_MISC, CBO_MISC_RFO_HIT_S, w->r->tid, w->looked, 1);
  const bool device = w->r->op == OP_ITOM || w->r->op == OP_ITOMCACHENEAR;
  if (state < LINE_E) {
    struct request q = *w->r;
    q.op = state ? OP_INVITOE : w->r->op; /* the LLC has the data: only the other copies are invalidated */
    agent_request(t, &q, ready, a);
    a->missed = true;
  } else if (device) {
    a->released = ready;
  } else {
    a->done = a->released = data_send(t, w, ready);
  }
  if (device) /* the grant allows the device to write */
    a->done =
        ring_send(t, w->s, &(struct snb_move){w->e.cbo->tile, w->r->tile, SNB_AK, SNB_CACHE, w->r->tid}, a->released);
  if (device && w->r->home != w->r->socket) {
    device_write_far(t, w, a);
    return;
  }
  const bool newer = cores.dirty || state == LINE_M || a->state == LINE_M; /* than memory */
  uint64_t now = entry_of(w->r->line, request_core_bit(w->r), w->r->core >= MAX_CORES || newer ? LINE_M : LINE_E);
  a->state = LINE_E;
  uint32_t way = tags_find_way(w->set, snbep_socket(w->s)->ways, w->r->line);
  if (way < snbep_socket(w->s)->ways)
    tags_first(w->set, way, now);
  else
    cbo_fill_line(t, w->s, w->r, now, a->released);
}

/* Serves stores that bypass the caches, and flushes. */
static void past_caches(struct traffic *t, const struct work *w, struct answer *a)
{
  const uint64_t entry = work_entry(w);
  const bool writes = w->r->op != OP_CLFLUSH;
  const struct core_answers cores = cores_snoop(t, w->s, w->r, &(struct core_snoop){valid_of(entry), true, w->looked});
  const bool dirty = cores.dirty || (entry & ENTRY_STATE) == LINE_M;
  fs_t ready = cores.last;
  if (entry)
    tags_drop(w->set, snbep_socket(w->s)->ways, w->way);
  if (writes && (entry & ENTRY_STATE) == LINE_M)
    block_pulse(w->e.cbo->block, CBO_MISC, CBO_MISC_WC, w->r->tid, w->looked, 1);
  a->missed = writes || dirty || (entry & ENTRY_STATE) < LINE_E; /* a flush of the only copy ends here */
  a->done = a->released = ready;
  if (writes || dirty) {
    agent_write(t, w->r, (struct snb_write){w->r->op == OP_WCIL, writes}, ready);
  } else if (a->missed) { /* the other socket may have the line */
    struct request q = *w->r;
    q.op = OP_INVXTOI;
    agent_request(t, &q, ready, a);
  }
}

static void read_miss(struct traffic *t, const struct work *w, struct answer *a)
{
  a->missed = true;
  agent_request(t, w->r, w->looked, a);
  if (w->r->op == OP_PCIRDCUR) { /* a snapshot: nothing is kept */
    a->done = device_send(t, w, a->released);
    return;
  }
  cbo_fill_line(t, w->s, w->r, entry_of(w->r->line, request_core_bit(w->r), a->state), a->released);
  if (op_kind(w->r->op)->code || a->state == LINE_F)
    a->state = LINE_S;
}

void cbo_request(struct traffic *t, const struct request *asked, struct answer *a)
{
  struct request r = *asked;
  struct socket *s = t->socket[r.socket];
  struct snbep_socket *snb = snbep_socket(s);
  struct work w = {.s = s, .r = &r};
  const bool core = r.core < MAX_CORES;
  if (!core && r.tile == snb->r2)
    r.tid = SNB_TID_PCIE;
  const struct snb_move go = {r.tile, s->cha[r.cha].tile, SNB_AD, core ? SNB_OF_CORE : SNB_CACHE, r.tid};
  fs_t arrived = ring_send(t, s, &go, r.at);
  w.e = cbo_accept(t, s, &r, CBO_IRQ | (r.tid == SNB_TID_PCIE ? CBO_VFIFO : 0), arrived);
  w.looked = w.e.accepted + t->time.cha_pipe;
  w.set = cbo_request_set(s, &r);
  w.way = tags_find_way(w.set, snb->ways, r.line);
  *a = (struct answer){.missed = false};
  if (r.page) /* the LLC contains only memory */
    lookup_report(s, &w.e, &r, work_entry(&w) & ENTRY_STATE);
  if (!r.page)
    noncoherent_request(t, &r, w.looked, a);
  else if (r.op == OP_WCIL || r.op == OP_WCILF || r.op == OP_CLFLUSH)
    past_caches(t, &w, a);
  else if (op_kind(r.op)->owns)
    cbo_own_line(t, &w, a);
  else if (work_entry(&w))
    read_hit(t, &w, a);
  else
    read_miss(t, &w, a);
  if (core) /* GO */
    ring_send(t, s, &(struct snb_move){w.e.cbo->tile, r.tile, SNB_AK, SNB_TO_CORE, r.tid}, a->released);
  cbo_release(t, s, &w.e, &r, a);
}

/* Only modified lines are written back. For other lines the core's bit stays set after the core drops them. */
void cbo_evict(struct traffic *t, const struct request *r, enum line_state state)
{
  struct socket *s = t->socket[r->socket];
  struct snbep_socket *snb = snbep_socket(s);
  if (state != LINE_M)
    return;
  fs_t arrived = ring_send(t, s, &(struct snb_move){r->tile, s->cha[r->cha].tile, SNB_BL, SNB_OF_CORE, r->tid}, r->at);
  struct cbo_entry e = cbo_accept(t, s, r, CBO_IRQ, arrived);
  uint64_t *set = cbo_request_set(s, r);
  uint32_t way = tags_find_way(set, snb->ways, r->line);
  lookup_report(s, &e, r, way < snb->ways ? set[way] & ENTRY_STATE : LINE_I);
  struct answer a = {.released = e.accepted + t->time.cha_pipe, .missed = way == snb->ways};
  if (a.missed) /* the LLC evicted the line while the write-back was in flight */
    agent_write(t, r, (struct snb_write){false, false}, a.released);
  else
    tags_first(set, way, entry_of(r->line, valid_of(set[way]) & ~request_core_bit(r), LINE_M));
  cbo_release(t, s, &e, r, &a);
}

struct snb_snooped cbo_snoop(struct traffic *t, struct socket *s, const struct request *r, bool invalidate, fs_t at)
{
  struct snbep_socket *snb = snbep_socket(s);
  struct cbo_entry e = cbo_accept(t, s, r, CBO_IPQ, at);
  uint64_t *set = cbo_request_set(s, r);
  uint32_t way = tags_find_way(set, snb->ways, r->line);
  struct snb_snooped n = {.done = e.accepted + t->time.cha_pipe, .had = way < snb->ways};
  lookup_report(s, &e, r, n.had ? set[way] & ENTRY_STATE : LINE_I);
  if (n.had) {
    const uint64_t entry = set[way];
    struct core_answers cores = {n.done, false};
    if ((entry & ENTRY_STATE) >= LINE_E || invalidate)
      cores = cores_snoop(t, s, r, &(struct core_snoop){valid_of(entry), invalidate, n.done});
    n.done = cores.last;
    n.answers = (entry & ENTRY_STATE) != LINE_S;
    n.modified = (entry & ENTRY_STATE) == LINE_M || ((entry & ENTRY_STATE) >= LINE_E && cores.dirty);
    if (invalidate)
      tags_drop(set, snb->ways, way);
    else
      set[way] = entry_of(r->line, valid_of(entry), LINE_S);
    if (invalidate && !n.modified)
      block_pulse(e.cbo->block, CBO_MISC, CBO_MISC_RSPI, r->tid, n.done, 1);
  }
  cbo_release(t, s, &e, r, &(struct answer){.released = n.done}); /* no RTID: the requester holds it */
  return n;
}
