/* SPDX-License-Identifier: MIT */
/* Loads, stores and semaphores through TLBs, L1D, L2D and L3 (2.3.3, 4.8.2, 4.8.4, 4.8.5, 4.10). */
#include "machine/montecito/core/cycles.h"
#include "machine/montecito/core/stall.h"
#include "machine/montecito/core/threads.h"
#include "machine/montecito/events/umasks.h"
#include "machine/montecito/front/branch.h"
#include "machine/montecito/memory/conflict.h"
#include "machine/montecito/memory/data.h"
#include "machine/montecito/memory/occupancy.h"
#include "machine/montecito/memory/ozq.h"
#include "machine/montecito/memory/snoop.h"
#include "machine/montecito/monitors/counters.h"
#include "machine/montecito/monitors/monitors.h"

enum {
  EV_HPW = 0x2d,
  EV_TRANSFER = 0xc0,
  EV_L2DTLB = 0xc1,
  EV_READS0 = 0xc2,
  EV_REFERENCES0 = 0xc3,
  EV_READS1 = 0xc4,
  EV_REFERENCES1 = 0xc5,
  EV_DEBUG_FAULT = 0x52,
  EV_DBR = 0xc6,
  EV_READ_MISSES = 0xc7,
  EV_DTLB_HPW = 0xc9,
  EV_L2D_MISSES = 0xcb,
  EV_INSERTS = 0xda,
  EV_L3 = 0xdb,
  EV_L3_MISSES = 0xdc,
  EV_L3_READS = 0xdd,
  EV_L3_WRITES = 0xde,
  EV_REPLACED = 0xdf,
  EV_INSERT_MISSES = 0xb0,
  EV_INSERT_HITS = 0xb1,
  EV_L2D = 0xe6,
  EV_RECIRC = 0xea,
  EV_HIT_SHARED = 0xed,
  EV_OPS = 0xf0,
  EV_RSE = 0x20,
  EV_LOADS = 0xcd,
  EV_STORES = 0xd1
};
enum { L1_CYCLES = 1, L2_LINE = 128 };

static inline void data_signal(struct montecito_core *c, const struct montecito_instruction *v, uint8_t code,
                               uint16_t umasks)
{
  montecito_event_tagged(c, code, v->tags, umasks);
}

static void data_signal_l3(struct montecito_core *c, const struct montecito_instruction *v, uint8_t code,
                           uint16_t umasks, uint8_t mesi)
{
  montecito_event_signal(
      c, (struct montecito_signal){
             .code = code, .thread = c->active, .tags = v->tags, .mesi = mesi, .umasks = umasks, .n = 1});
}

static bool slot_writes(const struct montecito_slot *s)
{
  return s->op == OP_STORE || s->op == OP_FSTORE || s->op == OP_SEMAPHORE;
}

/* True for floating-point loads of all kinds: the conversion of the format takes one cycle more (Table 2-8, note 4). */
static bool slot_converts(const struct montecito_slot *s)
{
  return s->op == OP_FLOAD || ((s->flags & SLOT_FP) &&
                               (s->op == OP_LOAD_CHECK || s->op == OP_LOAD_ADVANCED || s->op == OP_LOAD_SPECULATIVE));
}

/* True if the L1D serves the access: integer loads of cacheable memory. */
static bool slot_uses_l1d(const struct montecito_slot *s)
{
  return (s->op == OP_LOAD || s->op == OP_LOAD_CHECK || s->op == OP_LOAD_ADVANCED || s->op == OP_LOAD_SPECULATIVE) &&
         !(s->flags & (SLOT_UC | SLOT_FP));
}

/* ---- translation ---- */

static __attribute__((hot)) uint8_t data_translate(struct montecito_core *c, const struct montecito_instruction *v)
{
  struct montecito_memory *m = &c->memory;
  const unsigned thread = c->active;
  const bool l1 = tlb_find(&m->l1dtlb, v->s->address, thread), l2 = tlb_find(&m->l2dtlb, v->s->address, thread);
  const uint8_t where = v->s->tlb != TLB_ANY ? v->s->tlb : !l2 ? TLB_WALK : l1 ? TLB_L1 : TLB_L2;
  if (where == TLB_WALK || where == TLB_FAULT) {
    c->totals.dtlb_misses++;
    data_signal(c, v, EV_L2DTLB, UM_ANY);
    data_signal(c, v, EV_HPW, UM_ANY);
    montecito_event_tagged(c, EV_LOADS, tags_walk(&c->thread[c->active], v), UM_ANY); /* 4.15: also of squashed walks */
    if (where == TLB_WALK)
      data_signal(c, v, EV_DTLB_HPW, UM_ANY);
    if (c->modelled)
      montecito_stall_add(c, STALL_L1D_HPW, core_parameter(c, MONTECITO_WALK_LATENCY));
  } else if (where == TLB_L2 && slot_uses_l1d(v->s)) {
    data_signal(c, v, EV_TRANSFER, UM_ANY);
    if (c->modelled)
      montecito_stall_add(c, STALL_L1D_TLB, core_parameter(c, MONTECITO_L2DTLB_LATENCY));
  }
  return where;
}

/* ---- L3 ---- */

/* The L2D evicted a modified line. */
static void data_write_back(struct montecito_core *c, const struct montecito_instruction *v, uint64_t address)
{
  const uint8_t state = cache_modify(&c->memory.l3, address);
  if (c->ozq_selected)
    ozq_victim(c, address);
  data_signal(c, v, EV_L3, UM_ANY);
  data_signal_l3(c, v, EV_L3_WRITES, UM(11) | UM(15) | (state ? UM(9) | UM(13) : UM(10) | UM(14)),
                 state ? state : MESI_I);
  if (state)
    return;
  data_signal(c, v, EV_L3_MISSES, UM_ANY);
  bus_transaction(c, &(struct bus_request){.kind = BUS_WRITE_LINE, .thread = c->active, .address = address});
}

static void data_fill_l3(struct montecito_core *c, const struct montecito_instruction *v, uint8_t state)
{
  const struct montecito_victim victim = cache_fill(&c->memory.l3, v->s->address, state);
  data_signal_l3(c, v, EV_INSERTS, UM_ANY, victim.state ? victim.state : MESI_I);
  if (victim.state && victim.state != MESI_M && c->machine->castouts)
    bus_transaction(c, &(struct bus_request){.kind = BUS_CASTOUT, .thread = c->active, .address = victim.address});
  if (victim.state != MESI_M)
    return;
  data_signal_l3(c, v, EV_REPLACED, UM_ANY, victim.state);
  bus_transaction(c, &(struct bus_request){.kind = BUS_WRITE_LINE, .thread = c->active, .address = victim.address});
}

/* Returns the umasks of a read or write of data: those of its kind and those of all kinds. Each has three: for hits,
 * misses, and both. */
static uint16_t l3_umasks(bool store, bool hit)
{
  const unsigned kind = store ? 5 : 9, all = 13;
  return UM(hit ? kind : kind + 1) | UM(kind + 2) | UM(hit ? all : all + 1) | UM(all + 2);
}

/* An L2D miss accesses the L3. Returns the line's state in the L3 afterwards. */
static uint8_t data_access_l3(struct montecito_core *c, const struct montecito_instruction *v,
                              struct montecito_access *a)
{
  const bool store = slot_writes(v->s);
  const uint32_t flags = v->s->flags;
  const uint8_t there = cache_find(&c->memory.l3, v->s->address);
  uint8_t fresh = flags & SLOT_SHARED ? MESI_S : MESI_E;
  const bool hit = v->s->where == WHERE_ANY ? there != 0 : v->s->where == WHERE_L3;
  const uint8_t mesi = !hit ? MESI_I : there ? there : fresh;
  data_signal(c, v, EV_L3, UM_ANY);
  data_signal_l3(c, v, store ? EV_L3_WRITES : EV_L3_READS, l3_umasks(store, hit), mesi);
  a->where = hit ? WHERE_L3 : WHERE_MEMORY;
  a->latency = core_parameter(c, hit ? MONTECITO_L3_LATENCY : MONTECITO_MEMORY_LATENCY) + (uint32_t)slot_converts(v->s);
  if (v->s->latency)
    a->latency = v->s->latency;
  if (hit) {
    if (!there)
      cache_fill(&c->memory.l3, v->s->address, fresh);
    return mesi;
  }
  const unsigned found = snoop_other_core(c, v->s->address, store);
  if (found && !store)
    fresh = MESI_S;
  c->totals.l3_misses++;
  data_signal(c, v, EV_L3_MISSES, UM_ANY);
  urgency_l3_miss(c, c->active, c->cycle + a->latency);
  bus_transaction(c, &(struct bus_request){.kind = store ? BUS_READ_INVALIDATE : BUS_READ_LINE,
                                           .thread = c->active,
                                           .data = true,
                                           .hit = (flags & SLOT_REMOTE_HIT) || found == 1,
                                           .hitm = (flags & SLOT_REMOTE_HITM) || found == 2,
                                           .address = v->s->address,
                                           .latency = a->latency});
  if (!there)
    data_fill_l3(c, v, fresh);
  return fresh;
}

/* ---- L2D ---- */

/* Returns the fill of the line that is in flight, or NULL. */
static const struct montecito_queued *data_pending_fill(struct montecito_core *c, uint64_t address)
{
  if (!c->filling[address / L2_LINE % FILL_COUNTS])
    return NULL;
  const struct montecito_requests r = queue_requests(c, QUEUE_FILL);
  for (const struct montecito_queued *v = r.first; v < r.end; v++)
    if (!((v->line ^ address) / L2_LINE) && c->sharing.space[v->fill.thread] == c->sharing.space[c->active] &&
        v->at > c->cycle)
      return v;
  return NULL;
}

static __attribute__((noinline)) void data_secondary_miss(struct montecito_core *c,
                                                          const struct montecito_instruction *v,
                                                          const struct montecito_queued *fill,
                                                          struct montecito_access *a)
{
  data_signal(c, v, EV_INSERT_MISSES, UM_ANY);
  data_signal(c, v, EV_RECIRC, UM(0) | UM(2) | UM(1) | UM(3) | UM(8) | UM(slot_writes(v->s) ? 14 : 13) | UM(15));
  a->where = fill->fill.where;
  a->latency = (uint32_t)(fill->at - c->cycle);
  if (c->front.on)
    conflict_secondary(c, v->s, fill->at);
}

static uint16_t data_operation_umask(const struct montecito_slot *s)
{
  if (s->op == OP_SEMAPHORE)
    return UM_X(2);
  if (s->op == OP_STORE || s->op == OP_FSTORE)
    return UM_X(3);
  return s->op == OP_LFETCH ? UM_X1X0 : s->op == OP_FC ? UM_X1X1 : s->op == OP_FLOAD ? UM_X(1) : UM_X(0);
}

/* A store needs ownership of the line: a shared line is invalidated in the other caches. */
static __attribute__((noinline)) void data_own_line(struct montecito_core *c, const struct montecito_instruction *v,
                                                    uint8_t state)
{
  if (state == MESI_S) {
    data_signal(c, v, EV_HIT_SHARED, UM_0XXX);
    snoop_other_core(c, v->s->address, true);
    bus_transaction(c, &(struct bus_request){.kind = BUS_INVALIDATE,
                                             .thread = c->active,
                                             .address = v->s->address,
                                             .hitm = v->s->flags & SLOT_REMOTE_HITM});
    if (cache_state(&c->memory.l3, v->s->address) == MESI_S)
      cache_set_state(&c->memory.l3, v->s->address, MESI_E);
  }
  cache_set_state(&c->memory.l2d, v->s->address, MESI_M);
}

static void data_miss_l2d(struct montecito_core *c, const struct montecito_instruction *v, struct montecito_access *a)
{
  uint8_t state;
  c->totals.l2d_misses++;
  data_signal(c, v, EV_INSERT_MISSES, UM_ANY);
  data_signal(c, v, EV_L2D_MISSES, UM_ANY);
  state = data_access_l3(c, v, a);
  if (slot_writes(v->s))
    state = MESI_M;
  if (v->s->where == WHERE_ANY || !cache_state(&c->memory.l2d, v->s->address)) { /* the L2D does not have the line */
    const struct montecito_victim victim = cache_fill(&c->memory.l2d, v->s->address, state);
    if (victim.state == MESI_M)
      data_write_back(c, v, victim.address);
  }
  c->filling[v->s->address / L2_LINE % FILL_COUNTS]++;
  queue_add(c, QUEUE_FILL,
            (struct montecito_queued){
                .at = c->cycle + a->latency, .line = v->s->address, .fill = {c->active, v->tags, state, a->where}});
}

static __attribute__((hot)) void data_access_l2d(struct montecito_core *c, const struct montecito_instruction *v,
                                                 struct montecito_access *a)
{
  const struct montecito_queued *fill = data_pending_fill(c, v->s->address);
  const bool store = slot_writes(v->s), read = !store || v->s->op == OP_SEMAPHORE, stated = v->s->where != WHERE_ANY;
  uint8_t state;
  cache_prefetch_host(&c->memory.l3, v->s->address);
  if (read)
    data_signal(c, v, EV_L2D, UM_XX01 | UM_XX11);
  if (store)
    data_signal(c, v, EV_L2D, UM_XX10 | UM_XX11);
  data_signal(c, v, EV_OPS, data_operation_umask(v->s));
  if (fill && !stated) {
    data_secondary_miss(c, v, fill, a);
    if (c->ozq_selected)
      ozq_insert(c, v, OZQ_SECONDARY, a);
    if (store && c->machine->coherent && (state = cache_state(&c->memory.l2d, v->s->address)) != MESI_M)
      data_own_line(c, v, state);
    return;
  }
  state = stated ? cache_state(&c->memory.l2d, v->s->address) : cache_find(&c->memory.l2d, v->s->address);
  if (stated ? v->s->where > WHERE_L2 : !state) {
    data_miss_l2d(c, v, a);
    if (c->ozq_selected)
      ozq_insert(c, v, OZQ_MISS, a);
    return;
  }
  data_signal(c, v, EV_INSERT_HITS, UM_ANY);
  data_signal(c, v, EV_RECIRC, UM(7));
  a->where = WHERE_L2;
  a->latency = v->s->latency ? v->s->latency : core_parameter(c, MONTECITO_L2D_LATENCY) + slot_converts(v->s);
  if (!state) {
    state = v->s->flags & SLOT_SHARED ? MESI_S : MESI_E;
    cache_fill(&c->memory.l2d, v->s->address, state);
  }
  if (store && state != MESI_M)
    data_own_line(c, v, state);
  if (c->ozq_selected)
    ozq_insert(c, v, OZQ_HIT, a);
}

/* ---- the complete access ---- */

static __attribute__((hot)) void data_access_l1d(struct montecito_core *c, const struct montecito_instruction *v,
                                                 struct montecito_access *a)
{
  const uint8_t there = cache_find(&c->memory.l1d, v->s->address);
  data_signal(c, v, EV_READS0, UM_ANY);
  data_signal(c, v, EV_READS1, UM_ANY);
  *a = (struct montecito_access){.where = WHERE_L1, .latency = v->s->latency ? v->s->latency : L1_CYCLES};
  if (v->s->where == WHERE_ANY ? there != 0 : v->s->where == WHERE_L1) {
    if (!there)
      cache_fill(&c->memory.l1d, v->s->address, MESI_E);
    return;
  }
  c->totals.l1d_misses++;
  data_signal(c, v, EV_READ_MISSES, UM_XXX0);
  data_access_l2d(c, v, a);
  if (!there)
    cache_fill(&c->memory.l1d, v->s->address, MESI_E);
}

static void data_stall_for_result(struct montecito_core *c, const struct montecito_slot *s, uint32_t latency)
{
  if (c->modelled && (s->flags & SLOT_USED) && latency > 1)
    montecito_stall_add(c, slot_converts(s) ? STALL_EXE_FR : STALL_EXE_GR, latency - 1);
}

/* True if a pair of data breakpoints faults, with PSR.db set: its r or w bit matches the access, and its levels
 * PSR.cpl. */
static __attribute__((noinline)) bool data_debug_fault(const struct montecito_core *c,
                                                       const struct montecito_instruction *v)
{
  const struct montecito_thread *t = &c->thread[c->active];
  const uint64_t psr = t->state[MONTECITO_PSR];
  const bool write = slot_writes(v->s), read = !write || v->s->op == OP_SEMAPHORE;
  unsigned pairs = v->s->op != OP_LFETCH ? dbr_matches(t, v->s->address) : 0;
  for (; pairs; pairs &= pairs - 1) {
    const uint64_t mask = t->state[MONTECITO_DBR + 2 * __builtin_ctz(pairs) + 1];
    if ((mask & ((read ? BR_X : 0) | (write ? DBR_W : 0))) && (mask >> BR_PLM_SHIFT >> (psr >> PSR_CPL_SHIFT & 3) & 1))
      return true;
  }
  return false;
}

__attribute__((hot)) uint8_t data_access(struct montecito_core *c, const struct montecito_instruction *v)
{
  struct montecito_access a = {.where = WHERE_MEMORY,
                               .latency = v->s->latency ? v->s->latency : core_parameter(c, MONTECITO_UC_LATENCY)};
  data_signal(c, v, EV_REFERENCES0, UM_ANY);
  data_signal(c, v, EV_REFERENCES1, UM_ANY);
  if (c->selected[EV_DBR] && dbr_matches(&c->thread[c->active], v->s->address))
    data_signal(c, v, EV_DBR, UM_ANY);
  if (!c->front.on && c->thread[c->active].state[MONTECITO_PSR] & PSR_DB &&
      data_debug_fault(c, v)) { /* in a program the executor takes the fault, and the access does not retire */
    data_signal(c, v, EV_DEBUG_FAULT, UM_ANY);
    montecito_exception_flow(c, v);
    if (!(v->s->flags & SLOT_FAULT))
      montecito_enter_interruption(c);
  }
  const uint8_t tlb = data_translate(c, v);
  if (v->s->flags & SLOT_UC && c->ozq_selected)
    ozq_uncached(c, v);
  if (v->s->flags & SLOT_UC)
    uncached_access(c, v->s, slot_writes(v->s), a.latency);
  else if (slot_uses_l1d(v->s))
    data_access_l1d(c, v, &a);
  else
    data_access_l2d(c, v, &a);
  a.tlb = tlb;
  if (c->thread[c->active].ears_on)
    dear_access(c, v, &a);
  data_stall_for_result(c, v->s, a.latency);
  c->access_latency = a.latency;
  for (unsigned i = 0; i < c->n_pending; i++) /* the stalls of its translation */
    c->access_latency += c->pending[i].cycles;
  if (c->front.on && !(v->s->flags & SLOT_UC))
    conflict_access(c, v->s);
  return a.where;
}

/* A load or store by the register stack engine. */
void data_rse(struct montecito_core *c, uint64_t address, bool store)
{
  const struct montecito_slot s = {.address = address, .op = store ? OP_STORE : OP_LOAD, .type = SLOT_M};
  const uint8_t channels = c->stack_channels, tags = tags_slot(&c->thread[c->active], c->stack_ip, &s, channels);
  const struct montecito_instruction v = {.ip = c->stack_ip, .s = &s, .tags = tags, .channels = channels};
  struct montecito_access a = {0};
  data_signal(c, &v, EV_RSE, store ? UM_XX10 | UM_XX11 : UM_XX01 | UM_XX11);
  data_signal(c, &v, store ? EV_STORES : EV_LOADS, UM_ANY);
  data_signal(c, &v, EV_REFERENCES0, UM_ANY);
  data_signal(c, &v, EV_REFERENCES1, UM_ANY);
  const uint8_t tlb = data_translate(c, &v);
  if (store) {
    data_access_l2d(c, &v, &a);
    return;
  }
  data_access_l1d(c, &v, &a);
  if (a.where != WHERE_L1)
    data_signal(c, &v, EV_READ_MISSES, UM_XXX1);
  dear_rse_tlb(c, address, tlb == TLB_L2 ? 1 : tlb == TLB_WALK ? 2 : tlb == TLB_FAULT ? 3 : 0);
}
