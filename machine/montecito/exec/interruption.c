/* SPDX-License-Identifier: MIT */
/* Interruptions: entry to the handler of a fault or an interrupt, and the return from it (manual, volume 2, chapter
 * 5). */
#include "machine/montecito/exec/privileged.h"
#include "machine/montecito/machine.h"

enum { ISR_X = 32, ISR_W = 33, ISR_R = 34, ISR_EI = 41, BANKED = 16, IFS_V = 63 };
enum { FP_TRUE_STALL = 0x03, DATA_DEBUG_FAULT = 0x52 }; /* events of the machine */

void exec_set_psr(struct exec_cpu *c, uint64_t psr)
{
  if ((c->psr ^ psr) >> PSR_BN_BIT & 1)
    for (unsigned i = 0; i < BANKED; i++) {
      const uint64_t value = c->gr[16 + i], bit = UINT64_C(1) << i;
      const uint32_t nat = c->gr_nat >> (16 + i) & 1;
      c->gr[16 + i] = c->bank[i];
      c->gr_nat = (c->gr_nat & ~(1u << (16 + i))) | (uint32_t)(c->bank_nat >> i & 1) << (16 + i);
      c->bank[i] = value;
      c->bank_nat = (uint16_t)((c->bank_nat & ~bit) | (nat ? bit : 0));
    }
  c->psr = psr;
  c->user_mask_changed = true;
}

/* Saves the interrupted state, and enters the handler at the vector. */
static void interruption_enter(struct exec_cpu *c, unsigned vector, uint64_t isr, unsigned slot)
{
  const uint64_t cleared = PSR_I | PSR_IC | PSR_PP | PSR_DB | PSR_SP | UINT64_C(3) << PSR_CPL_SHIFT |
                           UINT64_C(3) << PSR_RI_SHIFT | UINT64_C(1) << PSR_BN_BIT;
  const uint64_t old = (c->psr & ~(UINT64_C(3) << PSR_RI_SHIFT)) | (uint64_t)slot << PSR_RI_SHIFT;
  if (c->psr & PSR_IC) {
    c->cr[CR_IPSR] = old;
    c->cr[CR_IIP] = c->ip;
    c->cr[CR_IFS] = 0;
  }
  c->cr[CR_ISR] = isr | (uint64_t)slot << ISR_EI;
  exec_set_psr(c, (c->psr & ~cleared) | (c->cr[CR_DCR] & DCR_PP ? PSR_PP : 0));
  c->ip = c->cr[CR_IVA] + vector;
  c->restart = 0;
  c->entered = true;
}

/* Sets the registers of a page fault and its vector. False: a walk has found the page, and the instruction can be
 * repeated. */
static bool page_fault(struct exec_cpu *c, uint64_t address, bool code, unsigned *ret_vector)
{
  static const unsigned vectors[][2] = {[WALK_OFF] = {VECTOR_ALTERNATE_DTLB, VECTOR_ALTERNATE_ITLB},
                                        [WALK_TABLE] = {VECTOR_VHPT, VECTOR_VHPT},
                                        [WALK_MISS] = {VECTOR_DTLB, VECTOR_ITLB},
                                        [WALK_ABSENT] = {VECTOR_NOT_PRESENT, VECTOR_NOT_PRESENT}},
                        without_right[2] = {VECTOR_DATA_RIGHTS, VECTOR_CODE_RIGHTS};
  uint64_t physical;
  const bool mapped = exec_memory_physical(c->memory, address, &physical); /* without the right to the access */
  const unsigned walk = mapped ? WALK_ABSENT : exec_walk(c, address);
  if (walk == WALK_FOUND)
    return false;
  c->cr[CR_IFA] = address;
  c->cr[CR_ITIR] = c->rr[address >> 61] & 0xfffffffc;
  *ret_vector = mapped ? without_right[code] : vectors[walk][code];
  return true;
}

static const struct {
  uint16_t vector, code;
} faults[FAULT_N] = {[FAULT_ILLEGAL] = {VECTOR_GENERAL, 0x00},
                     [FAULT_PRIVILEGED] = {VECTOR_GENERAL, 0x10},
                     [FAULT_RESERVED] = {VECTOR_GENERAL, 0x30},
                     [FAULT_NAT] = {VECTOR_NAT, 0x10},
                     [FAULT_BREAK] = {VECTOR_BREAK, 0},
                     [FAULT_ALIGNMENT] = {VECTOR_UNALIGNED, 0},
                     [FAULT_ATTRIBUTE] = {VECTOR_ATTRIBUTE, 0},
                     [FAULT_FP] = {VECTOR_FP, 0},
                     [FAULT_DEBUG] = {VECTOR_DEBUG, 0},
                     [FAULT_KEY_MISS] = {VECTOR_KEY_MISS, 0},
                     [FAULT_KEY] = {VECTOR_KEY, 0}};

bool exec_deliver_fault(struct exec_cpu *c, bool write)
{
  const struct exec_fault f = c->fault;
  const bool code = f.kind == FAULT_FETCH, page = code || f.kind == FAULT_PAGE;
  unsigned vector = faults[f.kind].vector;
  uint64_t isr = faults[f.kind].code;
  if (!c->cr[CR_IVA] || !(c->psr & PSR_IC) || (!page && !vector))
    return false;
  c->fault = (struct exec_fault){0};
  c->restart = code ? c->restart : f.slot;
  if (page && !page_fault(c, f.address, code, &vector))
    return true;
  const bool guarded = f.kind == FAULT_DEBUG || f.kind == FAULT_KEY_MISS || f.kind == FAULT_KEY;
  if (page || guarded)
    isr |= UINT64_C(1) << (code ? ISR_X : write ? ISR_W : ISR_R);
  if (f.kind == FAULT_BREAK)
    c->cr[CR_IIM] = f.address;
  if (f.kind == FAULT_ALIGNMENT || f.kind == FAULT_ATTRIBUTE || guarded)
    c->cr[CR_IFA] = f.address;
  interruption_enter(c, vector, isr, c->restart);
  c->entered_event = f.kind == FAULT_DEBUG ? DATA_DEBUG_FAULT : f.kind == FAULT_FP ? FP_TRUE_STALL : 0;
  return true;
}

bool exec_deliver_interrupt(struct exec_cpu *c)
{
  if (!c->machine || !c->cr[CR_IVA] || c->in_service || !(c->psr & PSR_I) ||
      !(montecito_interrupt_deliverable(c->machine, c->thread) || exec_timer_is_due(c)))
    return false;
  interruption_enter(c, VECTOR_EXTERNAL, 0, c->restart);
  return true;
}

/* rfi: restores PSR, the instruction pointer with its slot, and the frame if it was covered. */
static void interruption_return(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)v;
  if (!exec_is_privileged(c))
    return;
  const uint64_t psr = c->cr[CR_IPSR];
  if (psr & UINT64_C(1) << 34) { /* no IA-32 instructions (2.1) */
    exec_set_fault(c, FAULT_ILLEGAL, 0);
    return;
  }
  exec_set_psr(c, psr & ~(UINT64_C(3) << PSR_RI_SHIFT));
  exec_stack_note(c, s);
  if (c->cr[CR_IFS] >> IFS_V & 1)
    exec_stack_return_to(c, c->cr[CR_IFS]);
  else
    s->latency |= STACK_KEPT;
  exec_branch_to(c, c->cr[CR_IIP], s);
  c->restart = psr >> PSR_RI_SHIFT & 3;
  if (c->restart == 3)
    c->restart = 0;
}

/* epc: the model treats every page of code as one that promotes to level 0. */
static void interruption_promote(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)v;
  (void)s;
  if ((c->ar[AR_PFS] >> 62) < (c->psr >> PSR_CPL_SHIFT & 3))
    exec_set_fault(c, FAULT_ILLEGAL, 0);
  else
    exec_set_psr(c, c->psr & ~(UINT64_C(3) << PSR_CPL_SHIFT));
}

static void interruption_switch_bank(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)s;
  if (exec_is_privileged(c))
    exec_set_psr(c, (c->psr & ~(UINT64_C(1) << PSR_BN_BIT)) | (uint64_t)v->sub << PSR_BN_BIT);
}

/* vmsw: no virtual machine monitor has enabled it. */
static void interruption_virtual(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)v;
  (void)s;
  if (exec_is_privileged(c))
    exec_set_fault(c, FAULT_ILLEGAL, 0);
}

exec_fn *const exec_interruption[EXEC_OPERATIONS] = {[EXEC_RFI] = interruption_return,
                                                     [EXEC_EPC] = interruption_promote,
                                                     [EXEC_BSW] = interruption_switch_bank,
                                                     [EXEC_VMSW] = interruption_virtual};
