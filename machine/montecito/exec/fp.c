/* SPDX-License-Identifier: MIT */
#include "machine/montecito/exec/fp.h"

typedef unsigned __int128 wide;

enum { SF_SHIFT = 6, SF_BITS = 13, SF_FLAGS = 7, TRAPS = 0x3f };
#define TOP (UINT64_C(1) << 63)
#define WIDE_TOP ((wide)1 << 127)

/* ---- classes ---- */

bool fp_is_unsupported(struct exec_float x)
{
  return x.exponent == EXPONENT_SPECIAL && !(x.significand >> 63);
}

bool fp_is_nan(struct exec_float x)
{
  return x.exponent == EXPONENT_SPECIAL && x.significand << 1 && !fp_is_unsupported(x);
}

bool fp_is_signalling(struct exec_float x)
{
  return fp_is_nan(x) && !(x.significand >> 62 & 1);
}

bool fp_is_infinite(struct exec_float x)
{
  return x.exponent == EXPONENT_SPECIAL && x.significand == TOP;
}

bool fp_is_zero(struct exec_float x)
{
  return x.exponent != EXPONENT_SPECIAL && !x.significand && !exec_is_natval(x);
}

bool fp_is_unnormal(struct exec_float x)
{
  return x.exponent != EXPONENT_SPECIAL && x.significand && !(x.significand >> 63);
}

struct exec_float fp_quiet(struct exec_float x)
{
  x.significand |= UINT64_C(1) << 62;
  return x;
}

struct exec_float fp_default_nan(void)
{
  return (struct exec_float){UINT64_C(3) << 62, EXPONENT_SPECIAL, true};
}

/* ---- control ---- */

struct fp_control fp_control_of(uint64_t fpsr, unsigned sf, unsigned completer)
{
  static const uint8_t bits_of_pc[] = {24, 64, 53, 64};
  const unsigned field = (unsigned)(fpsr >> (SF_SHIFT + SF_BITS * sf)) & 0x1fff;
  const bool widest = field >> 1 & 1;
  struct fp_control k = {.precision = completer == 1   ? 24
                                      : completer == 2 ? 53
                                                       : bits_of_pc[field >> 2 & 3],
                         .lowest = -16382,
                         .highest = 16383,
                         .rounding = field >> 4 & 3,
                         .flush = field & 1};
  if (widest) {
    k.lowest = 1 - EXPONENT_BIAS;
    k.highest = EXPONENT_BIAS;
  } else if (completer) {
    k.lowest = completer == 1 ? -126 : -1022;
    k.highest = completer == 1 ? 127 : 1023;
  }
  return k;
}

bool fp_control_end(struct exec_cpu *c, unsigned sf, const struct fp_control *k)
{
  const unsigned shift = SF_SHIFT + SF_BITS * sf;
  const bool disabled = sf && c->ar[AR_FPSR] >> (shift + 6) & 1;
  const unsigned masked = disabled ? TRAPS : (unsigned)c->ar[AR_FPSR] & TRAPS;
  c->ar[AR_FPSR] |= (uint64_t)k->flags << (shift + SF_FLAGS);
  if (!(k->flags & ~masked))
    return false;
  exec_set_fault(c, FAULT_FP, k->flags & ~masked);
  return true;
}

/* ---- rounding ---- */

/* An exact number: a 256-bit significand (high, low), whose top bit has the weight 2^exponent. */
struct exact {
  wide high, low;
  int64_t exponent;
  bool sign, zero;
};

static void exact_normalize(struct exact *x)
{
  x->zero = !x->high && !x->low;
  if (x->zero)
    return;
  if (!x->high) {
    x->high = x->low;
    x->low = 0;
    x->exponent -= 128;
  }
  unsigned n = 0;
  while (!(x->high << n & WIDE_TOP))
    n++;
  if (n) {
    x->high = x->high << n | x->low >> (128 - n);
    x->low <<= n;
  }
  x->exponent -= n;
}

/* Shifts right; the bits shifted out are collected in a sticky lowest bit. */
static void exact_shift_right(struct exact *x, int64_t n)
{
  bool sticky = false;
  if (n >= 256) {
    sticky = x->high || x->low;
    x->high = x->low = 0;
  } else if (n >= 128) {
    sticky = x->low || (n > 128 && x->high << (256 - n));
    x->low = x->high >> (n - 128);
    x->high = 0;
  } else if (n > 0) {
    sticky = x->low << (128 - n);
    x->low = x->low >> n | x->high << (128 - n);
    x->high >>= n;
  }
  x->low |= sticky;
  x->exponent += n;
}

/* True if the magnitude is rounded up. last: the last bit kept; half: the first bit dropped; rest: other bits are
 * dropped. */
static bool rounds_up(unsigned rounding, bool sign, bool last, bool half, bool rest)
{
  switch (rounding) {
  case TO_DOWN: return sign && (half || rest);
  case TO_UP: return !sign && (half || rest);
  case TO_ZERO: return false;
  default: return half && (rest || last);
  }
}

/* Rounds to `bits` bits of significand. Returns it at the top of 64 bits. *ret_carry: rounding carried it to 2. */
static uint64_t round_significand(const struct exact *x, unsigned bits, unsigned rounding, bool *ret_inexact,
                                  bool *ret_carry)
{
  const unsigned drop = 128 - bits;
  uint64_t kept = (uint64_t)(x->high >> drop);
  const bool half = x->high >> (drop - 1) & 1, rest = x->high << (bits + 1) || x->low;
  *ret_inexact = half || rest;
  *ret_carry = false;
  if (rounds_up(rounding, x->sign, kept & 1, half, rest)) {
    kept++;
    if (bits == 64 ? !kept : kept >> bits) {
      *ret_carry = true;
      return TOP;
    }
  }
  return kept << (64 - bits);
}

static struct exec_float round_overflow(const struct exact *x, struct fp_control *k)
{
  const bool infinite =
      k->rounding == TO_NEAREST || (k->rounding == TO_UP && !x->sign) || (k->rounding == TO_DOWN && x->sign);
  k->flags |= FP_OVERFLOW | FP_INEXACT;
  if (infinite)
    return (struct exec_float){TOP, EXPONENT_SPECIAL, x->sign};
  return (struct exec_float){UINT64_MAX << (64 - k->precision), (uint32_t)(k->highest + EXPONENT_BIAS), x->sign};
}

/* Rounds a result below the normal numbers: its significand is shifted, and does not begin with 1. */
static struct exec_float round_tiny(struct exact *x, struct fp_control *k)
{
  bool inexact, carry;
  k->tiny = true;
  if (k->flush) {
    k->flags |= FP_UNDERFLOW | FP_INEXACT;
    return (struct exec_float){0, 0, x->sign};
  }
  exact_shift_right(x, k->lowest - x->exponent);
  const uint64_t significand = round_significand(x, k->precision, k->rounding, &inexact, &carry);
  if (inexact)
    k->flags |= FP_UNDERFLOW | FP_INEXACT;
  return (struct exec_float){significand, significand ? (uint32_t)(k->lowest + EXPONENT_BIAS) : 0, x->sign};
}

static struct exec_float exact_round(struct exact *x, struct fp_control *k)
{
  bool inexact, carry;
  exact_normalize(x);
  if (x->zero)
    return (struct exec_float){0, 0, x->sign};
  const uint64_t significand = round_significand(x, k->precision, k->rounding, &inexact, &carry);
  const int64_t exponent = x->exponent + carry;
  if (exponent > k->highest)
    return round_overflow(x, k);
  if (exponent < k->lowest) /* tiny after rounding */
    return round_tiny(x, k);
  if (inexact)
    k->flags |= FP_INEXACT;
  return (struct exec_float){significand, (uint32_t)(exponent + EXPONENT_BIAS), x->sign};
}

/* ---- arithmetic ---- */

/* Returns the exponent of the register format without bias; exponent 0 is that of double-extended denormals. */
static int64_t exponent_of(struct exec_float x)
{
  return x.exponent ? (int64_t)x.exponent - EXPONENT_BIAS : -16382;
}

static struct exact exact_product(struct exec_float a, struct exec_float b)
{
  /* The top bit of the product of two 64-bit significands is worth 2. */
  struct exact p = {.high = (wide)a.significand * b.significand,
                    .exponent = exponent_of(a) + exponent_of(b) + 1,
                    .sign = a.sign != b.sign};
  exact_normalize(&p);
  return p;
}

static struct exact exact_of(struct exec_float x)
{
  struct exact e = {.high = (wide)x.significand << 64, .exponent = exponent_of(x), .sign = x.sign};
  exact_normalize(&e);
  return e;
}

static bool exact_less(const struct exact *a, const struct exact *b)
{
  return a->high != b->high ? a->high < b->high : a->low < b->low;
}

/* Returns the sum of two numbers that are not zero. */
static struct exact exact_sum(struct exact a, struct exact b, unsigned rounding)
{
  if (a.exponent < b.exponent) {
    const struct exact t = a;
    a = b;
    b = t;
  }
  exact_shift_right(&a, 1); /* room for a carry */
  exact_shift_right(&b, a.exponent - b.exponent);
  if (a.sign == b.sign) {
    a.low += b.low;
    a.high += b.high + (a.low < b.low);
    return a;
  }
  if (exact_less(&a, &b)) {
    const struct exact t = a;
    a = b;
    b = t;
  }
  a.high -= b.high + (a.low < b.low);
  a.low -= b.low;
  if (!a.high && !a.low)
    a.sign = rounding == TO_DOWN; /* the sign of a zero by cancellation */
  return a;
}

/* True if an operand alone decides the result, which then is *ret. The order of NaNs is that of the manual: f4, f2,
 * f3. */
static bool special_operand(struct exec_float a, struct exec_float b, struct exec_float c, struct fp_control *k,
                            struct exec_float *ret)
{
  const struct exec_float order[] = {b, c, a};
  if (exec_is_natval(a) || exec_is_natval(b) || exec_is_natval(c)) {
    *ret = exec_natval();
    return true;
  }
  for (unsigned i = 0; i < 3; i++)
    if (fp_is_unsupported(order[i])) {
      k->flags |= FP_INVALID;
      *ret = fp_default_nan();
      return true;
    }
  for (unsigned i = 0; i < 3; i++)
    if (fp_is_signalling(order[i]))
      k->flags |= FP_INVALID;
  for (unsigned i = 0; i < 3; i++)
    if (fp_is_nan(order[i])) {
      *ret = fp_quiet(order[i]);
      return true;
    }
  const bool infinite = fp_is_infinite(a) || fp_is_infinite(b), sign = a.sign != b.sign;
  if ((infinite && (fp_is_zero(a) || fp_is_zero(b))) || (infinite && fp_is_infinite(c) && c.sign != sign)) {
    k->flags |= FP_INVALID;
    *ret = fp_default_nan();
    return true;
  }
  if (fp_is_unnormal(a) || fp_is_unnormal(b) || fp_is_unnormal(c))
    k->flags |= FP_DENORMAL;
  if (infinite)
    *ret = (struct exec_float){TOP, EXPONENT_SPECIAL, sign};
  else if (fp_is_infinite(c))
    *ret = c;
  return infinite || fp_is_infinite(c);
}

struct exec_float fp_multiply(struct exec_float a, struct exec_float b, struct fp_control *k)
{
  struct exec_float result;
  if (special_operand(a, b, (struct exec_float){0}, k, &result))
    return result;
  struct exact p = exact_product(a, b);
  return exact_round(&p, k);
}

struct exec_float fp_multiply_add(struct exec_float a, struct exec_float b, struct exec_float c, struct fp_control *k)
{
  struct exec_float result;
  if (special_operand(a, b, c, k, &result))
    return result;
  struct exact p = exact_product(a, b), e = exact_of(c), sum;
  if (p.zero && e.zero) {
    sum = p;
    if (p.sign != e.sign)
      sum.sign = k->rounding == TO_DOWN;
  } else {
    sum = p.zero ? e : e.zero ? p : exact_sum(p, e, k->rounding);
  }
  return exact_round(&sum, k);
}

struct exec_float fp_divide(struct exec_float a, struct exec_float b, struct fp_control *k)
{
  const struct exact x = exact_of(a), y = exact_of(b);
  const uint64_t divisor = (uint64_t)(y.high >> 64);
  const wide first = x.high / divisor, rest = x.high % divisor << 64;
  struct exact q = {.high = first, /* bit 64 is 1 if x's significand is not less than y's */
                    .low = rest / divisor << 64 | (rest % divisor != 0),
                    .exponent = x.exponent - y.exponent + 63,
                    .sign = a.sign != b.sign};
  return exact_round(&q, k);
}

int fp_compare(struct exec_float a, struct exec_float b, bool quiet, struct fp_control *k)
{
  if (fp_is_nan(a) || fp_is_nan(b) || fp_is_unsupported(a) || fp_is_unsupported(b)) {
    if (!quiet || fp_is_unsupported(a) || fp_is_unsupported(b) || fp_is_signalling(a) || fp_is_signalling(b))
      k->flags |= FP_INVALID;
    return 2;
  }
  if (fp_is_unnormal(a) || fp_is_unnormal(b))
    k->flags |= FP_DENORMAL;
  if (fp_is_zero(a) && fp_is_zero(b))
    return 0;
  if (fp_is_zero(a) || fp_is_zero(b) || a.sign != b.sign)
    return fp_is_zero(a) ? (b.sign ? 1 : -1) : a.sign ? -1 : 1;
  const struct exact x = exact_of(a), y = exact_of(b);
  const int magnitude = x.exponent != y.exponent ? (x.exponent < y.exponent ? -1 : 1)
                        : x.high != y.high       ? (x.high < y.high ? -1 : 1)
                                                 : 0;
  return a.sign ? -magnitude : magnitude;
}
