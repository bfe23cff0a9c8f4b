/* SPDX-License-Identifier: MIT */
/* Integer arithmetic, bit fields, and moves between registers. A result is NaT when a source is. */
#include "machine/montecito/exec/cpu.h"

/* A function of registers r2 (x) and r3 (y), of the immediate and r3, or of r3 only. */
#define INTEGER_FUNCTION(name, first, second, result)                                                                  \
  static void integer_##name(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)           \
  {                                                                                                                    \
    const struct exec_value x = first, y = second;                                                                     \
    (void)s;                                                                                                           \
    exec_gr_set(c, v->r1, result, x.nat || y.nat);                                                                     \
  }
#define INTEGER_2(name, result) INTEGER_FUNCTION(name, exec_gr(c, v->r2), exec_gr(c, v->r3), result)
#define INTEGER_IMM(name, result)                                                                                      \
  INTEGER_FUNCTION(name, ((struct exec_value){(uint64_t)v->imm, false}), exec_gr(c, v->r3), result)
#define INTEGER_1(name, result)                                                                                        \
  static void integer_##name(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)           \
  {                                                                                                                    \
    const struct exec_value y = exec_gr(c, v->r3);                                                                     \
    (void)s;                                                                                                           \
    exec_gr_set(c, v->r1, result, y.nat);                                                                              \
  }

/* Returns a 32-bit pointer: the low half of the sum, with bits 31:30 of the pointer as the region. */
static uint64_t pointer_add(uint64_t sum, uint64_t pointer)
{
  return (sum & UINT32_MAX) | (pointer >> 30 & 3) << 61;
}

static uint64_t low_bits(unsigned n)
{
  return n > 63 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static uint64_t bits_deposit(uint64_t into, uint64_t value, unsigned pos, unsigned len)
{
  const uint64_t mask = low_bits(len) << pos;
  return (into & ~mask) | (value << pos & mask);
}

static uint64_t bits_extract(uint64_t value, const struct exec_instruction *v)
{
  const unsigned len = v->pos + v->len > 64 ? 64u - v->pos : v->len;
  value >>= v->pos;
  return v->sub ? value & low_bits(len) : (uint64_t)((int64_t)(value << (64 - len)) >> (64 - len));
}

static uint64_t zero_index(uint64_t value, unsigned sub)
{
  const unsigned bytes = sub & 15, n = 8 / bytes;
  for (unsigned i = 0; i < n; i++) {
    const unsigned at = sub & 16 ? i : n - 1 - i;
    if (!(value >> (at * bytes * 8) & low_bits(bytes * 8)))
      return i;
  }
  return n;
}

static uint64_t bits_sign_extend(uint64_t value, unsigned bytes)
{
  return (uint64_t)((int64_t)(value << (64 - 8 * bytes)) >> (64 - 8 * bytes));
}

INTEGER_2(add, x.v + y.v + v->sub)
INTEGER_2(sub, x.v - y.v - v->sub)
INTEGER_2(addp4, pointer_add(x.v + y.v, y.v))
INTEGER_2(and, x.v &y.v)
INTEGER_2(andcm, x.v & ~y.v)
INTEGER_2(or, x.v | y.v)
INTEGER_2(xor, x.v ^ y.v)
INTEGER_2(shladd, (x.v << v->imm) + y.v)
INTEGER_2(shladdp4, pointer_add((x.v << v->imm) + y.v, y.v))
INTEGER_IMM(add_imm, x.v + y.v)
INTEGER_IMM(addp4_imm, pointer_add(x.v + y.v, y.v))
INTEGER_IMM(sub_imm, x.v - y.v)
INTEGER_IMM(and_imm, x.v &y.v)
INTEGER_IMM(andcm_imm, x.v & ~y.v)
INTEGER_IMM(or_imm, x.v | y.v)
INTEGER_IMM(xor_imm, x.v ^ y.v)
INTEGER_2(shrp, v->imm ? y.v >> v->imm | x.v << (64 - v->imm) : y.v)
INTEGER_2(dep, bits_deposit(y.v, x.v, v->pos, v->len))
INTEGER_1(dep_imm, bits_deposit(y.v, (uint64_t)v->imm, v->pos, v->len))
INTEGER_1(extr, bits_extract(y.v, v))
INTEGER_1(zxt, y.v &low_bits(8u * v->sub))
INTEGER_1(sxt, bits_sign_extend(y.v, v->sub))
INTEGER_1(czx, zero_index(y.v, v->sub))
INTEGER_1(popcnt, (uint64_t)__builtin_popcountll(y.v))

static void integer_dep_z(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_value x = exec_gr(c, v->r2);
  (void)s;
  exec_gr_set(c, v->r1, bits_deposit(0, x.v, v->pos, v->len), x.nat);
}

static void integer_dep_z_imm(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)s;
  exec_gr_set(c, v->r1, bits_deposit(0, (uint64_t)v->imm, v->pos, v->len), false);
}

static void integer_movl(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)s;
  exec_gr_set(c, v->r1, (uint64_t)v->imm, false);
}

static void integer_to_branch(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)s;
  const uint64_t value = exec_gr_consume(c, v->r2);
  if (!c->fault.kind)
    c->br[v->r1 & 7] = value;
}

static void integer_from_branch(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)s;
  exec_gr_set(c, v->r1, c->br[v->r2 & 7], false);
}

/* Predicates as software sees them: rotation does not affect moves of all predicates. */
static void integer_to_predicates(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const uint64_t value = exec_gr_consume(c, v->r2), mask = (uint64_t)v->imm & ~UINT64_C(1);
  (void)s;
  if (!c->fault.kind)
    c->pr = (c->pr & ~mask) | (value & mask) | 1;
}

static void integer_to_rotating(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)s;
  c->pr = (c->pr & 0xffff) | ((uint64_t)v->imm & ~UINT64_C(0xffff));
}

static void integer_from_predicates(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)s;
  exec_gr_set(c, v->r1, c->pr, false);
}

static void integer_from_ip(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)s;
  exec_gr_set(c, v->r1, c->ip, false);
}

static void integer_nothing(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)c;
  (void)v;
  (void)s;
}

static void integer_illegal(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)v;
  (void)s;
  exec_set_fault(c, FAULT_ILLEGAL, 0);
}

exec_fn *const exec_integer[EXEC_OPERATIONS] = {[EXEC_ILLEGAL] = integer_illegal,
                                                [EXEC_NOP] = integer_nothing,
                                                [EXEC_ADD] = integer_add,
                                                [EXEC_SUB] = integer_sub,
                                                [EXEC_ADDP4] = integer_addp4,
                                                [EXEC_AND] = integer_and,
                                                [EXEC_ANDCM] = integer_andcm,
                                                [EXEC_OR] = integer_or,
                                                [EXEC_XOR] = integer_xor,
                                                [EXEC_SHLADD] = integer_shladd,
                                                [EXEC_SHLADDP4] = integer_shladdp4,
                                                [EXEC_ADD_IMM] = integer_add_imm,
                                                [EXEC_ADDP4_IMM] = integer_addp4_imm,
                                                [EXEC_SUB_IMM] = integer_sub_imm,
                                                [EXEC_AND_IMM] = integer_and_imm,
                                                [EXEC_ANDCM_IMM] = integer_andcm_imm,
                                                [EXEC_OR_IMM] = integer_or_imm,
                                                [EXEC_XOR_IMM] = integer_xor_imm,
                                                [EXEC_SHRP] = integer_shrp,
                                                [EXEC_EXTR] = integer_extr,
                                                [EXEC_DEP_Z] = integer_dep_z,
                                                [EXEC_DEP_Z_IMM] = integer_dep_z_imm,
                                                [EXEC_DEP_IMM] = integer_dep_imm,
                                                [EXEC_DEP] = integer_dep,
                                                [EXEC_ZXT] = integer_zxt,
                                                [EXEC_SXT] = integer_sxt,
                                                [EXEC_CZX] = integer_czx,
                                                [EXEC_POPCNT] = integer_popcnt,
                                                [EXEC_MOVL] = integer_movl,
                                                [EXEC_MOV_TO_BR] = integer_to_branch,
                                                [EXEC_MOV_FROM_BR] = integer_from_branch,
                                                [EXEC_MOV_TO_PR] = integer_to_predicates,
                                                [EXEC_MOV_TO_PR_ROT] = integer_to_rotating,
                                                [EXEC_MOV_FROM_PR] = integer_from_predicates,
                                                [EXEC_MOV_FROM_IP] = integer_from_ip};
