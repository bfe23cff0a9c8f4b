/* SPDX-License-Identifier: MIT */
/*
 * The execution trace buffer, and its second mode, the IP-EAR (3.3.10).
 *
 * Decisions: a branch that is not taken has a source entry and no target entry. The target entry holds the address at
 * which execution continued, which can be the handler of an asynchronous interrupt (3.3.10.1.3).
 */
#include "machine/montecito/core/state.h"
#include "machine/montecito/events/umasks.h"
#include "machine/montecito/monitors/counters.h"
#include "machine/montecito/monitors/fields.h"
#include "machine/montecito/monitors/monitors.h"

enum { EV_ETB = 0x11, ELAPSED_MOST = 63 };
#define SLOT_NOT_TAKEN 3u

struct entry {
  uint64_t data;
  uint8_t extension;
};

/* Tables 3-29 and 3-33: entries 0 and 8 share the lowest byte of PMD39, 1 and 9 the next. */
static unsigned extension_shift(unsigned entry)
{
  return (entry & 7) * 8 + (entry & 8 ? 4 : 0);
}

static void write_entry(struct montecito_core *c, unsigned thread, struct entry e, bool tagged)
{
  struct montecito_thread *t = &c->thread[thread];
  const unsigned at = t->pmd[PMD_ETB_INDEX] & ETB_EBI, next = (at + 1) % ETB_ENTRIES, shift = extension_shift(at);
  t->pmd[PMD_ETB + at] = e.data;
  t->pmd[PMD_ETB_EXTENSION] = (t->pmd[PMD_ETB_EXTENSION] & ~(UINT64_C(0xf) << shift)) | (uint64_t)e.extension << shift;
  t->pmd[PMD_ETB_INDEX] = (t->pmd[PMD_ETB_INDEX] & ETB_FULL) | next | (next ? 0 : ETB_FULL);
  montecito_signal(c, (struct montecito_signal){.code = EV_ETB,
                                                .thread = (uint8_t)thread,
                                                .mesi = 0xf,
                                                .umasks = UM_ANY,
                                                .n = 1,
                                                .tags = tagged ? TAGS_ALL : 1 << NEED_NONE | 1 << NEED_TAG});
}

static unsigned ipear_mode(const struct montecito_thread *t)
{
  return t->pmc[PMC_IPEAR] >> IPEAR_MODE_SHIFT & 7;
}

/* True if PSR enables the IP-EAR, whether or not the monitors are frozen. */
static bool ipear_allowed(const struct montecito_thread *t)
{
  const uint64_t v = t->pmc[PMC_IPEAR], psr = t->state[MONTECITO_PSR];
  return ipear_mode(t) == 4 && (v >> (psr >> PSR_CPL_SHIFT & 3) & 1) && (v & CTL_PM ? psr & PSR_PP : psr & PSR_UP);
}

/* ---- trace ---- */

static void write_target(struct montecito_core *c, unsigned thread)
{
  struct montecito_thread *t = &c->thread[thread];
  t->etb.target_pending = false;
  if (!(t->pmc[0] & PMC0_FR) && !ipear_mode(t))
    write_entry(c, thread, (struct entry){.data = (t->etb.target & ~UINT64_C(15)) | 2}, true);
}

/* Table 3-26: true if the masks select the branch. A branch with a mispredicted path has no target prediction. */
static bool etb_selects(uint64_t config, const struct etb_event *e)
{
  const unsigned tm = config >> ETB_TM_SHIFT & 3, ptm = config >> ETB_PTM_SHIFT & 3, ppm = config >> ETB_PPM_SHIFT & 3,
                 brt = config >> ETB_BRT_SHIFT & 3;
  if (!(e->taken ? tm & 2 : tm & 1) || !(e->wrong_path ? ppm & 1 : ppm & 2) || (brt && brt != e->kind))
    return false;
  if (e->wrong_path)
    return ptm == 3;
  return e->wrong_target ? ptm & 1 : ptm & 2;
}

void etb_capture(struct montecito_core *c, const struct etb_event *e)
{
  struct montecito_thread *t = &c->thread[c->active];
  const uint64_t config = t->pmc[PMC_ETB];
  const bool second = e->ip != c->window, wrong = !e->kind || e->wrong_path || e->wrong_target || e->back_end;
  struct entry source;
  if (ipear_mode(t) || !montecito_counter_enabled(t, PMC_ETB) || (config & ETB_DS) ||
      (t->state[MONTECITO_PSR] & PSR_IS)) /* the ETB's tags are those of Itanium instructions (Table 3-9) */
    return;
  if (e->kind && (!e->tagged || !etb_selects(config, e)))
    return;
  if (t->etb.target_pending && !(c->cycle == t->etb.due_cycle && e->ip == t->etb.target))
    write_target(c, c->active);
  source.data = (c->window & ~UINT64_C(15)) | (e->taken ? e->slot : SLOT_NOT_TAKEN) << 2 | (wrong ? 2u : 0u) | 1;
  source.extension = (uint8_t)((wrong && e->flushed ? 2 : 0) | second);
  write_entry(c, c->active, source, true);
  t->etb.target_pending = e->taken;
  t->etb.target = 0;
  t->etb.due_cycle = c->cycle + 1;
}

void etb_retire(struct montecito_core *c, uint64_t ip)
{
  struct montecito_etb *etb = &c->thread[c->active].etb;
  if (etb->target_pending && !etb->target)
    etb->target = ip;
}

/* ---- IP-EAR ---- */

static void write_ip(struct montecito_core *c, unsigned thread, uint64_t cycle, bool early)
{
  struct montecito_thread *t = &c->thread[thread];
  uint64_t elapsed = cycle - t->etb.last_cycle, low = early ? t->etb.remaining & 0xff : c->window >> 4 & 0xff;
  if (elapsed > ELAPSED_MOST)
    elapsed = ELAPSED_MOST;
  write_entry(c, thread,
              (struct entry){.data = elapsed << 60 | (c->window >> 12) << 8 | low,
                             .extension = (uint8_t)((elapsed >> 4 & 3) << 2 | (t->etb.flushed ? 2 : 0) | early)},
              true);
  t->etb.last_cycle = cycle;
  t->etb.flushed = false;
}

static void ipear_stop(struct montecito_core *c, unsigned thread, uint64_t cycle, bool early)
{
  struct montecito_thread *t = &c->thread[thread];
  write_ip(c, thread, cycle, early);
  t->etb.stopping = false;
  t->etb.stopped = true;
}

void etb_pass(struct montecito_core *c, unsigned thread, uint64_t from, uint64_t cycles)
{
  struct montecito_etb *etb = &c->thread[thread].etb;
  if (!etb->stopping)
    return;
  if (cycles < etb->remaining) {
    etb->remaining -= (uint32_t)cycles;
    return;
  }
  const uint64_t end = from + etb->remaining;
  etb->remaining = 0;
  ipear_stop(c, thread, end, false);
}

void etb_cycle(struct montecito_core *c, unsigned thread, bool retired)
{
  struct montecito_thread *t = &c->thread[thread];
  struct montecito_etb *etb = &t->etb;
  if (etb->target_pending && etb->target && retired)
    write_target(c, thread);
  if (retired && ipear_allowed(t) && !etb->stopped && (!(t->pmc[0] & PMC0_FR) || etb->stopping))
    write_ip(c, thread, c->cycle, false);
}

void etb_frozen(struct montecito_core *c, unsigned thread, uint64_t passed)
{
  struct montecito_thread *t = &c->thread[thread];
  if (!ipear_allowed(t) || t->etb.stopped)
    return;
  t->etb.stopping = true;
  t->etb.remaining = t->pmc[PMC_IPEAR] >> IPEAR_DELAY_SHIFT & 0xff;
  etb_pass(c, thread, c->cycle - passed, passed);
}

void etb_disturbed(struct montecito_core *c, unsigned thread)
{
  struct montecito_thread *t = &c->thread[thread];
  if (t->etb.stopping && (!ipear_allowed(t) || c->active != thread || c->switching))
    ipear_stop(c, thread, c->cycle, true);
}
