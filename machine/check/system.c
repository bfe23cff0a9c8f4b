/* SPDX-License-Identifier: MIT */
/*
 * What a Montecito thread's own registers let its monitors do: PSR enables them and masks interrupts, DCR.pp is PSR.pp
 * during interruptions, PMV and TPR mask the monitors' interrupt. A stream of register accesses tells of them where it
 * can (check_system); what it does not tell of is not judged.
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
#define CLASS UINT64_C(0xf0) /* of PMV's vector; TPR.mic */

static const struct system_register *of(const struct checker *c, uint32_t package, enum check_register which)
{
  static const struct system_register unknown = {0};
  return package < CHECK_THREADS ? &c->system[package][which] : &unknown;
}

/* At no time was a bit of mask set; some bit of it at no time; all of them all the time. */
static bool lacks(const struct system_register *r, uint64_t mask)
{
  return r->whole && !(r->any & mask);
}
static bool lacks_some(const struct system_register *r, uint64_t mask)
{
  return r->whole && mask & ~r->any;
}
static bool has(const struct system_register *r, uint64_t mask)
{
  return r->whole && (r->all & mask) == mask;
}

static void report(struct checker *c, enum rule_test test, struct seen *s, const char *field)
{
  const struct rule *r = rule_find(c, test, s);
  if (r)
    finding_add(c, r, s, field ? seen_field(c, s, field) : NULL, 0);
}

/* A monitor is to count: PSR.up has to let one of a user, PSR.pp, or DCR.pp in interruptions, a privileged one. */
static void judge_enabled(struct checker *c, const struct block *b, struct seen *control)
{
  const struct system_register *psr = of(c, b->package, CHECK_PSR), *dcr = of(c, b->package, CHECK_DCR);
  uint64_t privileged;
  if (seen_get(c, control, "pm", &privileged) &&
      (privileged ? lacks(psr, PSR_PP) && lacks(dcr, DCR_PP) : lacks(psr, PSR_UP)))
    report(c, RULE_MONITOR_OFF, control, "pm");
}

/* Its overflow asks for an interrupt that nobody would get. */
static void judge_interrupt(struct checker *c, const struct block *b, struct seen *control)
{
  const struct system_register *psr = of(c, b->package, CHECK_PSR), *pmv = of(c, b->package, CHECK_PMV),
                               *tpr = of(c, b->package, CHECK_TPR);
  const bool above = pmv->whole && tpr->whole && (tpr->all & CLASS) >= (pmv->any & CLASS);
  uint64_t asks;
  if (seen_get(c, control, "oi", &asks) && asks &&
      (has(pmv, MASKED) || lacks(pmv, VECTOR) || has(tpr, MASKED) || above || lacks_some(psr, PSR_INTERRUPTS)))
    report(c, RULE_INTERRUPT_MASKED, control, "oi");
}

void system_judge(struct checker *c, const struct block *b, struct seen *control)
{
  judge_enabled(c, b, control);
  judge_interrupt(c, b, control);
}

/* By software without privilege, of a privileged monitor or where PSR.sp keeps all of them from it: it reads 0. */
void system_judge_read(struct checker *c, const struct block *b, const struct seen *control, struct seen *counter)
{
  const struct system_register *psr = of(c, b->package, CHECK_PSR);
  uint64_t privileged = 0;
  if (!psr->known || !(psr->value & PSR_CPL))
    return;
  if (psr->value & PSR_SP || (control && seen_get(c, control, "pm", &privileged) && privileged))
    report(c, RULE_UNPRIVILEGED, counter, NULL);
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
  r->whole |= !r->known && !c->waits; /* nothing has counted before */
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
