/* SPDX-License-Identifier: MIT */
/* Instruction fetch: 32 bytes at a time from the L1I, which is filled with lines of 64 bytes from L2I and L3 (4.8.1,
 * 4.8.3, 4.10). */
#include "machine/montecito/core/cycles.h"
#include "machine/montecito/core/stall.h"
#include "machine/montecito/core/threads.h"
#include "machine/montecito/events/umasks.h"
#include "machine/montecito/front/fetch.h"
#include "machine/montecito/front/front.h"
#include "machine/montecito/memory/occupancy.h"
#include "machine/montecito/monitors/counters.h"
#include "machine/montecito/monitors/monitors.h"

enum {
  EV_READS = 0x40,
  EV_FILLS = 0x41,
  EV_DEMAND = 0x42,
  EV_PREFETCHES = 0x44,
  EV_L2I_PREFETCHES = 0x45,
  EV_PAIRS = 0x46,
  EV_ITLB = 0x47,
  EV_ITLB_HPW = 0x48,
  EV_STREAM = 0x5f,
  EV_RAB = 0x65,
  EV_ISB = 0x66,
  EV_L2I = 0x78,
  EV_L2I_UC = 0x79,
  EV_VICTIM = 0x7a,
  EV_RECIRCULATES = 0x7b,
  EV_REJECTS = 0x7c,
  EV_CONFLICTS = 0x7d,
  EV_ABORTS = 0x7e,
  EV_L3_INSERTS = 0xda,
  EV_L3 = 0xdb,
  EV_L3_MISSES = 0xdc,
  EV_L3_READS = 0xdd,
  EV_REPLACED = 0xdf
};
enum { LINE = 64, L2_LINE = 128, L3_READS = 16 };

struct fetch {
  uint64_t ip;
  const struct montecito_bundle *b;
  uint8_t tags;
  bool prefetch;
};

static inline void fetch_signal(struct montecito_core *c, const struct fetch *f, uint8_t code, uint16_t umasks)
{
  montecito_event_tagged(c, code, f->tags, umasks);
}

/* The L1I has no translations of its own: the lines of a page leave it with the page's entry of the L1ITLB (2.4.3.1.1).
 */
static __attribute__((noinline)) void fetch_invalidate_page(struct montecito_core *c)
{
  struct montecito_tlb_array *t = &c->memory.l1itlb;
  const uint64_t page = t->evicted >> 2 << t->page_shift;
  if (!t->evicted)
    return;
  t->evicted = 0;
  for (uint64_t at = 0; at < UINT64_C(1) << t->page_shift; at += LINE)
    predict_drop_line(&c->memory, page + at);
}

static uint8_t fetch_translate(struct montecito_core *c, const struct fetch *f)
{
  struct montecito_memory *m = &c->memory;
  const unsigned thread = c->active;
  const bool l1 = tlb_find(&m->l1itlb, f->ip, thread), l2 = tlb_find(&m->l2itlb, f->ip, thread);
  uint8_t where = f->b->tlb;
  if (where == TLB_ANY)
    where = l1 ? TLB_L1 : l2 ? TLB_L2 : TLB_WALK;
  if (where == TLB_L1)
    return where;
  if (c->front.on)
    fetch_invalidate_page(c);
  fetch_signal(c, f, EV_ITLB, UM_XX01 | UM_XX11 | (where == TLB_L2 ? 0 : UM_XX10));
  if (where != TLB_L2)
    c->totals.itlb_misses++;
  if (where == TLB_WALK)
    fetch_signal(c, f, EV_ITLB_HPW, UM_ANY);
  return where;
}

static void fetch_signal_l3(struct montecito_core *c, const struct fetch *f, bool hit, uint8_t mesi)
{
  const uint16_t demand = f->prefetch ? 0 : (hit ? UM(1) : UM(2)) | UM(3);
  fetch_signal(c, f, EV_L3, UM_ANY);
  montecito_event_signal(c,
                         (struct montecito_signal){
                             .code = EV_L3_READS,
                             .thread = c->active,
                             .tags = f->tags,
                             .mesi = mesi,
                             .n = 1,
                             .umasks = demand | (uint16_t)((hit ? UM(5) | UM(13) : UM(6) | UM(14)) | UM(7) | UM(15))});
}

static void fetch_fill_l3(struct montecito_core *c, const struct fetch *f)
{
  const struct montecito_victim v = cache_fill(&c->memory.l3, f->ip, MESI_S);
  struct montecito_signal s = {.code = EV_L3_INSERTS,
                               .thread = c->active,
                               .tags = f->tags,
                               .mesi = v.state ? v.state : MESI_I,
                               .umasks = UM_ANY,
                               .n = 1};
  montecito_event_signal(c, s);
  if (v.state != MESI_M)
    return;
  s.code = EV_REPLACED;
  montecito_event_signal(c, s);
  bus_transaction(c, &(struct bus_request){.kind = BUS_WRITE_LINE, .thread = c->active, .address = v.address});
}

/* Looks up the L3 after a miss of the L2I. */
static void fetch_access_l3(struct montecito_core *c, const struct fetch *f, struct montecito_access *a)
{
  const uint8_t there = cache_find(&c->memory.l3, f->ip);
  const bool hit = f->b->where == WHERE_ANY || f->prefetch ? there != 0 : f->b->where == WHERE_L3;
  fetch_signal_l3(c, f, hit, hit ? there ? there : MESI_S : MESI_I);
  a->where = hit ? WHERE_L3 : WHERE_MEMORY;
  a->latency = core_parameter(c, hit ? MONTECITO_L3_LATENCY : MONTECITO_MEMORY_LATENCY);
  if (!hit) {
    c->totals.l3_misses++;
    fetch_signal(c, f, EV_L3_MISSES, UM_ANY);
    urgency_l3_miss(c, c->active, c->cycle + a->latency);
    bus_transaction(c, &(struct bus_request){.kind = BUS_READ_LINE,
                                             .thread = c->active,
                                             .address = f->ip,
                                             .latency = f->b->latency ? f->b->latency : a->latency});
  }
  if (!there)
    fetch_fill_l3(c, f);
}

/* True if the L3 rejects the request: too many reads are outstanding, or the L2D is filling its copy of the line
 * (4.8.3). */
static bool fetch_is_rejected(struct montecito_core *c, const struct fetch *f)
{
  if (queue_n(c, QUEUE_READ) + queue_n(c, QUEUE_READ_1) >= L3_READS)
    return true;
  const struct montecito_requests r = queue_requests(c, QUEUE_FILL);
  for (const struct montecito_queued *v = r.first; v < r.end; v++)
    if (v->line / L2_LINE == f->ip / L2_LINE)
      return true;
  return false;
}

/* Signals conflicts of the L2I, which cost no time. A request whose L2I line is in flight for the other half misses and
 * recirculates; it hits when the line has arrived. A read of the data waits while other data arrive. */
static void fetch_signal_conflicts(struct montecito_core *c, const struct fetch *f, bool hit, uint16_t who)
{
  if (front_has_half(c, f->ip)) {
    fetch_signal(c, f, EV_RECIRCULATES, UM_MISS & who);
    fetch_signal(c, f, EV_RECIRCULATES, UM_HIT & who);
  } else if (hit && front_arrives(c))
    fetch_signal(c, f, EV_CONFLICTS, UM_HIT & who);
  if (!hit && fetch_is_rejected(c, f))
    fetch_signal(c, f, EV_REJECTS, UM_MISS & who);
}

static __attribute__((noinline)) void fetch_access_l2i(struct montecito_core *c, const struct fetch *f,
                                                       struct montecito_access *a)
{
  const uint16_t who = f->prefetch ? UM_PREFETCH : UM_DEMAND;
  const bool there = cache_find(&c->memory.l2i, f->ip) != 0, stated = f->b->where != WHERE_ANY && !f->prefetch;
  const bool hit = stated ? f->b->where <= WHERE_L2 : there;
  if (f->b->flags & BUNDLE_UC) {
    fetch_signal(c, f, EV_L2I_UC, UM_MISS & who);
    *a = (struct montecito_access){.where = WHERE_MEMORY, .latency = core_parameter(c, MONTECITO_MEMORY_LATENCY)};
    bus_transaction(c, &(struct bus_request){
                           .kind = BUS_READ_PARTIAL, .thread = c->active, .address = f->ip, .latency = a->latency});
    return;
  }
  fetch_signal(c, f, EV_L2I, (hit ? UM_HIT : UM_MISS) & who);
  if (c->front.on)
    fetch_signal_conflicts(c, f, hit, who);
  *a = (struct montecito_access){.where = WHERE_L2, .latency = core_parameter(c, MONTECITO_L2I_LATENCY)};
  if (!hit)
    fetch_access_l3(c, f, a);
  if (!there && cache_fill(&c->memory.l2i, f->ip, MESI_S).state)
    fetch_signal(c, f, EV_VICTIM, UM_ANY);
}

/* Fills the L1I, and defers the signals of the arrival: first two pairs of bundles, then the fill. */
static __attribute__((noinline)) void fetch_defer_fill(struct montecito_core *c, const struct fetch *f,
                                                       uint32_t latency)
{
  struct montecito_deferred d = {.at = c->cycle + latency, .kind = DEFERRED_PAIR, .thread = c->active};
  d.tags = f->prefetch && !(f->tags >> NEED_IAR1 & 1) ? 1 << NEED_NONE : f->tags;
  if (!cache_state(&c->memory.l1i, f->ip)) /* a stream may declare a miss although the line is present */
    predict_fill_line(&c->memory, f->ip);
  if (!c->selected[EV_PAIRS] && !c->selected[EV_FILLS])
    return;
  montecito_deferred_add(c, &d);
  d.at++;
  montecito_deferred_add(c, &d);
  d.kind = DEFERRED_FILL_I;
  montecito_deferred_add(c, &d);
}

void fetch_deferred(struct montecito_core *c, const struct montecito_deferred *d)
{
  montecito_event_signal(c, (struct montecito_signal){.code = d->kind == DEFERRED_PAIR ? EV_PAIRS : EV_FILLS,
                                                      .thread = d->thread,
                                                      .tags = d->tags,
                                                      .mesi = 0xf,
                                                      .umasks = UM_ANY,
                                                      .n = 1});
}

static __attribute__((noinline)) void fetch_prefetch_any(struct montecito_core *c, uint64_t ip, bool uncached,
                                                         bool streaming)
{
  static const struct montecito_bundle any = {0}, uncached_one = {.flags = BUNDLE_UC};
  const struct fetch f = {
      .ip = ip, .b = uncached ? &uncached_one : &any, .tags = tags_fetch(&c->thread[c->active], ip), .prefetch = true};
  struct montecito_access a;
  fetch_signal(c, &f, EV_PREFETCHES, UM_ANY);
  if (streaming)
    fetch_signal(c, &f, EV_STREAM, UM_ANY);
  if (cache_find(&c->memory.l1i, ip))
    return;
  fetch_signal(c, &f, EV_L2I_PREFETCHES, UM_ANY);
  if (c->front.on && !front_accepts(c, ip))
    return;
  fetch_access_l2i(c, &f, &a);
  fetch_defer_fill(c, &f, a.latency);
  if (c->front.on)
    front_request(c, ip, a.latency, true);
}

/* Fast path: most lines are in the L1I, and most prefetches are not counted. */
static void fetch_prefetch_line(struct montecito_core *c, uint64_t ip, bool uncached, bool streaming)
{
  if ((c->selected[EV_PREFETCHES] | c->selected[EV_STREAM]) || !cache_find(&c->memory.l1i, ip))
    fetch_prefetch_any(c, ip, uncached, streaming);
}

__attribute__((hot)) void fetch_prefetch(struct montecito_core *c, uint64_t target, bool uncached)
{
  for (unsigned i = 1; i <= 2; i++)
    fetch_prefetch_line(c, target / LINE * LINE + i * LINE, uncached, true);
  c->front.stream = c->front.on && !uncached ? target / LINE + 3 : 0;
}

void fetch_hint(struct montecito_core *c, uint64_t target)
{
  fetch_prefetch_line(c, target / LINE * LINE, false, false);
}

/* The streaming prefetcher stays ahead of the demand until a branch is taken. */
static void fetch_stream(struct montecito_core *c, uint64_t ip)
{
  if (c->front.stream && ip / LINE + 2 == c->front.stream)
    fetch_prefetch_line(c, c->front.stream++ * LINE, false, true);
}

/* A demand for a line in flight waits for the remaining cycles, or takes the line as it arrives. False: the line is not
 * in flight. */
static __attribute__((noinline)) bool fetch_joins(struct montecito_core *c, const struct fetch *f,
                                                  struct montecito_access *a)
{
  uint32_t left;
  if (!front_pending(c, f->ip, &left))
    return false;
  if (!left) {
    fetch_signal(c, f, EV_ISB, UM_ANY);
    return true;
  }
  c->totals.l1i_misses++;
  fetch_signal(c, f, EV_DEMAND, UM_ANY);
  fetch_signal(c, f, EV_RAB, UM_ANY);
  fetch_signal(c, f, EV_ABORTS, UM_ANY);
  *a = (struct montecito_access){.where = WHERE_L2, .latency = left};
  return true;
}

bool fetch_is_hit(struct montecito_core *c, const struct montecito_bundle *b)
{
  return (b->where <= WHERE_L1 && b->tlb <= TLB_L1 && !(b->flags & (BUNDLE_UC | BUNDLE_RAB)) &&
          cache_state(&c->memory.l1i, b->address) && !(c->front.on && front_has_line(c, b->address)));
}

__attribute__((hot)) void fetch_demand(struct montecito_core *c, const struct montecito_bundle *b)
{
  const struct fetch f = {.ip = b->address, .b = b, .tags = tags_fetch(&c->thread[c->active], b->address)};
  struct montecito_access a = {.where = WHERE_L1, .latency = 1};
  bool hit;
  c->fetch_line = b->address / FETCH_BYTES;
  c->fetch_again = false;
  fetch_signal(c, &f, EV_READS, UM_ANY);
  const uint8_t tlb = fetch_translate(c, &f);
  hit = cache_find(&c->memory.l1i, b->address) != 0;
  if (b->where != WHERE_ANY)
    hit = b->where == WHERE_L1;
  const bool joins = hit && c->front.on && c->front.n_lines && fetch_joins(c, &f, &a);
  if (b->flags & BUNDLE_ISB)
    fetch_signal(c, &f, EV_ISB, UM_ANY);
  else if (!joins && (!hit || (b->flags & (BUNDLE_UC | BUNDLE_RAB)))) {
    c->totals.l1i_misses++;
    fetch_signal(c, &f, EV_DEMAND, UM_ANY);
    if (b->flags & BUNDLE_RAB)
      fetch_signal(c, &f, EV_RAB, UM_ANY);
    fetch_access_l2i(c, &f, &a);
    fetch_defer_fill(c, &f, a.latency);
    if (c->front.on)
      front_request(c, b->address, a.latency, false);
  } else if (c->front.on && c->front.n_lines && front_moves(c)) {
    front_bubble(c, STALL_FE_FILL_RECIRC);
  }
  if (c->front.on)
    fetch_stream(c, b->address);
  if (b->latency)
    a.latency = b->latency;
  a.tlb = tlb;
  if (c->thread[c->active].ears_on)
    iear_fetch(c, b->address, &a, b->flags & BUNDLE_RAB);
  if (c->modelled && tlb != TLB_L1)
    montecito_stall_add(c, STALL_FE_TLBMISS,
                        core_parameter(c, tlb == TLB_L2 ? MONTECITO_L2ITLB_LATENCY : MONTECITO_WALK_LATENCY));
  if (c->modelled && a.where != WHERE_L1)
    montecito_stall_add(c, STALL_FE_IMISS, a.latency);
}
