/* SPDX-License-Identifier: MIT */
/* Application registers, the user mask, and the instructions of the operating system that programs use. */
#include "machine/montecito/exec/privileged.h"
#include "machine/montecito/machine.h"

enum { UM_MASK = 0x3e, LEVEL_SHIFT = 32 };

static bool level_is_user(const struct exec_cpu *c)
{
  return c->psr >> LEVEL_SHIFT & 3;
}

/* Returns the bits that software can write; 0: the register is reserved or read-only. */
static uint64_t application_bits(unsigned n)
{
  switch (n) {
  case AR_RSC: return 0x3fff001f;
  case AR_EC: return 63;
  case AR_PFS: return 0xc3f0003fffffffff; /* ppl, pec, pfm */
  case AR_BSP: return 0;
  case AR_ITC + 1: return 0;
  default: return exec_application_name(n) && (n < 21 || n > 30 || n == AR_CSD || n == AR_SSD) ? UINT64_MAX : 0;
  }
}

static void application_set(struct exec_cpu *c, unsigned n, uint64_t value)
{
  const uint64_t bits = application_bits(n);
  if (!bits || (n == AR_BSPSTORE && c->ar[AR_RSC] & 3)) {
    exec_set_fault(c, FAULT_ILLEGAL, n);
    return;
  }
  if ((n < 8 || n == AR_ITC) && level_is_user(c)) {
    exec_set_fault(c, FAULT_PRIVILEGED, n);
    return;
  }
  if (n == AR_BSPSTORE)
    exec_set_bspstore(c, value);
  else
    c->ar[n] = (c->ar[n] & ~bits) | (value & bits);
}

static void system_to_application(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const uint64_t value = exec_gr_consume(c, v->r2);
  (void)s;
  if (!c->fault.kind)
    application_set(c, v->r3, value);
}

static void system_to_application_imm(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)s;
  application_set(c, v->r3, (uint64_t)v->imm);
}

static void system_from_application(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  uint64_t value = c->ar[v->r3];
  (void)s;
  if (!exec_application_name(v->r3)) {
    exec_set_fault(c, FAULT_ILLEGAL, v->r3);
    return;
  }
  if (v->r3 == AR_BSP)
    value = exec_bsp(c);
  if (v->r3 == AR_BSPSTORE) {
    struct exec_cpu below = {.base = c->base - c->dirty};
    value = exec_bsp(&below);
  }
  if (v->r3 == AR_ITC)
    value = c->machine ? montecito_core_cycle(c->machine, c->thread / 2) : 0;
  exec_gr_set(c, v->r1, value, false);
}

static void user_mask_set(struct exec_cpu *c, uint64_t mask)
{
  c->user_mask_changed |= ((c->psr ^ mask) & UM_MASK) != 0;
  c->psr = (c->psr & ~(uint64_t)UM_MASK) | (mask & UM_MASK);
}

static void system_change_mask(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const uint64_t mask = (uint64_t)v->imm;
  (void)s;
  if (mask & ~(uint64_t)UM_MASK)
    exec_set_fault(c, FAULT_RESERVED, mask);
  else
    user_mask_set(c, v->operation == EXEC_SUM ? c->psr | mask : c->psr & ~mask);
}

static void system_to_psr(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)s;
  const uint64_t value = exec_gr_consume(c, v->r2);
  if (!v->sub)
    exec_psr_to(c, v);
  else if (!c->fault.kind)
    user_mask_set(c, value);
}

static void system_from_psr(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)s;
  if (!v->sub)
    exec_psr_from(c, v);
  else
    exec_gr_set(c, v->r1, c->psr & UM_MASK, false);
}

/* CPUID: vendor, version and features: "GenuineIntel", family 0x20, model 0 (Table 2-1); long branches, 16-byte atomic
 * operations. */
static void system_from_indirect(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  static const uint64_t cpuid[] = {UINT64_C(0x49656e69756e6547), 0x6c65746e, 0, 0x20000704, 5};
  const uint64_t n = exec_gr_consume(c, v->r3) & 0xff;
  (void)s;
  if (c->fault.kind)
    return;
  if (v->sub != 7)
    exec_indirect_from(c, v);
  else if (n >= sizeof cpuid / sizeof *cpuid)
    exec_set_fault(c, FAULT_RESERVED, n);
  else
    exec_gr_set(c, v->r1, cpuid[n], false);
}

static void system_break(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  enum { SYSTEM_CALL = 0x100000, FIRMWARE_CALL = 0x110000 };
  if (v->imm == SYSTEM_CALL)
    c->system_call = true;
  else if (v->imm == FIRMWARE_CALL)
    exec_firmware_call(c, s);
  else
    exec_set_fault(c, FAULT_BREAK, (uint64_t)v->imm);
}

/* Ordering instructions change no state here: accesses are in program order, and visible at once. */
static void system_ordered(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)c;
  (void)v;
  (void)s;
}

/* fc: the bundles of the line are decoded again when they are executed next. */
static void system_flush_line(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  s->address = exec_gr_consume(c, v->r3);
  if (!c->fault.kind && !exec_memory_at(c->memory, s->address, 1, EXEC_READ))
    exec_set_fault(c, FAULT_PAGE, s->address);
  if (!c->fault.kind)
    exec_code_forget(c, s->address);
}

/* hint@pause (hint 0) in M and I slots requests a thread switch; in B slots it does nothing (Table 2-3, note 3). */
static void system_hint(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)c;
  if (!v->imm && s->type != SLOT_B)
    s->flags |= SLOT_PAUSE;
}

static void system_probe(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const uint64_t address = exec_gr_consume(c, v->r3);
  (void)s;
  if (!c->fault.kind)
    exec_gr_set(c, v->r1, exec_memory_at(c->memory, address, 1, v->sub) != NULL, false);
}

static void system_probe_fault(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const uint64_t address = exec_gr_consume(c, v->r3);
  const struct exec_page *p = exec_memory_page(c->memory, address);
  (void)s;
  if (!p || (p->access & v->sub) != v->sub)
    exec_set_fault(c, FAULT_PAGE, address);
}

static void system_alat_clear(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)s;
  if (v->operation == EXEC_INVALA) {
    exec_alat_clear(c);
    return;
  }
  const bool fp = v->operation == EXEC_INVALA_FR;
  exec_alat_check(c, exec_alat_register(c, v->r1, fp), fp, true);
}

exec_fn *const exec_system[EXEC_OPERATIONS] = {[EXEC_BREAK] = system_break,
                                               [EXEC_HINT] = system_hint,
                                               [EXEC_MOV_TO_AR] = system_to_application,
                                               [EXEC_MOV_TO_AR_IMM] = system_to_application_imm,
                                               [EXEC_MOV_FROM_AR] = system_from_application,
                                               [EXEC_SUM] = system_change_mask,
                                               [EXEC_RUM] = system_change_mask,
                                               [EXEC_MOV_TO_PSR] = system_to_psr,
                                               [EXEC_MOV_FROM_PSR] = system_from_psr,
                                               [EXEC_MOV_FROM_INDIRECT] = system_from_indirect,
                                               [EXEC_FWB] = system_ordered,
                                               [EXEC_MF] = system_ordered,
                                               [EXEC_SRLZ] = system_ordered,
                                               [EXEC_SYNC] = system_ordered,
                                               [EXEC_FC] = system_flush_line,
                                               [EXEC_PROBE] = system_probe,
                                               [EXEC_PROBE_IMM] = system_probe,
                                               [EXEC_PROBE_FAULT] = system_probe_fault,
                                               [EXEC_INVALA] = system_alat_clear,
                                               [EXEC_INVALA_GR] = system_alat_clear,
                                               [EXEC_INVALA_FR] = system_alat_clear};
