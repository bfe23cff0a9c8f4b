/* SPDX-License-Identifier: MIT */
/* Instructions of floating-point arithmetic, of comparison and conversion, and 64-bit multiplication. */
#include "machine/montecito/exec/fp.h"

#define TOP (UINT64_C(1) << 63)

/* The status field is in bits 35:34 of the instruction, which are the high bits of f4's neighbour. */
static unsigned status_field(const struct montecito_slot *s)
{
  return (unsigned)(s->encoding >> 34 & 3);
}

/* A trap or fault that is not masked ends the program; else the result is written. */
static void arithmetic_finish(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s,
                              struct exec_float x, const struct fp_control *k)
{
  s->detail =
      (uint8_t)((k->tiny ? k->flush ? FP_FLUSHED : FP_TINY : 0) | (k->tiny || k->flags & FP_OVERFLOW ? FP_CHECKED : 0));
  if (!fp_control_end(c, status_field(s), k))
    exec_fr_set(c, v->r1, x);
}

static struct exec_float float_negate(struct exec_float x)
{
  if (!exec_is_natval(x) && !fp_is_nan(x))
    x.sign = !x.sign;
  return x;
}

/* f1 = f3 * f4 + f2, with the signs of the three operations; with f2 = f0 only a product. */
static void arithmetic_multiply_add(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  struct fp_control k = fp_control_of(c->ar[AR_FPSR], status_field(s), v->sub);
  struct exec_float a = exec_fr(c, v->r3), b = exec_fr(c, v->r4), d = exec_fr(c, v->r2);
  if (v->operation == EXEC_FNMA)
    a = float_negate(a);
  if (v->operation == EXEC_FMS)
    d = float_negate(d);
  arithmetic_finish(c, v, s, v->r2 ? fp_multiply_add(a, b, d, &k) : fp_multiply(a, b, &k), &k);
}

static void arithmetic_integer(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_float a = exec_fr(c, v->r3), b = exec_fr(c, v->r4), d = exec_fr(c, v->r2);
  unsigned __int128 product = (unsigned __int128)a.significand * b.significand;
  struct exec_float x = {.exponent = EXPONENT_INTEGER};
  (void)s;
  if (v->sub == 3) /* signed */
    product = (unsigned __int128)((__int128)(int64_t)a.significand * (int64_t)b.significand);
  product += d.significand;
  x.significand = (uint64_t)(v->sub ? product >> 64 : product);
  exec_fr_set(c, v->r1, exec_is_natval(a) || exec_is_natval(b) || exec_is_natval(d) ? exec_natval() : x);
}

static bool relation_holds(unsigned relation, int order)
{
  enum { UNORDERED = 2 };
  switch (relation) {
  case 0: return order == 0;
  case 1: return order == -1;
  case 2: return order == 0 || order == -1;
  default: return order == UNORDERED;
  }
}

static void predicates_write(struct exec_cpu *c, const struct exec_instruction *v, bool result, bool nat)
{
  exec_pr_set(c, v->p1, !nat && result);
  exec_pr_set(c, v->p2, !nat && !result);
}

static void arithmetic_compare(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  struct fp_control k = fp_control_of(c->ar[AR_FPSR], status_field(s), 0);
  const struct exec_float a = exec_fr(c, v->r2), b = exec_fr(c, v->r3);
  const unsigned relation = v->sub & 3;
  const bool nat = exec_is_natval(a) || exec_is_natval(b), quiet = relation == 0 || relation == 3;
  const bool result = !nat && relation_holds(relation, fp_compare(a, b, quiet, &k));
  if (!fp_control_end(c, status_field(s), &k))
    predicates_write(c, v, result, nat);
}

static void arithmetic_classify(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  enum {
    POSITIVE = 1,
    NEGATIVE = 2,
    ZERO = 4,
    UNNORMAL = 8,
    NORMAL = 16,
    INFINITE = 32,
    SIGNALLING = 64,
    QUIET = 128,
    NATVAL = 256
  };
  const struct exec_float x = exec_fr(c, v->r2);
  const unsigned mask = (unsigned)v->imm, sign = x.sign ? NEGATIVE : POSITIVE;
  bool result;
  (void)s;
  if (exec_is_natval(x)) {
    predicates_write(c, v, true, !(mask & NATVAL));
    return;
  }
  if (fp_is_nan(x))
    result = mask & (fp_is_signalling(x) ? SIGNALLING : QUIET);
  else
    result = mask & sign && mask & (fp_is_zero(x)       ? ZERO
                                    : fp_is_infinite(x) ? INFINITE
                                    : fp_is_unnormal(x) ? UNNORMAL
                                                        : NORMAL);
  predicates_write(c, v, result, false);
}

/* ---- approximations ---- */

/* 2 / (1 + (i + 1/2) / 256), in ten bits of fraction, for the significand's bits 62:55. */
static uint64_t reciprocal_entry(unsigned i)
{
  const unsigned divisor = 513 + 2 * i; /* of 512 * 2048 */
  return (512 * 2048 + divisor / 2) / divisor - 1024;
}

/* The root of `value`, rounded down. */
static uint64_t integer_root(uint64_t value)
{
  uint64_t root = 0;
  for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
    if ((root + bit) * (root + bit) <= value)
      root += bit;
  return root;
}

/* For i < 128, sqrt(2) / sqrt(1 + (i + 1/2) / 128); for others, 2 / sqrt(1 + (i - 128 + 1/2) / 128): ten bits. */
static uint64_t root_entry(unsigned i)
{
  const uint64_t divisor = 257 + 2 * (i & 127), numerator = (i & 128 ? 4 : 2) * UINT64_C(256) << 32;
  return ((integer_root(numerator / divisor) >> 5) + 1) / 2 - 1024;
}

static struct exec_float approximation_of(uint64_t entry, int64_t exponent, bool sign)
{
  return (struct exec_float){TOP | entry << 53, (uint32_t)exponent, sign};
}

static struct exec_float float_normal(struct exec_float x)
{
  if (x.significand && !(x.significand >> 63) && x.exponent != EXPONENT_SPECIAL) {
    const unsigned zeros = (unsigned)__builtin_clzll(x.significand);
    x.significand <<= zeros;
    x.exponent -= zeros;
  }
  return x;
}

/* The quotient where it needs no iteration; *ret_final: it is the result. */
static struct exec_float quotient_special(struct exec_float a, struct exec_float b, struct fp_control *k,
                                          bool *ret_final)
{
  const bool sign = a.sign != b.sign;
  *ret_final = true;
  if (exec_is_natval(a) || exec_is_natval(b))
    return exec_natval();
  if (fp_is_signalling(a) || fp_is_signalling(b))
    k->flags |= FP_INVALID;
  if (fp_is_nan(a) || fp_is_nan(b))
    return fp_quiet(fp_is_nan(a) ? a : b);
  if ((fp_is_zero(a) && fp_is_zero(b)) || (fp_is_infinite(a) && fp_is_infinite(b))) {
    k->flags |= FP_INVALID;
    return fp_default_nan();
  }
  if (fp_is_infinite(a) || fp_is_zero(b)) {
    if (!fp_is_infinite(a))
      k->flags |= FP_ZERO_DIVIDE;
    return (struct exec_float){TOP, EXPONENT_SPECIAL, sign};
  }
  if (fp_is_zero(a) || fp_is_infinite(b))
    return (struct exec_float){0, 0, sign};
  *ret_final = false;
  return (struct exec_float){0};
}

static void arithmetic_reciprocal(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  struct fp_control k = fp_control_of(c->ar[AR_FPSR], status_field(s), 0);
  const struct exec_float a = exec_fr(c, v->r2), b = float_normal(exec_fr(c, v->r3));
  bool final;
  struct exec_float x = quotient_special(a, b, &k, &final);
  if (!final)
    x = approximation_of(reciprocal_entry(b.significand >> 55 & 255), 2 * EXPONENT_BIAS - (int64_t)b.exponent - 1,
                         b.sign);
  arithmetic_finish(c, v, s, x, &k);
  if (!c->fault.kind)
    exec_pr_set(c, v->p2, !final);
}

static void arithmetic_reciprocal_root(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  struct fp_control k = fp_control_of(c->ar[AR_FPSR], status_field(s), 0);
  const struct exec_float b = float_normal(exec_fr(c, v->r3));
  const unsigned index = (b.exponent & 1) << 7 | (unsigned)(b.significand >> 56 & 127);
  struct exec_float x = b;
  bool final = true;
  if (fp_is_nan(b)) {
    k.flags |= fp_is_signalling(b) ? FP_INVALID : 0;
    x = fp_quiet(b);
  } else if (!exec_is_natval(b) && !fp_is_zero(b) && b.sign) {
    k.flags |= FP_INVALID;
    x = fp_default_nan();
  } else if (!exec_is_natval(b) && !fp_is_zero(b) && !fp_is_infinite(b)) {
    final = false;
    x = approximation_of(root_entry(index), EXPONENT_BIAS - (((int64_t)b.exponent - EXPONENT_BIAS) >> 1) - 1, false);
  }
  arithmetic_finish(c, v, s, x, &k);
  if (!c->fault.kind)
    exec_pr_set(c, v->p2, !final);
}

/* ---- minimum, conversion, status ---- */

static void arithmetic_minimum(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  struct fp_control k = fp_control_of(c->ar[AR_FPSR], status_field(s), 0);
  const struct exec_float a = exec_fr(c, v->r2), b = exec_fr(c, v->r3);
  struct exec_float x = a, y = b;
  if (exec_is_natval(a) || exec_is_natval(b)) {
    exec_fr_set(c, v->r1, exec_natval());
    return;
  }
  if (v->sub & 2)
    x.sign = y.sign = false;
  const bool first = fp_compare(x, y, false, &k) == (v->sub & 1 ? 1 : -1);
  arithmetic_finish(c, v, s, first ? a : b, &k);
}

static void arithmetic_to_integer(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  struct fp_control k = fp_control_of(c->ar[AR_FPSR], status_field(s), 0);
  const struct exec_float a = exec_fr(c, v->r2);
  if (exec_is_natval(a)) {
    exec_fr_set(c, v->r1, a);
    return;
  }
  if (v->sub & 2)
    k.rounding = TO_ZERO;
  const struct exec_float x = {fp_to_integer(a, v->sub & 1, &k), EXPONENT_INTEGER, false};
  arithmetic_finish(c, v, s, x, &k);
}

static void arithmetic_from_integer(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_float a = exec_fr(c, v->r2);
  (void)s;
  exec_fr_set(c, v->r1, exec_is_natval(a) ? a : fp_of_integer(a.significand));
}

enum { FIELD_SHIFT = 6, FIELD_BITS = 13, CONTROLS = 0x7f, FLAGS_SHIFT = 7, FLAGS = 0x3f };

static void status_set_controls(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const unsigned shift = FIELD_SHIFT + FIELD_BITS * status_field(s);
  const uint64_t first = c->ar[AR_FPSR] >> FIELD_SHIFT & CONTROLS;
  const uint64_t controls = (first & (uint64_t)v->imm & CONTROLS) | ((uint64_t)v->imm >> 7 & CONTROLS);
  c->ar[AR_FPSR] = (c->ar[AR_FPSR] & ~((uint64_t)CONTROLS << shift)) | controls << shift;
}

static void status_clear_flags(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  (void)v;
  c->ar[AR_FPSR] &= ~((uint64_t)FLAGS << (FIELD_SHIFT + FIELD_BITS * status_field(s) + FLAGS_SHIFT));
}

/* Branches where the field has flags that are traps, or that field 0 does not have. */
static void status_check_flags(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const uint64_t fpsr = c->ar[AR_FPSR];
  const unsigned flags = (unsigned)(fpsr >> (FIELD_SHIFT + FIELD_BITS * status_field(s) + FLAGS_SHIFT)) & FLAGS;
  const unsigned first = (unsigned)(fpsr >> (FIELD_SHIFT + FLAGS_SHIFT)) & FLAGS;
  if (!(flags & ~(unsigned)fpsr & FLAGS) && !(flags & ~first))
    return;
  s->flags |= SLOT_FAIL;
  c->next_ip = c->ip + (uint64_t)v->imm;
  c->taken = true;
}

exec_fn *const exec_arithmetic[EXEC_OPERATIONS] = {
    [EXEC_FMA] = arithmetic_multiply_add,     [EXEC_FMS] = arithmetic_multiply_add,
    [EXEC_FNMA] = arithmetic_multiply_add,    [EXEC_XMA] = arithmetic_integer,
    [EXEC_FCMP] = arithmetic_compare,         [EXEC_FCLASS] = arithmetic_classify,
    [EXEC_FRCPA] = arithmetic_reciprocal,     [EXEC_FRSQRTA] = arithmetic_reciprocal_root,
    [EXEC_FMIN] = arithmetic_minimum,         [EXEC_FCVT_FX] = arithmetic_to_integer,
    [EXEC_FCVT_XF] = arithmetic_from_integer, [EXEC_FSETC] = status_set_controls,
    [EXEC_FCLRF] = status_clear_flags,        [EXEC_FCHKF] = status_check_flags};
