/* SPDX-License-Identifier: MIT */
/* Branches and other changes of the control flow: their prediction, their signals to the counters, and the trace
 * buffer (4.7). */
#include "machine/montecito/core/cycles.h"
#include "machine/montecito/core/stall.h"
#include "machine/montecito/core/threads.h"
#include "machine/montecito/events/umasks.h"
#include "machine/montecito/front/branch.h"
#include "machine/montecito/front/fetch.h"
#include "machine/montecito/front/front.h"
#include "machine/montecito/monitors/counters.h"
#include "machine/montecito/monitors/monitors.h"

enum {
  EV_CPL = 0x13,
  EV_PATH = 0x54,
  EV_MISPRED = 0x5b,
  EV_BACK_END = 0x61,
  EV_ENCODED = 0x63,
  EV_MISPRED2 = 0x68,
  EV_PATH2 = 0x6a
};

/* The umasks of a branch: those for all branch types and those for its own type; `sub` is the value of the lower two
 * bits. */
static uint16_t branch_umasks(unsigned kind, unsigned sub)
{
  return (uint16_t)((1u | 1u << 4 * kind) << sub); /* UM(sub) and UM(4 * kind + sub) */
}

static unsigned branch_kind(const struct montecito_slot *s)
{
  if (s->op == OP_RETURN)
    return KIND_RETURN;
  return s->op == OP_INDIRECT || s->flags & SLOT_CALL_INDIRECT ? KIND_INDIRECT : KIND_IPREL;
}

static void branch_signal_prediction(struct montecito_core *c, const struct montecito_instruction *v,
                                     const struct etb_event *e)
{
  const uint32_t flags = v->s->flags;
  if (!c->any_selected)
    return;
  const unsigned result = e->wrong_path ? 2 : e->wrong_target ? 3 : 1, path = (e->wrong_path ? 0u : 2u) + e->taken;
  montecito_tagged_often(c, EV_MISPRED, v->tags, branch_umasks(e->kind, 0) | branch_umasks(e->kind, result));
  montecito_tagged(c, EV_PATH, v->tags, branch_umasks(e->kind, path));
  if (flags & SLOT_UNKNOWN_PATH || e->unknown) {
    montecito_tagged(c, EV_MISPRED2, v->tags,
                     branch_umasks(e->kind, 0) | (result == 3 ? 0 : branch_umasks(e->kind, result)));
    montecito_tagged(c, EV_PATH2, v->tags, branch_umasks(e->kind, e->taken) | branch_umasks(e->kind, 2 + e->taken));
  }
  if (flags & SLOT_ENCODED)
    montecito_tagged(c, EV_ENCODED, v->tags,
                     (uint16_t)(UM(0) | UM(12) | UM(result) | UM(12 + result) |
                                (flags & SLOT_OVERSUBSCRIBED ? UM(8) | UM(8 + result) : 0)));
  if (e->back_end && !e->wrong_path)
    montecito_tagged(c, EV_BACK_END, v->tags,
                     UM_XX00 | (flags & SLOT_BE_STG ? UM_XX01 : 0) | (flags & SLOT_BE_ROT ? UM_XX10 : 0) |
                         (flags & SLOT_BE_PFS && e->taken ? UM_XX11 : 0));
}

static struct montecito_prediction branch_predict(struct montecito_core *c, const struct montecito_instruction *v,
                                                  struct etb_event *e)
{
  if (v->s->flags & SLOT_PREDICTED) {
    e->wrong_path = v->s->flags & SLOT_WRONG_PATH;
    e->wrong_target = !e->wrong_path && (v->s->flags & SLOT_WRONG_TARGET);
    return (struct montecito_prediction){0};
  }
  const struct montecito_prediction is =
      predict_branch(&c->memory, &(struct montecito_branch){.ip = v->ip,
                                                            .target = v->s->address,
                                                            .next = v->ip + 16,
                                                            .slot = v->slot,
                                                            .thread = c->active,
                                                            .taken = e->taken,
                                                            .call = v->s->op == OP_CALL,
                                                            .returns = v->s->op == OP_RETURN,
                                                            .indirect = branch_kind(v->s) == KIND_INDIRECT,
                                                            .counted = c->front.on && front_knows_count(c, v)});
  e->wrong_path = is.wrong_path;
  e->wrong_target = is.wrong_target;
  if (c->bundle_predicted) { /* branches after one that is predicted taken are predicted not taken (4.15) */
    e->wrong_path = e->taken;
    e->wrong_target = false;
    e->unknown = true;
  }
  c->bundle_predicted |= e->wrong_path != e->taken;
  return is;
}

static __attribute__((noinline)) void branch_return_from_interruption(struct montecito_core *c,
                                                                      const struct montecito_instruction *v)
{
  montecito_exception_flow(c, v);
  rse_event(c, v);
  struct montecito_thread *t = &c->thread[c->active];
  if (t->n_saved)
    montecito_set_psr(c, c->active, t->saved_psr[--t->n_saved]);
}

__attribute__((hot)) void branch_retire(struct montecito_core *c, const struct montecito_instruction *v)
{
  struct etb_event e = {.ip = v->ip,
                        .slot = v->slot,
                        .kind = (uint8_t)branch_kind(v->s),
                        .taken = v->s->flags & SLOT_TAKEN,
                        .back_end = v->s->flags & (SLOT_BE_STG | SLOT_BE_ROT | SLOT_BE_PFS),
                        .tagged = v->tags >> NEED_TAG & 1};
  if (v->s->op == OP_RFI) {
    branch_return_from_interruption(c, v);
    return;
  }
  const struct montecito_prediction is = branch_predict(c, v, &e);
  e.flushed = e.wrong_path || e.wrong_target || e.back_end;
  c->totals.branches++;
  c->totals.mispredicted += e.flushed;
  c->window_taken |= e.taken;
  c->fetch_again |= e.taken; /* the front end reads the target's block, also the same one again */
  branch_signal_prediction(c, v, &e);
  if (c->thread[c->active].etb_on)
    etb_capture(c, &e);
  if (e.flushed && c->modelled)
    montecito_stall_add(c, STALL_FLUSH_BRU, core_parameter(c, MONTECITO_BRANCH_PENALTY));
  if (e.taken && (v->s->op == OP_CALL || v->s->op == OP_RETURN))
    rse_event(c, v);
  if (c->front.on)
    front_branch(c, v, &e, &is);
  if (e.taken && (v->s->flags & SLOT_MANY))
    fetch_prefetch(c, v->s->address, v->s->flags & SLOT_UC);
}

void montecito_exception_flow(struct montecito_core *c, const struct montecito_instruction *v)
{
  c->window_taken = true;
  if (c->thread[c->active].etb_on)
    etb_capture(c, &(struct etb_event){.ip = v->ip, .slot = v->slot, .taken = true, .flushed = true});
  if (c->modelled)
    montecito_stall_add(c, STALL_FLUSH_XPN, core_parameter(c, MONTECITO_FLUSH_PENALTY));
  if (v->s->flags & SLOT_FAULT)
    montecito_enter_interruption(c);
}

void montecito_set_psr(struct montecito_core *c, unsigned thread, uint64_t psr)
{
  struct montecito_thread *t = &c->thread[thread];
  const unsigned was = t->state[MONTECITO_PSR] >> PSR_CPL_SHIFT & 3, is = psr >> PSR_CPL_SHIFT & 3;
  uint16_t umasks = 0;
  if (was != is) {
    for (unsigned v = 0; v < 16; v++)
      if (v & (1u << was | 1u << is))
        umasks |= (uint16_t)UM(v);
    montecito_pulse(c, EV_CPL, umasks, 1);
  }
  c->psr_next[thread] = psr;
  c->psr_pending |= (uint8_t)(1u << thread);
}

/* PSR.pp takes the value of DCR.pp (3.2.3.2), interruptions are disabled, and the privilege level becomes 0. */
void montecito_enter_interruption(struct montecito_core *c)
{
  struct montecito_thread *t = &c->thread[c->active];
  const uint64_t psr = t->state[MONTECITO_PSR], cleared = PSR_PP | PSR_I | PSR_IC | UINT64_C(3) << PSR_CPL_SHIFT;
  if (t->n_saved < sizeof t->saved_psr / sizeof *t->saved_psr)
    t->saved_psr[t->n_saved++] = psr;
  montecito_set_psr(c, c->active, (psr & ~cleared) | (t->state[MONTECITO_DCR] & DCR_PP ? PSR_PP : 0));
}
