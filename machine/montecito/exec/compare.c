/* SPDX-License-Identifier: MIT */
/* Comparisons and tests, and the types by which they write two predicates (manual, volume 1, 4.3.3). */
#include "machine/montecito/exec/cpu.h"

/* Writes the two predicates of a comparison or test. */
static void exec_write_predicates(struct exec_cpu *c, const struct exec_instruction *v, bool result, bool nat)
{
  if (v->p1 == v->p2) {
    exec_set_fault(c, FAULT_ILLEGAL, 0);
    return;
  }
  switch (v->sub >> 3 & 7) {
  case CMP_AND:
    if (nat || !result) {
      exec_pr_set(c, v->p1, false);
      exec_pr_set(c, v->p2, false);
    }
    break;
  case CMP_OR:
    if (!nat && result) {
      exec_pr_set(c, v->p1, true);
      exec_pr_set(c, v->p2, true);
    }
    break;
  case CMP_OR_ANDCM:
    if (!nat && result) {
      exec_pr_set(c, v->p1, true);
      exec_pr_set(c, v->p2, false);
    }
    break;
  default:
    exec_pr_set(c, v->p1, !nat && result);
    exec_pr_set(c, v->p2, !nat && !result);
    break;
  }
}

static bool compare_holds(unsigned relation, uint64_t a, uint64_t b)
{
  switch (relation) {
  case REL_EQ: return a == b;
  case REL_NE: return a != b;
  case REL_LT: return (int64_t)a < (int64_t)b;
  case REL_LE: return (int64_t)a <= (int64_t)b;
  case REL_GT: return (int64_t)a > (int64_t)b;
  case REL_GE: return (int64_t)a >= (int64_t)b;
  default: return a < b;
  }
}

static void compare_values(struct exec_cpu *c, const struct exec_instruction *v, struct exec_value a)
{
  const struct exec_value b = exec_gr(c, v->r3);
  uint64_t x = a.v, y = b.v;
  if (v->sub & COMPARE_32) {
    x = (v->sub & 7) == REL_LTU ? (uint32_t)x : (uint64_t)(int32_t)x;
    y = (v->sub & 7) == REL_LTU ? (uint32_t)y : (uint64_t)(int32_t)y;
  }
  exec_write_predicates(c, v, compare_holds(v->sub & 7, x, y), a.nat || b.nat);
}

static void compare_registers(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)s;
  compare_values(c, v, exec_gr(c, v->r2));
}

static void compare_immediate(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)s;
  compare_values(c, v, (struct exec_value){(uint64_t)v->imm, false});
}

/* tbit.z tests that the bit is 0. */
static void compare_bit(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_value x = exec_gr(c, v->r3);
  const bool bit = x.v >> v->imm & 1;
  (void)s;
  exec_write_predicates(c, v, bit == ((v->sub & 7) == REL_NE), x.nat);
}

static void compare_nat(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_value x = exec_gr(c, v->r3);
  (void)s;
  exec_write_predicates(c, v, x.nat == ((v->sub & 7) == REL_NE), false);
}

/* tf tests features of CPUID[4] from bit 32 on. Montecito has none of those features (clz, mpy4). */
static void compare_feature(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)s;
  exec_write_predicates(c, v, (v->sub & 7) != REL_NE, false);
}

exec_fn *const exec_compare[EXEC_OPERATIONS] = {[EXEC_CMP] = compare_registers,
                                                [EXEC_CMP_IMM] = compare_immediate,
                                                [EXEC_TBIT] = compare_bit,
                                                [EXEC_TNAT] = compare_nat,
                                                [EXEC_TF] = compare_feature};
