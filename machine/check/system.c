/* SPDX-License-Identifier: MIT */
/*
 * How a Montecito thread's own registers affect its monitors: PSR enables them and masks interrupts, DCR.pp replaces
 * PSR.pp during interruptions, PMV and TPR mask the monitors' interrupt. A stream of register accesses records these
 * registers where it can (check_system); a rule about an unrecorded register is not judged.
 */
#include "machine/check/state.h"

/* Montecito Figure 3-10, 3.3.11 */
#define PSR_UP (UINT64_C(1) << 2)
#define PSR_INTERRUPTS (UINT64_C(3) << 13) /* ic and i */
#define PSR_SP (UINT64_C(1) << 20)
#define PSR_PP (UINT64_C(1) << 21)
#define PSR_CPL (UINT64_C(3) << 32)
#define DCR_PP UINT64_C(1)
#define MASKED (UINT64_C(1) << 16) /* PMV.m, TPR.mmi */
#define VECTOR UINT64_C(0xff)
#define CLASS UINT64_C(0xf0) /* the class of PMV's vector; TPR.mic */

static const struct system_register *system_register_of(const struct checker *c, uint32_t package,
                                                        enum check_register which)
{
  static const struct system_register unknown = {0};
  return package < CHECK_THREADS ? &c->system[package][which] : &unknown;
}

/* system_bits_never_set: no bit of mask was ever set. system_some_bit_never_set: some bit of mask was never set.
 * system_bits_always_set: all bits of mask were always set. */
static bool system_bits_never_set(const struct system_register *r, uint64_t mask)
{
  return r->whole && !(r->any & mask);
}
static bool system_some_bit_never_set(const struct system_register *r, uint64_t mask)
{
  return r->whole && mask & ~r->any;
}
static bool system_bits_always_set(const struct system_register *r, uint64_t mask)
{
  return r->whole && (r->all & mask) == mask;
}

static void check_report_system(struct checker *c, enum rule_test test, struct seen *s, const char *field)
{
  const struct rule *r = rule_find(c, test, s);
  if (r)
    finding_add(c, r, s, field ? seen_field(c, s, field) : NULL, 0);
}

/* Judges an enabled monitor: a user monitor needs PSR.up; a privileged one needs PSR.pp, or DCR.pp during
 * interruptions. */
static void judge_monitor_enabled(struct checker *c, const struct block *b, struct seen *control)
{
  const struct system_register *psr = system_register_of(c, b->package, CHECK_PSR),
                               *dcr = system_register_of(c, b->package, CHECK_DCR);
  uint64_t privileged;
  if (seen_get(c, control, "pm", &privileged) &&
      (privileged ? system_bits_never_set(psr, PSR_PP) && system_bits_never_set(dcr, DCR_PP)
                  : system_bits_never_set(psr, PSR_UP)))
    check_report_system(c, RULE_MONITOR_OFF, control, "pm");
}

/* Reports a counter whose overflow requests an interrupt that is masked. */
static void judge_interrupt_masked(struct checker *c, const struct block *b, struct seen *control)
{
  const struct system_register *psr = system_register_of(c, b->package, CHECK_PSR),
                               *pmv = system_register_of(c, b->package, CHECK_PMV),
                               *tpr = system_register_of(c, b->package, CHECK_TPR);
  const bool above = pmv->whole && tpr->whole && (tpr->all & CLASS) >= (pmv->any & CLASS);
  uint64_t requested;
  if (seen_get(c, control, "oi", &requested) && requested &&
      (system_bits_always_set(pmv, MASKED) || system_bits_never_set(pmv, VECTOR) ||
       system_bits_always_set(tpr, MASKED) || above || system_some_bit_never_set(psr, PSR_INTERRUPTS)))
    check_report_system(c, RULE_INTERRUPT_MASKED, control, "oi");
}

void system_judge(struct checker *c, const struct block *b, struct seen *control)
{
  judge_monitor_enabled(c, b, control);
  judge_interrupt_masked(c, b, control);
}

/* An unprivileged read of a privileged monitor, or of any monitor while PSR.sp is set, returns 0. */
void system_judge_read(struct checker *c, const struct block *b, const struct seen *control, struct seen *counter)
{
  const struct system_register *psr = system_register_of(c, b->package, CHECK_PSR);
  uint64_t privileged = 0;
  if (!psr->known || !(psr->value & PSR_CPL))
    return;
  if (psr->value & PSR_SP || (control && seen_get(c, control, "pm", &privileged) && privileged))
    check_report_system(c, RULE_UNPRIVILEGED, counter, NULL);
}

void check_system(struct checker *c, uint32_t package, enum check_register which, uint64_t value)
{
  if (package >= CHECK_THREADS || which >= CHECK_REGISTERS)
    return;
  struct system_register *r = &c->system[package][which];
  const bool changed = !r->known || r->value != value;
  for (uint32_t i = 0; i < c->n_blocks; i++)
    c->blocks[i].dirty |= changed && c->blocks[i].package == package;
  r->any = r->known ? r->any | value : value;
  r->all = r->known ? r->all & value : value;
  r->value = value;
  r->whole |= !r->known && !c->waits; /* no time has passed yet */
  r->known = true;
}

void system_passed(struct checker *c)
{
  for (uint32_t i = 0; i < CHECK_THREADS; i++)
    for (unsigned k = 0; k < CHECK_REGISTERS; k++) {
      struct system_register *r = &c->system[i][k];
      r->any = r->all = r->value;
      r->whole = r->known;
    }
}
