/* SPDX-License-Identifier: MIT */
/* Registers of the operating system: PSR, control, region, protection, debug and performance registers. */
#include "machine/montecito/exec/privileged.h"
#include <pmon/access.h>
#include "machine/montecito/machine.h"

enum { SYSTEM_MASK = 0xffffff, KIND_RR = 0, KIND_DBR, KIND_IBR, KIND_PKR, KIND_PMC, KIND_PMD, KIND_MSR, KIND_CPUID };
enum { IVR_SPURIOUS = 15, VECTOR_MASK = 0xff };

bool exec_is_privileged(struct exec_cpu *c)
{
  if (!(c->psr >> PSR_CPL_SHIFT & 3))
    return true;
  exec_set_fault(c, FAULT_PRIVILEGED, 0);
  return false;
}

/* Adds a register write that the machine gets after the bundle. */
static void write_later(struct exec_cpu *c, unsigned kind, unsigned number, uint64_t value)
{
  if (c->n_writes < EXEC_WRITES)
    c->write[c->n_writes++] = (struct exec_write){(uint8_t)kind, (uint8_t)number, value};
}

static void privileged_change_psr(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const uint64_t mask = (uint64_t)v->imm;
  (void)s;
  if (exec_is_privileged(c))
    exec_set_psr(c, v->operation == EXEC_SSM ? c->psr | mask : c->psr & ~mask);
}

static void privileged_to_psr(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const uint64_t value = exec_gr_consume(c, v->r2), low = UINT64_C(0xffffffff);
  (void)s;
  if (exec_is_privileged(c) && !c->fault.kind)
    exec_set_psr(c, (c->psr & ~low) | (value & low));
}

static void privileged_from_psr(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)s;
  if (exec_is_privileged(c))
    exec_gr_set(c, v->r1, c->psr & UINT64_C(0x18ffffffff), false); /* bits 31:0, 35 and 36 */
}

/* ---- control registers ---- */

static void privileged_to_control(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const uint64_t value = exec_gr_consume(c, v->r2);
  const unsigned n = v->r3;
  (void)s;
  if (!exec_is_privileged(c) || c->fault.kind)
    return;
  if (!exec_control_name(n) || n == 65 || (n >= 68 && n <= 71)) {
    exec_set_fault(c, FAULT_ILLEGAL, n);
    return;
  }
  if (n >= CR_IPSR && n <= CR_IHA && c->psr & PSR_IC) { /* the processor owns these registers while PSR.ic is set */
    exec_set_fault(c, FAULT_ILLEGAL, n);
    return;
  }
  c->cr[n] = n == CR_IVA ? value & ~UINT64_C(0x7fff) : value;
  if (n == 67)
    c->in_service = false;
  if (n == CR_ITM)
    c->timer_armed = true;
  if (n == CR_DCR)
    write_later(c, RECORD_STATE, MONTECITO_DCR, value);
  if (n == CR_PMV)
    write_later(c, RECORD_STATE, MONTECITO_PMV, value);
  if (n == CR_TPR)
    write_later(c, RECORD_STATE, MONTECITO_TPR, value);
}

bool exec_timer_is_due(const struct exec_cpu *c)
{
  return c->timer_armed && !(c->cr[CR_ITV] & PMV_M) && c->machine &&
         montecito_core_cycle(c->machine, c->thread / 2) >= c->cr[CR_ITM];
}

static uint64_t control_vector(struct exec_cpu *c)
{
  if (!c->in_service && exec_timer_is_due(c)) {
    c->timer_armed = false;
    c->in_service = true;
    return c->cr[CR_ITV] & VECTOR_MASK;
  }
  if (c->in_service || !c->machine || !montecito_interrupt_pending(c->machine, c->thread) || c->cr[CR_PMV] & PMV_M)
    return IVR_SPURIOUS;
  c->in_service = true;
  return c->cr[CR_PMV] & VECTOR_MASK;
}

static void privileged_from_control(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)s;
  if (!exec_is_privileged(c))
    return;
  if (!exec_control_name(v->r3))
    exec_set_fault(c, FAULT_ILLEGAL, v->r3);
  else
    exec_gr_set(c, v->r1, v->r3 == 65 ? control_vector(c) : c->cr[v->r3], false);
}

/* ---- indirect registers ---- */

static struct pmon_address indirect_address(const struct exec_cpu *c, unsigned kind, unsigned n)
{
  static const uint8_t spaces[KIND_CPUID + 1] = {[KIND_DBR] = PMON_SPACE_DBR,
                                                 [KIND_IBR] = PMON_SPACE_IBR,
                                                 [KIND_PMC] = PMON_SPACE_PMC,
                                                 [KIND_PMD] = PMON_SPACE_PMD};
  return (struct pmon_address){.package = c->thread, .space = spaces[kind], .width_bits = 64, .offset = n};
}

/* PMCs and PMDs that the processor does not implement ignore writes and read 0. */
static uint64_t indirect_read(struct exec_cpu *c, unsigned kind, unsigned n)
{
  const struct pmon_address a = indirect_address(c, kind, n);
  uint64_t value = 0;
  if (!c->machine)
    return 0;
  if (kind == KIND_PMD)
    montecito_machine_read_user(c->machine, &a, &value);
  else
    montecito_machine_read(c->machine, &a, &value);
  return value;
}

/* Before a read that follows a write in the same bundle: the writes take effect at once. */
static void writes_apply(struct exec_cpu *c)
{
  unsigned kept = 0;
  for (unsigned i = 0; c->machine && i < c->n_writes; i++) {
    const struct exec_write *w = &c->write[i];
    const struct pmon_address a = indirect_address(c, w->kind == RECORD_PMC ? KIND_PMC : KIND_PMD, w->number);
    if (w->kind == RECORD_PMC || w->kind == RECORD_PMD)
      montecito_machine_write(c->machine, &a, w->value);
    else if (w->kind == RECORD_STATE)
      montecito_thread_register_set(c->machine, c->thread, w->number, w->value);
    else
      c->write[kept++] = *w;
  }
  c->n_writes = kept;
}

void exec_indirect_from(struct exec_cpu *c, const struct exec_instruction *v)
{
  const uint64_t index = exec_gr_consume(c, v->r3), n = index & 0xff;
  if (c->fault.kind || (v->sub != KIND_PMD && !exec_is_privileged(c)))
    return;
  writes_apply(c);
  if (v->sub == KIND_RR)
    exec_gr_set(c, v->r1, c->rr[index >> 61], false);
  else if (v->sub == KIND_PKR && n < EXEC_PKRS)
    exec_gr_set(c, v->r1, c->pkr[n], false);
  else if (v->sub == KIND_MSR || v->sub == KIND_PKR || ((v->sub == KIND_DBR || v->sub == KIND_IBR) && n > 7))
    exec_set_fault(c, FAULT_RESERVED, n);
  else
    exec_gr_set(c, v->r1, indirect_read(c, v->sub, (unsigned)n), false);
}

static void privileged_to_indirect(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const uint64_t index = exec_gr_consume(c, v->r3), n = index & 0xff, value = exec_gr_consume(c, v->r2);
  const struct pmon_address a = indirect_address(c, v->sub, (unsigned)n);
  uint64_t there;
  (void)s;
  if (!exec_is_privileged(c) || c->fault.kind)
    return;
  switch (v->sub) {
  case KIND_RR: c->rr[index >> 61] = value; break;
  case KIND_PKR:
    if (n < EXEC_PKRS)
      c->pkr[n] = value;
    else
      exec_set_fault(c, FAULT_RESERVED, n);
    break;
  case KIND_IBR:
  case KIND_DBR:
    if (n > 7)
      exec_set_fault(c, FAULT_RESERVED, n);
    else {
      if (v->sub == KIND_DBR)
        c->dbr[n] = value;
      write_later(c, RECORD_STATE, (v->sub == KIND_IBR ? MONTECITO_IBR : MONTECITO_DBR) + (unsigned)n, value);
    }
    break;
  case KIND_PMC:
  case KIND_PMD:
    if (c->machine && !montecito_machine_read(c->machine, &a, &there))
      write_later(c, v->sub == KIND_PMC ? RECORD_PMC : RECORD_PMD, (unsigned)n, value);
    break;
  default: exec_set_fault(c, FAULT_RESERVED, n); break;
  }
}

exec_fn *const exec_privileged[EXEC_OPERATIONS] = {[EXEC_SSM] = privileged_change_psr,
                                                   [EXEC_RSM] = privileged_change_psr,
                                                   [EXEC_MOV_TO_CR] = privileged_to_control,
                                                   [EXEC_MOV_FROM_CR] = privileged_from_control,
                                                   [EXEC_MOV_TO_INDIRECT] = privileged_to_indirect};

void exec_psr_to(struct exec_cpu *c, const struct exec_instruction *v)
{
  privileged_to_psr(c, v, NULL);
}

void exec_psr_from(struct exec_cpu *c, const struct exec_instruction *v)
{
  privileged_from_psr(c, v, NULL);
}
