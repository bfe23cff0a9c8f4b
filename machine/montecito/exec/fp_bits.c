/* SPDX-License-Identifier: MIT */
/* Floating-point instructions that move bits: merges, logic, and pairs of single-precision numbers in a significand. */
#include "machine/montecito/exec/fp.h"

/* A function of f2 (x) and f3 (y); a NaTVal gives a NaTVal. */
#define BITS_FUNCTION(name, result)                                                                                    \
  static void bits_##name(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)              \
  {                                                                                                                    \
    const struct exec_float x = exec_fr(c, v->r2), y = exec_fr(c, v->r3);                                              \
    (void)s;                                                                                                           \
    exec_fr_set(c, v->r1, exec_is_natval(x) || exec_is_natval(y) ? exec_natval() : (result));                          \
  }

static struct exec_float bits_integer(uint64_t significand)
{
  return (struct exec_float){significand, EXPONENT_INTEGER, false};
}

static uint64_t halves(uint64_t left, uint64_t right)
{
  return left << 32 | (right & UINT32_MAX);
}

static struct exec_float merge_of(unsigned sub, struct exec_float x, struct exec_float y)
{
  if (sub == 2)
    return (struct exec_float){y.significand, x.exponent, x.sign};
  y.sign = sub == 1 ? !x.sign : x.sign;
  return y;
}

/* Merges two pairs of singles: the signs, or the signs and exponents, come from x. */
static uint64_t merge_pairs(unsigned sub, uint64_t x, uint64_t y)
{
  const uint64_t signs = halves(UINT64_C(1) << 31, UINT64_C(1) << 31);
  const uint64_t mask = sub == 2 ? halves(UINT64_C(0xff800000), 0xff800000) : signs;
  return ((sub == 1 ? x ^ signs : x) & mask) | (y & ~mask);
}

static uint64_t mix_of(unsigned sub, uint64_t x, uint64_t y)
{
  switch (sub) {
  case 1: return halves(x >> 32, y);
  case 2: return halves(x, y);
  default: return halves(x >> 32, y >> 32);
  }
}

/* Returns the sign of x's left or right half, in all bits, next to y's half. */
static uint64_t extend_of(unsigned sub, uint64_t x, uint64_t y)
{
  const unsigned shift = sub ? 32 : 0;
  return halves(x >> (shift + 31) & 1 ? UINT32_MAX : 0, y >> shift);
}

static uint64_t swap_of(unsigned sub, uint64_t x, uint64_t y)
{
  const uint64_t swapped = halves(y, x >> 32), left = UINT64_C(1) << 63, right = UINT64_C(1) << 31;
  return sub == 1 ? swapped ^ left : sub == 2 ? swapped ^ right : swapped;
}

static uint64_t logic_of(unsigned sub, uint64_t x, uint64_t y)
{
  switch (sub) {
  case 0: return x & y;
  case 1: return x & ~y;
  case 2: return x | y;
  default: return x ^ y;
  }
}

BITS_FUNCTION(merge, merge_of(v->sub, x, y))
BITS_FUNCTION(merge_pairs, bits_integer(merge_pairs(v->sub, x.significand, y.significand)))
BITS_FUNCTION(mix, bits_integer(mix_of(v->sub, x.significand, y.significand)))
BITS_FUNCTION(extend, bits_integer(extend_of(v->sub, x.significand, y.significand)))
BITS_FUNCTION(pack, bits_integer(halves(fp_to_single(x), fp_to_single(y))))
BITS_FUNCTION(swap, bits_integer(swap_of(v->sub, x.significand, y.significand)))
BITS_FUNCTION(logic, bits_integer(logic_of(v->sub, x.significand, y.significand)))

/* Each bit of f2 selects the bit of f3 or of f4. */
static void bits_select(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_float x = exec_fr(c, v->r3), y = exec_fr(c, v->r4), by = exec_fr(c, v->r2);
  (void)s;
  if (exec_is_natval(x) || exec_is_natval(y) || exec_is_natval(by))
    exec_fr_set(c, v->r1, exec_natval());
  else
    exec_fr_set(c, v->r1, bits_integer((x.significand & by.significand) | (y.significand & ~by.significand)));
}

/* ---- pairs of singles ---- */

static struct exec_float pair_get(struct exec_float x, unsigned half)
{
  return fp_of_single((uint32_t)(x.significand >> (32 * half)));
}

static struct fp_control pair_control(const struct exec_cpu *c, const struct montecito_slot *s)
{
  struct fp_control k = fp_control_of(c->ar[AR_FPSR], s->encoding >> 34 & 3, 1);
  k.lowest = -126; /* the exponents of singles, regardless of the status field */
  k.highest = 127;
  return k;
}

static void pair_finish(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s,
                        const uint32_t half[2], const struct fp_control *k)
{
  if (!fp_control_end(c, s->encoding >> 34 & 3, k))
    exec_fr_set(c, v->r1, bits_integer(halves(half[1], half[0])));
}

static void pair_multiply_add(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_float x = exec_fr(c, v->r3), y = exec_fr(c, v->r4), z = exec_fr(c, v->r2);
  struct fp_control k = pair_control(c, s);
  uint32_t half[2];
  if (exec_is_natval(x) || exec_is_natval(y) || exec_is_natval(z)) {
    exec_fr_set(c, v->r1, exec_natval());
    return;
  }
  for (unsigned i = 0; i < 2; i++) {
    struct exec_float a = pair_get(x, i), d = pair_get(z, i);
    a.sign ^= v->operation == EXEC_FPNMA && !fp_is_nan(a);
    d.sign ^= v->operation == EXEC_FPMS && !fp_is_nan(d);
    half[i] = fp_to_single(v->r2 ? fp_multiply_add(a, pair_get(y, i), d, &k) : fp_multiply(a, pair_get(y, i), &k));
  }
  pair_finish(c, v, s, half, &k);
}

/* An operation on the pairs in f2 and f3. */
struct pair {
  struct exec_float x, y;
  struct fp_control control;
  uint32_t half[2];
};

/* Reads the operands. False: one of them is a NaTVal, which is then the result. */
static bool pair_begin(struct exec_cpu *c, const struct exec_instruction *v, const struct montecito_slot *s,
                       struct pair *ret)
{
  *ret = (struct pair){.x = exec_fr(c, v->r2), .y = exec_fr(c, v->r3), .control = pair_control(c, s)};
  if (!exec_is_natval(ret->x) && !exec_is_natval(ret->y))
    return true;
  exec_fr_set(c, v->r1, exec_natval());
  return false;
}

static void pair_minimum(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  struct pair p;
  if (!pair_begin(c, v, s, &p))
    return;
  for (unsigned i = 0; i < 2; i++) {
    struct exec_float a = pair_get(p.x, i), b = pair_get(p.y, i);
    if (v->sub & 2)
      a.sign = b.sign = false;
    const bool first = fp_compare(a, b, false, &p.control) == (v->sub & 1 ? 1 : -1);
    p.half[i] = (uint32_t)((first ? p.x : p.y).significand >> (32 * i));
  }
  pair_finish(c, v, s, p.half, &p.control);
}

/* sub: equal, less, less or equal, unordered, and their opposites. */
static void pair_compare(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  struct pair p;
  if (!pair_begin(c, v, s, &p))
    return;
  for (unsigned i = 0; i < 2; i++) {
    const unsigned relation = v->sub & 3;
    const int order = fp_compare(pair_get(p.x, i), pair_get(p.y, i), relation == 0 || relation == 3, &p.control);
    const bool holds = relation == 0   ? order == 0
                       : relation == 1 ? order == -1
                       : relation == 2 ? order == -1 || order == 0
                                       : order == 2;
    p.half[i] = holds != (v->sub >> 2) ? UINT32_MAX : 0;
  }
  pair_finish(c, v, s, p.half, &p.control);
}

/* Converts to a 32-bit integer; returns the smallest integer and sets FP_INVALID where the value does not fit. */
static uint32_t pair_integer(struct exec_float x, bool is_unsigned, struct fp_control *k)
{
  struct fp_control one = *k;
  const uint64_t value = fp_to_integer(x, is_unsigned, &one);
  const bool fits = is_unsigned ? value <= UINT32_MAX : (int64_t)value == (int32_t)value;
  if (!fits || one.flags & FP_INVALID) {
    k->flags |= FP_INVALID;
    return UINT32_C(1) << 31;
  }
  k->flags |= one.flags;
  return (uint32_t)value;
}

static void pair_to_integer(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_float x = exec_fr(c, v->r2);
  struct fp_control k = pair_control(c, s);
  uint32_t half[2];
  if (exec_is_natval(x)) {
    exec_fr_set(c, v->r1, x);
    return;
  }
  if (v->sub & 2)
    k.rounding = TO_ZERO;
  for (unsigned i = 0; i < 2; i++)
    half[i] = pair_integer(pair_get(x, i), v->sub & 1, &k);
  pair_finish(c, v, s, half, &k);
}

exec_fn *const exec_fp_bits[EXEC_OPERATIONS] = {
    [EXEC_FMERGE] = bits_merge,      [EXEC_FPMERGE] = bits_merge_pairs, [EXEC_FMIX] = bits_mix,
    [EXEC_FSXT] = bits_extend,       [EXEC_FPACK] = bits_pack,          [EXEC_FSWAP] = bits_swap,
    [EXEC_FLOGICAL] = bits_logic,    [EXEC_FSELECT] = bits_select,      [EXEC_FPMA] = pair_multiply_add,
    [EXEC_FPMS] = pair_multiply_add, [EXEC_FPNMA] = pair_multiply_add,  [EXEC_FPMIN] = pair_minimum,
    [EXEC_FPCMP] = pair_compare,     [EXEC_FPCVT_FX] = pair_to_integer};
