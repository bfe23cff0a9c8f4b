/* SPDX-License-Identifier: MIT */
/* The twelve counters of a thread: the signals that they select, the amount that a stretch of cycles adds, overflow
 * and freeze (3.3.1-3.3.4). */
#include <string.h>
#include "machine/montecito/core/cycles.h"
#include "machine/montecito/memory/occupancy.h"
#include "machine/montecito/monitors/counters.h"
#include "machine/montecito/monitors/fields.h"
#include "machine/montecito/monitors/monitors.h"

enum {
  FIRST_BUS_CODE = 0x80,
  LAST_BUS_CODE = 0xbf,
  FIRST_OZQ_CODE = 0xe0,
  LAST_OZQ_CODE = 0xf3,
  OZQ_CODES = 0x88f3f, /* bit n: ozq.c signals code FIRST_OZQ_CODE + n */
  COUNTERS = (1 << MONTECITO_COUNTERS) - 1,
  ANY_MESI = 0x80,
  EV_FETCHES = 0x40,  /* one in a cycle, although two bundles that issue together can be of two blocks */
  EV_TRANSFER = 0xc0, /* one in a cycle, also of two loads */
  EV_FILL_STATE = 0xf2
}; /* ANY_MESI: bit of a counter that counts a signal in any state of the line */
/* Events that a banked counter does not count in the last cycle before its thread is switched out (4.15), if the
 * counter's PMC has a bit of `when` set; UINT64_MAX: always. CPU_OP_CYCLES loses that cycle with .all only, which has
 * no other effect on a banked counter (Table 3-6). */
static const struct {
  uint8_t code;
  uint64_t when;
} dead_events[] = {{0x00, UINT64_MAX}, {0x04, UINT64_MAX}, {0x12, CTL_ALL}};

bool montecito_counter_enabled(const struct montecito_thread *t, unsigned pmc)
{
  const uint64_t v = t->pmc[pmc], psr = t->state[MONTECITO_PSR];
  const unsigned cpl = psr >> PSR_CPL_SHIFT & 3;
  const bool without_ism = pmc == PMC_ETB || pmc == PMC_IEAR || pmc == PMC_IPEAR;
  const uint64_t pm = pmc == PMC_IEAR ? IEAR_PM : CTL_PM;
  if ((t->pmc[0] & PMC0_FR) || !(v >> cpl & 1))
    return false;
  if (!without_ism && (v >> CTL_ISM_SHIFT & 3) != 2)
    return false;
  return (v & pm ? psr & PSR_PP : psr & PSR_UP) != 0;
}

/* True if an event belongs to the active thread. Of type S: with every umask except those for the own core (4.2.1). */
static bool event_follows_active(const struct montecito_event *e, unsigned umask)
{
  if (e->type != TYPE_S)
    return e->type == TYPE_C;
  return e->code < 0x94 ? (umask & 3) != 2 : !(umask & 1);
}

static bool event_skips_dead_cycle(uint64_t pmc)
{
  for (size_t i = 0; i < sizeof dead_events / sizeof *dead_events; i++)
    if (dead_events[i].code == (pmc >> CTL_ES_SHIFT & 0xff))
      return pmc & dead_events[i].when;
  return false;
}

static void counter_configure(struct montecito_core *c, unsigned thread, unsigned counter)
{
  struct montecito_thread *t = &c->thread[thread];
  const uint64_t v = t->pmc[counter];
  const unsigned code = v >> CTL_ES_SHIFT & 0xff, i = thread * MONTECITO_COUNTERS + counter - MONTECITO_FIRST_COUNTER;
  const struct montecito_event *e = montecito_event_find_by_code(code);
  struct montecito_selection *h = &c->selection[i];
  if (!e || !montecito_counter_enabled(t, counter) || !counter_selected(t, counter))
    return;
  if (counter >= MONTECITO_FIRST_BANKED && thread != c->active)
    return;
  *h = (struct montecito_selection){.umask = (uint16_t)(1u << counter_umask(t, counter)),
                                    .need = (uint8_t)(1u << e->need),
                                    .all = counter_all(t, counter),
                                    .threshold = v >> CTL_THRESHOLD_SHIFT & 7,
                                    .mesi = e->flags & EVENT_MESI ? v >> CTL_MESI_SHIFT & 0xf : ANY_MESI,
                                    .not_in_dead_cycle = counter >= MONTECITO_FIRST_BANKED && event_skips_dead_cycle(v),
                                    .max = e->flags & EVENT_UNCLAMPED || !e->max ? UINT8_MAX : e->max};
  h->causal = event_follows_active(e, counter_umask(t, counter));
  t->counting |= (uint16_t)(1u << counter);
  c->selected[code] |= 1u << i;
  if (h->mesi && (h->all || c->active == thread)) {
    const bool only = !c->pulse[code] && !h->not_in_dead_cycle; /* no other counter or condition has to be checked */
    c->pulse[code] |= 1u << i;
    c->pulse_umasks[code] |= h->umask;
    c->pulse_to[code] = only ? (uint8_t)(i + 1) : PULSE_MANY;
  }
  c->serial[code] = e->max == 1 && (e->type == TYPE_F || e->type == TYPE_S || e->need == NEED_IAR1 ||
                                    code == EV_FETCHES || code == EV_TRANSFER);
}

void montecito_select_signals(struct montecito_core *c)
{
  queues_leave(c); /* under the previous selection */
  for (unsigned code = 0; code < 256; code++)
    c->selected[code] = c->pulse[code] = c->pulse_umasks[code] = c->pulse_to[code] = PULSE_NONE;
  for (unsigned thread = 0; thread < 2; thread++) {
    struct montecito_thread *t = &c->thread[thread];
    t->counting = 0;
    t->ears_on = montecito_counter_enabled(t, PMC_IEAR) || montecito_counter_enabled(t, PMC_DEAR);
    t->etb_on = montecito_counter_enabled(t, PMC_ETB) || montecito_counter_enabled(t, PMC_IPEAR) || t->etb.stopping ||
                t->etb.target_pending;
    for (unsigned i = MONTECITO_FIRST_COUNTER; i < MONTECITO_FIRST_COUNTER + MONTECITO_COUNTERS; i++)
      counter_configure(c, thread, i);
  }
  c->any_selected = c->bus_selected = c->ozq_selected = false;
  for (unsigned code = 0; code < 256; code++) {
    c->any_selected |= c->selected[code] != 0;
    c->ozq_selected |= c->selected[code] && code >= FIRST_OZQ_CODE && code <= LAST_OZQ_CODE &&
                       (OZQ_CODES >> (code - FIRST_OZQ_CODE) & 1);
    c->bus_selected |= c->selected[code] && code >= FIRST_BUS_CODE && code <= LAST_BUS_CODE;
  }
  c->levels_selected = bus_level_selected(c);
  c->queues_observed = c->levels_selected || c->selected[EV_FILL_STATE];
  deferred_update_observed(c);
  for (unsigned reason = 0; reason < 2 * STALL_N; reason++)
    c->stalls[reason].known = false;
}

void montecito_prepare_counters(struct montecito_core *c)
{
  for (unsigned thread = 0; thread < 2; thread++) {
    struct montecito_thread *t = &c->thread[thread];
    if (!t->changed)
      continue;
    t->changed = false;
    montecito_interrupt_check(c, thread, 0);
    filters_prepare(t);
    if (t->pmc[0] & PMC0_FR)
      continue;
    rules_check_thread(c, thread);
    for (unsigned i = MONTECITO_FIRST_COUNTER; i < MONTECITO_FIRST_COUNTER + MONTECITO_COUNTERS; i++)
      if (!(t->pmc[i] & CTL_PLM))
        t->pmd[i] = 0; /* Table 3-5: a disabled counter loses its value */
  }
  montecito_select_signals(c);
}

void montecito_signal_add(struct montecito_core *c, const struct montecito_signal *s)
{
  const unsigned mesi = s->mesi | ANY_MESI;
  for (uint32_t mask = c->selected[s->code]; mask; mask &= mask - 1) {
    const unsigned i = (unsigned)__builtin_ctz(mask);
    const struct montecito_selection *h = &c->selection[i];
    if (!(s->umasks & h->umask) || !(s->tags & h->need) || !(mesi & h->mesi))
      continue;
    if (!h->all && (h->causal ? c->active : s->thread) != (i >= MONTECITO_COUNTERS))
      continue;
    if (c->dead && h->not_in_dead_cycle)
      continue;
    c->touched |= 1u << i;
    c->sum[i] += s->n;
  }
}

/* As montecito_signal_add(), for a signal with all tags and any line state: only the umasks and the thread are
 * compared. Most signals are of this kind, some in every cycle. */
__attribute__((hot)) void montecito_pulse_add(struct montecito_core *c, uint8_t code, uint16_t umasks, uint32_t n)
{
  uint32_t touched = 0;
  for (uint32_t mask = c->pulse[code]; mask; mask &= mask - 1) {
    const unsigned i = (unsigned)__builtin_ctz(mask);
    const struct montecito_selection *h = &c->selection[i];
    if (!(umasks & h->umask) || (c->dead && h->not_in_dead_cycle))
      continue;
    touched |= mask & -mask;
    c->sum[i] += n;
  }
  c->touched |= touched;
}

__attribute__((hot)) void montecito_pulse_counted(struct montecito_core *c, uint8_t code, uint16_t umasks, uint32_t n)
{
  montecito_pulse_count(c, code, umasks, n);
}

__attribute__((hot)) void montecito_tagged_add(struct montecito_core *c, uint8_t code, uint8_t tags, uint16_t umasks)
{
  if (tags == TAGS_ALL) {
    montecito_pulse_often(c, code, umasks, 1);
    return;
  }
  const struct montecito_signal s = {
      .code = code, .thread = c->active, .tags = tags, .mesi = 0xf, .umasks = umasks, .n = 1};
  montecito_signal_add(c, &s);
}

void montecito_event_add(struct montecito_core *c, const struct montecito_signal *s)
{
  uint64_t *free_at = &c->serial_at[s->code];
  if (!c->serial[s->code] || *free_at <= c->cycle) {
    *free_at = c->cycle + 1;
    montecito_signal_add(c, s);
    return;
  }
  montecito_deferred_add(c, &(struct montecito_deferred){.at = *free_at,
                                                         .kind = DEFERRED_SIGNAL,
                                                         .thread = s->thread,
                                                         .tags = s->tags,
                                                         .mesi = s->mesi,
                                                         .umasks = s->umasks,
                                                         .slot = s->code});
  ++*free_at;
}

/* Separate from its caller, which then needs no stack frame. */
static __attribute__((noinline)) void event_add_constrained(struct montecito_core *c, uint8_t code, uint8_t tags,
                                                            uint16_t umasks)
{
  montecito_event_add(c, &(struct montecito_signal){
                             .code = code, .thread = c->active, .tags = tags, .mesi = 0xf, .umasks = umasks, .n = 1});
}

__attribute__((hot)) void montecito_event_tagged_add(struct montecito_core *c, uint8_t code, uint8_t tags,
                                                     uint16_t umasks)
{
  uint64_t *free_at = &c->serial_at[code];
  if (tags == TAGS_ALL && (!c->serial[code] || *free_at <= c->cycle)) {
    *free_at = c->cycle + 1;
    montecito_pulse_often(c, code, umasks, 1);
  } else
    event_add_constrained(c, code, tags, umasks);
}

/* Returns the amount that a cycle adds to a counter: signals up to the maximum, compared with the threshold. */
static inline uint32_t selection_step(const struct montecito_selection *h, uint32_t sum)
{
  const uint32_t n = sum < h->max ? sum : h->max;
  return h->threshold ? n > h->threshold : n;
}

uint32_t montecito_counter_step(const struct montecito_core *c, unsigned i)
{
  return selection_step(&c->selection[i], c->sum[i]);
}

/* `passed`: cycles since the freeze. */
static void montecito_thread_freeze(struct montecito_core *c, unsigned thread, uint64_t passed)
{
  c->thread[thread].pmc[0] |= PMC0_FR;
  c->machine->froze |= c->machine->stops_at_freeze;
  etb_frozen(c, thread, passed);
  montecito_interrupt_check(c, thread, passed);
  montecito_select_signals(c);
}

static void counter_overflow(struct montecito_thread *t, unsigned counter)
{
  t->pmc[0] |= UINT64_C(1) << counter;
  t->pins += (t->pmc[counter] & CTL_EV) != 0;
}

/* Returns the number of cycles, of `cycles`, up to the first overflow that freezes the thread; `cycles` when there is
 * none. */
static uint64_t cycles_to_freeze(const struct montecito_thread *t, uint32_t touched, const uint32_t *step,
                                 uint64_t cycles)
{
  uint64_t stop = cycles;
  for (uint32_t mask = touched; mask; mask &= mask - 1) {
    const unsigned i = (unsigned)__builtin_ctz(mask), counter = i + MONTECITO_FIRST_COUNTER;
    const uint64_t room = COUNT_MASK + 1 - t->pmd[counter];
    if ((t->pmc[counter] & CTL_OI) && step[i] * stop >= room)
      stop = (room + step[i] - 1) / step[i];
  }
  return stop;
}

/* Corrects a stretch in which a counter overflows. The whole stretch has been counted already; the part after the
 * freeze is subtracted again. */
static __attribute__((noinline)) void thread_count_overflow(struct montecito_core *c, unsigned thread, uint64_t cycles)
{
  struct montecito_thread *t = &c->thread[thread];
  const uint32_t touched = c->touched >> thread * MONTECITO_COUNTERS & COUNTERS;
  uint32_t step[MONTECITO_COUNTERS];
  bool freezes = false;
  for (uint32_t mask = touched; mask; mask &= mask - 1) {
    const unsigned i = (unsigned)__builtin_ctz(mask), counter = i + MONTECITO_FIRST_COUNTER;
    step[i] = montecito_counter_step(c, thread * MONTECITO_COUNTERS + i);
    c->sum[thread * MONTECITO_COUNTERS + i] = 0;
    freezes |= t->pmd[counter] > COUNT_MASK && (t->pmc[counter] & CTL_OI);
    t->pmd[counter] -= step[i] * cycles;
  }
  const uint64_t stop = freezes ? cycles_to_freeze(t, touched, step, cycles) : cycles;
  for (uint32_t mask = touched; mask; mask &= mask - 1) {
    const unsigned i = (unsigned)__builtin_ctz(mask), counter = i + MONTECITO_FIRST_COUNTER;
    const uint64_t value = t->pmd[counter] + step[i] * stop;
    t->pmd[counter] = value & COUNT_MASK;
    if (value > COUNT_MASK)
      counter_overflow(t, counter);
  }
  if (freezes)
    montecito_thread_freeze(c, thread, cycles - stop);
}

/* Adds the stretch to one thread's counters. For this thread the stretch ends with the cycle of an overflow that
 * freezes it. */
static __attribute__((hot)) void thread_count_stretch(struct montecito_core *c, unsigned thread, uint64_t cycles)
{
  const unsigned base = thread * MONTECITO_COUNTERS;
  const struct montecito_selection *selection = &c->selection[base];
  uint64_t *pmd = &c->thread[thread].pmd[MONTECITO_FIRST_COUNTER], any = 0;
  uint32_t *sum = &c->sum[base];
  for (uint32_t mask = c->touched >> base & COUNTERS; mask; mask &= mask - 1) {
    const size_t i = (size_t)__builtin_ctz(mask);
    any |= pmd[i] += selection_step(&selection[i], sum[i]) * cycles;
  }
  if (any > COUNT_MASK)
    thread_count_overflow(c, thread, cycles);
  else
    memset(sum, 0, MONTECITO_COUNTERS * sizeof *sum);
}

__attribute__((hot)) void montecito_commit_stretch(struct montecito_core *c, uint64_t cycles)
{
  c->cycle += cycles;
  if (!c->touched)
    return;
  if (c->touched & COUNTERS)
    thread_count_stretch(c, 0, cycles);
  if (c->touched >> MONTECITO_COUNTERS)
    thread_count_stretch(c, 1, cycles);
  c->touched = 0;
}
