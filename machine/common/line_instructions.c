/* SPDX-License-Identifier: MIT */
/* Instructions on whole lines other than loads and stores (opcodes of guide Table 3-1), and the page-table reads of
 * a core after a TLB miss. */
#include "machine/common/request.h"
#include "machine/common/queues.h"

static void own_state_set(const struct core *c, uint64_t line, enum line_state state)
{
  const struct tags set = cache_set(&c->l2, 0, line);
  const uint32_t way = cache_find(set, line);
  cache_put(set, way, (cache_get(set, way) & ~(uint64_t)ENTRY_STATE) | state);
}

/* Requests ownership of a line without reading it, because the store covers the full line. */
static void own_whole(struct traffic *t, struct core *c, struct request *r)
{
  const enum line_state state = core_l2_state(c, r->line);
  r->at += t->time.l2;
  if (state >= LINE_E) {
    own_state_set(c, r->line, LINE_M);
    return;
  }
  store_enter(t, c);
  store_add(t, c, core_l2_miss(t, c, r, 0, true));
}

/* Sends a line's contents on and keeps the line, for reading or for further stores. */
static void line_hand_over(struct traffic *t, struct core *c, struct request *r)
{
  const enum line_state state = core_l2_state(c, r->line);
  if (state < LINE_E)
    return;
  if (state == LINE_M) {
    own_state_set(c, r->line, LINE_E);
    core_front_drop(t, c, r->line, false); /* L1 has to request it before it writes it again */
  }
  r->op = state == LINE_M ? OP_WBMTOE : OP_WBEFTOE;
  t->uncore->write_back(t, r);
}

void core_line(struct traffic *t, struct core *c, uint64_t va, uint32_t act)
{
  struct request r = {.socket = c->socket, .tile = c->tile, .core = c->index, .tid = c->tid, .at = c->front.time};
  struct answer a;
  const bool stores = act == LINE_ACT_WHOLE || act == LINE_ACT_HOPE;
  if (!t->uncore->write_back || !c->l2.sets) { /* no such requests: an access with the same result */
    if (stores)
      traffic_access_slow(t, c->socket * t->cores + c->index, va & ~UINT64_C(63), 8, ACCESS_STORE);
    else if (act != LINE_ACT_DEMOTE)
      core_flush(t, c, va >> 6);
    return;
  }
  if (!core_translate(t, c, va >> 6, &r.line, &r.page))
    return;
  stores_end(t, c);     /* earlier stores to its line come first */
  r.at = c->front.time; /* a page walk may have taken time */
  request_place(t, &r);
  if (stores) {
    r.op = act == LINE_ACT_WHOLE ? OP_IA_ITOM : OP_SPECITOM;
    own_whole(t, c, &r);
    return;
  }
  if (act == LINE_ACT_FLUSH) {
    r.core = MAX_CORES;
    r.op = OP_CLFLUSHOPT;
    t->uncore->request(t, &r, &a);
    return;
  }
  line_hand_over(t, c, &r);
  if (act == LINE_ACT_WRITE_BACK) {
    r.op = OP_CLWB;
    t->uncore->write_back(t, &r);
  }
}

/* True if the core has the translation of a large page; from now on it has it. */
static bool large_known(struct core *c, const struct page *page)
{
  const uint64_t number = page->number >> page->bits, known = number << 8 | page->bits;
  uint64_t *entry = page->bits > LEVEL_BITS ? &c->large[TRANSLATIONS + (number & (TRANSLATIONS_1G - 1))]
                                            : &c->large[number & (TRANSLATIONS - 1)];
  const bool found = page->bits && *entry == known;
  if (page->bits)
    *entry = known;
  return found;
}

/* Reads page-table entries through L2, from the lowest level whose entry was used last down to the page's. The walk of
 * a large page ends one or two levels higher. */
void core_walk(struct traffic *t, struct core *c, const struct page *page)
{
  const uint64_t number = page->number;
  const unsigned last = page->bits / LEVEL_BITS;
  unsigned level = last + 1;
  if (number >= TABLE_PAGES || large_known(c, page)) /* pages of the tables themselves have none */
    return;
  while (level <= WALK_LEVELS && c->walked[level] != (number >> LEVEL_BITS * level) + 1)
    level++;
  for (unsigned n = level <= WALK_LEVELS ? level : WALK_LEVELS; n > last; n--) {
    const uint64_t entry = number >> LEVEL_BITS * (n - 1), table = entry >> LEVEL_BITS;
    struct page *p =
        address_page(&t->map, TABLE_PAGES + ((uint64_t)(n - 1) << 28) + (table & 0xfffffff), c->socket, -1);
    if (!p)
      return;
    core_wait(c, &c->totals.walk_stall_fs,
              core_l2(t, c, p->frame << PAGE_LINES_SHIFT | (entry >> 3 & 63), p, OP_DRDPTE, c->front.time));
    c->walked[n] = (number >> LEVEL_BITS * n) + 1;
  }
}
