/* SPDX-License-Identifier: MIT */
/*
 * The guide's programming rules. A rule about a single value is checked when the value is written. A rule about several
 * registers is checked when monitoring resumes after a change, because a driver has to write the registers one after
 * the other.
 */
#include <stdio.h>
#include <stdlib.h>
#include "machine/montecito/core/state.h"
#include "machine/montecito/monitors/fields.h"
#include "machine/montecito/monitors/monitors.h"

static uint64_t violation_time_fs(const struct montecito_machine *m)
{
  return montecito_machine_cycle(m) * (UINT64_C(1000000000000000) / MONTECITO_HZ);
}

void montecito_violation_add(struct montecito_machine *m, unsigned thread, struct machine_violation v)
{
  m->total_violations++;
  if (m->n_violations == MACHINE_VIOLATIONS_KEPT)
    return;
  if (!m->violations && !(m->violations = calloc(MACHINE_VIOLATIONS_KEPT, sizeof *m->violations)))
    return;
  v.time_fs = violation_time_fs(m);
  v.address.package = thread;
  snprintf(v.name, sizeof v.name, "%s%u", v.address.space == PMON_SPACE_PMC ? "PMC" : "PMD",
           (unsigned)v.address.offset);
  m->violations[m->n_violations++] = v;
}

size_t montecito_machine_violations(const struct montecito_machine *m, const struct machine_violation **ret_list)
{
  *ret_list = m->violations;
  return m->n_violations;
}

uint64_t montecito_machine_violations_total(const struct montecito_machine *m)
{
  return m->total_violations;
}

void montecito_machine_violations_clear(struct montecito_machine *m)
{
  m->n_violations = 0;
  m->total_violations = 0;
}

/* ---- rules about a written value ---- */

/* When the value has a bit of `when` set, its bits under `mask` must equal `good`. */
struct value_rule {
  uint8_t space, first, last;
  uint64_t when, mask, good;
  const char *field, *rule, *section;
};

static const struct value_rule value_rules[] = {
    {PMON_SPACE_PMC, 4, 15, CTL_PLM, 3 << CTL_ISM_SHIFT, 2 << CTL_ISM_SHIFT, "ism", "only 2 (Itanium) is defined",
     "3.2.3.3, Table 3-5"},
    {PMON_SPACE_PMC, 40, 40, CTL_PLM, 3 << CTL_ISM_SHIFT, 2 << CTL_ISM_SHIFT, "ism", "only 2 (Itanium) is defined",
     "Table 3-5, Table 3-20"},
    {PMON_SPACE_PMC, 39, 39, CTL_PLM, ETB_DS, 0, "ds", "1 is reserved", "Table 3-26"},
    {PMON_SPACE_PMC, 42, 42, CTL_PLM, 3 << IPEAR_MODE_SHIFT, 0, "mode", "only modes 0 and 4 are defined", "Table 3-30"},
    {PMON_SPACE_PMD, 4, 15, UINT64_MAX, COUNTER_OV, 0, "ov", "the overflow bit must be written as 0", "Table 3-7"},
};

static void violation_of_value(struct montecito_machine *m, const struct pmon_address *a, uint64_t value,
                               const struct machine_violation *what)
{
  struct machine_violation v = *what;
  v.address = *a;
  v.value = value;
  montecito_violation_add(m, a->package, v);
}

/* The monitors are unfrozen: the results of the previous interval must have been cleared. */
static void rule_check_unfreeze(struct montecito_machine *m, const struct pmon_address *a, uint64_t value)
{
  const struct montecito_thread *t = &m->threads[a->package];
  if (!(t->pmc[0] & PMC0_FR) || (value & PMC0_FR))
    return;
  if (value & COUNTERS_MASK)
    violation_of_value(
        m, a, value,
        &(struct machine_violation){.field = "overflow",
                                    .bits = value & COUNTERS_MASK,
                                    .rule = "all overflow bits must be cleared before monitoring resumes",
                                    .section = "3.3.11"});
  if ((t->pmc[PMC_DEAR] & CTL_PLM) &&
      (t->pmd[PMD_DEAR_LATENCY] >> DEAR_STAT_SHIFT & 3 || t->pmd[PMD_DEAR_IP] & DEAR_VL))
    violation_of_value(
        m, a, value,
        &(struct machine_violation){.field = "fr",
                                    .bits = PMC0_FR,
                                    .rule = "PMD33.stat and PMD36.vl must be cleared before the data EAR is used again",
                                    .section = "Table 3-22, Table 3-24, Table 3-25"});
}

void rules_check_write(struct montecito_machine *m, unsigned thread, const struct pmon_address *a, uint64_t value)
{
  (void)thread;
  if (a->space == PMON_SPACE_PMC) {
    const uint64_t fixed = pmc_fixed((unsigned)a->offset), wrong = (value ^ pmc_reset((unsigned)a->offset)) & fixed;
    if (wrong)
      violation_of_value(m, a, value,
                         &(struct machine_violation){.field = "reserved",
                                                     .bits = wrong,
                                                     .rule = "these bits must keep their reset values",
                                                     .section = "3.3.5.2, 3.3.6.2, 3.3.7, 3.3.8"});
    if (a->offset == 0)
      rule_check_unfreeze(m, a, value);
  }
  for (size_t i = 0; i < sizeof value_rules / sizeof *value_rules; i++) {
    const struct value_rule *r = &value_rules[i];
    if (a->space == r->space && a->offset >= r->first && a->offset <= r->last && (value & r->when) &&
        (value & r->mask) != r->good)
      violation_of_value(
          m, a, value,
          &(struct machine_violation){.field = r->field, .bits = r->mask, .rule = r->rule, .section = r->section});
  }
}

/* ---- rules about several registers ---- */

static const struct montecito_event *rule_counter_event(const struct montecito_thread *t, unsigned counter)
{
  return montecito_event_find_by_code(t->pmc[counter] >> CTL_ES_SHIFT & 0xff);
}

static bool rule_counter_used(const struct montecito_thread *t, unsigned counter)
{
  return t->pmc[counter] & CTL_PLM;
}

/* 4.8.4: the counter that determines the L2D set, umask and .all for this counter. */
static unsigned l2d_leader(unsigned counter)
{
  return counter == 4 || counter == 5 || counter == 8 ? 4 : 6;
}

/* True if the set of the counter's event is the active one (selected by PMC5, or by PMC4 or 6), and the counter can
 * count the event. */
bool counter_selected(const struct montecito_thread *t, unsigned counter)
{
  const struct montecito_event *e = rule_counter_event(t, counter), *leader;
  if (!e || !(montecito_event_counters(e->code) >> counter & 1))
    return false;
  if (e->set == SET_NONE)
    return true;
  const unsigned leads = (e->set & SET_KIND) == SET_L1D ? 5 : l2d_leader(counter);
  leader = rule_counter_event(t, leads);
  return leader && rule_counter_used(t, leads) && leader->set == e->set;
}

static bool rule_counter_follows(const struct montecito_thread *t, unsigned counter)
{
  const struct montecito_event *e = rule_counter_event(t, counter);
  return e && (e->set & SET_KIND) == SET_L2D && l2d_leader(counter) != counter;
}

unsigned counter_umask(const struct montecito_thread *t, unsigned counter)
{
  return t->pmc[rule_counter_follows(t, counter) ? l2d_leader(counter) : counter] >> CTL_UMASK_SHIFT & 0xf;
}

bool counter_all(const struct montecito_thread *t, unsigned counter)
{
  const struct montecito_event *e = rule_counter_event(t, counter);
  if (!e || counter >= MONTECITO_FIRST_BANKED || (e->not_all >> counter_umask(t, counter) & 1))
    return false;
  return (e->flags & EVENT_ALL_IGNORED) ||
         (t->pmc[rule_counter_follows(t, counter) ? l2d_leader(counter) : counter] & CTL_ALL);
}

/* Umasks that the event pages declare illegal, or whose count they declare undefined. */
static const struct {
  uint8_t code;
  uint16_t umasks;
} illegal[] = {
    {0x0c, 0x4040}, {0x70, 0xc00c}, {0x71, 0xc004}, {0x72, 0xc00c}, {0x73, 0xc00c}, {0x89, 0x5555}, {0x8f, 0x2222},
    {0x92, 0x0200}, {0xca, 0x0040}, {0xe1, 0xfffe}, {0xe9, 0xfffe}, {0xf1, 0xfffe}, {0xf3, 0xfffe},
};

static void violation_of_counter(struct montecito_core *c, unsigned thread, unsigned counter,
                                 const struct machine_violation *what)
{
  struct machine_violation v = *what;
  v.address = (struct pmon_address){.space = PMON_SPACE_PMC, .width_bits = 64, .offset = counter};
  v.value = c->thread[thread].pmc[counter];
  montecito_violation_add(c->machine, c->number * 2u + thread, v);
}

#define FIELD_ES (UINT64_C(0xff) << CTL_ES_SHIFT)
#define FIELD_UMASK (UINT64_C(0xf) << CTL_UMASK_SHIFT)

static void rule_check_set(struct montecito_core *c, unsigned thread, unsigned i)
{
  const struct montecito_thread *t = &c->thread[thread];
  const struct montecito_event *e = rule_counter_event(t, i);
  const unsigned leader = l2d_leader(i);
  if (!counter_selected(t, i))
    violation_of_counter(
        c, thread, i,
        (e->set & SET_KIND) == SET_L1D
            ? &(struct machine_violation){.field = "es",
                                          .bits = FIELD_ES,
                                          .section = "3.3.3, 4.8.2",
                                          .rule = "PMC5 must count an event of the same L1D set"}
            : &(struct machine_violation){
                  .field = "es",
                  .bits = FIELD_ES,
                  .section = "3.3.3, 4.8.4",
                  .rule = "PMC4 (for PMC5, 8) or PMC6 (for PMC7, 9) must count an event of the same L2D set"});
  else if (rule_counter_follows(t, i) && ((t->pmc[i] ^ t->pmc[leader]) & FIELD_UMASK))
    violation_of_counter(
        c, thread, i,
        &(struct machine_violation){.field = "umask",
                                    .bits = FIELD_UMASK,
                                    .section = "4.8.4",
                                    .rule = "must equal the umask of PMC4 (for PMC5, 8) or PMC6 (for PMC7, 9)"});
  if ((e->code == 0xe0 || e->code == 0xe2))
    for (unsigned k = 4; k < i; k++)
      if (rule_counter_used(t, k) && (t->pmc[k] >> CTL_ES_SHIFT & 0xff) == (e->code ^ 2u))
        violation_of_counter(
            c, thread, i,
            &(struct machine_violation){.field = "es",
                                        .bits = FIELD_ES,
                                        .section = "4.15",
                                        .rule = "only one of the two L2D_OZQ_CANCELS events can be counted at a time"});
}

static void rule_check_counter(struct montecito_core *c, unsigned thread, unsigned i)
{
  const struct montecito_thread *t = &c->thread[thread];
  const struct montecito_event *e = rule_counter_event(t, i);
  const unsigned umask = t->pmc[i] >> CTL_UMASK_SHIFT & 0xf;
  if (!e) {
    violation_of_counter(
        c, thread, i,
        &(struct machine_violation){
            .field = "es", .bits = FIELD_ES, .section = "Table 4-42", .rule = "no event has this code"});
    return;
  }
  if (!(montecito_event_counters(e->code) >> i & 1))
    violation_of_counter(
        c, thread, i,
        &(struct machine_violation){
            .field = "es", .bits = FIELD_ES, .section = "3.3.3", .rule = "this counter cannot count this event"});
  else if (e->set != SET_NONE)
    rule_check_set(c, thread, i);
  for (size_t k = 0; k < sizeof illegal / sizeof *illegal; k++)
    if (illegal[k].code == e->code && (illegal[k].umasks >> umask & 1))
      violation_of_counter(c, thread, i,
                           &(struct machine_violation){.field = "umask",
                                                       .bits = FIELD_UMASK,
                                                       .section = "4.15",
                                                       .rule = "this unit mask is illegal, or its count is undefined"});
  if (e->code == 0x08 && (umask & 2) && (t->pmc[PMC_IRANGE] & IRANGE_FINE))
    violation_of_counter(c, thread, i,
                         &(struct machine_violation){.field = "umask",
                                                     .bits = FIELD_UMASK,
                                                     .section = "Table 3-10",
                                                     .rule = "ranges 2 and 3 are not defined in fine mode"});
  if (e->code == 0x12 && (umask & 1) && !(t->pmc[PMC_IRANGE] & IRANGE_IGNORE(1)))
    violation_of_counter(c, thread, i,
                         &(struct machine_violation){
                             .field = "umask",
                             .bits = FIELD_UMASK,
                             .section = "4.15",
                             .rule = "channel 1 must select all instructions while qualified cycles are counted"});
}

/* Fine mode: both pairs must be enabled, and the limits must lie in the same 64 KB in ascending order (Table 3-10). */
static void rule_check_fine(struct montecito_core *c, unsigned thread)
{
  const struct montecito_thread *t = &c->thread[thread];
  const uint64_t config = t->pmc[PMC_IRANGE], *ibr = &t->state[MONTECITO_IBR];
  for (unsigned n = 0; n < 2; n++) {
    const uint64_t low = ibr[2 * n], high = ibr[2 * n + 4];
    if ((config & IRANGE_IGNORE(n)) && (config & IRANGE_IGNORE(n + 2)))
      continue;
    if (config & (IRANGE_IGNORE(n) | IRANGE_IGNORE(n + 2)))
      violation_of_counter(c, thread, PMC_IRANGE,
                           &(struct machine_violation){.field = "fine",
                                                       .section = "Table 3-10",
                                                       .bits = IRANGE_IGNORE(n) | IRANGE_IGNORE(n + 2),
                                                       .rule = "both pairs of a fine range must be enabled"});
    if (low >> 16 != high >> 16 || low >= high)
      violation_of_counter(
          c, thread, PMC_IRANGE,
          &(struct machine_violation){
              .field = "fine",
              .bits = IRANGE_FINE,
              .section = "Table 3-10",
              .rule = "both limits must have the same bits 63:16, and the upper limit must be greater"});
  }
}

static void rule_check_ranges(struct montecito_core *c, unsigned thread)
{
  const struct montecito_thread *t = &c->thread[thread];
  const uint64_t i = t->pmc[PMC_IRANGE], d = t->pmc[PMC_DRANGE];
  const unsigned range0 = i >> 1 & 3, range1 = i >> 4 & 3;
  if (!(d >> DRANGE_ENABLE_SHIFT & 0xf) && !(t->pmc[PMC_OPCODE0] & OPCODE_IG_AD) &&
      (range0 == 2 || range0 == 0 || range1 == 2 || range1 == 0))
    violation_of_counter(c, thread, PMC_DRANGE,
                         &(struct machine_violation){
                             .field = "en_dbrp",
                             .section = "3.3.5.2, 3.3.7",
                             .bits = UINT64_C(0xf) << DRANGE_ENABLE_SHIFT,
                             .rule = "with PMC32.ig_ad 0 and an enabled instruction range, some en_dbrp must be 1"});
  for (unsigned n = 0; n < 4; n++)
    if (DRANGE_ENABLED(d, n) && !(DRANGE_CONFIG(d, n) & 1) && (t->state[MONTECITO_DBR + 2 * n + 1] & (BR_X | DBR_W)))
      violation_of_counter(c, thread, PMC_DRANGE,
                           &(struct machine_violation){.field = "cfgdtag",
                                                       .section = "3.3.7",
                                                       .bits = UINT64_C(3) << (8 * n + 3),
                                                       .rule = "r and w of the DBR pair must be 0"});
  if (i & IRANGE_FINE)
    rule_check_fine(c, thread);
}

static bool iear_latency_defined(unsigned umask)
{
  static const uint8_t defined[] = {0xff, 0xfe, 0xfc, 0xf8, 0xf0, 0xe0, 0xc0, 0x80, 0x00};
  if (umask >> 6 == 1)
    return true;
  for (size_t i = 0; i < sizeof defined; i++)
    if (defined[i] == umask)
      return true;
  return false;
}

static void rule_check_ears(struct montecito_core *c, unsigned thread)
{
  const struct montecito_thread *t = &c->thread[thread];
  const uint64_t d = t->pmc[PMC_DEAR], i = t->pmc[PMC_IEAR];
  if ((d & CTL_PLM) && (d >> DEAR_MODE_SHIFT & 3) && t->pmc[PMC_ETB])
    violation_of_counter(
        c, thread, PMC_ETB,
        &(struct machine_violation){.field = "-",
                                    .bits = t->pmc[PMC_ETB],
                                    .section = "3.3.9.2, 3.3.9.3",
                                    .rule = "must be 0 while the data EAR samples TLB or ALAT misses"});
  if ((i & CTL_PLM) && (i & IEAR_CACHE) && !iear_latency_defined(i >> IEAR_UMASK_SHIFT & 0xff))
    violation_of_counter(c, thread, PMC_IEAR,
                         &(struct machine_violation){.field = "umask",
                                                     .section = "Table 3-16",
                                                     .bits = 0xff << IEAR_UMASK_SHIFT,
                                                     .rule = "this latency threshold is not defined"});
}

void rules_check_thread(struct montecito_core *c, unsigned thread)
{
  const struct montecito_thread *t = &c->thread[thread];
  bool any = false;
  for (unsigned i = MONTECITO_FIRST_COUNTER; i < MONTECITO_FIRST_COUNTER + MONTECITO_COUNTERS; i++)
    if (rule_counter_used(t, i)) {
      any = true;
      rule_check_counter(c, thread, i);
    }
  c->thread[thread].warned = false;
  if (any || ((t->pmc[PMC_IEAR] | t->pmc[PMC_DEAR] | t->pmc[PMC_ETB] | t->pmc[PMC_IPEAR]) & CTL_PLM))
    rule_check_ranges(c, thread);
  rule_check_ears(c, thread);
}

/* At a thread switch: events that need counters 4 to 9 when threads switch (3.3.3, 4.2.1). */
void rules_check_banked(struct montecito_core *c, unsigned thread)
{
  struct montecito_thread *t = &c->thread[thread];
  if (t->warned || (t->pmc[0] & PMC0_FR))
    return;
  t->warned = true;
  for (unsigned i = MONTECITO_FIRST_BANKED; i < MONTECITO_FIRST_COUNTER + MONTECITO_COUNTERS; i++) {
    const struct montecito_event *e = rule_counter_event(t, i);
    if (rule_counter_used(t, i) && e && e->type != TYPE_A && e->code != 0x12 && e->code != 0x18)
      violation_of_counter(c, thread, i,
                           &(struct machine_violation){.field = "es",
                                                       .bits = FIELD_ES,
                                                       .section = "3.3.3, 4.2.1",
                                                       .rule = "this event needs counters 4 to 9 when threads switch"});
  }
}
