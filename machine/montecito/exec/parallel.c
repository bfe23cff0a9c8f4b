/* SPDX-License-Identifier: MIT */
/*
 * Parallel integer arithmetic: elements of 1, 2 or 4 bytes in a general register. `sub` of an instruction is log2 of
 * the element's bytes, with the form in bits 7:4.
 */
#include "machine/montecito/exec/cpu.h"

enum { FORM_MODULO, FORM_SIGNED, FORM_UNSIGNED, FORM_UNSIGNED_SIGNED };

static unsigned element_bits(unsigned sub)
{
  return 8u << (sub & 15);
}

static uint64_t element_get(uint64_t value, unsigned i, unsigned bits)
{
  return bits == 64 ? value : value >> (i * bits) & ((UINT64_C(1) << bits) - 1);
}

static int64_t element_signed(uint64_t value, unsigned i, unsigned bits)
{
  return (int64_t)(element_get(value, i, bits) << (64 - bits)) >> (64 - bits);
}

static uint64_t element_put(uint64_t value, unsigned i, unsigned bits)
{
  return element_get(value, 0, bits) << (i * bits);
}

static int64_t saturate(int64_t value, int64_t low, int64_t high)
{
  return value < low ? low : value > high ? high : value;
}

static int64_t saturate_signed(int64_t value, unsigned bits)
{
  return saturate(value, -(INT64_C(1) << (bits - 1)), (INT64_C(1) << (bits - 1)) - 1);
}

static int64_t saturate_unsigned(int64_t value, unsigned bits)
{
  return saturate(value, 0, (INT64_C(1) << bits) - 1);
}

/* Addition (sign 1) or subtraction (sign -1) in the four forms. */
static int64_t element_add(uint64_t x, uint64_t y, unsigned i, const struct exec_instruction *v, int sign)
{
  const unsigned bits = element_bits(v->sub);
  const int64_t xu = (int64_t)element_get(x, i, bits), yu = (int64_t)element_get(y, i, bits);
  const int64_t xs = element_signed(x, i, bits), ys = element_signed(y, i, bits);
  switch (v->sub >> 4) {
  case FORM_SIGNED: return saturate_signed(xs + sign * ys, bits);
  case FORM_UNSIGNED: return saturate_unsigned(xu + sign * yu, bits);
  case FORM_UNSIGNED_SIGNED: return saturate_unsigned(xu + sign * ys, bits);
  default: return xu + sign * yu;
  }
}

static int64_t element_average(uint64_t x, uint64_t y, unsigned i, const struct exec_instruction *v)
{
  const unsigned bits = element_bits(v->sub);
  const int64_t sum = (int64_t)(element_get(x, i, bits) + element_get(y, i, bits));
  return v->sub >> 4 ? (sum + 1) >> 1 : sum >> 1 | (sum & 1);
}

static int64_t element_average_difference(uint64_t x, uint64_t y, unsigned i, const struct exec_instruction *v)
{
  const unsigned bits = element_bits(v->sub);
  const int64_t difference = (int64_t)element_get(x, i, bits) - (int64_t)element_get(y, i, bits);
  return difference >> 1 | (difference & 1);
}

static int64_t element_compare(uint64_t x, uint64_t y, unsigned i, const struct exec_instruction *v)
{
  const unsigned bits = element_bits(v->sub);
  return -(int64_t)(v->sub >> 4 ? element_signed(x, i, bits) > element_signed(y, i, bits)
                                : element_get(x, i, bits) == element_get(y, i, bits));
}

/* A shift that overflows decides the result, regardless of the addend. */
static int64_t element_shift_add(uint64_t x, uint64_t y, unsigned i, const struct exec_instruction *v)
{
  const int64_t shifted = element_signed(x, i, 16) * (1 << v->imm), limited = saturate_signed(shifted, 16);
  return limited != shifted ? limited : saturate_signed(shifted + element_signed(y, i, 16), 16);
}

static int64_t element_shift_right_add(uint64_t x, uint64_t y, unsigned i, const struct exec_instruction *v)
{
  return saturate_signed((element_signed(x, i, 16) >> v->imm) + element_signed(y, i, 16), 16);
}

static int64_t element_multiply_shift(uint64_t x, uint64_t y, unsigned i, const struct exec_instruction *v)
{
  return v->sub >> 4 ? (int64_t)(element_get(x, i, 16) * element_get(y, i, 16)) >> v->imm
                     : element_signed(x, i, 16) * element_signed(y, i, 16) >> v->imm;
}

static int64_t element_minimum(uint64_t x, uint64_t y, unsigned i, const struct exec_instruction *v)
{
  const unsigned bits = element_bits(v->sub);
  const int64_t a = v->sub >> 4 ? (int64_t)element_get(x, i, bits) : element_signed(x, i, bits);
  const int64_t b = v->sub >> 4 ? (int64_t)element_get(y, i, bits) : element_signed(y, i, bits);
  return a < b ? a : b;
}

static int64_t element_maximum(uint64_t x, uint64_t y, unsigned i, const struct exec_instruction *v)
{
  const unsigned bits = element_bits(v->sub);
  const int64_t a = v->sub >> 4 ? (int64_t)element_get(x, i, bits) : element_signed(x, i, bits);
  const int64_t b = v->sub >> 4 ? (int64_t)element_get(y, i, bits) : element_signed(y, i, bits);
  return a > b ? a : b;
}

/* A function that computes each element of the result from the same elements of r2 and r3. */
#define PARALLEL_FUNCTION(name, element)                                                                               \
  static void parallel_##name(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)          \
  {                                                                                                                    \
    const struct exec_value x = exec_gr(c, v->r2), y = exec_gr(c, v->r3);                                              \
    const unsigned bits = element_bits(v->sub);                                                                        \
    uint64_t result = 0;                                                                                               \
    (void)s;                                                                                                           \
    for (unsigned i = 0; i < 64 / bits; i++)                                                                           \
      result |= element_put((uint64_t)(element), i, bits);                                                             \
    exec_gr_set(c, v->r1, result, x.nat || y.nat);                                                                     \
  }

PARALLEL_FUNCTION(add, element_add(x.v, y.v, i, v, 1))
PARALLEL_FUNCTION(sub, element_add(x.v, y.v, i, v, -1))
PARALLEL_FUNCTION(average, element_average(x.v, y.v, i, v))
PARALLEL_FUNCTION(average_difference, element_average_difference(x.v, y.v, i, v))
PARALLEL_FUNCTION(compare, element_compare(x.v, y.v, i, v))
PARALLEL_FUNCTION(shift_add, element_shift_add(x.v, y.v, i, v))
PARALLEL_FUNCTION(shift_right_add, element_shift_right_add(x.v, y.v, i, v))
PARALLEL_FUNCTION(multiply_shift, element_multiply_shift(x.v, y.v, i, v))
PARALLEL_FUNCTION(minimum, element_minimum(x.v, y.v, i, v))
PARALLEL_FUNCTION(maximum, element_maximum(x.v, y.v, i, v))
/* Odd elements of the result are those of r2. mix takes every second element, from the right or left; unpack takes half
 * of them in sequence. */
PARALLEL_FUNCTION(mix, element_get(i & 1 ? x.v : y.v, (i & ~1u) + (v->sub >> 4), bits))
PARALLEL_FUNCTION(unpack, element_get(i & 1 ? x.v : y.v, i / 2 + (v->sub >> 4) * 32 / bits, bits))

/* Multiplies 16 by 16 bits: elements 0 and 2 (right), or 1 and 3 (left). */
static void parallel_multiply(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_value x = exec_gr(c, v->r2), y = exec_gr(c, v->r3);
  const unsigned left = v->sub >> 4;
  uint64_t result = 0;
  (void)s;
  for (unsigned i = 0; i < 2; i++)
    result |=
        element_put((uint64_t)(element_signed(x.v, 2 * i + left, 16) * element_signed(y.v, 2 * i + left, 16)), i, 32);
  exec_gr_set(c, v->r1, result, x.nat || y.nat);
}

/* Packs the elements of r2, then those of r3, into elements of half the size. */
static void parallel_pack(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_value x = exec_gr(c, v->r2), y = exec_gr(c, v->r3);
  const unsigned bits = element_bits(v->sub), n = 64 / bits;
  uint64_t result = 0;
  (void)s;
  for (unsigned i = 0; i < 2 * n; i++) {
    const int64_t element = element_signed(i < n ? x.v : y.v, i % n, bits);
    const int64_t small =
        v->sub >> 4 == FORM_SIGNED ? saturate_signed(element, bits / 2) : saturate_unsigned(element, bits / 2);
    result |= element_put((uint64_t)small, i, bits / 2);
  }
  exec_gr_set(c, v->r1, result, x.nat || y.nat);
}

static void parallel_sum_differences(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_value x = exec_gr(c, v->r2), y = exec_gr(c, v->r3);
  uint64_t sum = 0;
  (void)s;
  for (unsigned i = 0; i < 8; i++) {
    const int64_t d = (int64_t)element_get(x.v, i, 8) - (int64_t)element_get(y.v, i, 8);
    sum += (uint64_t)(d < 0 ? -d : d);
  }
  exec_gr_set(c, v->r1, sum, x.nat || y.nat);
}

/* The source byte of each byte of the result, as hexadecimal digits. */
static void parallel_mux1(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  static const uint32_t orders[16] = {[8] = 0x73516240, [9] = 0x73625140, [10] = 0x75316420, [11] = 0x01234567};
  const struct exec_value x = exec_gr(c, v->r2);
  const unsigned kind = v->imm & 15;
  uint64_t result = 0;
  (void)s;
  if (kind && (kind < 8 || kind > 11)) {
    exec_set_fault(c, FAULT_ILLEGAL, 0);
    return;
  }
  for (unsigned i = 0; i < 8; i++)
    result |= element_put(element_get(x.v, orders[kind] >> (4 * i) & 7, 8), i, 8);
  exec_gr_set(c, v->r1, result, x.nat);
}

static void parallel_mux2(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_value x = exec_gr(c, v->r2);
  uint64_t result = 0;
  (void)s;
  for (unsigned i = 0; i < 4; i++)
    result |= element_put(element_get(x.v, (unsigned)v->imm >> (2 * i) & 3, 16), i, 16);
  exec_gr_set(c, v->r1, result, x.nat);
}

/* Shifts all elements by the same count; counts beyond the element's bits leave zeros or signs. */
static uint64_t elements_shift_right(uint64_t value, uint64_t count, unsigned sub)
{
  const unsigned bits = element_bits(sub);
  uint64_t result = 0;
  if (sub >> 4) {
    for (unsigned i = 0; i < 64 / bits && count < bits; i++)
      result |= element_put(element_get(value, i, bits) >> count, i, bits);
    return result;
  }
  for (unsigned i = 0; i < 64 / bits; i++)
    result |= element_put((uint64_t)(element_signed(value, i, bits) >> (count < bits ? count : bits - 1)), i, bits);
  return result;
}

static uint64_t elements_shift_left(uint64_t value, uint64_t count, unsigned sub)
{
  const unsigned bits = element_bits(sub);
  uint64_t result = 0;
  for (unsigned i = 0; i < 64 / bits && count < bits; i++)
    result |= element_put(element_get(value, i, bits) << count, i, bits);
  return result;
}

static void parallel_shift_right(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_value count = exec_gr(c, v->r2), x = exec_gr(c, v->r3);
  (void)s;
  exec_gr_set(c, v->r1, elements_shift_right(x.v, count.v, v->sub), x.nat || count.nat);
}

static void parallel_shift_right_imm(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_value x = exec_gr(c, v->r3);
  (void)s;
  exec_gr_set(c, v->r1, elements_shift_right(x.v, (uint64_t)v->imm, v->sub), x.nat);
}

static void parallel_shift_left(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_value x = exec_gr(c, v->r2), count = exec_gr(c, v->r3);
  (void)s;
  exec_gr_set(c, v->r1, elements_shift_left(x.v, count.v, v->sub), x.nat || count.nat);
}

static void parallel_shift_left_imm(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_value x = exec_gr(c, v->r2);
  (void)s;
  exec_gr_set(c, v->r1, elements_shift_left(x.v, (uint64_t)v->imm, v->sub), x.nat);
}

exec_fn *const exec_parallel[EXEC_OPERATIONS] = {[EXEC_PADD] = parallel_add,
                                                 [EXEC_PSUB] = parallel_sub,
                                                 [EXEC_PAVG] = parallel_average,
                                                 [EXEC_PAVGSUB] = parallel_average_difference,
                                                 [EXEC_PCMP] = parallel_compare,
                                                 [EXEC_PSHLADD] = parallel_shift_add,
                                                 [EXEC_PSHRADD] = parallel_shift_right_add,
                                                 [EXEC_PMPYSHR] = parallel_multiply_shift,
                                                 [EXEC_PMPY] = parallel_multiply,
                                                 [EXEC_MIX] = parallel_mix,
                                                 [EXEC_PACK] = parallel_pack,
                                                 [EXEC_UNPACK] = parallel_unpack,
                                                 [EXEC_PMIN] = parallel_minimum,
                                                 [EXEC_PMAX] = parallel_maximum,
                                                 [EXEC_PSAD] = parallel_sum_differences,
                                                 [EXEC_MUX1] = parallel_mux1,
                                                 [EXEC_MUX2] = parallel_mux2,
                                                 [EXEC_SHR] = parallel_shift_right,
                                                 [EXEC_SHR_IMM] = parallel_shift_right_imm,
                                                 [EXEC_SHL] = parallel_shift_left,
                                                 [EXEC_SHL_IMM] = parallel_shift_left_imm};
