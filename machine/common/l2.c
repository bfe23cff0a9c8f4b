/* SPDX-License-Identifier: MIT */
/* A core's L2: its lines, its requests to the uncore, and its write-backs. It includes the lines of L1. */
#include "machine/common/miss.h"

/* As core_front_drop(), for a line of page `p`. */
static inline void front_drop(struct core *c, const struct page *p, uint64_t line, bool invalidate)
{
  uint64_t virtual = p->number << PAGE_LINES_SHIFT | (line & 63);
  first_drop(&c->front.l1d, virtual, invalidate);
  if (invalidate)
    prefetch_take(c, virtual);
  if (invalidate && p->code) {
    first_drop(&c->front.l1i, virtual, true);
    if (c->front.fetch_line == virtual)
      c->front.fetch_line = UINT64_MAX;
  }
}

void core_front_drop(struct traffic *t, struct core *c, uint64_t line, bool invalidate)
{
  front_drop(c, address_frame(&t->map, line), line, invalidate);
}

bool core_drop(struct traffic *t, struct core *c, uint64_t line, bool invalidate)
{
  if (!c->l2.sets)
    return false;
  struct tags set = cache_set(&c->l2, 0, line);
  uint32_t way = cache_find(set, line);
  if (way == c->l2.ways)
    return false;
  uint64_t entry = cache_get(set, way);
  if (entry & ENTRY_IN_L1)
    core_front_drop(t, c, line, invalidate);
  l2_settled_set(c, line, 0);
  if (invalidate)
    cache_drop(set, way);
  else
    cache_put(set, way, (entry & ~(uint64_t)ENTRY_STATE) | LINE_S);
  return (entry & ENTRY_STATE) == LINE_M;
}

static void l2_evict(struct traffic *t, struct core *c, uint64_t entry, fs_t at)
{
  static const enum tor_op ops[] = {OP_WBSTOI, OP_WBSTOI, OP_WBSTOI, OP_WBEFTOI, OP_WBMTOI};
  enum line_state state = entry & ENTRY_STATE;
  struct request r = {.line = entry >> 8,
                      .page = address_frame(&t->map, entry >> 8),
                      .socket = c->socket,
                      .tile = c->tile,
                      .core = c->index,
                      .tid = c->tid,
                      .op = ops[state],
                      .at = at};
  request_place(t, &r);
  if (entry & ENTRY_IN_L1)
    front_drop(c, r.page, r.line, true);
  t->uncore->evict(t, &r, state);
}

/* Returns the operation of an optimized data read (core.reads=optimized). */
static enum tor_op op_to_optimized(enum tor_op op)
{
  return op == OP_DRD ? OP_DRD_OPT : op == OP_DRD_PREF ? OP_DRD_OPT_PREF : op;
}

fs_t core_l2_miss(struct traffic *t, struct core *c, struct request *r, uint64_t flags, bool found)
{
  struct answer a;
  struct tags set = cache_set(&c->l2, 0, r->line);
  c->front.asked++;
  if (t->optimized)
    r->op = op_to_optimized(r->op);
  request_place(t, r);
  uint32_t entry = holders_take(&c->mshr, &r->at);
  t->uncore->request(t, r, &a);
  holders_keep(&c->mshr, entry, a.done);
  const bool writes = r->op == OP_RFO || r->op == OP_IA_ITOM || r->op == OP_SPECITOM;
  enum line_state state = writes || (r->op == OP_RFO_PREF && a.state == LINE_M) ? LINE_M : a.state;
  uint32_t way = found ? cache_find(set, r->line) : c->l2.ways;
  uint64_t out = 0;
  if (way == c->l2.ways)
    out = cache_get(set, --way);
  cache_first(set, way, r->line << 8 | flags | state);
  l2_settled_set(c, r->line, flags == ENTRY_IN_L1 ? r->line : 0);
  c->on_way[r->line & 63] = (struct on_way){r->line, a.done};
  c->on_way_last = fs_later(c->on_way_last, a.done);
  if (out)
    l2_evict(t, c, out, a.done);
  return a.done;
}

struct l2_request {
  uint64_t line;
  struct page *page;
  enum tor_op op;
  fs_t at;
};

/* Requests a line that misses L2 (found: that L2 may not write), or on a machine without L2. */
static __attribute__((noinline)) fs_t l2_miss(struct traffic *t, struct core *c, struct l2_request asked, bool found)
{
  const struct l2_request *of = &asked;
  const bool prefetch = op_ahead(of->op);
  struct request r = core_request(c, of->line, of->page, of->op, of->at);
  struct answer a;
  core_set_began(t, c);
  if (!c->l2.sets) {
    request_place(t, &r);
    t->uncore->request(t, &r, &a);
    c->missed |= a.missed;
    return a.done;
  }
  c->totals.l2_misses += !found && !prefetch;
  return core_l2_miss(t, c, &r, prefetch ? ENTRY_PREFETCHED : ENTRY_IN_L1, found);
}

/* Looks up the line of a load in L2, and makes it the most recent one. False: it misses. */
static inline bool l2_look_up_load(struct core *c, uint64_t line)
{
  const struct tags set = cache_set(&c->l2, 0, line);
  const uint32_t way = cache_find_near(set, line);
  if (way == set.cache->ways)
    return false;
  cache_use(set, way, ENTRY_PREFETCHED, ENTRY_IN_L1);
  l2_settled_set(c, line, line);
  return true;
}

fs_t core_l2_load_other(struct traffic *t, struct core *c, uint64_t line, struct page *page, fs_t at)
{
  if (!c->l2.sets)
    return l2_miss(t, c, (struct l2_request){line, page, OP_DRD, at}, false);
  if (l2_look_up_load(c, line)) {
    c->totals.l2_hits++;
    return l2_give(t, c, line, at + t->time.l2);
  }
  const fs_t done = l2_miss(t, c, (struct l2_request){line, page, OP_DRD, at + t->time.l2}, false);
  c->totals.demand_loads++;
  c->totals.demand_wait_fs += done - at;
  return done;
}

fs_t core_l2(struct traffic *t, struct core *c, uint64_t line, struct page *page, enum tor_op op, fs_t at)
{
  const bool prefetch = op_ahead(op);
  const fs_t looked = at + t->time.l2;
  if (!c->l2.sets)
    return l2_miss(t, c, (struct l2_request){line, page, op, at}, false);
  struct tags set = cache_set(&c->l2, 0, line);
  const uint32_t way = cache_find_near(set, line);
  if (way == c->l2.ways)
    return l2_miss(t, c, (struct l2_request){line, page, op, looked}, false);
  if (prefetch)
    return looked;
  c->totals.l2_hits++;
  if (op != OP_RFO)
    cache_use(set, way, ENTRY_PREFETCHED, ENTRY_IN_L1);
  else if (cache_state(set, way) < LINE_E)
    return l2_miss(t, c, (struct l2_request){line, page, op, looked}, true);
  else
    cache_use(set, way, ENTRY_PREFETCHED | ENTRY_STATE, ENTRY_IN_L1 | LINE_M);
  l2_settled_set(c, line, line);
  return l2_give(t, c, line, looked);
}
