/* SPDX-License-Identifier: MIT */
/*
 * The event address registers (3.3.8, 3.3.9). The data EAR follows one load at a time. The processor chooses among
 * concurrent loads at random; this machine takes the first load that finds the EAR free.
 */
#include "machine/montecito/core/cycles.h"
#include "machine/montecito/events/umasks.h"
#include "machine/montecito/monitors/counters.h"
#include "machine/montecito/monitors/fields.h"
#include "machine/montecito/monitors/monitors.h"

enum { EV_IEAR = 0x43, EV_DEAR = 0xc8, DEAR_GAP = 7, DEAR_LONGEST = 10 };

static uint8_t ear_slot_bits(const struct montecito_core *c, const struct montecito_instruction *v)
{
  return (uint8_t)(DEAR_VL | (v->ip != c->window ? DEAR_BN : 0) | v->slot);
}

static bool ear_is_tagged(const struct montecito_deferred *d)
{
  return d->tags >> NEED_MEMORY & 1;
}

/* Latches the sample, unless the EAR has been disabled since. */
static void dear_latch(struct montecito_core *c, const struct montecito_deferred *d, unsigned stat)
{
  struct montecito_thread *t = &c->thread[d->thread];
  if (!montecito_counter_enabled(t, PMC_DEAR))
    return;
  t->pmd[PMD_DEAR_ADDRESS] = d->address;
  t->pmd[PMD_DEAR_LATENCY] = (uint64_t)stat << DEAR_STAT_SHIFT | (d->latency & DEAR_LATENCY_MASK) |
                             (d->latency > DEAR_LATENCY_MASK ? DEAR_OVERFLOW : 0);
  t->pmd[PMD_DEAR_IP] = d->ip | d->slot;
  montecito_signal(c,
                   (struct montecito_signal){
                       .code = EV_DEAR, .thread = d->thread, .tags = d->tags, .mesi = 0xf, .umasks = UM_ANY, .n = 1});
}

void dear_load_returns(struct montecito_core *c, const struct montecito_deferred *d)
{
  dear_latch(c, d, 1);
}

static bool dear_follows(const struct montecito_slot *s, const struct montecito_access *a)
{
  switch (s->op) {
  case OP_LOAD:
  case OP_LOAD_CHECK:
  case OP_LOAD_ADVANCED:
  case OP_LOAD_SPECULATIVE: return a->where != WHERE_L1;
  case OP_FLOAD:
  case OP_SEMAPHORE: return true;
  default: return false;
  }
}

static void dear_cache(struct montecito_core *c, const struct montecito_deferred *sample, unsigned threshold)
{
  struct montecito_thread *t = &c->thread[sample->thread];
  if (c->cycle < t->dear_busy_until || (t->dear_captured && c->cycle < t->dear_last + DEAR_GAP))
    return;
  t->dear_busy_until = c->cycle + sample->latency;
  if (threshold > DEAR_LONGEST || sample->latency < 4u << threshold)
    return;
  t->dear_captured = true;
  t->dear_last = c->cycle;
  montecito_deferred_add(c, sample);
}

/* Latches a TLB miss. served: the source of the translation, as in the umask's bits 3:1 and in stat: 1 L2DTLB, 2
 * walker, 3 fault. */
static void dear_tlb(struct montecito_core *c, const struct montecito_deferred *sample, unsigned umask, unsigned served)
{
  if (served && (umask >> served & 1))
    dear_latch(c, sample, served);
}

void dear_access(struct montecito_core *c, const struct montecito_instruction *v, const struct montecito_access *a)
{
  const struct montecito_thread *t = &c->thread[c->active];
  const uint64_t config = t->pmc[PMC_DEAR];
  const unsigned umask = config >> DEAR_UMASK_SHIFT & 0xf;
  const struct montecito_deferred sample = {.at = c->cycle + a->latency,
                                            .address = v->s->address,
                                            .ip = c->window,
                                            .latency = a->latency,
                                            .kind = DEFERRED_DEAR,
                                            .thread = c->active,
                                            .tags = v->tags,
                                            .slot = ear_slot_bits(c, v)};
  const bool first_level = v->s->op != OP_STORE && v->s->op != OP_FSTORE && v->s->op != OP_FLOAD;
  if (!montecito_counter_enabled(t, PMC_DEAR) || !ear_is_tagged(&sample))
    return;
  switch (config >> DEAR_MODE_SHIFT & 3) {
  case 0:
    if (dear_follows(v->s, a))
      dear_cache(c, &sample, umask);
    break;
  case 1:
    dear_tlb(c, &sample, umask, a->tlb == TLB_L2 ? first_level : a->tlb == TLB_WALK ? 2 : a->tlb == TLB_FAULT ? 3 : 0);
    break;
  default: break;
  }
}

void dear_alat(struct montecito_core *c, const struct montecito_instruction *v)
{
  const struct montecito_thread *t = &c->thread[c->active];
  const struct montecito_deferred sample = {
      .ip = c->window, .thread = c->active, .tags = v->tags, .slot = ear_slot_bits(c, v)};
  if (montecito_counter_enabled(t, PMC_DEAR) && (t->pmc[PMC_DEAR] >> DEAR_MODE_SHIFT & 2) && ear_is_tagged(&sample))
    dear_latch(c, &sample, 1);
}

/* A load by the register stack engine belongs to no instruction: vl stays 0 (Table 3-24). */
void dear_rse_tlb(struct montecito_core *c, uint64_t address, unsigned served)
{
  const struct montecito_thread *t = &c->thread[c->active];
  const struct montecito_deferred sample = {.address = address, .thread = c->active, .tags = TAGS_ALL};
  if (montecito_counter_enabled(t, PMC_DEAR) && (t->pmc[PMC_DEAR] >> DEAR_MODE_SHIFT & 3) == 1)
    dear_tlb(c, &sample, t->pmc[PMC_DEAR] >> DEAR_UMASK_SHIFT & 0xf, served);
}

/* Table 3-16: the mask has a one for each latency bit, from 4 on, that is ignored; some steps are not defined. */
static bool iear_long_enough(unsigned umask, uint32_t latency, bool rab)
{
  static const struct {
    uint8_t umask;
    uint16_t least;
  } steps[] = {{0xff, 4}, {0xfe, 8}, {0xfc, 16}, {0xf8, 32}, {0xf0, 128}, {0xe0, 256}, {0xc0, 1024}, {0x80, 4096}};
  if (umask >> 6 == 1)
    return true;
  if (!umask)
    return rab;
  for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
    if (steps[i].umask == umask)
      return latency >= steps[i].least;
  return false;
}

static void iear_latch(struct montecito_core *c, const struct montecito_deferred *d, unsigned stat)
{
  struct montecito_thread *t = &c->thread[d->thread];
  if (!montecito_counter_enabled(t, PMC_IEAR))
    return;
  t->pmd[PMD_IEAR_ADDRESS] = (d->ip & ~UINT64_C(31)) | stat;
  t->pmd[PMD_IEAR_LATENCY] = (d->latency & IEAR_LATENCY_MASK) | (d->latency > IEAR_LATENCY_MASK ? IEAR_OVERFLOW : 0);
  montecito_signal(c,
                   (struct montecito_signal){
                       .code = EV_IEAR, .thread = d->thread, .tags = d->tags, .mesi = 0xf, .umasks = UM_ANY, .n = 1});
}

void iear_returns(struct montecito_core *c, const struct montecito_deferred *d)
{
  iear_latch(c, d, 1);
}

void iear_fetch(struct montecito_core *c, uint64_t ip, const struct montecito_access *a, bool rab)
{
  const struct montecito_thread *t = &c->thread[c->active];
  const uint64_t config = t->pmc[PMC_IEAR];
  const struct montecito_deferred sample = {.at = c->cycle + a->latency,
                                            .ip = ip,
                                            .latency = a->latency,
                                            .kind = DEFERRED_IEAR,
                                            .thread = c->active,
                                            .tags = tags_fetch(t, ip)};
  const unsigned umask = config >> IEAR_UMASK_SHIFT & 0xff, served = a->tlb == TLB_L2 ? 1 : a->tlb == TLB_WALK ? 2 : 3;
  if (!montecito_counter_enabled(t, PMC_IEAR) || !(sample.tags >> NEED_IAR & 1))
    return;
  if (config & IEAR_CACHE) {
    if (a->where != WHERE_L1 && iear_long_enough(umask, a->latency, rab))
      montecito_deferred_add(c, &sample);
  } else if (!(config & IEAR_OFF) && a->tlb != TLB_L1 && (umask >> (served - 1) & 1)) {
    iear_latch(c, &sample, served);
  }
}
