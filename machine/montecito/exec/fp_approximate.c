/* SPDX-License-Identifier: MIT */
/*
 * Approximations of reciprocals and of reciprocal roots, from which programs iterate to quotients and roots: frcpa,
 * frsqrta, and fprcpa and fprsqrta for pairs of singles. The predicate is true if an iteration is needed and can
 * succeed. Otherwise the result is final or, for a pair near the limits of singles, has to be computed in another way.
 */
#include "machine/montecito/exec/fp.h"

#define TOP (UINT64_C(1) << 63)

/* 2 / (1 + (i + 1/2) / 256), in ten bits of fraction, for the significand's bits 62:55. */
static uint64_t reciprocal_entry(unsigned i)
{
  const unsigned divisor = 513 + 2 * i; /* of 512 * 2048 */
  return (512 * 2048 + divisor / 2) / divisor - 1024;
}

/* Returns the square root of `value`, rounded down. */
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

/* A number that is not zero, with a significand that begins with 1. Its exponent (without bias) may be below the range
 * of the register format. */
struct normal {
  uint64_t significand;
  int32_t exponent;
  bool sign;
};
enum { DENORMAL = -16382 }; /* the value of exponent 0 */

static struct normal normal_of(struct exec_float x)
{
  const unsigned zeros = (unsigned)__builtin_clzll(x.significand);
  const int32_t exponent = x.exponent ? (int32_t)x.exponent - EXPONENT_BIAS : DENORMAL;
  return (struct normal){x.significand << zeros, exponent - (int32_t)zeros, x.sign};
}

static struct normal approximation_of(uint64_t entry, int32_t exponent, bool sign)
{
  return (struct normal){TOP | entry << 53, exponent, sign};
}

static struct normal reciprocal_of(struct normal b)
{
  return approximation_of(reciprocal_entry(b.significand >> 55 & 255), -b.exponent - 1, b.sign);
}

/* True if the register format has the exponent. */
static bool normal_fits(struct normal x)
{
  return x.exponent > -EXPONENT_BIAS && x.exponent < EXPONENT_SPECIAL - EXPONENT_BIAS;
}

static struct exec_float float_of(struct normal x)
{
  return (struct exec_float){x.significand, (uint32_t)(x.exponent + EXPONENT_BIAS), x.sign};
}

/* Returns the quotient if it needs no iteration. *ret_final: the returned quotient is the result. */
static struct exec_float quotient_special(struct exec_float a, struct exec_float b, struct fp_control *k,
                                          bool *ret_final)
{
  const bool sign = a.sign != b.sign;
  *ret_final = true;
  if (exec_is_natval(a) || exec_is_natval(b))
    return exec_natval();
  if (fp_is_unsupported(a) || fp_is_unsupported(b)) {
    k->flags |= FP_INVALID;
    return fp_default_nan();
  }
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

struct approximation {
  struct exec_float value;
  bool iterate; /* the predicate: the program is to refine the value */
};

/* Writes the result and the predicate, unless a trap is not masked. */
static void approximation_write(struct exec_cpu *c, const struct exec_instruction *v, const struct montecito_slot *s,
                                const struct fp_control *k, struct approximation x)
{
  if (fp_control_end(c, fp_status_field(s), k))
    return;
  exec_fr_set(c, v->r1, x.value);
  if (!c->fault.kind)
    exec_pr_set(c, v->p2, x.iterate);
}

static void approximate_reciprocal(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  struct fp_control k = fp_control_of(c->ar[AR_FPSR], fp_status_field(s), 0);
  const struct exec_float a = exec_fr(c, v->r2), b = exec_fr(c, v->r3);
  bool final;
  struct exec_float x = quotient_special(a, b, &k, &final);
  if (!final) {
    const struct normal r = reciprocal_of(normal_of(b));
    final = !normal_fits(r); /* the processor leaves this quotient to software; computing it is the model's own */
    x = final ? fp_divide(a, b, &k) : float_of(r);
  }
  approximation_write(c, v, s, &k, (struct approximation){x, !final});
}

/* Returns the approximation for a positive number. */
static struct normal root_of(struct normal b)
{
  const unsigned even = b.exponent & 1 ? 0 : 128;
  return approximation_of(root_entry(even | (unsigned)(b.significand >> 56 & 127)), -(b.exponent >> 1) - 1, false);
}

/* True for NaNs and negative numbers, whose root is not a number: *x is the result. False: *x is unchanged. */
static bool root_is_nan(struct exec_float b, struct fp_control *k, struct exec_float *x)
{
  if (fp_is_nan(b)) {
    k->flags |= fp_is_signalling(b) ? FP_INVALID : 0;
    *x = fp_quiet(b);
    return true;
  }
  if (!fp_is_unsupported(b) && (exec_is_natval(b) || fp_is_zero(b) || !b.sign))
    return false;
  k->flags |= FP_INVALID;
  *x = fp_default_nan();
  return true;
}

static void approximate_root(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  struct fp_control k = fp_control_of(c->ar[AR_FPSR], fp_status_field(s), 0);
  const struct exec_float b = exec_fr(c, v->r3);
  struct exec_float x = b;
  const bool final = root_is_nan(b, &k, &x) || exec_is_natval(b) || fp_is_zero(b) || fp_is_infinite(b);
  approximation_write(c, v, s, &k, (struct approximation){final ? x : float_of(root_of(normal_of(b))), !final});
}

/* ---- pairs of singles ---- */

/* Exponents of singles, and the bits of their significands. */
enum { LEAST = -126, MOST = 127, BITS = 24 };

static struct exec_float single_half(struct exec_float pair, unsigned half)
{
  return fp_of_single((uint32_t)(pair.significand >> (32 * half)));
}

/* True if the iterations for a / b stay within singles, with all bits. The limits are the model's own: the manual
 * leaves them to the implementation. */
static bool quotient_is_safe(struct exec_float a, struct exec_float b)
{
  const int32_t of_a = normal_of(a).exponent, of_b = normal_of(b).exponent, of_quotient = of_a - of_b;
  return of_b >= LEAST && of_b <= MOST - 3 && of_quotient < MOST && of_quotient > LEAST + 1 && of_a >= LEAST + BITS;
}

/* Converts to a single: an infinity above the range of singles; below it a denormal number, whose last bits are
 * dropped. */
static uint32_t single_of(struct normal x)
{
  const uint32_t sign = (uint32_t)x.sign << 31;
  if (x.exponent >= LEAST)
    return x.exponent > MOST ? sign | 0x7f800000 : fp_to_single(float_of(x));
  const int32_t shift = LEAST - x.exponent;
  return sign | (shift < BITS ? (uint32_t)(x.significand >> 40) >> shift : 0);
}

static void approximate_reciprocals(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_float x = exec_fr(c, v->r2), y = exec_fr(c, v->r3);
  struct fp_control k = fp_control_of(c->ar[AR_FPSR], fp_status_field(s), 1);
  struct exec_float pair = exec_natval();
  bool iterate = !exec_is_natval(x) && !exec_is_natval(y);
  for (unsigned i = 0; i < 2 && !(exec_is_natval(x) || exec_is_natval(y)); i++) {
    const struct exec_float a = single_half(x, i), b = single_half(y, i);
    bool final;
    const struct exec_float special = quotient_special(a, b, &k, &final);
    const uint32_t r = final ? fp_to_single(special) : single_of(reciprocal_of(normal_of(b)));
    iterate = iterate && !final && quotient_is_safe(a, b);
    pair = (struct exec_float){(i ? pair.significand : 0) | (uint64_t)r << (32 * i), EXPONENT_INTEGER, false};
  }
  approximation_write(c, v, s, &k, (struct approximation){pair, iterate});
}

/* The reciprocal roots of zero and of infinity are final. */
static void approximate_roots(struct exec_cpu *c, const struct exec_instruction *v, struct montecito_slot *s)
{
  const struct exec_float y = exec_fr(c, v->r3);
  struct fp_control k = fp_control_of(c->ar[AR_FPSR], fp_status_field(s), 1);
  struct exec_float pair = exec_natval();
  bool iterate = !exec_is_natval(y);
  for (unsigned i = 0; i < 2 && !exec_is_natval(y); i++) {
    const struct exec_float b = single_half(y, i);
    struct exec_float special;
    const bool final = root_is_nan(b, &k, &special) || fp_is_zero(b) || fp_is_infinite(b);
    if (fp_is_zero(b))
      special = (struct exec_float){TOP, EXPONENT_SPECIAL, b.sign};
    else if (fp_is_infinite(b) && !b.sign)
      special = (struct exec_float){0};
    const uint32_t r = final ? fp_to_single(special) : single_of(root_of(normal_of(b)));
    iterate = iterate && !final && normal_of(b).exponent >= LEAST + BITS;
    pair = (struct exec_float){(i ? pair.significand : 0) | (uint64_t)r << (32 * i), EXPONENT_INTEGER, false};
  }
  approximation_write(c, v, s, &k, (struct approximation){pair, iterate});
}

exec_fn *const exec_approximations[EXEC_OPERATIONS] = {[EXEC_FRCPA] = approximate_reciprocal,
                                                       [EXEC_FRSQRTA] = approximate_root,
                                                       [EXEC_FPRCPA] = approximate_reciprocals,
                                                       [EXEC_FPRSQRTA] = approximate_roots};
