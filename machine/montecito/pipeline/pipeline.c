/* SPDX-License-Identifier: MIT */
/* Issue and retirement of bundles: in a cycle of their own or with another bundle, whole or in parts. */
#include <stdio.h>
#include <pmon/status.h>
#include "machine/montecito/core/cycles.h"
#include "machine/montecito/core/stall.h"
#include "machine/montecito/core/threads.h"
#include "machine/montecito/events/umasks.h"
#include "machine/montecito/front/branch.h"
#include "machine/montecito/front/fetch.h"
#include "machine/montecito/memory/data.h"
#include "machine/montecito/memory/snoop.h"
#include "machine/montecito/monitors/counters.h"
#include "machine/montecito/monitors/monitors.h"
#include "machine/montecito/pipeline/pipeline.h"

enum {
  EV_RETIRED = 0x08,
  EV_FP_OPS = 0x09,
  EV_NOPS = 0x50,
  EV_SQUASHED = 0x51,
  EV_SERIALIZATION = 0x53,
  EV_CHKS = 0x55,
  EV_CHKA = 0x56,
  EV_CHKA_FAILED = 0x57,
  EV_ALAT = 0x58,
  EV_LOADS = 0xcd,
  EV_LOADS_MISALIGNED = 0xce,
  EV_LOADS_UC = 0xcf,
  EV_STORES_UC = 0xd0,
  EV_STORES = 0xd1,
  EV_STORES_MISALIGNED = 0xd2,
  EV_LOADS_INT = 0xd8,
  EV_NATTED = 0xd9
};

/* ---- retirement ---- */

/* Signals the retirement of `n` instructions with the same tags. */
static void pipeline_signal_retired(struct montecito_core *c, const struct montecito_instruction *v, unsigned n)
{
  static const uint16_t channels[16] = {0,      0x1111, 0x2222, 0x3333, 0x4444, 0x5555, 0x6666, 0x7777,
                                        0x8888, 0x9999, 0xaaaa, 0xbbbb, 0xcccc, 0xdddd, 0xeeee, 0xffff};
  c->totals.instructions += n;
  c->window_qualified |= v->tags >> NEED_TAG & 1;
  if (v->channels)
    montecito_pulse_often(c, EV_RETIRED, channels[v->channels], n);
}

static uint16_t slot_number_umask(const struct montecito_slot *s)
{
  return s->flags & SLOT_FP ? UM_FP : UM_INT;
}

/* in_l1d: the L1D served the load. */
static __attribute__((hot)) void pipeline_signal_load(struct montecito_core *c, const struct montecito_instruction *v,
                                                      bool in_l1d)
{
  const uint32_t flags = v->s->flags;
  if (v->s->op == OP_LOAD_CHECK && (!(flags & SLOT_FAIL) || in_l1d))
    return; /* 4.15: a check load counts as a load when it missed in ALAT and L1D */
  montecito_tagged_often(c, EV_LOADS, v->tags, UM_ANY);
  if (v->s->op != OP_FLOAD && v->s->op != OP_SEMAPHORE && !(flags & SLOT_FP))
    montecito_tagged(c, EV_LOADS_INT, v->tags, UM_ANY);
  if (flags & SLOT_MISALIGNED)
    montecito_tagged(c, EV_LOADS_MISALIGNED, v->tags, UM_ANY);
  if (flags & SLOT_UC)
    montecito_tagged(c, EV_LOADS_UC, v->tags, UM_ANY);
  c->totals.loads++;
}

static __attribute__((hot)) void pipeline_signal_store(struct montecito_core *c, const struct montecito_instruction *v)
{
  montecito_tagged_often(c, EV_STORES, v->tags, UM_ANY);
  if (v->s->flags & SLOT_MISALIGNED)
    montecito_tagged(c, EV_STORES_MISALIGNED, v->tags, UM_ANY);
  if (v->s->flags & SLOT_UC)
    montecito_tagged(c, EV_STORES_UC, v->tags, UM_ANY);
  c->totals.stores++;
}

/* Signals advanced and speculative loads and their checks. */
static __attribute__((noinline)) void pipeline_signal_speculation(struct montecito_core *c,
                                                                  const struct montecito_instruction *v)
{
  const struct montecito_slot *s = v->s;
  if (s->op == OP_LOAD_CHECK || s->op == OP_CHECK_A) {
    montecito_tagged(c, EV_CHKA, v->tags, slot_number_umask(s));
    if (s->flags & SLOT_FAIL) {
      montecito_tagged(c, EV_CHKA_FAILED, v->tags, slot_number_umask(s));
      dear_alat(c, v);
    }
  }
  if (s->flags & SLOT_ALAT_FULL)
    montecito_tagged(c, EV_ALAT, v->tags, slot_number_umask(s));
  if (s->op == OP_CHECK_S && (s->flags & SLOT_FAIL))
    montecito_tagged(c, EV_CHKS, v->tags, slot_number_umask(s));
  if ((s->op == OP_CHECK_A || s->op == OP_CHECK_S) && (s->flags & SLOT_FAIL))
    montecito_exception_flow(c, v);
  if (s->op == OP_LOAD_SPECULATIVE && (s->flags & SLOT_FAIL))
    montecito_tagged(c, EV_NATTED, v->tags,
                     UM(0) | UM(s->detail             ? s->detail
                                : s->tlb == TLB_FAULT ? 3
                                : s->tlb == TLB_WALK  ? 1
                                                      : 4));
}

static void pipeline_execute(struct montecito_core *c, const struct montecito_instruction *v)
{
  switch (v->s->op) {
  case OP_NOP: montecito_tagged(c, EV_NOPS, v->tags, UM_ANY); break;
  case OP_FP1:
  case OP_FP2:
  case OP_FP4:
    montecito_signal(c, (struct montecito_signal){.code = EV_FP_OPS,
                                                  .thread = c->active,
                                                  .tags = v->tags,
                                                  .mesi = 0xf,
                                                  .umasks = UM_ANY,
                                                  .n = v->s->op == OP_FP1   ? 1
                                                       : v->s->op == OP_FP2 ? 2
                                                                            : 4});
    break;
  case OP_LOAD:
  case OP_FLOAD:
  case OP_LOAD_CHECK:
  case OP_LOAD_ADVANCED:
  case OP_LOAD_SPECULATIVE: pipeline_signal_load(c, v, data_access(c, v) == WHERE_L1); break;
  case OP_SEMAPHORE:
    data_access(c, v);
    pipeline_signal_load(c, v, false);
    pipeline_signal_store(c, v);
    break;
  case OP_STORE:
  case OP_FSTORE:
    data_access(c, v);
    pipeline_signal_store(c, v);
    break;
  case OP_LFETCH: data_access(c, v); break;
  case OP_FC: flush_line(c, v->s->address); break;
  case OP_SRLZ:
    montecito_tagged(c, EV_SERIALIZATION, v->tags, UM_ANY);
    if (c->modelled)
      montecito_stall_add(c, STALL_FLUSH_XPN, core_parameter(c, MONTECITO_FLUSH_PENALTY));
    break;
  case OP_ALLOC: rse_event(c, v); break;
  default: break;
  }
  if (v->s->order || v->s->detail || v->s->flags & (SLOT_HINT | SLOT_FAIL | SLOT_PAUSE | SLOT_QUIESCE))
    details_signal(c, v);
  if (v->s->op >= OP_LOAD && v->s->op <= OP_LOAD_SPECULATIVE &&
      (v->s->op >= OP_LOAD_CHECK || v->s->flags & SLOT_ALAT_FULL))
    pipeline_signal_speculation(c, v);
}

/* True for a no-op, and for arithmetic of which only the retirement is counted. */
static bool slot_is_plain(const struct montecito_slot *s)
{
  const uint32_t other = SLOT_OFF | SLOT_HINT | SLOT_FAIL | SLOT_FAULT | SLOT_PAUSE | SLOT_QUIESCE;
  return s->op <= OP_NOP && !(s->order | s->detail) && !(s->flags & other);
}

/* trivial: every instruction has all tags, and the retirement of the bundle has been signalled. */
static void pipeline_retire(struct montecito_core *c, const struct montecito_bundle *b, unsigned slot, bool trivial)
{
  const struct montecito_slot *s = &b->slot[slot];
  struct montecito_instruction v = {.ip = b->address, .s = s, .slot = (uint8_t)slot, .tags = TAGS_ALL, .channels = 0xf};
  const struct montecito_thread *t = &c->thread[c->active];
  if (!trivial) {
    v.channels = tags_channels(t, b->address, s);
    v.tags = tags_slot(t, b->address, s, v.channels);
    pipeline_signal_retired(c, &v, 1);
  }
  if ((s->flags & SLOT_OFF) && s->op < OP_BRANCH) {
    if (s->type != SLOT_B) /* 4.15: counts all squashed instructions outside B slots */
      montecito_tagged(c, EV_SQUASHED, v.tags, UM_ANY);
    return;
  }
  c->access_latency = 1;
  if (s->op >= OP_BRANCH)
    branch_retire(c, &v);
  else
    pipeline_execute(c, &v);
  if (s->uses.write[0])
    scoreboard_write(c, s, c->access_latency);
  if (s->flags & SLOT_FAULT)
    montecito_exception_flow(c, &v);
}

static void pipeline_open_cycle(struct montecito_core *c, const struct montecito_bundle *b)
{
  montecito_close_cycle(c);
  c->window = b->address;
  c->window_bundles = c->window_long = c->window_syllables = c->window_earlier = c->window_cut = 0;
  c->window_stop = c->window_taken = c->window_qualified = c->window_rse = false;
  c->window_split = c->window_ports = false;
  c->open = true;
}

/* Returns the end of the part of the bundle that begins at slot `from` and issues in one cycle. */
static unsigned pipeline_part_end(const struct montecito_bundle *b, unsigned from)
{
  if (!(b->flags & (BUNDLE_STOP_AFTER_0 | BUNDLE_STOP_AFTER_1) || b->timing & (TIMING_SPLIT_0 | TIMING_SPLIT_1)))
    return b->n_slots;
  if (!from && (b->flags & BUNDLE_STOP_AFTER_0 || b->timing & TIMING_SPLIT_0))
    return b->n_slots ? 1 : 0;
  if (from < 2 && (b->flags & BUNDLE_STOP_AFTER_1 || b->timing & TIMING_SPLIT_1))
    return b->n_slots < 2 ? b->n_slots : 2;
  return b->n_slots;
}

/* True if a second bundle can join the open cycle: it follows the first without a gap, and no branch was taken between
 * them. */
static bool pipeline_joins_cycle(struct montecito_core *c, const struct montecito_bundle *b)
{
  return (b->flags & BUNDLE_JOINED) && c->open && c->window_bundles == 1 && b->address == c->window + 16 &&
         !c->window_taken && fetch_is_quiet(c, b) &&
         (!(b->timing & TIMING_WAITS) || scoreboard_is_ready(c, b, 0, pipeline_part_end(b, 0)));
}

/* Retires slots `from` to `to` - 1 of the bundle in the open cycle. */
static void pipeline_retire_slots(struct montecito_core *c, const struct montecito_bundle *b, unsigned from,
                                  unsigned to)
{
  const bool trivial = c->thread[c->active].filters.trivial;
  unsigned n = to - from;
  if (b->flags & BUNDLE_LONG ||
      (n && b->slot[from].type == SLOT_L)) /* slots that have retired before are SLOT_L, too */
    for (unsigned i = from; i < to; i++)
      n -= b->slot[i].type == SLOT_L;
  c->window_syllables = (uint8_t)(c->window_syllables + n);
  if (n && trivial)
    pipeline_signal_retired(c, &(struct montecito_instruction){.tags = TAGS_ALL, .channels = 0xf}, n);
  unsigned nops = 0;
  for (const struct montecito_slot *s = &b->slot[from], *end = &b->slot[to]; s < end; s++) {
    if (s->type == SLOT_L)
      continue;
    if (!trivial || !slot_is_plain(s)) {
      pipeline_retire(c, b, (unsigned)(s - b->slot), trivial);
      continue;
    }
    nops += s->op == OP_NOP;
    if (s->uses.write[0])
      scoreboard_write(c, s, 1);
  }
  if (nops)
    montecito_pulse(c, EV_NOPS, UM_ANY, nops);
}

/* Ends the cycle at a stop within the bundle, or for lack of ports. The rest of the bundle comes first in the next
 * cycle. Returns false when the thread should be switched out first. */
static bool pipeline_split(struct montecito_core *c, const struct montecito_bundle *b, unsigned at, unsigned end)
{
  c->window_split = true;
  c->window_ports = !(b->flags & (at == 1 ? BUNDLE_STOP_AFTER_0 : BUNDLE_STOP_AFTER_1));
  montecito_close_cycle(c);
  if ((c->sharing.both && !urgency_cycles_left(c)) || !scoreboard_wait(c, b, at, end))
    return false;
  pipeline_open_cycle(c, b);
  c->window_earlier = (uint8_t)at;
  c->window_bundles = 1;
  return true;
}

/* Fetches the bundle; the stalls precede its cycle. Returns false when the thread should be switched out before they
 * end; the thread then fetches the bundle again when it is switched in. */
static bool pipeline_fetch(struct montecito_core *c, const struct montecito_bundle *b)
{
  montecito_close_cycle(c);
  fetch_bundle(c, b);
  const unsigned n = c->n_pending;
  c->n_pending = 0;
  for (unsigned i = 0; i < n; i++)
    if (!montecito_pass_wait(c, c->pending[i].reason, c->pending[i].cycles))
      return false;
  return true;
}

/* Begins the bundle, in the open cycle or in its own. Returns false when the thread should be switched out first. */
static bool pipeline_begin(struct montecito_core *c, const struct montecito_bundle *b)
{
  if (pipeline_joins_cycle(c, b)) {
    fetch_bundle(c, b);
    return true;
  }
  if (!pipeline_fetch(c, b) || (b->timing & TIMING_WAITS && !scoreboard_wait(c, b, 0, pipeline_part_end(b, 0))))
    return false;
  pipeline_open_cycle(c, b);
  return true;
}

/* The pipeline is flushed for a thread switch: slots `from` and later issue when the thread is switched in again. */
static void pipeline_suspend(struct montecito_core *c, const struct montecito_bundle *b, unsigned from)
{
  c->waiting[c->active] =
      (struct montecito_waiting){.valid = true, .predicted = c->bundle_predicted, .from = (uint8_t)from, .bundle = *b};
}

/* Issues slots `from` and later, part by part. If `from` is 0, the first part's cycle is open. */
static __attribute__((hot)) void pipeline_issue(struct montecito_core *c, const struct montecito_bundle *b,
                                                unsigned from)
{
  for (unsigned to; from < b->n_slots; from = to) {
    to = pipeline_part_end(b, from);
    if (from && !pipeline_split(c, b, from, to)) {
      pipeline_suspend(c, b, from);
      return;
    }
    pipeline_retire_slots(c, b, from, to);
  }
  c->window_stop = b->flags & BUNDLE_STOP;
  c->window_cut = (uint8_t)(3 - b->n_slots);
}

void pipeline_resume(struct montecito_core *c)
{
  const struct montecito_waiting w = c->waiting[c->active];
  if (!w.valid)
    return;
  c->waiting[c->active].valid = false;
  if (!w.from) {
    pipeline_bundle(c, &w.bundle, NULL, 0);
    return;
  }
  c->bundle_predicted = w.predicted;
  if (pipeline_fetch(c, &w.bundle))
    pipeline_issue(c, &w.bundle, w.from);
  else
    pipeline_suspend(c, &w.bundle, w.from);
}

__attribute__((hot)) int pipeline_bundle(struct montecito_core *c, const struct montecito_bundle *b, char *error,
                                         size_t error_size)
{
  if (b->address & 15) {
    snprintf(error, error_size, "address 0x%llx of a bundle is not a multiple of 16", (unsigned long long)b->address);
    return PMON_E_INVALID;
  }
  if (!pipeline_begin(c, b)) {
    pipeline_suspend(c, b, 0);
    return PMON_OK;
  }
  c->window_bundles++;
  c->bundle_predicted = false;
  c->front.on = b->timing & TIMING_WAITS && c->modelled;
  if (b->flags & BUNDLE_LONG)
    c->window_long++;
  c->totals.bundles++;
  if (c->thread[c->active].etb_on)
    etb_retire(c, b->address);
  pipeline_issue(c, b, 0);
  return PMON_OK;
}
