/* SPDX-License-Identifier: MIT */
/* Parallel arithmetic and shifts (formats A9, A10, I1 to I9): elements of 1, 2 or 4 bytes, one after the other. */
#include "tests/montecito/exec/random/state.h"

static int64_t element(uint64_t x, unsigned bytes, unsigned i, bool is_signed)
{
  const unsigned bits = bytes * 8;
  const uint64_t e = x >> i * bits & ((UINT64_C(1) << bits) - 1);
  return is_signed && e >> (bits - 1) ? (int64_t)(e | ~((UINT64_C(1) << bits) - 1)) : (int64_t)e;
}
static uint64_t placed(int64_t e, unsigned bytes, unsigned i)
{
  return ((uint64_t)e & ((UINT64_C(1) << bytes * 8) - 1)) << i * bytes * 8;
}
static int64_t clamped(int64_t e, unsigned bytes, bool is_signed)
{
  const int64_t most = (INT64_C(1) << (bytes * 8 - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
  return e > most ? most : e < least ? least : e;
}
static void pair_set(struct sim *s, const struct insn *v, uint64_t value)
{
  sim_gr_set(s, v->r1, value, sim_gr(s, v->r2).nat || sim_gr(s, v->r3).nat);
}

/* a: bytes of an element; b: 0 modular, 1 signed, 2 unsigned, 3 unsigned with a signed second operand. */
static void do_sum(struct sim *s, const struct insn *v, int sign)
{
  const uint64_t x = sim_gr(s, v->r2).v, y = sim_gr(s, v->r3).v;
  const unsigned n = (unsigned)v->row->a;
  const int how = v->row->b;
  uint64_t r = 0;
  for (unsigned i = 0; i < 8 / n; i++) {
    const int64_t e = element(x, n, i, how == 1) + sign * element(y, n, i, how & 1);
    r |= placed(how ? clamped(e, n, how == 1) : e, n, i);
  }
  pair_set(s, v, r);
}
static void do_padd(struct sim *s, const struct insn *v)
{
  do_sum(s, v, 1);
}
static void do_psub(struct sim *s, const struct insn *v)
{
  do_sum(s, v, -1);
}

/* b: the operation on two elements. */
enum { AVERAGE, AVERAGE_UP, AVERAGE_DIFFERENCE, EQUAL, GREATER, LEAST_UNSIGNED, MOST_UNSIGNED, LEAST, MOST };
static int64_t combined(int how, unsigned bytes, uint64_t x, uint64_t y, unsigned i)
{
  const bool is_signed = how == GREATER || how == LEAST || how == MOST;
  const int64_t a = element(x, bytes, i, is_signed), b = element(y, bytes, i, is_signed);
  switch (how) {
  case AVERAGE: return (a + b) >> 1 | ((a + b) & 1);
  case AVERAGE_UP: return (a + b + 1) >> 1;
  case AVERAGE_DIFFERENCE: return (a - b) >> 1 | ((a - b) & 1);
  case EQUAL: return a == b ? -1 : 0;
  case GREATER: return a > b ? -1 : 0;
  case LEAST_UNSIGNED:
  case LEAST: return a < b ? a : b;
  default: return a > b ? a : b;
  }
}
static void do_elements(struct sim *s, const struct insn *v)
{
  const unsigned n = (unsigned)v->row->a;
  uint64_t r = 0;
  for (unsigned i = 0; i < 8 / n; i++)
    r |= placed(combined(v->row->b, n, sim_gr(s, v->r2).v, sim_gr(s, v->r3).v, i), n, i);
  pair_set(s, v, r);
}

/* a: left. The intermediate result saturates, too. */
static void do_pshadd(struct sim *s, const struct insn *v)
{
  uint64_t r = 0;
  for (unsigned i = 0; i < 4; i++) {
    const int64_t x = element(sim_gr(s, v->r2).v, 2, i, true), y = element(sim_gr(s, v->r3).v, 2, i, true);
    const int64_t shifted = v->row->a ? x * (1 << v->len) : x >> v->len;
    r |= placed(clamped(shifted, 2, true) != shifted ? clamped(shifted, 2, true) : clamped(shifted + y, 2, true), 2, i);
  }
  pair_set(s, v, r);
}
static void do_pmpyshr(struct sim *s, const struct insn *v)
{
  uint64_t r = 0;
  for (unsigned i = 0; i < 4; i++)
    r |= placed((element(sim_gr(s, v->r2).v, 2, i, v->row->a) * element(sim_gr(s, v->r3).v, 2, i, v->row->a)) >> v->len,
                2, i);
  pair_set(s, v, r);
}
static void do_pmpy(struct sim *s, const struct insn *v)
{
  uint64_t r = 0;
  for (unsigned i = 0; i < 2; i++) {
    const unsigned k = 2 * i + (unsigned)v->row->a;
    r |= placed(element(sim_gr(s, v->r2).v, 2, k, true) * element(sim_gr(s, v->r3).v, 2, k, true), 4, i);
  }
  pair_set(s, v, r);
}
/* b: the left elements of each pair; else the right ones. */
static void do_mix(struct sim *s, const struct insn *v)
{
  const unsigned n = (unsigned)v->row->a;
  uint64_t r = 0;
  for (unsigned i = 0; i < 8 / n; i += 2)
    r |= placed(element(sim_gr(s, v->r3).v, n, i + (unsigned)v->row->b, false), n, i) |
         placed(element(sim_gr(s, v->r2).v, n, i + (unsigned)v->row->b, false), n, i + 1);
  pair_set(s, v, r);
}
/* b: the high half. */
static void do_unpack(struct sim *s, const struct insn *v)
{
  const unsigned n = (unsigned)v->row->a, half = 4 / n, from = v->row->b ? half : 0;
  uint64_t r = 0;
  for (unsigned i = 0; i < half; i++)
    r |= placed(element(sim_gr(s, v->r3).v, n, from + i, false), n, 2 * i) |
         placed(element(sim_gr(s, v->r2).v, n, from + i, false), n, 2 * i + 1);
  pair_set(s, v, r);
}
/* b: to signed elements. */
static void do_pack(struct sim *s, const struct insn *v)
{
  const unsigned n = (unsigned)v->row->a, half = 8 / n;
  uint64_t r = 0;
  for (unsigned i = 0; i < half; i++)
    r |= placed(clamped(element(sim_gr(s, v->r2).v, n, i, true), n / 2, v->row->b), n / 2, i) |
         placed(clamped(element(sim_gr(s, v->r3).v, n, i, true), n / 2, v->row->b), n / 2, half + i);
  pair_set(s, v, r);
}
static void do_psad(struct sim *s, const struct insn *v)
{
  uint64_t r = 0;
  for (unsigned i = 0; i < 8; i++) {
    const int64_t d = element(sim_gr(s, v->r2).v, 1, i, false) - element(sim_gr(s, v->r3).v, 1, i, false);
    r += (uint64_t)(d < 0 ? -d : d);
  }
  pair_set(s, v, r);
}
/* The source byte of each result byte, from the lowest: rev, mix, shuf, alt, brcst. */
static void do_mux1(struct sim *s, const struct insn *v)
{
  static const uint8_t from[5][8] = {
      {7, 6, 5, 4, 3, 2, 1, 0}, {0, 4, 2, 6, 1, 5, 3, 7}, {0, 4, 1, 5, 2, 6, 3, 7}, {0, 2, 4, 6, 1, 3, 5, 7}, {0}};
  const struct value x = sim_gr(s, v->r2);
  uint64_t r = 0;
  for (unsigned i = 0; i < 8; i++)
    r |= placed(element(x.v, 1, from[v->row->a][i], false), 1, i);
  sim_gr_set(s, v->r1, r, x.nat);
}
static void do_mux2(struct sim *s, const struct insn *v)
{
  const struct value x = sim_gr(s, v->r2);
  uint64_t r = 0;
  for (unsigned i = 0; i < 4; i++)
    r |= placed(element(x.v, 2, (unsigned)v->imm >> 2 * i & 3, false), 2, i);
  sim_gr_set(s, v->r1, r, x.nat);
}

static uint64_t shifted_right(uint64_t x, unsigned bytes, uint64_t count, bool is_signed)
{
  const unsigned n = count > 63 ? 63 : (unsigned)count;
  uint64_t r = 0;
  if (bytes == 8)
    return is_signed ? (uint64_t)((int64_t)x >> n) : count > 63 ? 0 : x >> n;
  for (unsigned i = 0; i < 8 / bytes; i++)
    r |= placed(element(x, bytes, i, is_signed) >> n, bytes, i);
  return r;
}
static uint64_t shifted_left(uint64_t x, unsigned bytes, uint64_t count)
{
  uint64_t r = 0;
  if (count >= bytes * 8)
    return 0;
  if (bytes == 8)
    return x << count;
  for (unsigned i = 0; i < 8 / bytes; i++)
    r |= placed((int64_t)((uint64_t)element(x, bytes, i, false) << count), bytes, i);
  return r;
}
/* b: signed. */
static void do_shr(struct sim *s, const struct insn *v)
{
  pair_set(s, v, shifted_right(sim_gr(s, v->r3).v, (unsigned)v->row->a, sim_gr(s, v->r2).v, v->row->b));
}
static void do_shl(struct sim *s, const struct insn *v)
{
  pair_set(s, v, shifted_left(sim_gr(s, v->r2).v, (unsigned)v->row->a, sim_gr(s, v->r3).v));
}
static void do_shr_fixed(struct sim *s, const struct insn *v)
{
  const struct value x = sim_gr(s, v->r3);
  sim_gr_set(s, v->r1, shifted_right(x.v, (unsigned)v->row->a, v->pos, v->row->b), x.nat);
}
static void do_shl_fixed(struct sim *s, const struct insn *v)
{
  const struct value x = sim_gr(s, v->r2);
  sim_gr_set(s, v->r1, shifted_left(x.v, (unsigned)v->row->a, v->pos), x.nat);
}
static void do_popcnt(struct sim *s, const struct insn *v)
{
  const struct value x = sim_gr(s, v->r3);
  uint64_t n = 0;
  for (unsigned i = 0; i < 64; i++)
    n += x.v >> i & 1;
  sim_gr_set(s, v->r1, n, x.nat);
}
/* The number of elements before the first zero one; b: from the left. */
static void do_czx(struct sim *s, const struct insn *v)
{
  const struct value x = sim_gr(s, v->r3);
  const unsigned bytes = (unsigned)v->row->a, n = 8 / bytes;
  unsigned i = 0;
  while (i < n && element(x.v, bytes, v->row->b ? n - 1 - i : i, false))
    i++;
  sim_gr_set(s, v->r1, i, x.nat);
}

#define SIZE1 0
#define SIZE2 AT(1, 33)
#define SIZE4 AT(1, 36)
#define A9(size, x4, x2b) (MAJOR(8) | AT(1, 34) | (size) | AT(x4, 29) | AT(x2b, 27))
#define I7(size, x2a, x2b, x2c) (MAJOR(7) | (size) | AT(x2a, 34) | AT(x2c, 30) | AT(x2b, 28))
#define ROW3(name, unit, bits, fn, a, b)                                                                               \
  {                                                                                                                    \
    name, unit, FORM_R3, bits, fn, a, b                                                                                \
  }
#define SUMS(name, x4, fn)                                                                                             \
  ROW3(name "1", 'A', A9(SIZE1, x4, 0), fn, 1, 0), ROW3(name "1.sss", 'A', A9(SIZE1, x4, 1), fn, 1, 1),                \
      ROW3(name "1.uuu", 'A', A9(SIZE1, x4, 2), fn, 1, 2), ROW3(name "1.uus", 'A', A9(SIZE1, x4, 3), fn, 1, 3),        \
      ROW3(name "2", 'A', A9(SIZE2, x4, 0), fn, 2, 0), ROW3(name "2.sss", 'A', A9(SIZE2, x4, 1), fn, 2, 1),            \
      ROW3(name "2.uuu", 'A', A9(SIZE2, x4, 2), fn, 2, 2), ROW3(name "2.uus", 'A', A9(SIZE2, x4, 3), fn, 2, 3),        \
      ROW3(name "4", 'A', A9(SIZE4, x4, 0), fn, 4, 0)

const struct row rows_parallel[] = {
    SUMS("padd", 0, do_padd),
    SUMS("psub", 1, do_psub),
    ROW3("pavg1", 'A', A9(SIZE1, 2, 2), do_elements, 1, AVERAGE),
    ROW3("pavg2", 'A', A9(SIZE2, 2, 2), do_elements, 2, AVERAGE),
    ROW3("pavg1.raz", 'A', A9(SIZE1, 2, 3), do_elements, 1, AVERAGE_UP),
    ROW3("pavg2.raz", 'A', A9(SIZE2, 2, 3), do_elements, 2, AVERAGE_UP),
    ROW3("pavgsub1", 'A', A9(SIZE1, 3, 2), do_elements, 1, AVERAGE_DIFFERENCE),
    ROW3("pavgsub2", 'A', A9(SIZE2, 3, 2), do_elements, 2, AVERAGE_DIFFERENCE),
    ROW3("pcmp1.eq", 'A', A9(SIZE1, 9, 0), do_elements, 1, EQUAL),
    ROW3("pcmp2.eq", 'A', A9(SIZE2, 9, 0), do_elements, 2, EQUAL),
    ROW3("pcmp4.eq", 'A', A9(SIZE4, 9, 0), do_elements, 4, EQUAL),
    ROW3("pcmp1.gt", 'A', A9(SIZE1, 9, 1), do_elements, 1, GREATER),
    ROW3("pcmp2.gt", 'A', A9(SIZE2, 9, 1), do_elements, 2, GREATER),
    ROW3("pcmp4.gt", 'A', A9(SIZE4, 9, 1), do_elements, 4, GREATER),
    {"pshladd2", 'A', FORM_COUNT, A9(SIZE2, 4, 0), do_pshadd, 1, 3},
    {"pshradd2", 'A', FORM_COUNT, A9(SIZE2, 6, 0), do_pshadd, 0, 3},
    {"pmpyshr2", 'I', FORM_MULTIPLY, I7(SIZE2, 0, 3, 0), do_pmpyshr, 1, 0},
    {"pmpyshr2.u", 'I', FORM_MULTIPLY, I7(SIZE2, 0, 1, 0), do_pmpyshr, 0, 0},
    ROW3("pmpy2.r", 'I', I7(SIZE2, 2, 1, 3), do_pmpy, 0, 0),
    ROW3("pmpy2.l", 'I', I7(SIZE2, 2, 3, 3), do_pmpy, 1, 0),
    ROW3("mix1.r", 'I', I7(SIZE1, 2, 0, 2), do_mix, 1, 0),
    ROW3("mix1.l", 'I', I7(SIZE1, 2, 2, 2), do_mix, 1, 1),
    ROW3("mix2.r", 'I', I7(SIZE2, 2, 0, 2), do_mix, 2, 0),
    ROW3("mix2.l", 'I', I7(SIZE2, 2, 2, 2), do_mix, 2, 1),
    ROW3("mix4.r", 'I', I7(SIZE4, 2, 0, 2), do_mix, 4, 0),
    ROW3("mix4.l", 'I', I7(SIZE4, 2, 2, 2), do_mix, 4, 1),
    ROW3("unpack1.h", 'I', I7(SIZE1, 2, 0, 1), do_unpack, 1, 1),
    ROW3("unpack1.l", 'I', I7(SIZE1, 2, 2, 1), do_unpack, 1, 0),
    ROW3("unpack2.h", 'I', I7(SIZE2, 2, 0, 1), do_unpack, 2, 1),
    ROW3("unpack2.l", 'I', I7(SIZE2, 2, 2, 1), do_unpack, 2, 0),
    ROW3("unpack4.h", 'I', I7(SIZE4, 2, 0, 1), do_unpack, 4, 1),
    ROW3("unpack4.l", 'I', I7(SIZE4, 2, 2, 1), do_unpack, 4, 0),
    ROW3("pack2.uss", 'I', I7(SIZE2, 2, 0, 0), do_pack, 2, 0),
    ROW3("pack2.sss", 'I', I7(SIZE2, 2, 2, 0), do_pack, 2, 1),
    ROW3("pack4.sss", 'I', I7(SIZE4, 2, 2, 0), do_pack, 4, 1),
    ROW3("pmin1.u", 'I', I7(SIZE1, 2, 1, 0), do_elements, 1, LEAST_UNSIGNED),
    ROW3("pmax1.u", 'I', I7(SIZE1, 2, 1, 1), do_elements, 1, MOST_UNSIGNED),
    ROW3("pmin2", 'I', I7(SIZE2, 2, 3, 0), do_elements, 2, LEAST),
    ROW3("pmax2", 'I', I7(SIZE2, 2, 3, 1), do_elements, 2, MOST),
    ROW3("psad1", 'I', I7(SIZE1, 2, 3, 2), do_psad, 0, 0),
    {"mux1.rev", 'I', FORM_MUX1, I7(SIZE1, 3, 2, 2) | AT(11, 20), do_mux1, 0, 0},
    {"mux1.mix", 'I', FORM_MUX1, I7(SIZE1, 3, 2, 2) | AT(8, 20), do_mux1, 1, 0},
    {"mux1.shuf", 'I', FORM_MUX1, I7(SIZE1, 3, 2, 2) | AT(9, 20), do_mux1, 2, 0},
    {"mux1.alt", 'I', FORM_MUX1, I7(SIZE1, 3, 2, 2) | AT(10, 20), do_mux1, 3, 0},
    {"mux1.brcst", 'I', FORM_MUX1, I7(SIZE1, 3, 2, 2), do_mux1, 4, 0},
    {"mux2", 'I', FORM_MUX2, I7(SIZE2, 3, 2, 2), do_mux2, 0, 0},
    ROW3("shr", 'I', I7(SIZE2 | SIZE4, 0, 2, 0), do_shr, 8, 1),
    ROW3("shr.u", 'I', I7(SIZE2 | SIZE4, 0, 0, 0), do_shr, 8, 0),
    ROW3("pshr2", 'I', I7(SIZE2, 0, 2, 0), do_shr, 2, 1),
    ROW3("pshr2.u", 'I', I7(SIZE2, 0, 0, 0), do_shr, 2, 0),
    ROW3("pshr4", 'I', I7(SIZE4, 0, 2, 0), do_shr, 4, 1),
    ROW3("pshr4.u", 'I', I7(SIZE4, 0, 0, 0), do_shr, 4, 0),
    {"pshr2.imm", 'I', FORM_RIGHT, I7(SIZE2, 1, 3, 0), do_shr_fixed, 2, 1},
    {"pshr2.u.imm", 'I', FORM_RIGHT, I7(SIZE2, 1, 1, 0), do_shr_fixed, 2, 0},
    {"pshr4.imm", 'I', FORM_RIGHT, I7(SIZE4, 1, 3, 0), do_shr_fixed, 4, 1},
    {"pshr4.u.imm", 'I', FORM_RIGHT, I7(SIZE4, 1, 1, 0), do_shr_fixed, 4, 0},
    ROW3("shl", 'I', I7(SIZE2 | SIZE4, 0, 0, 1), do_shl, 8, 0),
    ROW3("pshl2", 'I', I7(SIZE2, 0, 0, 1), do_shl, 2, 0),
    ROW3("pshl4", 'I', I7(SIZE4, 0, 0, 1), do_shl, 4, 0),
    {"pshl2.imm", 'I', FORM_LEFT, I7(SIZE2, 3, 1, 1), do_shl_fixed, 2, 0},
    {"pshl4.imm", 'I', FORM_LEFT, I7(SIZE4, 3, 1, 1), do_shl_fixed, 4, 0},
    {"popcnt", 'I', FORM_R1_R3, I7(SIZE2, 1, 1, 2), do_popcnt, 0, 0},
    {"czx1.l", 'I', FORM_R1_R3, AT(0x18, 27), do_czx, 1, 1},
    {"czx2.l", 'I', FORM_R1_R3, AT(0x19, 27), do_czx, 2, 1},
    {"czx1.r", 'I', FORM_R1_R3, AT(0x1c, 27), do_czx, 1, 0},
    {"czx2.r", 'I', FORM_R1_R3, AT(0x1d, 27), do_czx, 2, 0},
};
const size_t n_rows_parallel = sizeof rows_parallel / sizeof *rows_parallel;
