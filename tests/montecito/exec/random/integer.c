/* SPDX-License-Identifier: MIT */
/* Integer arithmetic, comparisons, bit fields (formats A1 to A8, I10 to I17, I29, X2). */
#include "tests/montecito/exec/random/state.h"

static void result_set(struct sim *s, const struct insn *v, uint64_t value)
{
  sim_gr_set(s, v->r1, value, sim_gr(s, v->r2).nat || sim_gr(s, v->r3).nat);
}

static uint64_t in_region(uint64_t sum, uint64_t pointer)
{
  return (sum & UINT32_MAX) | (pointer >> 30 & 3) << 61;
}

/* a: addend to the sum of r2 and r3. */
static void do_add(struct sim *s, const struct insn *v)
{
  result_set(s, v, sim_gr(s, v->r2).v + sim_gr(s, v->r3).v + (uint64_t)v->row->a);
}
static void do_sub(struct sim *s, const struct insn *v)
{
  result_set(s, v, sim_gr(s, v->r2).v - sim_gr(s, v->r3).v - (uint64_t)v->row->a);
}
static void do_addp4(struct sim *s, const struct insn *v)
{
  result_set(s, v, in_region(sim_gr(s, v->r2).v + sim_gr(s, v->r3).v, sim_gr(s, v->r3).v));
}
static void do_shladd(struct sim *s, const struct insn *v)
{
  const uint64_t sum = (sim_gr(s, v->r2).v << v->len) + sim_gr(s, v->r3).v;
  result_set(s, v, v->row->a ? in_region(sum, sim_gr(s, v->r3).v) : sum);
}

static uint64_t logical(int which, uint64_t x, uint64_t y)
{
  return which == 0 ? (x & y) : which == 1 ? (x & ~y) : which == 2 ? (x | y) : (x ^ y);
}
static void do_logical(struct sim *s, const struct insn *v)
{
  result_set(s, v, logical(v->row->a, sim_gr(s, v->r2).v, sim_gr(s, v->r3).v));
}
static void do_logical_imm(struct sim *s, const struct insn *v)
{
  const struct value x = sim_gr(s, v->r3);
  sim_gr_set(s, v->r1, logical(v->row->a, (uint64_t)v->imm, x.v), x.nat);
}
static void do_sub_imm(struct sim *s, const struct insn *v)
{
  const struct value x = sim_gr(s, v->r3);
  sim_gr_set(s, v->r1, (uint64_t)v->imm - x.v, x.nat);
}
static void do_add_imm(struct sim *s, const struct insn *v)
{
  const struct value x = sim_gr(s, v->r3);
  const uint64_t sum = x.v + (uint64_t)v->imm;
  sim_gr_set(s, v->r1, v->row->a ? in_region(sum, x.v) : sum, x.nat);
}
static void do_movl(struct sim *s, const struct insn *v)
{
  sim_gr_set(s, v->r1, (uint64_t)v->imm, false);
}

/* a: 0 less, 1 less unsigned, 2 equal, 3 greater, 4 greater or equal, 5 less or equal, 6 not equal; 16 and more: on the
 * lower 32 bits. */
static bool related(int a, uint64_t x, uint64_t y)
{
  if (a & 16) {
    x = (uint64_t)(int32_t)x;
    y = (uint64_t)(int32_t)y;
  }
  switch (a & 15) {
  case 0: return (int64_t)x < (int64_t)y;
  case 1: return a & 16 ? (uint32_t)x < (uint32_t)y : x < y;
  case 2: return x == y;
  case 3: return (int64_t)x > (int64_t)y;
  case 4: return (int64_t)x >= (int64_t)y;
  case 5: return (int64_t)x <= (int64_t)y;
  default: return x != y;
  }
}
static void do_cmp(struct sim *s, const struct insn *v)
{
  const struct value x = sim_gr(s, v->r2), y = sim_gr(s, v->r3);
  sim_predicates(s, v, v->row->b, related(v->row->a, x.v, y.v), x.nat || y.nat);
}
static void do_cmp_imm(struct sim *s, const struct insn *v)
{
  const struct value y = sim_gr(s, v->r3);
  sim_predicates(s, v, v->row->b, related(v->row->a, (uint64_t)v->imm, y.v), y.nat);
}
/* a: the result when the bit is set. */
static void do_tbit(struct sim *s, const struct insn *v)
{
  const struct value y = sim_gr(s, v->r3);
  sim_predicates(s, v, v->row->b, (y.v >> v->pos & 1) == (uint64_t)v->row->a, y.nat);
}
static void do_tnat(struct sim *s, const struct insn *v)
{
  sim_predicates(s, v, v->row->b, sim_gr(s, v->r3).nat == (bool)v->row->a, false);
}

static uint64_t ones(unsigned n)
{
  return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}
/* Returns the length in bits of a field that begins at `pos`, which the register's end may truncate. */
static unsigned field_length(const struct insn *v)
{
  return v->pos + v->len > 64 ? 64u - v->pos : v->len;
}
static uint64_t deposit(const struct insn *v, uint64_t field, uint64_t around)
{
  const uint64_t mask = ones(field_length(v)) << v->pos;
  return (field << v->pos & mask) | (around & ~mask);
}
static void do_extr(struct sim *s, const struct insn *v)
{
  const struct value x = sim_gr(s, v->r3);
  const unsigned n = field_length(v);
  uint64_t field = x.v >> v->pos & ones(n);
  if (v->row->a && field >> (n - 1) & 1)
    field |= ~ones(n);
  sim_gr_set(s, v->r1, field, x.nat);
}
static void do_depz(struct sim *s, const struct insn *v)
{
  const struct value x = sim_gr(s, v->r2);
  sim_gr_set(s, v->r1, deposit(v, x.v, 0), x.nat);
}
static void do_depz_imm(struct sim *s, const struct insn *v)
{
  sim_gr_set(s, v->r1, deposit(v, (uint64_t)v->imm, 0), false);
}
static void do_dep_imm(struct sim *s, const struct insn *v)
{
  const struct value y = sim_gr(s, v->r3);
  sim_gr_set(s, v->r1, deposit(v, v->imm & 1 ? UINT64_MAX : 0, y.v), y.nat);
}
static void do_dep(struct sim *s, const struct insn *v)
{
  result_set(s, v, deposit(v, sim_gr(s, v->r2).v, sim_gr(s, v->r3).v));
}
static void do_shrp(struct sim *s, const struct insn *v)
{
  const uint64_t high = sim_gr(s, v->r2).v, low = sim_gr(s, v->r3).v;
  result_set(s, v, v->pos ? low >> v->pos | high << (64 - v->pos) : low);
}
/* Extends 1, 2 or 4 bytes (a); b: signed. */
static void do_extend(struct sim *s, const struct insn *v)
{
  const struct value x = sim_gr(s, v->r3);
  const unsigned n = (unsigned)v->row->a * 8;
  uint64_t r = x.v & ones(n);
  if (v->row->b && r >> (n - 1))
    r |= ~ones(n);
  sim_gr_set(s, v->r1, r, x.nat);
}

#define X2A(x) AT(x, 34)
#define X4(x) AT(x, 29)
#define X2B(x) AT(x, 27)
#define ALU(x4, x2b) (MAJOR(8) | X4(x4) | X2B(x2b))
/* A comparison and its form with unc; for `and`, `or` and `or.andcm` the forms with the relation and with its
 * opposite. */
#define COMPARE(name, form, bits, relation, fn)                                                                        \
  {name, 'A', form, bits, fn, relation, 0},                                                                            \
  {                                                                                                                    \
    name ".unc", 'A', form, (bits) | AT(1, 12), fn, relation, 1                                                        \
  }
#define PARALLEL(name, form, bits, yes, no, fn)                                                                        \
  {name ".and", 'A', form, MAJOR(12) | (bits), fn, yes, 2},                                                            \
      {name ".not.and", 'A', form, MAJOR(12) | (bits) | AT(1, 12), fn, no, 2},                                         \
      {name ".or", 'A', form, MAJOR(13) | (bits), fn, yes, 3},                                                         \
      {name ".not.or", 'A', form, MAJOR(13) | (bits) | AT(1, 12), fn, no, 3},                                          \
      {name ".or.andcm", 'A', form, MAJOR(14) | (bits), fn, yes, 4},                                                   \
  {                                                                                                                    \
    name ".not.or.andcm", 'A', form, MAJOR(14) | (bits) | AT(1, 12), fn, no, 4                                         \
  }
#define TEST(name, form, bits, fn)                                                                                     \
  {name ".z", 'I', form, MAJOR(5) | (bits), fn, 0, 0},                                                                 \
      {name ".z.unc", 'I', form, MAJOR(5) | (bits) | AT(1, 12), fn, 0, 1},                                             \
      {name ".z.and", 'I', form, MAJOR(5) | AT(1, 36) | (bits), fn, 0, 2},                                             \
      {name ".nz.and", 'I', form, MAJOR(5) | AT(1, 36) | (bits) | AT(1, 12), fn, 1, 2},                                \
      {name ".z.or", 'I', form, MAJOR(5) | AT(1, 33) | (bits), fn, 0, 3},                                              \
      {name ".nz.or", 'I', form, MAJOR(5) | AT(1, 33) | (bits) | AT(1, 12), fn, 1, 3},                                 \
      {name ".z.or.andcm", 'I', form, MAJOR(5) | AT(1, 36) | AT(1, 33) | (bits), fn, 0, 4},                            \
  {                                                                                                                    \
    name ".nz.or.andcm", 'I', form, MAJOR(5) | AT(1, 36) | AT(1, 33) | (bits) | AT(1, 12), fn, 1, 4                    \
  }

const struct row rows_integer[] = {
    {"add", 'A', FORM_R3, ALU(0, 0), do_add, 0, 0},
    {"add+1", 'A', FORM_R3, ALU(0, 1), do_add, 1, 0},
    {"sub-1", 'A', FORM_R3, ALU(1, 0), do_sub, 1, 0},
    {"sub", 'A', FORM_R3, ALU(1, 1), do_sub, 0, 0},
    {"addp4", 'A', FORM_R3, ALU(2, 0), do_addp4, 0, 0},
    {"and", 'A', FORM_R3, ALU(3, 0), do_logical, 0, 0},
    {"andcm", 'A', FORM_R3, ALU(3, 1), do_logical, 1, 0},
    {"or", 'A', FORM_R3, ALU(3, 2), do_logical, 2, 0},
    {"xor", 'A', FORM_R3, ALU(3, 3), do_logical, 3, 0},
    {"shladd", 'A', FORM_COUNT, ALU(4, 0), do_shladd, 0, 0},
    {"shladdp4", 'A', FORM_COUNT, ALU(6, 0), do_shladd, 1, 0},
    {"sub.imm", 'A', FORM_IMM8, ALU(9, 1), do_sub_imm, 0, 0},
    {"and.imm", 'A', FORM_IMM8, ALU(11, 0), do_logical_imm, 0, 0},
    {"andcm.imm", 'A', FORM_IMM8, ALU(11, 1), do_logical_imm, 1, 0},
    {"or.imm", 'A', FORM_IMM8, ALU(11, 2), do_logical_imm, 2, 0},
    {"xor.imm", 'A', FORM_IMM8, ALU(11, 3), do_logical_imm, 3, 0},
    {"adds", 'A', FORM_IMM14, MAJOR(8) | X2A(2), do_add_imm, 0, 0},
    {"addp4.imm", 'A', FORM_IMM14, MAJOR(8) | X2A(3), do_add_imm, 1, 0},
    {"addl", 'A', FORM_IMM22, MAJOR(9), do_add_imm, 0, 0},
    COMPARE("cmp.lt", FORM_CMP, MAJOR(12), 0, do_cmp),
    COMPARE("cmp.ltu", FORM_CMP, MAJOR(13), 1, do_cmp),
    COMPARE("cmp.eq", FORM_CMP, MAJOR(14), 2, do_cmp),
    COMPARE("cmp4.lt", FORM_CMP, MAJOR(12) | X2A(1), 16, do_cmp),
    COMPARE("cmp4.ltu", FORM_CMP, MAJOR(13) | X2A(1), 17, do_cmp),
    COMPARE("cmp4.eq", FORM_CMP, MAJOR(14) | X2A(1), 18, do_cmp),
    COMPARE("cmp.lt.imm", FORM_CMP_IMM, MAJOR(12) | X2A(2), 0, do_cmp_imm),
    COMPARE("cmp.ltu.imm", FORM_CMP_IMM, MAJOR(13) | X2A(2), 1, do_cmp_imm),
    COMPARE("cmp.eq.imm", FORM_CMP_IMM, MAJOR(14) | X2A(2), 2, do_cmp_imm),
    COMPARE("cmp4.lt.imm", FORM_CMP_IMM, MAJOR(12) | X2A(3), 16, do_cmp_imm),
    COMPARE("cmp4.ltu.imm", FORM_CMP_IMM, MAJOR(13) | X2A(3), 17, do_cmp_imm),
    COMPARE("cmp4.eq.imm", FORM_CMP_IMM, MAJOR(14) | X2A(3), 18, do_cmp_imm),
    PARALLEL("cmp.eq", FORM_CMP, AT(1, 33), 2, 6, do_cmp),
    PARALLEL("cmp4.eq", FORM_CMP, X2A(1) | AT(1, 33), 18, 22, do_cmp),
    PARALLEL("cmp.eq.imm", FORM_CMP_IMM, X2A(2) | AT(1, 33), 2, 6, do_cmp_imm),
    PARALLEL("cmp4.eq.imm", FORM_CMP_IMM, X2A(3) | AT(1, 33), 18, 22, do_cmp_imm),
    PARALLEL("cmp.gt", FORM_CMP_ZERO, AT(1, 36), 3, 5, do_cmp),
    PARALLEL("cmp.ge", FORM_CMP_ZERO, AT(1, 36) | AT(1, 33), 4, 0, do_cmp),
    PARALLEL("cmp4.gt", FORM_CMP_ZERO, AT(1, 36) | X2A(1), 19, 21, do_cmp),
    PARALLEL("cmp4.ge", FORM_CMP_ZERO, AT(1, 36) | X2A(1) | AT(1, 33), 20, 16, do_cmp),
    TEST("tbit", FORM_TBIT, 0, do_tbit),
    TEST("tnat", FORM_TNAT, AT(1, 13), do_tnat),
    {"shrp", 'I', FORM_SHRP, MAJOR(5) | X2A(3), do_shrp, 0, 0},
    {"extr.u", 'I', FORM_EXTR, MAJOR(5) | X2A(1), do_extr, 0, 0},
    {"extr", 'I', FORM_EXTR, MAJOR(5) | X2A(1) | AT(1, 13), do_extr, 1, 0},
    {"dep.z", 'I', FORM_DEPZ, MAJOR(5) | X2A(1) | AT(1, 33), do_depz, 0, 0},
    {"dep.z.imm", 'I', FORM_DEPZ_IMM, MAJOR(5) | X2A(1) | AT(1, 33) | AT(1, 26), do_depz_imm, 0, 0},
    {"dep.imm", 'I', FORM_DEP_IMM, MAJOR(5) | X2A(3) | AT(1, 33), do_dep_imm, 0, 0},
    {"dep", 'I', FORM_DEP, MAJOR(4), do_dep, 0, 0},
    {"zxt1", 'I', FORM_R1_R3, AT(0x10, 27), do_extend, 1, 0},
    {"zxt2", 'I', FORM_R1_R3, AT(0x11, 27), do_extend, 2, 0},
    {"zxt4", 'I', FORM_R1_R3, AT(0x12, 27), do_extend, 4, 0},
    {"sxt1", 'I', FORM_R1_R3, AT(0x14, 27), do_extend, 1, 1},
    {"sxt2", 'I', FORM_R1_R3, AT(0x15, 27), do_extend, 2, 1},
    {"sxt4", 'I', FORM_R1_R3, AT(0x16, 27), do_extend, 4, 1},
    {"movl", 'X', FORM_MOVL, MAJOR(6), do_movl, 0, 0},
};
const size_t n_rows_integer = sizeof rows_integer / sizeof *rows_integer;
