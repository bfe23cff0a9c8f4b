/* SPDX-License-Identifier: MIT */
#include "machine/montecito/exec/code.h"
#include <stdlib.h>
#include <string.h>
#include "machine/montecito/core/stall.h"
#include "machine/montecito/exec/privileged.h"
#include "machine/montecito/exec/row.h"
#include "machine/montecito/pipeline/scoreboard.h"

static void code_unsupported(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)v;
  (void)s;
  exec_set_fault(c, FAULT_UNSUPPORTED, 0);
}

exec_fn *exec_function_of(unsigned operation)
{
  exec_fn *const *const tables[] = {exec_integer,      exec_compare,       exec_parallel,   exec_data,
                                    exec_control,      exec_system,        exec_stack,      exec_fp_data,
                                    exec_arithmetic,   exec_fp_bits,       exec_privileged, exec_translate,
                                    exec_interruption, exec_approximations};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (operation < EXEC_OPERATIONS && tables[i][operation])
      return tables[i][operation];
  return code_unsupported;
}

/* The operation of a load, by x6 >> 2; the other values are plain loads. */
static uint8_t load_operation(unsigned x6, bool fp)
{
  switch (x6 >> 2) {
  case 1: return OP_LOAD_SPECULATIVE;
  case 2:
  case 3: return OP_LOAD_ADVANCED;
  case 8:
  case 9:
  case 10: return OP_LOAD_CHECK;
  default: return fp ? OP_FLOAD : OP_LOAD;
  }
}

/* Returns the pipeline's operation for an instruction. */
static uint8_t pipeline_operation(const struct exec_instruction *v)
{
  switch (v->operation) {
  case EXEC_NOP: return OP_NOP;
  case EXEC_LD:
  case EXEC_LD_REG:
  case EXEC_LD_IMM: return load_operation(v->sub, false);
  case EXEC_LD16: return OP_LOAD;
  case EXEC_LDF:
  case EXEC_LDF_REG:
  case EXEC_LDF_IMM:
  case EXEC_LDFP:
  case EXEC_LDFP_IMM: return load_operation(v->sub, true);
  case EXEC_ST:
  case EXEC_ST_IMM:
  case EXEC_ST16: return OP_STORE;
  case EXEC_STF:
  case EXEC_STF_IMM: return OP_FSTORE;
  case EXEC_CMPXCHG:
  case EXEC_XCHG:
  case EXEC_FETCHADD:
  case EXEC_CMP8XCHG16: return OP_SEMAPHORE;
  case EXEC_LFETCH:
  case EXEC_LFETCH_REG:
  case EXEC_LFETCH_IMM: return OP_LFETCH;
  case EXEC_CHK_A:
  case EXEC_CHK_AF: return OP_CHECK_A;
  case EXEC_CHK_S:
  case EXEC_CHK_SF: return OP_CHECK_S;
  case EXEC_FC: return OP_FC;
  case EXEC_SRLZ: return v->sub ? OP_SRLZ : OP_PLAIN; /* 4.15: srlz.i, not srlz.d */
  case EXEC_FLUSHRS:
  case EXEC_LOADRS:
  case EXEC_COVER:
  case EXEC_ALLOC: return OP_ALLOC;
  case EXEC_BR: return OP_BRANCH;
  case EXEC_BR_INDIRECT: return OP_INDIRECT;
  case EXEC_BR_CALL:
  case EXEC_BR_CALL_INDIRECT: return OP_CALL;
  case EXEC_BR_RET: return OP_RETURN;
  case EXEC_RFI: return OP_RFI;
  case EXEC_FMA:
  case EXEC_FMS:
  case EXEC_FNMA: return v->r2 == 0 || v->r4 == 1 ? OP_FP1 : OP_FP2; /* only a product or only a sum: one operation */
  case EXEC_FPMA:
  case EXEC_FPNMA: return v->r2 == 0 ? OP_FP2 : OP_FP4;
  case EXEC_FPMS: return OP_FP4;
  case EXEC_FRCPA:
  case EXEC_FRSQRTA:
  case EXEC_FMIN:
  case EXEC_FCMP:
  case EXEC_FCVT_FX: return OP_FP1;
  case EXEC_FPMIN: return v->sub == 0 ? OP_FP1 : OP_FP2; /* 4.15 lists fpmin, other than fpmax, with those of one */
  case EXEC_FPRCPA:
  case EXEC_FPRSQRTA:
  case EXEC_FPCMP:
  case EXEC_FPCVT_FX: return OP_FP2;
  default: return OP_PLAIN;
  }
}

/* Returns the bytes of an access; 0: no access. */
static uint8_t access_bytes_of(const struct exec_instruction *v)
{
  static const uint8_t fp[4] = {16, 8, 4, 8};
  switch (v->operation) {
  case EXEC_LD:
  case EXEC_LD_REG:
  case EXEC_LD_IMM:
  case EXEC_ST:
  case EXEC_ST_IMM:
  case EXEC_CMPXCHG:
  case EXEC_XCHG:
  case EXEC_FETCHADD: return (uint8_t)(1u << (v->sub & 3));
  case EXEC_LDF:
  case EXEC_LDF_REG:
  case EXEC_LDF_IMM:
  case EXEC_STF:
  case EXEC_STF_IMM: return v->sub >> 2 == 6 || v->sub >> 2 == 14 ? 16 : fp[v->sub & 3];
  case EXEC_LDFP:
  case EXEC_LDFP_IMM: return (uint8_t)(2 * fp[v->sub & 3]);
  case EXEC_LD16:
  case EXEC_ST16:
  case EXEC_CMP8XCHG16: return 16;
  default: return 0;
  }
}

/* Returns the memory order that the instruction enforces. Semaphores enforce both orders, which is the model's own. */
static uint8_t access_order_of(const struct exec_instruction *v)
{
  enum { KIND_ACQ = 5, KIND_C_CLR_ACQ = 10, KIND_REL = 13 };
  switch (v->operation) {
  case EXEC_LD:
  case EXEC_LD_REG:
  case EXEC_LD_IMM: return v->sub >> 2 == KIND_ACQ || v->sub >> 2 == KIND_C_CLR_ACQ ? ORDER_ACQUIRE : 0;
  case EXEC_ST:
  case EXEC_ST_IMM: return v->sub >> 2 == KIND_REL ? ORDER_RELEASE : 0;
  case EXEC_CMPXCHG:
  case EXEC_XCHG:
  case EXEC_FETCHADD:
  case EXEC_CMP8XCHG16: return ORDER_ACQUIRE | ORDER_RELEASE;
  case EXEC_MF: return v->sub ? ORDER_FENCE | ORDER_ACCEPT : ORDER_FENCE;
  case EXEC_SYNC: return ORDER_ACCEPT;
  case EXEC_FWB: return ORDER_DRAIN;
  default: return 0;
  }
}

static bool operation_is_fp_memory(unsigned operation)
{
  return (operation >= EXEC_LDF && operation <= EXEC_LDFP_IMM) || operation == EXEC_CHK_SF || operation == EXEC_CHK_AF;
}

/* Returns the stall of an instruction that waits for a register of its own (Tables 4-46, 4-48, 4-50). It takes one
 * cycle, which is the model's own. */
static uint8_t stall_of(const struct exec_instruction *v, unsigned unit)
{
  switch (v->operation) {
  case EXEC_BSW: return STALL_EXE_BANK;
  case EXEC_LOADRS: return STALL_RSE_LOADRS;
  case EXEC_MOV_TO_AR:
  case EXEC_MOV_TO_AR_IMM:
    return v->r3 == AR_RSC || v->r3 == AR_BSPSTORE || v->r3 == AR_RNAT ? STALL_RSE_AR
           : unit == UNIT_M                                            ? STALL_L1D_ARCR
                                                                       : 0;
  default: return 0;
  }
}

static void slot_describe(const struct exec_instruction *v, unsigned unit, uint64_t bits, struct montecito_slot *s)
{
  static const uint8_t types[UNIT_N] = {
      [UNIT_M] = SLOT_M, [UNIT_I] = SLOT_I, [UNIT_F] = SLOT_F, [UNIT_B] = SLOT_B, [UNIT_L] = SLOT_L, [UNIT_X] = SLOT_I};
  const bool branch = v->operation >= EXEC_BR && v->operation <= EXEC_BR_RET;
  *s = (struct montecito_slot){.encoding = bits,
                               .op = pipeline_operation(v),
                               .type = types[unit],
                               .bytes = access_bytes_of(v),
                               .order = access_order_of(v),
                               .detail = stall_of(v, unit)};
  if ((unit == UNIT_M || unit == UNIT_I) && bits >> 40)
    s->type = SLOT_A;
  if (unit == UNIT_X && s->op == OP_NOP) /* 4.15: NOPS_RETIRED counts nop.i, nop.m, nop.b and nop.f */
    s->op = OP_PLAIN;
  if (branch)
    s->type = SLOT_B;
  if (branch && bits >> 12 & 1)
    s->flags |= SLOT_MANY;
  if (v->operation == EXEC_BR_CALL_INDIRECT)
    s->flags |= SLOT_CALL_INDIRECT;
  if (operation_is_fp_memory(v->operation) && s->op != OP_FLOAD)
    s->flags |= SLOT_FP;
}

/* True if the instruction reads or changes state that is visible outside the program: time, monitors, system calls,
 * interruptions. */
static bool operation_is_serial(const struct exec_instruction *v)
{
  switch (v->operation) {
  case EXEC_ILLEGAL:
  case EXEC_BREAK:
  case EXEC_HINT:
  case EXEC_SUM:
  case EXEC_RUM:
  case EXEC_SSM:
  case EXEC_RSM:
  case EXEC_RFI:
  case EXEC_BSW:
  case EXEC_EPC:
  case EXEC_MOV_TO_PSR:
  case EXEC_MOV_TO_CR:
  case EXEC_MOV_FROM_CR:
  case EXEC_MOV_TO_INDIRECT:
  case EXEC_MOV_FROM_INDIRECT:
  case EXEC_ITC:
  case EXEC_ITR:
  case EXEC_PTC:
  case EXEC_PTC_E: return true;
  case EXEC_MOV_FROM_AR: return v->r3 == AR_ITC;
  default: return false;
  }
}

static bool operation_approximates(const struct exec_instruction *v)
{
  return v->operation >= EXEC_FRCPA && v->operation <= EXEC_FPRSQRTA;
}

static bool operation_clears(const struct exec_instruction *v)
{
  const bool compare = v->operation == EXEC_CMP || v->operation == EXEC_CMP_IMM ||
                       (v->operation >= EXEC_TBIT && v->operation <= EXEC_TF);
  return (compare && (v->sub >> 3 & 7) == CMP_UNC) ||
         ((v->operation == EXEC_FCMP || v->operation == EXEC_FCLASS) && v->sub & 8) || operation_approximates(v);
}

/* A branch in slot 0 uses port B0. A bundle with three branches has more than the branch information of the cache can
 * describe individually (Table 4-73). */
static void branches_describe(struct exec_bundle *b)
{
  bool branch[3];
  for (unsigned i = 0; i < 3; i++)
    branch[i] = b->v[i].operation >= EXEC_BR && b->v[i].operation <= EXEC_BR_RET;
  for (unsigned i = 0; i < 3 && branch[0]; i++)
    if (branch[i])
      b->record.slot[i].flags |= SLOT_ENCODED | (branch[1] && branch[2] ? SLOT_OVERSUBSCRIBED : 0);
}

static bool uses_multimedia(const struct montecito_dependences *u)
{
  bool any = false;
  for (unsigned i = 0; i < DEPENDENCE_READS; i++)
    any |= u->read[i] >> SCORE_BITS == READS_MULTIMEDIA;
  return any;
}

/* Finds the slots that issue in a cycle of their own if the bundle begins a cycle. */
static void ports_describe(struct exec_bundle *b)
{
  uint64_t used = 0;
  for (unsigned i = 0; i < 3; i++) {
    const bool stop = i && (b->stops >> (i - 1) & 1);
    if (stop || !exec_ports_suffice(used + b->ports[i])) {
      if (!stop && i)
        b->splits |= i == 1 ? TIMING_SPLIT_0 : TIMING_SPLIT_1;
      used = 0;
    }
    used += b->ports[i];
    b->all_ports += b->ports[i];
  }
  b->last_ports = used;
}

/* Decodes a bundle of 16 bytes. */
static void exec_bundle_decode(const uint64_t bits[2], struct exec_bundle *ret)
{
  const struct exec_template *t = &exec_templates[bits[0] & 31];
  *ret = (struct exec_bundle){.valid = true, .stops = t->stops, .record = {.n_slots = 3, .timing = TIMING_WAITS}};
  for (unsigned i = 0; i < 3; i++) {
    struct exec_instruction *v = &ret->v[i];
    const uint64_t slot = exec_slot_bits(bits, i);
    if (t->unit[i] == UNIT_L) {
      *v = (struct exec_instruction){.operation = EXEC_NOP};
    } else {
      exec_decode(t->unit[i], slot, t->unit[i] == UNIT_X ? exec_slot_bits(bits, 1) : 0, v);
      if (v->row && (v->row->mask & 63) == 63)
        v->qp = 0; /* the qp field belongs to the opcode */
    }
    if (t->unit[i] == UNIT_X)
      ret->record.flags |= BUNDLE_LONG;
    slot_describe(v, t->unit[i], slot, &ret->record.slot[i]);
    ret->fn[i] = exec_function_of(v->operation);
    ret->ports[i] = exec_ports_of(v, t->unit[i], &ret->record.slot[i]);
    exec_uses_of(v, &ret->record.slot[i].uses);
    if (uses_multimedia(&ret->record.slot[i].uses))
      ret->record.timing |= TIMING_MULTIMEDIA;
    ret->moves |= (uint8_t)(exec_uses_move(&ret->record.slot[i].uses) << i);
    ret->serial |= operation_is_serial(v);
    if (operation_approximates(v))
      v->p1 = 0; /* the bits of p1 are those of the result register; the instruction has one predicate */
    if (operation_clears(v))
      ret->clears |= (uint8_t)(1u << i);
    if (v->operation == EXEC_BR && v->sub)
      ret->always |= (uint8_t)(1u << i);
  }
  branches_describe(ret);
  ports_describe(ret);
  if (t->stops & 4)
    ret->record.flags |= BUNDLE_STOP;
  if (t->stops & 3)
    ret->record.flags |= t->stops & 1 ? BUNDLE_STOP_AFTER_0 : BUNDLE_STOP_AFTER_1;
}

const struct exec_bundle *exec_code_load(struct exec_cpu *c, uint64_t ip)
{
  struct exec_page *p = exec_memory_page(c->memory, ip);
  uint64_t bits[2];
  struct exec_bundle *b;
  if (!p || !(p->access & EXEC_EXECUTE)) {
    exec_set_fault(c, FAULT_FETCH, ip);
    return NULL;
  }
  if (!p->code && !(p->code = calloc(1, sizeof *p->code))) {
    exec_set_fault(c, FAULT_FETCH, ip);
    return NULL;
  }
  c->code_page = p;
  b = &p->code->bundle[ip % EXEC_PAGE_BYTES / 16];
  if (!b->valid) {
    memcpy(bits, p->bytes + ip % EXEC_PAGE_BYTES, sizeof bits);
    exec_bundle_decode(bits, b);
    b->record.address = ip;
  }
  return b;
}

void exec_code_forget(struct exec_cpu *c, uint64_t address)
{
  const struct exec_page *p = exec_memory_page(c->memory, address);
  for (unsigned i = 0; p && p->code && i < 4; i++)
    p->code->bundle[address % EXEC_PAGE_BYTES / 64 * 4 + i].valid = false;
}

void exec_code_forget_all(struct exec_cpu *c)
{
  for (size_t i = 0; i < c->memory->size; i++) {
    struct exec_page *p = c->memory->table[i];
    for (unsigned at = 0; p && p->code && at < EXEC_PAGE_BYTES / 16; at++)
      p->code->bundle[at].valid = false;
  }
}
